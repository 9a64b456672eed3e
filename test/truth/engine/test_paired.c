/*
 * Method paired on the synthetic machine: the difference of op and base comes back whatever both have in common, its
 * interval holds the truth as often as it says, what was refuted is left out, and what pairs cannot cancel is told.
 */
/* runs: slow, 3 s */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "result/pairs.h"
#include "truth/engine_run.h"
#include "truth/truth.h"

#define COVERAGE (truth_full() ? 0.90 : 0.80) /* three errors of such a share below 95 %, of so many runs */
#define SEEDS truth_tries(200, 16)
#define N 2000                  /* operations of an interval: 240 us */

struct tally { unsigned covered, ok; double bias, half; };

static struct tally tally_of(const struct kb_synthetic *model)
{
	double truth = kb_synthetic_cost(model);
	struct tally tally = { 0 };

	for (int seed = 1; seed <= SEEDS; seed++) {
		const struct engine_wish wish = { .seed = (uint64_t)seed };
		struct engine_run run;
		const struct kb_result *result = &run.row.result;
		const struct kb_estimate *e = &result->estimate;

		engine_run(&run, model, &wish);
		assert_int_equal(run.status, 0);
		assert_int_equal(result->method, KB_METHOD_PAIRED);
		assert_true(result->n_min == result->n_max);
		tally.covered += e->bounded && e->low <= truth && truth <= e->high;
		tally.ok += result->verdict.status == KB_OK;
		tally.bias += (e->value / truth - 1) / SEEDS;
		tally.half += (e->high - e->low) / 2 / truth / SEEDS;
		engine_run_close(&run);
	}
	return tally;
}

static void expect_truth(const char *name, struct tally tally, double bias, double ok)
{
	truth_at_least(name, "coverage of 95 %", COVERAGE, tally.covered / (double)SEEDS);
	truth_row(name, "bias", 0, bias, tally.bias);
	truth_at_least(name, "verdict ok", ok, tally.ok / (double)SEEDS);
}

static void test_difference(void **state)
{
	const struct kb_synthetic model = { .paired = N, .process_sd = 0.005 };

	(void)state;
	expect_truth("paired", tally_of(&model), 0.005, 0.8);
}

/* Both sides wander by 3 % together, ten times of which is the difference of two that are measured apart. */
static void test_common_drift(void **state)
{
	const struct kb_synthetic model = { .paired = N, .base = 100, .ar = 0.999, .ar_sd = 0.03, .checked = true };
	struct tally tally = tally_of(&model);

	(void)state;
	truth_at_least("paired, common drift", "coverage of 95 %", COVERAGE, tally.covered / (double)SEEDS);
	truth_row("paired, common drift", "bias", 0, 0.02, tally.bias);
	truth_at_most("paired, common drift", "half-width", 0.05, tally.half);
}

/* The second interval of a pair is dearer than the first, by a tenth of the difference: either side has it equally often. */
static void test_second(void **state)
{
	const struct kb_synthetic model = { .paired = N, .op = 220, .base = 100, .second = 24000, .v0 = 4e8 };

	(void)state;
	truth_row("paired, second costs more", "bias", 0, 0.02, tally_of(&model).bias);
}

/* Without a base the clock's own cost is all that is taken off; what an interval costs beside its operations stays in. */
static void test_no_base(void **state)
{
	const struct kb_synthetic model = { .paired = N, .no_base = true };
	const double fixed = SYNTHETIC_FIXED / N;
	const struct engine_wish wish = { .seed = 3 };
	struct engine_run run;

	(void)state;
	engine_run(&run, &model, &wish);
	assert_true(fabs(run.row.result.estimate.value - SYNTHETIC_OP - fixed) < 0.001 * SYNTHETIC_OP);
	assert_false(kb_verdict_has(&run.row.result.verdict, KB_CODE_base_dominates));
	engine_run_close(&run);
}

struct expected { const char *name; struct kb_synthetic model; enum kb_status status; enum kb_reason_code code; };

static void test_verdicts(void **state)
{
	static const struct expected cases[] = {
		{ "base is dearer", { .paired = N, .op = 100, .base = 120 }, KB_INVALID, KB_CODE_base_exceeds_op },
		{ "nothing but the base", { .paired = N, .op = 100, .base = 100 }, KB_NOISY, KB_CODE_below_resolution },
		{ "base is half, instructions", { .paired = N, .op = 120, .base = 60, .bound = KB_LATENCY }, KB_NOISY,
		  KB_CODE_base_dominates },
		{ "half, and folded away", { .paired = N, .op = 0.8, .base = 0.4, .bound = KB_LATENCY, .half_base = true },
		  KB_INVALID, KB_CODE_dead_code },
		{ "mostly base", { .paired = N, .op = 120, .base = 100 }, KB_NOISY, KB_CODE_base_dominates },
		{ "cost drifts", { .paired = N, .drift = 0.7 }, KB_OK, KB_CODE_drift },
		{ "cost runs away", { .paired = N, .drift = 5 }, KB_NOISY, KB_CODE_unsettled },
		{ "bursts", { .paired = N, .bursts = 0.2 }, KB_OK, KB_CODE_ctx_switch },
		{ "one in 50 refuted", { .paired = N, .refutes = 50 }, KB_INVALID, KB_CODE_refuted },
		{ "one in 120 refuted", { .paired = N, .refutes = 120 }, KB_OK, KB_CODE_few_refuted },
		{ "all refuted", { .paired = N, .refutes = 1 }, KB_INVALID, KB_CODE_refuted },
		{ "slope, one in 50 refuted", { .refutes = 50 }, KB_INVALID, KB_CODE_refuted },
		{ "slope, one in 200 refuted", { .refutes = 200 }, KB_OK, KB_CODE_few_refuted },
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		const struct engine_wish wish = { .seed = 5 };
		struct engine_run run;
		char codes[400];

		engine_run(&run, &cases[i].model, &wish);
		engine_codes(&run.row.result, codes, sizeof codes);
		if (run.row.result.verdict.status != cases[i].status || !kb_verdict_has(&run.row.result.verdict, cases[i].code))
			fail_msg("%s: %s, %s", cases[i].name, kb_status_name(run.row.result.verdict.status), codes);
		engine_run_close(&run);
	}
}

