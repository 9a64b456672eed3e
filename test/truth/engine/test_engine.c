/*
 * The schedule of the whole engine against a synthetic machine: what is left out, stopped, budgeted and repeated. Seeds
 * are fixed, so a case passes always or never. Verdicts: test_verdicts.c.
 */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "truth/engine_run.h"

/* The process beside which a neighbour ran all the time would have made the row dearer; without it the number is the truth. */
static void test_left_out(void **state)
{
	const struct kb_synthetic model = {
		.sibling = { .probes = true, .busy_ns = 1e12, .on_probe = { 1.5, 1.5 }, .on_op = { 1.3, 1.3 }, .processes = 1u << 3 },
	};
	const struct engine_wish wish = { .processes = 6 };
	struct engine_run run;

	(void)state;
	engine_run(&run, &model, &wish);
	assert_int_equal(run.row.result.processes, 5);
	assert_int_equal(run.row.result.processes_contended, 1);
	assert_int_equal(run.row.result.headline, KB_HEADLINE_UNCONTENDED);
	assert_true(run.row.result.observed.value > 122);
	assert_true(run.row.result.estimate.low > 117.5 && run.row.result.estimate.high < 118.5);
	engine_run_close(&run);
}

/* ---- the schedule -------------------------------------------------------------------------------- */

static bool same_estimate(struct kb_estimate a, struct kb_estimate b)
{
	return a.value == b.value && a.low == b.low && a.high == b.high && a.known == b.known && a.bounded == b.bounded;
}

static void test_seed(void **state)
{
	const struct kb_synthetic model = { .bursts = 0.1 };
	const struct engine_wish one = { .seed = 7 }, two = { .seed = 8 };
	struct engine_run first, again, other;

	(void)state;
	engine_run(&first, &model, &one);
	engine_run(&again, &model, &one);
	engine_run(&other, &model, &two);
	assert_int_equal(first.machine.plan_hash, again.machine.plan_hash);
	assert_int_equal(first.records_hash, again.records_hash);
	assert_true(same_estimate(first.row.result.estimate, again.row.result.estimate));
	assert_true(same_estimate(first.row.result.observed, again.row.result.observed));
	assert_int_not_equal(first.machine.plan_hash, other.machine.plan_hash);
	assert_int_not_equal(first.records_hash, other.records_hash);
	engine_run_close(&first);
	engine_run_close(&again);
	engine_run_close(&other);
}

static void test_precision(void **state)
{
	const struct kb_synthetic model = { .process_sd = 0.01 };
	const struct engine_wish wish = { .precision = 0.005 };
	struct engine_run run;
	const struct kb_estimate *typical = &run.row.result.estimate;

	(void)state;
	engine_run(&run, &model, &wish);
	assert_true(run.outcome.precision_met);
	assert_true(kb_verdict_has(&run.row.result.verdict, KB_CODE_target_met));
	assert_false(kb_verdict_has(&run.row.result.verdict, KB_CODE_budget_exhausted));
	assert_true((typical->high - typical->low) / 2 <= 0.005 * typical->value);
	assert_in_range(run.processes, 6, 59);
	engine_run_close(&run);
}

/* Who asks for more processes than a row without end may have gets them. Small groups, for each process is looked at again with
   every later one. */
static void test_many_processes(void **state)
{
	const struct kb_synthetic model = { .process_sd = 0.01 };
	const struct kb_kanata_options small = { .initial = 30, .group_size = 5, .groups = 1, .confidence = .9, .half_width = 1 };
	const struct engine_wish wish = { .processes = 125, .kanata = &small };
	struct engine_run run;

	(void)state;
	engine_run(&run, &model, &wish);
	assert_int_equal(run.processes, 125);
	engine_run_close(&run);
}

