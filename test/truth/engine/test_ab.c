/*
 * The comparison engine over two synthetic machines of which one is slower by a known part: what it decides, what it leaves open, how
 * often it tells equals apart, and whether what it says it can find is found.
 */
/* runs: full, 25 s; runs of the synthetic machine by the hundred */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "result/comparison.h"
#include "run/ab.h"
#include "truth/contended.h"
#include "truth/synthetic.h"
#include "truth/truth.h"

#define FOREVER (UINT64_MAX / 2)

enum { A, B, SIDES };

/* One machine behind a transport that gives it noise of its own: the engine hands both sides one seed. */
struct side {
	struct kb_synthetic_machine machine;
	struct kb_transport transport;
	uint64_t salt;
	bool open;
};

struct trial {
	struct kb_synthetic model[2];
	struct side side[SIDES];
	struct kb_row rows[2];
	struct kb_run_options options;
	struct kb_run_observer observer;
	struct kb_ab ab;
	struct kb_ab_row result;
	struct kb_run_outcome outcome;
	struct kb_comparison comparison;
	struct kb_floor floor;
	struct kb_ratios ratios;
	bool unknown;                   /* floor: nobody has measured one on this model */
	char log[8192];                 /* a letter for each block: a b */
	size_t logged;
};

static struct trial *current;

static int side_open(void *context, const struct kb_process_request *request, char error[256])
{
	struct side *side = context;
	struct kb_process_request own = *request;

	own.seed ^= side->salt;
	side->open = true;
	return side->machine.transport.open(side->machine.transport.context, &own, error);
}

static int side_send(void *context, const char *line, size_t length)
{
	struct side *side = context;

	if (length > 5 && !strncmp(line, "block", 5) && current->logged + 1 < sizeof current->log)
		current->log[current->logged++] = (char)('a' + (side - current->side));
	return side->machine.transport.send(side->machine.transport.context, line, length);
}

static bool side_await(void *context, uint64_t blocks)
{
	struct side *side = context;

	return side->machine.transport.await(side->machine.transport.context, blocks);
}

static struct kb_span side_record(void *context)
{
	struct side *side = context;

	return side->machine.transport.record(side->machine.transport.context);
}

static struct kb_process_text side_close(void *context)
{
	struct side *side = context;

	assert_true(side->open);
	side->open = false;
	return side->machine.transport.close(side->machine.transport.context);
}

static void prepare(struct trial *trial, uint64_t seed, unsigned processes)
{
	trial->options = (struct kb_run_options){
		.id = "synthetic", .seed = seed, .processes = processes, .precision = 10, .budget_ns = FOREVER, .timeout_ns = FOREVER,
	};
	for (int i = 0; i < SIDES; i++) {
		struct side *side = &trial->side[i];

		kb_synthetic_open(&side->machine, &trial->model[i]);
		side->salt = 0x9e37u * (unsigned)i;
		side->transport = (struct kb_transport){ side, side_open, side_send, side_await, side_record, side_close };
	}
	trial->floor = trial->unknown ? (struct kb_floor){ .k = 0 } : (struct kb_floor){ SYNTHETIC_K, KB_FLOOR_SHIPPED };
	for (int i = 0; i < SIDES; i++) {
		struct kb_row *row = &trial->rows[i];

		kb_settings_default(&row->settings, &trial->side[i].machine.bench);
		snprintf(row->key, sizeof row->key, "%s", row->settings.bench->name);
		trial->ab.rows[i] = row;
		trial->ab.side[i] = (struct kb_engine){
			.transport = &trial->side[i].transport, .clock = &trial->side[i].machine.clock,
			.options = &trial->options, .observer = &trial->observer, .deadline_ns = FOREVER,
		};
		if (trial->model[i].sibling.probes) {
			trial->ab.side[i].probe = SYNTHETIC_PROBE_LOOPS;
			trial->ab.side[i].floor = &trial->floor;
			trial->ab.side[i].ratios = &trial->ratios;
		}
	}
	trial->ab.count = 1;
}

