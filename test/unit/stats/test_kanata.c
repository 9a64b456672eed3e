/* The document's statistics and the corrected ones, plain regression, and what neither can say. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "stats/series/kanata.h"
#include "stats/stats.h"

static void near(double got, double wanted, double tolerance)
{
	if (!(fabs(got - wanted) <= tolerance))
		fail_msg("%.12g is not %.12g", got, wanted);
}

static struct kb_kanata group(double n, const double *a, size_t count)
{
	double scratch[64];

	return kb_kanata_group(n, a, count, .9, .02, scratch);
}

/* By hand: mean 20, squares 200, S = 5: variance 50. */
static void worked_example(void **state)
{
	double a[] = { 10, 20, 30, 20, 20 };
	struct kb_kanata k = group(2, a, 5);

	(void)state;
	assert_true(k.known && k.why == KB_CODE_COUNT && k.count == 5);
	near(k.a.mean, 20, 1e-12);
	near(k.a.variance, 50, 1e-12);
	near(k.a.cv_percent, 100 * sqrt(50) / 20, 1e-12);
	near(k.y.mean, 10, 1e-12);
	near(k.y.variance, 12.5, 1e-12);
	near(k.p.variance, 25, 1e-12);
	near(k.p.mean, 10, 1e-12);
	near(k.p.sd, 5, 1e-12);
	near(k.z, 1.645, 0);
	near(k.high - k.y.mean, 1.645 * sqrt(12.5 / 5), 1e-12);
	near(k.high - k.y.mean, k.y.mean - k.low, 1e-12);
	near(k.half_percent, 10 * (k.high - k.y.mean), 1e-12);
	near(k.next_size, pow(sqrt(50) * 1.645 / (20 * .02), 2), 1e-9);
	/* t(.95, 4) = 2.131846786326649 */
	near(k.t.high - k.y.mean, 2.131846786326649 * sqrt(12.5 / 5), 1e-9);
	assert_false(k.dependent.known);
}

static void z_as_tables_print_it(void **state)
{
	(void)state;
	assert_true(kb_kanata_z(.90) == 1.645 && kb_kanata_z(.95) == 1.96 && kb_kanata_z(.99) == 2.576);
}

/* Small enough spread needs no more than 30; else S' solves its own equation with t(S' - 1). */
static void group_size(void **state)
{
	double enough = kb_group_size(.2, .9, .02);

	(void)state;
	assert_true(kb_group_size(0, .9, .02) == 30 && kb_group_size(.01, .9, .02) == 30);
	/* 1.645^2 100 = 270.6 with z; t(.95, 272) = 1.650475 gives 272.4. */
	assert_true(enough == 273);
	/* 35 tests give 36 and 36 give 35. */
	assert_true(kb_group_size(.07, .9, .02) == 36);
	assert_true(kb_group_size(NAN, .9, .02) == 0 && kb_group_size(INFINITY, .9, .02) == 0);
	assert_true(kb_group_size(.2, .9, 0) == 0);
	/* An absurd wish is answered, and soon. */
	assert_true(kb_group_size(1e6, .9999, 1e-5) > 1e20);
}

static void nothing_to_say(void **state)
{
	double bad[] = { 1, NAN, 3 }, zero[] = { 0, 0, 0 }, same[] = { 7, 7, 7, 7 }, one[] = { 7 };
	struct kb_kanata k;

	(void)state;
	assert_false(group(1, one, 0).known);
	assert_false(group(0, same, 4).known);
	assert_false(group(1, bad, 3).known);
	k = group(7, one, 1);
	assert_true(!k.known && k.why == KB_CODE_too_few_effective);
	near(k.y.mean, 1, 1e-15);
	k = group(7, same, 4);
	assert_true(k.known && k.why == KB_CODE_tick_limited && k.next_size == 0 && k.enough == 30);
	assert_true(k.low == 1 && k.high == 1);
	k = group(1, zero, 3);
	assert_true(k.known && k.enough == 0);
}

/* 2^63 and three ticks about it, in doubles of 2048 ticks. */
static void huge_ticks(void **state)
{
	double top = 9223372036854775808.0, a[] = { top, top + 4096, top - 4096, top };
	struct kb_kanata k = group(1, a, 4);

	(void)state;
	assert_true(k.known && k.a.mean == top);
	near(k.a.variance, 2 * 4096.0 * 4096 / 3, 1e-3);
	assert_true(isfinite(k.low) && isfinite(k.high) && isfinite(k.next_size) && k.enough == 30);
}

