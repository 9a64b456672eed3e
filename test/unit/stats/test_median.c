/* The interval of a median over a handful of processes: the formula by hand, and what it is for five values and for fewer. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "stats/stats.h"

static void is(const double *x, size_t n, double value, double low, double high)
{
	struct kb_interval interval = kb_median_interval(x, n, 0.95);

	assert_true(interval.known);
	assert_int_equal(interval.why, KB_CODE_COUNT);
	assert_true(interval.n_eff == (double)n);
	if (fabs(interval.value - value) > 1e-12 || fabs(interval.low - low) > 1e-9 || fabs(interval.high - high) > 1e-9)
		fail_msg("%zu values: %.10g [%.10g, %.10g]", n, interval.value, interval.low, interval.high);
}

/* 6 values: pairs of order statistics cover 62/64 and 50/64, so the share is 5 I/(1 + 4 I) with I = .1; 10 values: 1002/1024 and
   912/1024, 8 I/(2 + 6 I). */
static void by_hand(void **state)
{
	const double six[] = { 6, 1, 5, 2, 4, 3 }, ten[] = { 10, 9, 8, 7, 6, 5, 4, 3, 2, 1 };
	double excess = (1002.0 / 1024 - .95) / (90.0 / 1024), share = 8 * excess / (2 + 6 * excess);

	(void)state;
	is(six, 6, 3.5, 1 + .5 / 1.4, 6 - .5 / 1.4);
	is(ten, 10, 5.5, 2 + share, 9 - share);
}

/* Their whole range covers 30/32, less than asked: a tenth of it is added on both sides. */
static void five(void **state)
{
	const double x[] = { 30, 10, 20, 50, 40 };

	(void)state;
	is(x, 5, 30, 10 - 4, 50 + 4);
}

/* One far value moves neither end of seven, and equal values have no width. */
static void robust(void **state)
{
	const double calm[] = { 1, 2, 3, 4, 5, 6, 7 }, wild[] = { 1, 2, 3, 4, 5, 6, 7e9 }, same[] = { 8, 8, 8, 8, 8, 8 };
	struct kb_interval a = kb_median_interval(calm, 7, 0.95), b = kb_median_interval(wild, 7, 0.95);

	(void)state;
	assert_true(a.value == b.value && a.low == b.low);
	is(same, 6, 8, 8, 8);
}

static void too_few(void **state)
{
	const double x[] = { 3, 1, 2, 4 };

	(void)state;
	for (size_t n = 0; n <= 4; n++) {
		struct kb_interval interval = kb_median_interval(x, n, 0.95);

		assert_false(interval.known);
		assert_int_equal(interval.why, KB_CODE_too_few_effective);
	}
	assert_true(kb_median_interval(x, 3, 0.95).value == 2);
	assert_true(kb_median_interval(x, 4, 0.95).value == 2.5);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(by_hand), cmocka_unit_test(five), cmocka_unit_test(robust), cmocka_unit_test(too_few),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