/* A trial with these models; with a margin that nothing reaches exactly `pairs` run. */
static void compare(struct trial *trial, uint64_t seed, unsigned pairs, double margin)
{
	struct kb_compare_rules rules = { .margin = log1p(margin) };
	char error[256] = "";

	current = trial;
	prepare(trial, seed, pairs);
	trial->ab.margin = rules.margin;
	assert_int_equal(kb_ab_run(&trial->ab, &trial->result, &trial->outcome, error), 0);
	kb_compare_pairs(&trial->rows[A].result, &trial->rows[B].result, &trial->result.pairs, &rules, &trial->comparison);
	assert_int_equal(kb_compare_family(&trial->comparison, 1), 0);
}

static void end(struct trial *trial)
{
	for (int i = 0; i < SIDES; i++) {
		assert_false(trial->side[i].open);
		kb_synthetic_close(&trial->side[i].machine);
	}
	kb_row_release(&trial->rows[A]);
	kb_row_release(&trial->rows[B]);
	kb_pairs_free(&trial->result.pairs);
}

static void known_differences(void **state)
{
	static const struct { const char *what; double op, margin; enum kb_decision decision; bool regression; } rows[] = {
		{ "equal", 0, .01, KB_EQUIVALENT, false }, { "2 % slower", 122.36, .01, KB_SLOWER, true },
		{ "2 % faster", 117.64, .01, KB_FASTER, false }, { "0.3 % slower, margin 1 %", 120.354, .01, KB_EQUIVALENT, false },
		{ "0.3 % slower, margin 0", 120.354, 0, KB_SLOWER, true },
	};

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct trial trial = { .model = { [B] = { .op = rows[i].op } } };
		double truth = rows[i].op > 0 ? log((rows[i].op - 2) / 118) : 0;
		char what[80];

		compare(&trial, 1, 12, rows[i].margin);
		assert_int_equal(trial.comparison.decision, rows[i].decision);
		assert_int_equal(trial.comparison.regression, rows[i].regression);
		assert_true(trial.comparison.processes >= 12);
		snprintf(what, sizeof what, "two synthetic machines, %s: ln ratio", rows[i].what);
		truth_row("AB-ENGINE", what, truth, .002, trial.comparison.difference.ln.value);
		assert_true(trial.comparison.difference.ln.low <= truth + .001 && trial.comparison.difference.ln.high >= truth - .001);
		assert_true(rows[i].op < 121 || trial.comparison.delta > .5);
		end(&trial);
	}
}

/* Beside a neighbour that takes half the time, on each side at moments of its own, the uncontended costs are compared. */
static void neighbours(void **state)
{
	static const struct { const char *what; double op; enum kb_decision decision; } rows[] = {
		{ "0.5 % slower", 120.59, KB_SLOWER }, { "0.5 % faster", 119.41, KB_FASTER },
	};

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct kb_synthetic model = { .sibling = { NEIGHBOUR, .clean_ns = 2 * MS, .busy_ns = 2 * MS } };
		struct trial trial = { .model = { model, model } };
		char what[80];

		trial.model[B].op = rows[i].op;
		compare(&trial, 1 + i, 12, 0);
		assert_int_equal(trial.comparison.decision, rows[i].decision);
		assert_true(kb_pairs_kind(&trial.result.pairs) == KB_PAIR_UNCONTENDED && !trial.comparison.compared);
		snprintf(what, sizeof what, "half the time contended, %s: ln ratio", rows[i].what);
		truth_row("AB-ENGINE", what, log((rows[i].op - 2) / 118), .002, trial.comparison.difference.ln.value);
		end(&trial);
	}
}