static void test_budget(void **state)
{
	const struct kb_synthetic model = { .process_sd = 0.01 };
	const struct engine_wish wish = { .precision = 1e-6, .stop_after = 7 };
	struct engine_run run;

	(void)state;
	engine_run(&run, &model, &wish);
	assert_false(run.outcome.precision_met);
	assert_true(kb_verdict_has(&run.row.result.verdict, KB_CODE_budget_exhausted));
	assert_false(kb_verdict_has(&run.row.result.verdict, KB_CODE_target_met));
	assert_int_equal(run.processes, 7);
	engine_run_close(&run);
}

#define ROWS 8

/* A run of eight results whose budget ends after so many processes. */
static void run_rows(struct engine_run *run, const struct engine_wish *wish, struct kb_row rows[ROWS])
{
	static const struct kb_synthetic model = { .proves = true };
	static const struct engine_wish nothing = { .no_budget = true };

	engine_run(run, &model, &nothing);
	run->wish = wish;
	run->engine.deadline_ns = UINT64_MAX / 2;
	for (size_t i = 0; i < ROWS; i++) {
		rows[i] = (struct kb_row){ .group = 0 };
		kb_settings_default(&rows[i].settings, &run->machine.bench);
		snprintf(rows[i].key, sizeof rows[i].key, "%zu", i);
	}
	assert_int_equal(kb_engine_run(&run->engine, rows, ROWS, &run->outcome, run->error), 0);
}

static void release_rows(struct engine_run *run, struct kb_row rows[ROWS])
{
	for (size_t i = 0; i < ROWS; i++)
		kb_row_release(&rows[i]);
	engine_run_close(run);
}

/* No result gets its second process before all have had one, and what had none is skipped: its proof was not made either. */
static void test_short_budget(void **state)
{
	(void)state;
	for (unsigned budget = 1; budget <= 2 * ROWS; budget++) {
		const struct engine_wish wish = { .seed = budget, .stop_after = budget };
		unsigned most = 0, skipped = 0, reached = budget < ROWS ? budget : ROWS;
		struct kb_row rows[ROWS];
		struct engine_run run;

		run_rows(&run, &wish, rows);
		for (size_t i = 0; i < ROWS; i++) {
			const struct kb_result *result = &rows[i].result;

			most = result->processes > most ? result->processes : most;
			if (result->processes > 0) {
				assert_true(result->observed.known);
				continue;
			}
			skipped++;
			assert_int_equal(rows[i].state->text_count, 0); /* which the workflow calls skipped: not reached */
			assert_true(engine_has_no_number(result));
		}
		assert_int_equal(most, (budget + ROWS - 1) / ROWS);
		assert_int_equal(skipped, ROWS - reached);
		/* A proof and a search for n each. */
		assert_int_equal(run.machine.opened, budget + 2 * reached);
		release_rows(&run, rows);
	}
}

static void test_no_budget(void **state)
{
	const struct kb_synthetic model = { .proves = true };
	const struct engine_wish wish = { .no_budget = true };
	struct engine_run run;

	(void)state;
	engine_run(&run, &model, &wish);
	assert_int_equal(run.status, 0);
	assert_int_equal(run.machine.opened, 0);
	assert_true(engine_has_no_number(&run.row.result));
	assert_false(run.outcome.precision_met);
	engine_run_close(&run);
}

static void test_interrupt(void **state)
{
	const struct kb_synthetic model = { .op = SYNTHETIC_OP };
	const struct engine_wish wish = { .interrupt_after = 2 };
	struct engine_run run;

	(void)state;
	engine_run(&run, &model, &wish);
	assert_true(run.outcome.interrupted);
	assert_int_equal(run.outcome.signal, SIGINT);
	assert_int_equal(run.processes, 2);
	assert_int_equal(run.row.result.processes, 2); /* what was measured is kept */
	engine_run_close(&run);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_left_out),
		cmocka_unit_test(test_seed),
		cmocka_unit_test(test_precision),
		cmocka_unit_test(test_many_processes), cmocka_unit_test(test_budget), cmocka_unit_test(test_short_budget),
		cmocka_unit_test(test_no_budget),
		cmocka_unit_test(test_interrupt),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
