/*
 * A benchmark with a twin on the synthetic machine: what the machine gives to both is in their costs and not in their ratio, and the ratio
 * is that of the costs.
 */
/* runs: slow, 5 s */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "truth/engine_run.h"
#include "truth/truth.h"

#define SEEDS truth_tries(60, 8)
#define TWIN 100.0              /* ticks of its operation with its turn of the circle */
#define TRUTH ((SYNTHETIC_OP - SYNTHETIC_BASE) / (TWIN - SYNTHETIC_BASE))

struct seen { double ratio, cost, farthest; unsigned runs; };

/* Deviations from the truth, relative: mean squares of ratio and cost, and the largest of the ratio. */
static struct seen see(const struct kb_synthetic *model)
{
	struct seen seen = { 0 };

	for (int seed = 1; seed <= SEEDS; seed++) {
		const struct engine_wish wish = { .seed = (uint64_t)seed };
		struct engine_run run;
		const struct kb_result *result = &run.row.result;

		engine_run(&run, model, &wish);
		assert_int_equal(run.status, 0);
		assert_true(result->ratio.known);
		assert_string_equal(result->twin, "a known cost");
		for (unsigned i = 0; i < result->process_cost_count; i++)
			assert_true(result->process_costs[i].ratio > 0);
		double ratio = result->ratio.value / TRUTH - 1, cost = result->estimate.value / kb_synthetic_cost(model) - 1;

		seen.ratio += ratio * ratio / SEEDS;
		seen.cost += cost * cost / SEEDS;
		seen.farthest = fmax(seen.farthest, fabs(ratio));
		seen.runs++;
		engine_run_close(&run);
	}
	return seen;
}

static void test_quiet(void **state)
{
	const struct kb_synthetic model = { .twin = TWIN };
	struct seen seen = see(&model);

	(void)state;
	truth_at_most("twin, quiet", "ratio off", 0.003, seen.farthest);
}

/* Both wander together, and each process has a level of its own. */
static void test_shared(void **state)
{
	const struct kb_synthetic model = { .twin = TWIN, .ar = 0.98, .ar_sd = 0.03, .process_sd = 0.05 };
	struct seen seen = see(&model);

	(void)state;
	truth_at_most("twin, shared noise", "ratio off", 0.02, seen.farthest);
	truth_at_most("twin, shared noise", "squares of ratio over those of cost", 0.1, seen.ratio / seen.cost);
}

/* Interrupts that evidence sees, and outliers that nobody sees. */
static void test_disturbed(void **state)
{
	const struct kb_synthetic model = { .twin = TWIN, .bursts = 0.1, .outliers = 0.02, .outlier = 1000 };
	struct seen seen = see(&model);

	(void)state;
	truth_at_most("twin, disturbed", "ratio off", 0.01, seen.farthest);
}

static void test_none(void **state)
{
	const struct kb_synthetic model = { .op = SYNTHETIC_OP };
	const struct engine_wish wish = { .seed = 1 };
	struct engine_run run;

	(void)state;
	engine_run(&run, &model, &wish);
	assert_false(run.row.result.ratio.known);
	assert_string_equal(run.row.result.twin, "");
	assert_true(run.row.result.process_cost_count > 0 && isnan(run.row.result.process_costs[0].ratio));
	engine_run_close(&run);
}

static void test_fails(void **state)
{
	const struct kb_synthetic model = { .twin = TWIN, .fails = "twin", .fails_at = 40 };
	const struct engine_wish wish = { .seed = 1 };
	struct engine_run run;

	(void)state;
	engine_run(&run, &model, &wish);
	assert_true(engine_has_no_number(&run.row.result));
	engine_run_close(&run);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_quiet), cmocka_unit_test(test_shared), cmocka_unit_test(test_disturbed),
		cmocka_unit_test(test_none), cmocka_unit_test(test_fails),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
