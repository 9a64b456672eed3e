/*
 * The comparison engine over two synthetic machines of which one is slower by a known part: what it decides, what it
 * leaves open, and that its noise floor keeps a gate from firing on what the machine cannot tell apart.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "run/ab.h"
#include "run/comparison.h"
#include "synthetic.h"
#include "truth/truth.h"

#define FOREVER (UINT64_MAX / 2)

enum { A, B, AGAIN, MACHINES };

/* One machine behind a transport that gives it noise of its own: the engine hands both sides one seed. */
struct side {
	struct kb_synthetic_machine machine;
	struct kb_transport transport;
	uint64_t salt;
	bool open;
};

struct trial {
	struct kb_synthetic model[2];
	struct side side[MACHINES];
	struct kb_row rows[2], self;
	struct kb_run_options options;
	struct kb_run_observer observer;
	struct kb_ab ab;
	struct kb_ab_row result;
	struct kb_run_outcome outcome;
	struct kb_comparison comparison;
	char log[8192];                 /* a letter for each block: a b, and the second machine of a self-test as c */
	size_t logged;
};

static struct trial *current;

static int side_open(void *context, const struct kb_launch_request *request, char error[256])
{
	struct side *side = context;
	struct kb_launch_request own = *request;

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

static struct kb_launch_text side_close(void *context)
{
	struct side *side = context;

	assert_true(side->open);
	side->open = false;
	return side->machine.transport.close(side->machine.transport.context);
}

static void prepare(struct trial *trial, uint64_t seed, unsigned launches)
{
	trial->options = (struct kb_run_options){
		.id = "synthetic", .seed = seed, .launches = launches, .precision = 10, .budget_ns = FOREVER, .timeout_ns = FOREVER,
	};
	for (int i = 0; i < MACHINES; i++) {
		struct side *side = &trial->side[i];

		kb_synthetic_open(&side->machine, &trial->model[i == B]);
		side->salt = 0x9e37u * (unsigned)i;
		side->transport = (struct kb_transport){ side, side_open, side_send, side_await, side_record, side_close };
	}
	for (int i = 0; i < 3; i++) {
		struct kb_row *row = i < 2 ? &trial->rows[i] : &trial->self;

		kb_settings_default(&row->settings, &trial->side[i == B ? B : A].machine.bench);
		snprintf(row->key, sizeof row->key, "%s", row->settings.bench->name);
	}
	for (int i = 0; i < 2; i++) {
		trial->ab.side[i] = (struct kb_engine){
			.transport = &trial->side[i].transport, .clock = &trial->side[i].machine.clock,
			.options = &trial->options, .observer = &trial->observer, .deadline_ns = FOREVER,
		};
		trial->ab.self[i] = trial->ab.side[i];
		trial->ab.rows[i] = &trial->rows[i];
	}
	trial->ab.self[1].transport = &trial->side[AGAIN].transport;
	trial->ab.self_rows = &trial->self;
	trial->ab.count = 1;
	trial->ab.margin = log1p(.01);
}

/* A trial with these models; the target of precision is off where wide is set, so that exactly `launches` pairs run. */
static void compare(struct trial *trial, uint64_t seed, unsigned launches, bool wide)
{
	static const struct kb_compare_rules rules = { .margin = 0.00995033085316808285 };
	char error[256] = "";

	current = trial;
	prepare(trial, seed, launches);
	if (wide)
		trial->ab.margin = 100;
	assert_int_equal(kb_ab_run(&trial->ab, &trial->result, &trial->outcome, error), 0);
	kb_compare_pairs(&trial->rows[A].result, &trial->rows[B].result, &trial->result.pairs, &trial->result.self, NULL, 0,
	                 &rules, &trial->comparison);
	assert_int_equal(kb_compare_family(&trial->comparison, 1), 0);
}

static void end(struct trial *trial)
{
	for (int i = 0; i < MACHINES; i++) {
		assert_false(trial->side[i].open);
		kb_synthetic_close(&trial->side[i].machine);
	}
	kb_row_release(&trial->rows[A]);
	kb_row_release(&trial->rows[B]);
	kb_row_release(&trial->self);
	kb_pairs_free(&trial->result.pairs);
	kb_pairs_free(&trial->result.self);
}

static void known_differences(void **state)
{
	static const struct { const char *what; double op; enum kb_decision decision; bool regression; } rows[] = {
		{ "equal", 0, KB_EQUIVALENT, false }, { "2 % slower", 122.36, KB_SLOWER, true },
		{ "2 % faster", 117.64, KB_FASTER, false }, { "0.3 % slower", 120.354, KB_EQUIVALENT, false },
	};

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct trial trial = { .model = { [B] = { .op = rows[i].op } } };
		double truth = rows[i].op > 0 ? log((rows[i].op - 2) / 118) : 0;
		char what[80];

		compare(&trial, 1, 5, false);
		assert_int_equal(trial.comparison.decision, rows[i].decision);
		assert_int_equal(trial.comparison.regression, rows[i].regression);
		assert_true(trial.comparison.launches >= 5);
		snprintf(what, sizeof what, "two synthetic machines, %s: ln ratio", rows[i].what);
		truth_row("AB-ENGINE", what, truth, .002, trial.comparison.difference.ln.value);
		assert_true(trial.comparison.difference.ln.low <= truth + .001 && trial.comparison.difference.ln.high >= truth - .001);
		assert_true(rows[i].op < 121 || trial.comparison.delta > .5);
		end(&trial);
	}
}

