/* What a mix of one's own takes on two sides: totals, and the CI of their ratio. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

#include "workflow/runs/mix.h"

static struct kb_estimate about(double value, double half)
{
	return (struct kb_estimate){ value, value - half, value + half, true, half > 0 };
}

/* A row of ns whose sides are right to a hundredth, and whose ratio is right to so much: it was measured in turn. */
static struct kb_comparison row_of(const char *key, double a, double b, double half)
{
	struct kb_comparison row = {
		.unit = "ns", .counts = true, .ns = { about(a, a / 100), about(b, b / 100) },
		.difference.ln = { .value = log(b / a), .low = log(b / a - half), .high = log(b / a + half), .known = true },
	};

	snprintf(row.key, sizeof row.key, "%s", key);
	return row;
}

static int cost_of(const char *weights, const struct kb_comparison *rows, size_t count, struct kb_mix_cost *mix)
{
	struct kb_failure failure;

	return kb_mix_of_comparisons(weights, rows, count, mix, &failure);
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
	struct kb_mix_cost mix;

	(void)state;
	assert_int_equal(cost_of("sys.null=10,mem.latency size=64M=1", rows, 3, &mix), 0);
	assert_int_equal(mix.count, 2);
	assert_int_equal(mix.left_out, 0);
	near(mix.ns[0].value, 4000);
	near(mix.ns[0].high, 4000 + hypot(10, 30));
	near(mix.ns[1].value, 3800);
	near(mix.ns[1].low, 3800 - hypot(11, 27));
	near(mix.ratio.value, .95);
	assert_true(mix.ratio.bounded);
	near(mix.ratio.high - .95, hypot(.25 * .04, .75 * .02));
	near(.95 - mix.ratio.low, hypot(.25 * .04, .75 * .02));
	kb_mix_release(&mix);
}

/* What takes time is in the mix, whatever was compared: cycles (here the same on both sides, at another clock), or the ratio to a twin. */
static void times_of_other_comparisons(void **state)
{
	struct kb_comparison rows[] = { row_of("cpu.add", 100, 110, 0), row_of("mem.read", 100, 110, 0) };
	struct kb_mix_cost mix;

	(void)state;
	rows[0].unit = "cycles";
	rows[1].compared = "ratio";
	for (unsigned i = 0; i < 2; i++)
		rows[i].difference.ln = (struct kb_interval){ .value = 0, .low = -1e-4, .high = 1e-4, .known = true };
	for (unsigned i = 0; i < 2; i++) {
		assert_int_equal(cost_of("*=1", &rows[i], 1, &mix), 0);
		near(mix.ratio.value, 1.1);
		assert_true(mix.ratio.bounded);
		/* Two sides that are right to a hundredth. */
		if (fabs((mix.ratio.high / mix.ratio.value - 1) / (M_SQRT2 * .01) - 1) > .02)
			fail_msg("CI up to %g", mix.ratio.high);
		kb_mix_release(&mix);
	}
}

/* A result without a time on both sides is named, not taken for nothing; without a CI of one there is none of the mix. */
static void what_has_no_time(void **state)
{
	struct kb_comparison rows[] = {
		row_of("sys.null", 100, 110, .04), row_of("sys.stat", 200, 220, .04), row_of("sys.read", 1, 1, .04), row_of("sys.dup", 1, 1, .04),
	};
	struct kb_mix_cost mix;

	(void)state;
	rows[0].status[1] = KB_NOISY;
	rows[1].difference.ln.known = rows[1].ns[0].bounded = false;
	rows[2].status[1] = KB_INVALID;
	rows[3].ns[1].known = false;
	assert_int_equal(cost_of("sys=1", rows, 4, &mix), 0);
	assert_int_equal(mix.count, 4);
	assert_int_equal(mix.left_out, 2);
	assert_string_equal(mix.parts[2].key, "sys.read");
	assert_string_equal(mix.parts[2].left_out, "invalid");
	assert_string_equal(mix.parts[3].left_out, "without a time");
	near(mix.ratio.value, 1.1);
	assert_false(mix.ratio.bounded);
	assert_false(mix.ns[0].bounded);
	assert_true(mix.ns[1].bounded);
	assert_int_equal(mix.status, KB_NOISY);
	kb_mix_release(&mix);
	assert_int_equal(cost_of("sys.read=1", rows, 4, &mix), KB_EXIT_USAGE);
	kb_mix_release(&mix);
}

/* Of one run: a total with its CI. Ticks of an unknown rate are no time. */
static void of_a_run(void **state)
{
	static struct kb_result a = { .benchmark = "sys.null", .ticks_per_ns = 2 }, b = { .benchmark = "ipc.futex", .ticks_per_ns = 2 },
		c = { .benchmark = "ipc.pipe" };
	const struct kb_result *const results[] = { &a, &b, &c };
	struct kb_failure failure;
	struct kb_mix_cost mix;

	(void)state;
	a.estimate = about(100, 3);
	b.estimate = about(500, 4);
	c.estimate = about(900, 1);
	b.verdict.status = KB_UNVERIFIED;
	assert_int_equal(kb_mix_of_results("sys.null=20,ipc=20", results, 3, &mix, &failure), 0);
	assert_int_equal(mix.sides, 1);
	assert_int_equal(mix.left_out, 1);
	near(mix.ns[0].value, 12000);
	near(mix.ns[0].low, 12000 - 100);
	near(mix.ns[0].high, 12000 + 100);
	assert_int_equal(mix.status, KB_UNVERIFIED);
	kb_mix_release(&mix);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(totals_and_errors), cmocka_unit_test(times_of_other_comparisons), cmocka_unit_test(what_has_no_time),
		cmocka_unit_test(of_a_run),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