/* Refuted intervals, in which nothing was done, are in no number and have a count of their own. */
static void test_refuted(void **state)
{
	const struct kb_synthetic model = { .paired = N, .refutes = 120 };
	const struct engine_wish wish = { .seed = 7 };
	struct engine_run run;
	const struct kb_result *result = &run.row.result;
	uint64_t refuted;

	(void)state;
	engine_run(&run, &model, &wish);
	refuted = result->flags[8];
	assert_in_range(refuted, (result->observations + refuted) / 120 - 5, (result->observations + refuted) / 120 + 5);
	assert_true(result->quantile[KB_P1].value > 0.9 * kb_synthetic_cost(&model));
	assert_true(fabs(result->mean.value / kb_synthetic_cost(&model) - 1) < 0.01);
	engine_run_close(&run);
}

/* The method follows from what one go costs: 30 000 operations of 120 ns are no longer a matter of a grid. */
static void test_granule(void **state)
{
	static const struct { uint64_t granule; enum kb_method method; } cases[] = { { 100, KB_METHOD_SLOPE }, { 30000, KB_METHOD_PAIRED } };

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		const struct kb_synthetic model = { .granule = cases[i].granule };
		const struct engine_wish wish = { .processes = 3 };
		struct engine_run run;

		engine_run(&run, &model, &wish);
		assert_int_equal(run.row.result.method, cases[i].method);
		assert_int_equal(run.row.result.n_min % cases[i].granule, 0);
		assert_true(fabs(run.row.result.estimate.value - kb_synthetic_cost(&model)) < 1);
		engine_run_close(&run);
	}
}

static void test_asked(void **state)
{
	const struct kb_synthetic model = { .op = SYNTHETIC_OP }, program = { .granule = 30000 };
	const struct engine_wish paired = { .method = KB_METHOD_PAIRED }, single = { .method = KB_METHOD_SINGLE };
	struct engine_run run;

	(void)state;
	engine_run(&run, &model, &paired);
	assert_int_equal(run.row.result.method, KB_METHOD_PAIRED);
	assert_true(fabs(run.row.result.estimate.value - kb_synthetic_cost(&model)) < 1);
	engine_run_close(&run);
	engine_run(&run, &program, &single);
	assert_true(run.status < 0 && strstr(run.error, "30000 operations in one go"));
	engine_run_close(&run);
}

static void keep_first(void *context, const struct kb_process_text *text)
{
	struct kb_process_text *to = context;

	if (text->process != 1 || to->record)
		return;
	*to = *text;
	to->outcome = "";
	to->record = memcpy(malloc(text->length), text->record, text->length);
}

static struct kb_process_text process_of(const struct kb_synthetic *model, uint64_t seed)
{
	struct kb_process_text first = { .record = NULL };
	const struct engine_wish wish = { .seed = seed, .processes = 1, .record = keep_first, .context = &first };
	struct engine_run run;

	engine_run(&run, model, &wish);
	engine_run_close(&run);
	assert_non_null(first.record);
	return first;
}

/* A ratio of two rows is one of costs net of the base, taken off once: 44 against 40, and not 124 against 120. */
static void test_ratio(void **state)
{
	const struct kb_synthetic model[2] = { { .paired = N, .base = 80 }, { .paired = N, .op = SYNTHETIC_OP + 4, .base = 80 } };
	struct kb_process_text a = process_of(&model[0], 1), b = process_of(&model[1], 2);
	struct kb_pairs pairs = { 0 };

	(void)state;
	assert_int_equal(kb_pairs_add(&pairs, &a, &b, &(struct kb_floor){ .k = 0 }), 0);
	assert_int_equal(kb_pairs_usable(&pairs), 1);
	assert_true(fabs(exp(pairs.pairs[0].ln[KB_PAIR_OBSERVED]) - 1.1) < 0.02);
	kb_pairs_free(&pairs);
	free((void *)(uintptr_t)a.record);
	free((void *)(uintptr_t)b.record);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_difference), cmocka_unit_test(test_common_drift), cmocka_unit_test(test_second),
		cmocka_unit_test(test_no_base), cmocka_unit_test(test_verdicts), cmocka_unit_test(test_refuted),
		cmocka_unit_test(test_granule), cmocka_unit_test(test_asked), cmocka_unit_test(test_ratio),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