/* Where the run itself finds the floor of its probe, pairs are read again: what is open then goes on, for the budget is not over. */
static void floor_of_this_run(void **state)
{
	const struct kb_synthetic model = { .sibling = { NEIGHBOUR, .clean_ns = 2 * MS, .busy_ns = 3 * MS } };
	unsigned tries = (unsigned)truth_tries(100, 4);

	(void)state;
	for (uint64_t seed = 1; seed <= tries; seed++) {
		struct trial trial = { .model = { model, model }, .unknown = true };

		trial.model[B].op = 122.36;
		compare(&trial, seed, 1, .01);
		assert_int_equal(trial.floor.from, KB_FLOOR_RUN);
		assert_int_equal(trial.comparison.decision, KB_SLOWER);
		assert_true(trial.outcome.precision_met);
		end(&trial);
	}
}

/* As long as one pair in four is uncontended, what was observed decides nothing, however little the neighbour takes. */
static void few_uncontended(void **state)
{
	const struct kb_synthetic model = { .sibling = { .probes = true, .on_probe = { 1.15, 2 }, .on_op = { 1, 1.01 }, .clean_ns = 2 * MS,
	                                                 .busy_ns = 16 * MS } };
	unsigned tries = (unsigned)truth_tries(100, 4), uncontended = 0;

	(void)state;
	for (uint64_t seed = 1; seed <= tries; seed++) {
		struct trial trial = { .model = { model, model } };

		trial.model[B].op = 122.36;
		compare(&trial, seed, 1, .01);
		assert_int_equal(trial.comparison.decision, KB_SLOWER);
		uncontended += kb_pairs_kind(&trial.result.pairs) == KB_PAIR_UNCONTENDED;
		end(&trial);
	}
	assert_true(4 * uncontended >= 3 * tries);
}

/* Strangers in the memory move row and twin alike, each process by 5 %: ratios tell 1 % all the same. */
static void twins(void **state)
{
	const struct kb_synthetic model = { .twin = SYNTHETIC_OP, .ar = 0.98, .ar_sd = 0.03, .process_sd = 0.05 };
	struct trial trial = { .model = { model, model } };

	(void)state;
	trial.model[B].op = 121.18;
	compare(&trial, 1, 12, 0);
	assert_string_equal(trial.comparison.compared, "ratio");
	assert_int_equal(trial.comparison.decision, KB_SLOWER);
	truth_row("AB-ENGINE", "a result 1 % slower, other guests slow it and its twin: ln ratio", log(119.18 / 118), .004,
	          trial.comparison.difference.ln.value);
	end(&trial);
}

/* One that never rests leaves no uncontended cost: what was observed is compared, and said to be that. */
static void never_clean(void **state)
{
	struct kb_synthetic model = { .sibling = { NEIGHBOUR, .busy_ns = 5 * MS } };
	struct trial trial = { .model = { model, model } };

	(void)state;
	compare(&trial, 1, 12, 10);
	assert_int_equal(kb_pairs_kind(&trial.result.pairs), KB_PAIR_OBSERVED);
	assert_int_equal(trial.rows[A].result.headline, KB_HEADLINE_OBSERVED);
	assert_int_equal(trial.comparison.processes, 12);
	end(&trial);
}

/* What is compared is the operation without its circle: half of the time here, and the same on both sides. */
static void circle_taken_off(void **state)
{
	struct trial trial = { .model = { { .base = 60 }, { .base = 60, .op = 123 } } };

	(void)state;
	compare(&trial, 1, 12, .01);
	truth_row("AB-ENGINE", "a base of half the time: ln ratio", log(63. / 60), .005, trial.comparison.difference.ln.value);
	end(&trial);
}

