/* Samples hold whole periods of a benchmark, as long as that leaves them short. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "run/method.h"

static const struct kb_clock tsc = { .name = "tsc", .hz = 2000000000, .quantum = 20, .cost = 40 };

static struct kb_design choose(const struct kb_bench *bench, double cost_ns)
{
	struct kb_design design;

	kb_design_choose(&design, bench, &tsc, cost_ns, 6, KB_METHOD_NONE, 0);
	return design;
}

static void samples_hold_whole_periods(void **state)
{
	struct kb_bench bench = { .name = "test.row", .period = 15 };
	struct kb_design design = choose(&bench, 1500);

	(void)state;
	assert_int_equal(design.grid[0], 15);
	assert_int_equal(design.grid[1], 30);
	assert_true(design.singles > 0);        /* which need no whole one */
	assert_int_equal(choose(&bench, 100).grid[0] % 15, 0);
	bench.max_n = 128;
	design = choose(&bench, 1500);
	assert_int_equal(design.grid[2], 60);
	bench.granule = 8;                      /* what the operation cannot do otherwise goes before */
	assert_int_equal(choose(&bench, 1500).grid[0], 8);
}

static void long_operations_have_none(void **state)
{
	struct kb_bench bench = { .name = "test.row", .period = 15, .max_n = 128 };

	(void)state;
	assert_int_equal(choose(&bench, 4000).grid[0], 15);
	assert_true(choose(&bench, 4100).grid[0] < 15);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(samples_hold_whole_periods), cmocka_unit_test(long_operations_have_none),
	};

	return cmocka_run_group_tests_name("method_period", tests, NULL, NULL);
}