/* ---- plain regression ------------------------------------------------------------------------------- */

static void straight_and_bent(void **state)
{
	double x[] = { 1, 2, 3, 4 }, straight[] = { 5, 7, 9, 11 }, bent[] = { 1, 4, 9, 16 };
	struct kb_regression line = kb_regress(x, straight, 4);

	(void)state;
	assert_true(line.known);
	near(line.slope, 2, 1e-12);
	near(line.intercept, 3, 1e-12);
	near(line.r2, 1, 1e-12);
	/* By hand: slope 5, intercept -5, SSE 4, SST 129. */
	line = kb_regress(x, bent, 4);
	near(line.slope, 5, 1e-12);
	near(line.intercept, -5, 1e-12);
	near(line.r2, 1 - 4.0 / 129, 1e-12);
}

/* Against lm() and confint() of R 4.2, unweighted and with weights 1/y^2. */
static void fitted(void **state)
{
	double x[] = { 1, 2, 4, 8, 16, 32, 64, 128, 256 }, y[] = { 102, 160, 108, 115.1, 140, 216, 348, 553, 1120 }, w[9];
	struct kb_regression_fit fit = kb_regress_fit(x, y, NULL, 9, 0.95);

	(void)state;
	assert_int_equal(fit.df, 7);
	near(fit.line.intercept, 96.027529182879, 1e-9);
	near(fit.line.slope, 3.909691266838, 1e-9);
	near(fit.line.r2, 0.993190185013, 1e-9);
	near(fit.residual_sd, 29.561784299107, 1e-9);
	near(fit.intercept.low, 67.51772193762, 1e-9);
	near(fit.intercept.high, 124.53733642814, 1e-9);
	near(fit.slope.low, 3.62035223061, 1e-9);
	near(fit.slope.high, 4.19903030306, 1e-9);
	for (int i = 0; i < 9; i++)
		w[i] = 1 / (y[i] * y[i]);
	fit = kb_regress_fit(x, y, w, 9, 0.95);
	near(fit.line.slope, 3.664941275030, 1e-9);
	near(fit.line.r2, 0.926934898610, 1e-9);
	near(fit.residual_sd, 0.147444265756, 1e-9);
	near(fit.intercept.high, 118.4667757960, 1e-9);
	near(fit.slope.low, 2.74531680566, 1e-9);
	/* Two points make a line of which nothing is known, one point none. */
	fit = kb_regress_fit(x, y, NULL, 2, 0.95);
	assert_true(fit.line.known && !fit.slope.known && fit.df == 0);
	assert_false(kb_regress_fit(x, y, NULL, 1, 0.95).line.known);
	assert_false(kb_regress_fit(x, y, NULL, 0, 0.95).line.known);
}

static void no_line(void **state)
{
	double x[] = { 2, 2 }, y[] = { 1, 3 }, flat[] = { 3, 3 }, huge[] = { 1e200, -1e200 };

	(void)state;
	assert_false(kb_regress(x, y, 2).known);
	assert_false(kb_regress(y, x, 1).known);
	assert_false(kb_regress(y, x, 0).known);
	assert_false(kb_regress(huge, y, 2).known);
	assert_true(kb_regress(y, flat, 2).r2 == 1);
}

static void reach_of_rounding(void **state)
{
	double x[] = { 0, 1 }, y[] = { 0, 10 }, scratch[4];
	struct kb_regression reach = kb_regress_reach(x, y, 2, 0, .5, scratch);

	(void)state;
	/* Either end moves the slope by 0.5; the intercept is the first point. */
	near(reach.slope, 1, 1e-12);
	near(reach.intercept, .5, 1e-12);
	reach = kb_regress_reach(x, y, 2, 0, 0, scratch);
	assert_true(reach.known && reach.slope == 0 && reach.intercept == 0 && reach.r2 == 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(worked_example), cmocka_unit_test(z_as_tables_print_it), cmocka_unit_test(group_size),
		cmocka_unit_test(nothing_to_say), cmocka_unit_test(huge_ticks), cmocka_unit_test(straight_and_bent), cmocka_unit_test(fitted),
		cmocka_unit_test(no_line), cmocka_unit_test(reach_of_rounding),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