/* Processes that differ by a twentieth: equal sides are not told apart, and the answer says how little it could have found. */
static void processes_differ(void **state)
{
	unsigned told = 0, blind = 0, tries = (unsigned)truth_tries(200, 20);

	(void)state;
	for (uint64_t seed = 1; seed <= tries; seed++) {
		struct trial trial = { .model = { { .process_sd = .05 }, { .process_sd = .05 } } };

		compare(&trial, seed, 12, 10);  /* ends at once, for nothing is as large */
		kb_compare_pairs(&trial.rows[A].result, &trial.rows[B].result, &trial.result.pairs,
		                 &(struct kb_compare_rules){ .margin = .01 }, &trial.comparison);
		told += trial.comparison.decision != KB_INCONCLUSIVE && trial.comparison.decision != KB_EQUIVALENT;
		blind += !(trial.comparison.difference.detectable > .02);
		end(&trial);
	}
	truth_at_most("AB-ENGINE", "processes differ by 5 %, told apart", .01, (double)told / tries);
	truth_at_most("AB-ENGINE", "processes differ by 5 %, finds 2 % or less", .01, (double)blind / tries);
}

/* Bursts of a neighbour on 20 % of the intervals, half of them without evidence, on both sides. */
static void busy_machine(void **state)
{
	struct trial trial = { .model = { { .bursts = .2, .blind = .5 }, { .bursts = .2, .blind = .5, .op = 122.36 } } };

	(void)state;
	compare(&trial, 3, 12, .01);
	assert_int_equal(trial.comparison.decision, KB_SLOWER);
	truth_row("AB-ENGINE", "2 % slower alongside a busy neighbour: ln ratio", log(120.36 / 118), .004,
	          trial.comparison.difference.ln.value);
	end(&trial);
}

static void bad_side(void **state)
{
	struct trial trial = { .model = { [B] = { .fails = "check", .fails_at = 200, .checked = true, .op = 200 } } };

	(void)state;
	compare(&trial, 1, 12, .01);
	assert_true(trial.comparison.invalid && trial.comparison.status[1] == KB_INVALID);
	assert_int_equal(trial.comparison.decision, KB_INCONCLUSIVE);
	assert_false(trial.comparison.regression);
	assert_true(trial.result.pairs.count < 12);     /* no more processes for a row without a future */
	end(&trial);
}

static void few_processes(void **state)
{
	struct trial trial = { .model = { [B] = { .op = 150 } } };

	(void)state;
	compare(&trial, 1, 2, .01);
	for (unsigned pair = 2; pair < trial.result.pairs.count; pair++)
		trial.result.pairs.pairs[pair].ln[KB_PAIR_OBSERVED] = NAN;
	kb_compare_pairs(&trial.rows[A].result, &trial.rows[B].result, &trial.result.pairs, &(struct kb_compare_rules){ .margin = .01 },
	                 &trial.comparison);
	assert_int_equal(trial.comparison.processes, 2);
	assert_true(kb_verdict_has(&trial.comparison.verdict, KB_CODE_too_few_effective));
	assert_int_equal(trial.comparison.decision, KB_INCONCLUSIVE);
	end(&trial);
}

/* Every four letters are abba or baab, and both occur. */
static void order_of_turns(void **state)
{
	struct trial trial = { .model = { { 0 } } };
	unsigned abba = 0, baab = 0;

	(void)state;
	compare(&trial, 1, 12, .01);
	assert_true(trial.logged > 300 && trial.logged % 4 == 0);
	for (size_t i = 0; i < trial.logged; i += 4) {
		const char *four = trial.log + i;

		assert_true(four[0] == four[3] && four[1] == four[2] && four[0] != four[1]);
		abba += four[0] == 'a';
		baab += four[1] == 'a';
	}
	assert_int_equal(abba + baab, trial.logged / 4);
	assert_true(abba > trial.logged / 16 && baab > trial.logged / 16);
	assert_int_equal(trial.rows[A].result.n_max, trial.rows[B].result.n_max);
	end(&trial);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(known_differences), cmocka_unit_test(neighbours), cmocka_unit_test(floor_of_this_run), cmocka_unit_test(few_uncontended),
		cmocka_unit_test(twins),
		cmocka_unit_test(never_clean), cmocka_unit_test(circle_taken_off),
		cmocka_unit_test(processes_differ), cmocka_unit_test(busy_machine),
		cmocka_unit_test(bad_side), cmocka_unit_test(few_processes), cmocka_unit_test(order_of_turns),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
