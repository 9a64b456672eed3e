/* T-AVG: which average for what, on the two systems of a lecture on microbenchmarks. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "stats/stats.h"

static void near(double got, double wanted, double tolerance)
{
	if (!(fabs(got - wanted) <= tolerance))
		fail_msg("%.10g is not %.10g", got, wanted);
}

static const double a[] = { 13, 16.5 }, b[] = { 19.5, 11 };

/* Either system is slower by the arithmetic mean of ratios; the totals say which one it is. */
static void ratios_of_two_systems(void **state)
{
	double b_over_a[] = { b[0] / a[0], b[1] / a[1] }, a_over_b[] = { a[0] / b[0], a[1] / b[1] };

	(void)state;
	near(kb_mean(b_over_a, 2), 1.083, .0005);
	near(kb_mean(a_over_b, 2), 1.083, .0005);
	near(kb_geometric_mean(b_over_a, 2, .95).value, 1, 1e-12);
	near(kb_geometric_mean(a_over_b, 2, .95).value, 1, 1e-12);
	near(2 * kb_mean(a, 2), 29.5, 1e-12);
	near(2 * kb_mean(b, 2), 30.5, 1e-12);
}

/* t interval of the logarithms: 1, 2, 4 have logarithms 0, ln 2, 2 ln 2; t(.975, 2) = 4.302652729749464. */
static void geometric_interval(void **state)
{
	double x[] = { 1, 2, 4 }, half = 4.302652729749464 * log(2) / sqrt(3);
	struct kb_interval mean = kb_geometric_mean(x, 3, .95);

	(void)state;
	assert_true(mean.known);
	near(mean.value, 2, 1e-12);
	near(mean.low, 2 * exp(-half), 1e-9);
	near(mean.high, 2 * exp(half), 1e-9);
}

static void geometric_of_what_has_no_logarithm(void **state)
{
	double zero[] = { 1, 0 }, negative[] = { 1, -1 }, infinite[] = { 1, INFINITY }, one[] = { 3 };

	(void)state;
	assert_false(kb_geometric_mean(zero, 2, .95).known);
	assert_false(kb_geometric_mean(negative, 2, .95).known);
	assert_false(kb_geometric_mean(infinite, 2, .95).known);
	assert_false(kb_geometric_mean(one, 0, .95).known);
	assert_false(kb_geometric_mean(one, 1, .95).known);
	near(kb_geometric_mean(one, 1, .95).value, 3, 1e-12);
}

static void minimum_with_its_gap(void **state)
{
	double x[101], zero[] = { 0, 5 };
	struct kb_minimum minimum;

	(void)state;
	for (int i = 0; i <= 100; i++)
		x[i] = 200 + i;
	x[0] = 100;
	minimum = kb_minimum_sorted(x, 101);
	assert_true(minimum.value == 100 && minimum.p1 == 201);
	near(minimum.gap_percent, 101, 1e-9);
	assert_true(kb_minimum_sorted(x, 1).gap_percent == 0);
	assert_true(kb_minimum_sorted(zero, 2).gap_percent == 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ratios_of_two_systems),
		cmocka_unit_test(geometric_interval),
		cmocka_unit_test(geometric_of_what_has_no_logarithm), cmocka_unit_test(minimum_with_its_gap),
	};

	return cmocka_run_group_tests_name("T-AVG", tests, NULL, NULL);
}
