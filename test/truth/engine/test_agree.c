/*
 * Whether samples tell of one operation, and whether time is proportional to n. What is a factor of two between the first samples, or the
 * pilot's, and the others is found; neighbours, drifts and steps up to half as much again are never taken for it.
 */
/* runs: full, 80 s; runs of the synthetic machine by the hundred */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "truth/contended.h"

/* How many of so many runs say that later samples differ, and that time is not proportional to n. */
static void count_runs(const struct kb_synthetic *model, struct engine_wish wish, int tries, unsigned seen[2])
{
	seen[0] = seen[1] = 0;
	for (int i = 0; i < tries; i++) {
		wish.seed = 1 + (uint64_t)i;
		wish.precision = 0.01;
		wish.stop_after = 8;
		struct kb_result result = contended_result(model, &wish, NULL);

		seen[0] += kb_verdict_has(&result.verdict, KB_CODE_later_differs);
		seen[1] += kb_verdict_has(&result.verdict, KB_CODE_nonlinear);
	}
}

static unsigned runs_that_differ(const struct kb_synthetic *model, int tries)
{
	unsigned seen[2];

	count_runs(model, (struct engine_wish){ 0 }, tries, seen);
	return seen[0];
}

#define QUIET .sibling = { .probes = true }
#define SHARED .sibling = { NEIGHBOUR, .clean_ns = 2 * MS, .busy_ns = 2 * MS }

static void test_dearer_at_first(void **state)
{
	static const struct kb_synthetic models[] = {
		/* The pilot is not over when these are, and of a process it is the warm-up. */
		{ QUIET, .shift = 1, .shift_to = 20 },
		{ QUIET, .shift = 1, .shift_to = 20, .bound = KB_LATENCY }, { QUIET, .shift = 2, .shift_to = 40 },
		{ QUIET, .shift = 1, .shift_to = 20, .op = 40e3, .no_base = true, .v0 = 1e6, .v1 = 1e5 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof models / sizeof *models; i++)
		assert_int_equal(runs_that_differ(&models[i], 4), 4);
	/* The pilot is short, and at times nothing of it was uncontended. */
	static const struct kb_synthetic shared = { .sibling = { NEIGHBOUR, .clean_ns = 10 * MS, .busy_ns = 5 * MS }, .shift = 1, .shift_to = 20 };

	assert_true(runs_that_differ(&shared, 8) >= 2);
}

/* The pilot may never have seen all of the memory that a process goes through often. */
static void test_cold_memory(void **state)
{
	static const struct kb_synthetic little = { QUIET, .shift = 1, .shift_to = 20, .claims_bytes = 4096 };
	static const struct kb_synthetic large = { QUIET, .shift = 1, .shift_to = 20, .claims_bytes = 1 << 20 };

	(void)state;
	assert_int_equal(runs_that_differ(&little, 4), 4);
	assert_int_equal(runs_that_differ(&large, 4), 0);
}

/* In each process itself; where nobody knows what ran beside the samples, too. */
static void test_dearer_later(void **state)
{
	static const struct kb_synthetic model = { QUIET, .shift = 1, .shift_from = 100 };
	unsigned seen[2];

	(void)state;
	assert_int_equal(runs_that_differ(&model, 4), 4);
	count_runs(&model, (struct engine_wish){ .floor_unknown = true }, 4, seen);
	assert_int_equal(seen[0], 4);
	/* What ran beside the samples then? No probe says whether the core kept its pace. */
	static const struct kb_synthetic unprobed = { .shift = 1, .shift_from = 100 };

	assert_int_equal(runs_that_differ(&unprobed, 4), 0);
}

/* Of one operation, whatever the machine makes of it. */
static const struct kb_synthetic honest[] = {
	{ QUIET }, { SHARED }, { .bursts = 0.2 }, { QUIET, .bursts = 0.3, .blind = 0.5 },
	{ .sibling = { NEIGHBOUR, .clean_ns = 20 * MS, .busy_ns = 20 * MS } },
	{ .sibling = { NEIGHBOUR, .clean_ns = 0.2 * MS, .busy_ns = 0.2 * MS } },
	{ .sibling = { NEIGHBOUR, .busy_ns = 5 * MS } },
	{ .sibling = { .probes = true, .clean_ns = 10 * MS, .busy_ns = 30 * MS, .on_probe = { 1.15, 2 }, .on_op = { 1.6, 2 }, .on_chain = { 1, 1.01 } } },
	{ QUIET, .drift = 0.7 }, { QUIET, .shift = 0.5, .shift_from = 1, .shift_to = 30 }, { QUIET, .shift = 0.5, .shift_from = 100 },
	{ QUIET, .shift = -0.33, .shift_from = 1, .shift_to = 60 }, { SHARED, .shift = 0.5, .shift_from = 300, .shift_to = 900 },
	{ QUIET, .process_sd = 0.2 }, { QUIET, .odd_share = 0.5, .odd = 0.5 }, { QUIET, .cold = 2, .cold_op = 60 }, { QUIET, .outliers = 0.1, .outlier = 400 },
	{ .sibling = { NEIGHBOUR, .clean_ns = 2 * MS, .busy_ns = 2 * MS, .slow_clock = 1.5 } },
	{ .sibling = { NEIGHBOUR, .clean_ns = 2 * MS, .busy_ns = 2 * MS, .fast_share = 0.3, .fast_by = 0.3 } },
	{ SHARED, .op = 40e3, .no_base = true, .v0 = 1e6, .v1 = 1e5 }, { QUIET, .fixed = 30e3 }, { QUIET, .paired = 100 },
};

#define HONEST (sizeof honest / sizeof *honest)
#define TRIES 3

/* In none; of the pooled test of the line one in a hundred would be as stated. KB_TRUTH=full: ten times as many runs. */
static void test_honest(void **state)
{
	int tries = getenv("KB_TRUTH") && !strcmp(getenv("KB_TRUTH"), "full") ? 10 * TRIES : TRIES;

	(void)state;
	for (size_t i = 0; i < HONEST; i++) {
		for (int unknown = 0; unknown < 2; unknown++) {
			unsigned seen[2];

			count_runs(&honest[i], (struct engine_wish){ .floor_unknown = unknown }, tries, seen);
			if (seen[0] + seen[1] > 0)
				fail_msg("honest row %zu, floor %s: %u differ later, %u are bent, of %d", i, unknown ? "unknown" : "known", seen[0],
				         seen[1], tries);
		}
	}
}

/* n^2 in a part, and so much noise that no process shows it by itself: all together do in half of the runs. */
static void test_bent(void **state)
{
	static const struct kb_synthetic bent = { QUIET, .bend = 0.07, .v0 = 6e6, .v1 = 1e3 };
	unsigned together = 0;

	(void)state;
	for (unsigned i = 0; i < 4; i++) {
		const struct engine_wish wish = { .seed = 1 + i, .precision = 0.01, .stop_after = 8 };
		struct kb_result result = contended_result(&bent, &wish, NULL);

		for (unsigned k = 0; k < result.verdict.count; k++)
			together += strstr(result.verdict.reasons[k].detail, "off the line") != NULL;
	}
	assert_in_range(together, 2, 4);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_dearer_at_first), cmocka_unit_test(test_dearer_later), cmocka_unit_test(test_cold_memory),
		cmocka_unit_test(test_honest), cmocka_unit_test(test_bent),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
