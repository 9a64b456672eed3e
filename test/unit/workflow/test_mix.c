/* What a mix of one's own takes on two sides: totals, and the CI of their ratio. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

#include "workflow/runs/mix.h"

/* A row of ns whose ratio is right to so much. */
static struct kb_comparison row_of(const char *key, double a, double b, double half)
{
	struct kb_comparison row = {
		.unit = "ns", .counts = true, .a = { .value = a, .known = true, .bounded = true }, .b = { .value = b, .known = true, .bounded = true },
		.difference.ln = { .value = log(b / a), .low = log(b / a - half), .high = log(b / a + half), .known = true },
	};

	snprintf(row.key, sizeof row.key, "%s", key);
	return row;
}

static int cost_of(const char *weights, const struct kb_comparison *rows, size_t count, struct kb_mix_cost *cost)
{
	struct kb_failure failure;
	struct kb_mix mix;
	int code = kb_mix_read(weights, &mix, &failure) ?: kb_mix_cost(&mix, rows, count, cost, &failure);

	kb_mix_release(&mix);
	return code;
}

static void near(double got, double wanted)
{
	if (!(fabs(got - wanted) <= 1e-9 * fabs(wanted)))
		fail_msg("%.12g is not %.12g", got, wanted);
}

/* 10 x 100 and 1 x 3000 against 10 x 110 and 1 x 2700: the mean of the ratios, 1.1 and 0.9, by shares of 1/4 and 3/4. */
static void totals_and_errors(void **state)
{
	const struct kb_comparison rows[] = {
		row_of("sys.null", 100, 110, .04), row_of("mem.latency size=64M", 3000, 2700, .02), row_of("ipc.futex", 7, 8, .5),
	};
	struct kb_mix_cost cost;

	(void)state;
	assert_int_equal(cost_of("sys.null=10,mem.latency size=64M=1", rows, 3, &cost), 0);
	assert_int_equal(cost.rows, 2);
	near(cost.base_ns, 4000);
	near(cost.new_ns, 3800);
	near(cost.ratio.value, .95);
	assert_true(cost.ratio.known);
	near(cost.ratio.high - .95, hypot(.25 * .04, .75 * .02));
	near(.95 - cost.ratio.low, hypot(.25 * .04, .75 * .02));
}

/* A result without a time on both sides is told, not taken for nothing; without a CI of one there is none of the mix. */
static void what_has_no_time(void **state)
{
	struct kb_comparison rows[] = {
		row_of("sys.null", 100, 110, .04), row_of("sys.stat", 200, 220, .04), row_of("sys.read", 1, 1, .04), row_of("sys.dup", 1, 1, .04),
	};
	struct kb_mix_cost cost;

	(void)state;
	rows[1].difference.ln.known = false;
	rows[2].invalid = true;
	rows[3].unit = "ticks";
	assert_int_equal(cost_of("sys=1", rows, 4, &cost), 0);
	assert_int_equal(cost.rows, 2);
	assert_int_equal(cost.left_out, 2);
	assert_string_equal(cost.first_left_out, "sys.read");
	near(cost.ratio.value, 1.1);
	assert_false(cost.ratio.known);
	assert_int_equal(cost_of("sys.read=1", rows, 4, &cost), KB_EXIT_USAGE);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(totals_and_errors), cmocka_unit_test(what_has_no_time) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