/* What is compared is the operation without its circle: half of the time here, and the same on both sides. */
static void circle_taken_off(void **state)
{
	struct trial trial = { .model = { { .base = 60 }, { .base = 60, .op = 123 } } };

	(void)state;
	compare(&trial, 1, 5, false);
	truth_row("AB-ENGINE", "a base of half the time: ln ratio", log(63. / 60), .005, trial.comparison.difference.ln.value);
	end(&trial);
}

/* Launches that differ by a twentieth: neither a gate nor an equivalence, and the self-test says why. */
static void launches_differ(void **state)
{
	unsigned fired = 0, told = 0;

	(void)state;
	for (uint64_t seed = 1; seed <= (uint64_t)truth_tries(200, 20); seed++) {
		struct trial trial = { .model = { { .launch_sd = .05 }, { .launch_sd = .05 } } };

		compare(&trial, seed, 5, true);
		fired += trial.comparison.regression;
		told += trial.comparison.decision == KB_SLOWER || trial.comparison.decision == KB_FASTER;
		assert_true(trial.comparison.floor > .001 && trial.comparison.margin >= trial.comparison.floor);
		assert_true(trial.comparison.split && trial.comparison.levels.t2[1] > 10 * trial.comparison.levels.t2[0] / 30);
		end(&trial);
	}
	truth_at_most("AB-ENGINE", "launch sd 5 %, gate fires", .05, (double)fired / truth_tries(200, 20));
	truth_at_most("AB-ENGINE", "launch sd 5 %, told apart", .05, (double)told / truth_tries(200, 20));
}

/* Bursts of a neighbour on 20 % of the intervals, half of them without evidence, on both sides. */
static void busy_machine(void **state)
{
	struct trial trial = { .model = { { .bursts = .2, .blind = .5 }, { .bursts = .2, .blind = .5, .op = 122.36 } } };

	(void)state;
	compare(&trial, 3, 5, false);
	assert_int_equal(trial.comparison.decision, KB_SLOWER);
	truth_row("AB-ENGINE", "2 % slower beside a busy neighbour: ln ratio", log(120.36 / 118), .004,
	          trial.comparison.difference.ln.value);
	end(&trial);
}

static void bad_side(void **state)
{
	struct trial trial = { .model = { [B] = { .fails = "check", .fails_at = 200, .checked = true, .op = 200 } } };

	(void)state;
	compare(&trial, 1, 5, false);
	assert_true(trial.comparison.invalid && trial.comparison.status[1] == KB_INVALID);
	assert_int_equal(trial.comparison.decision, KB_INCONCLUSIVE);
	assert_false(trial.comparison.regression);
	assert_true(trial.result.pairs.count < 5);      /* no more launches for a row without a future */
	end(&trial);
}

static void few_launches(void **state)
{
	struct trial trial = { .model = { [B] = { .op = 150 } } };

	(void)state;
	compare(&trial, 1, 2, true);
	assert_int_equal(trial.comparison.launches, 2);
	assert_true(kb_verdict_has(&trial.comparison.verdict, KB_CODE_single_launch));
	assert_false(trial.comparison.regression);
	end(&trial);
}

/* Every four letters are abba or baab, and both occur. */
static void order_of_turns(void **state)
{
	struct trial trial = { .model = { { 0 } } };
	unsigned abba = 0, baab = 0;

	(void)state;
	compare(&trial, 1, 3, true);
	assert_true(trial.logged > 300 && trial.logged % 4 == 0);
	for (size_t i = 0; i < trial.logged; i += 4) {
		const char *four = trial.log + i;

		assert_true(four[0] == four[3] && four[1] == four[2] && four[0] != four[1]);
		abba += four[0] == 'a';
		baab += four[1] == 'a';
	}
	assert_int_equal(abba + baab, trial.logged / 4);
	assert_true(abba > trial.logged / 16 && baab > trial.logged / 16);
	/* The self-test has its launches in pairs 2i-1, 2i, as many as the comparison. */
	assert_int_equal(trial.result.self.count, 3);
	assert_int_equal(trial.self.result.process_cost_count, 6);
	for (unsigned i = 0; i < 6; i++)
		assert_int_equal(trial.self.result.process_costs[i].process, i + 1);
	assert_int_equal(trial.rows[A].result.n_max, trial.rows[B].result.n_max);
	end(&trial);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(known_differences), cmocka_unit_test(circle_taken_off), cmocka_unit_test(launches_differ), cmocka_unit_test(busy_machine),
		cmocka_unit_test(bad_side), cmocka_unit_test(few_launches), cmocka_unit_test(order_of_turns),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
