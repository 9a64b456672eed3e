/* The mhz method: the lecture's example, the two sets of rules, and what a busy machine makes of it. */
#include "suite/params/mhz.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

/* e = 6.9, 10.6, 17.7 are 2, 3 and 5 cycles: i = 1 gives 1, 1.536, 2.565, i = 2 gives 2, 3.072, 5.130. */
static const double lecture[] = { 6.9, 10.6, 17.7 };

static void the_lecture(void **state)
{
	struct kb_mhz_fit fit;

	(void)state;
	assert_true(kb_mhz_divide(lecture, 3, KB_MHZ_LECTURE, &fit));
	assert_int_equal(fit.i, 2);
	assert_float_equal(fit.cycles[0], 2, 0);
	assert_float_equal(fit.cycles[1], 3, 0);
	assert_float_equal(fit.cycles[2], 5, 0);
	/* Through the origin b = sum(e c) / sum(c c) = 134.1 / 38. */
	assert_float_equal(fit.period, 134.1 / 38, 1e-12);
}

/* Differences and the origin as points, and a line with intercept: 3.537. */
static void the_variant(void **state)
{
	struct kb_mhz_fit fit;

	(void)state;
	assert_true(kb_mhz_divide(lecture, 3, KB_MHZ_LMBENCH, &fit));
	assert_int_equal(fit.i, 2);
	assert_float_equal(fit.period, 3.537, 0.0005);
}

/* Twice the i fits as well at half the period; the weight of i squared keeps the smaller one. */
static void half_a_cycle(void **state)
{
	static const double times[] = { 2.02, 2.98, 5.01, 4.03 };
	struct kb_mhz_fit fit;

	(void)state;
	assert_true(kb_mhz_divide(times, 4, KB_MHZ_LECTURE, &fit));
	assert_int_equal(fit.i, 2);
	assert_float_equal(fit.period, 1, 0.01);
}

static void nothing_to_divide(void **state)
{
	static const double one[] = { 3 }, bad[] = { 3, 0 }, infinite[] = { 3, INFINITY };
	struct kb_mhz_fit fit;

	(void)state;
	assert_false(kb_mhz_divide(one, 1, KB_MHZ_LECTURE, &fit));
	assert_false(kb_mhz_divide(bad, 2, KB_MHZ_LECTURE, &fit));
	assert_false(kb_mhz_divide(infinite, 2, KB_MHZ_LECTURE, &fit));
}

/* Nine expressions of a core at 3000 MHz, each a little late, as interrupts leave them. */
static void a_core(void **state)
{
	static const double cycles[KB_MHZ_EXPRESSIONS] = { 4, 2, 3, 1, 2, 2, 2, 3, 3 };
	double times[KB_MHZ_EXPRESSIONS];
	struct kb_mhz_result result;

	(void)state;
	for (int i = 0; i < KB_MHZ_EXPRESSIONS; i++)
		times[i] = cycles[i] / 3 * (1 + 1e-4 * (i % 3));
	for (enum kb_mhz_rules rules = KB_MHZ_LECTURE; rules <= KB_MHZ_LMBENCH; rules++) {
		assert_true(kb_mhz_search(times, rules, &result));
		assert_float_equal(result.mhz, 3000, 2);
		/* Subsets of equal times have nothing to divide: 2^9 - 1 less these and the single ones. */
		assert_true(result.subsets > 400 && result.subsets < 502);
	}
}

/* One expression that was interrupted is one of nine in most subsets, and far off: it is an outlier of them. */
static void one_burst(void **state)
{
	static const double cycles[KB_MHZ_EXPRESSIONS] = { 4, 2, 3, 100, 2, 2, 2, 3, 3 };
	double times[KB_MHZ_EXPRESSIONS];
	struct kb_mhz_result result;

	(void)state;
	for (int i = 0; i < KB_MHZ_EXPRESSIONS; i++)
		times[i] = cycles[i] / 2.5;
	assert_true(kb_mhz_search(times, KB_MHZ_LECTURE, &result));
	assert_float_equal(result.mhz, 2500, 1);
}

/* Two shifts that take no whole number of cycles, as a core of 2023 has them, and 1 % of interrupts in all: the mode comes
   within 1.5 % of 3000 MHz, the truth, and not nearer. That is why it is printed and not used. */
static void fragile(void **state)
{
	static const double cycles[KB_MHZ_EXPRESSIONS] = { 5.05, 2.02, 3.03, 1.15, 1.9, 2.02, 2.01, 3.03, 2.1 };
	double times[KB_MHZ_EXPRESSIONS];
	struct kb_mhz_result result;

	(void)state;
	for (int i = 0; i < KB_MHZ_EXPRESSIONS; i++)
		times[i] = cycles[i] / 3;
	assert_true(kb_mhz_search(times, KB_MHZ_LECTURE, &result));
	assert_true(result.mhz > 2955 && result.mhz < 3000);
	assert_true(result.agree < result.subsets / 2);
}

static void equal_times(void **state)
{
	double times[KB_MHZ_EXPRESSIONS];
	struct kb_mhz_result result;

	(void)state;
	for (int i = 0; i < KB_MHZ_EXPRESSIONS; i++)
		times[i] = 1 + 0.001 * i;
	assert_false(kb_mhz_search(times, KB_MHZ_LECTURE, &result));
	for (int i = 0; i < KB_MHZ_EXPRESSIONS; i++)
		times[i] = 0;
	assert_false(kb_mhz_search(times, KB_MHZ_LECTURE, &result));
}

static void agreement(void **state)
{
	(void)state;
	assert_true(kb_mhz_agree(3000, 3029));
	assert_false(kb_mhz_agree(3000, 3031));
	assert_true(kb_mhz_agree(50, 50.9));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_lecture), cmocka_unit_test(the_variant), cmocka_unit_test(half_a_cycle),
		cmocka_unit_test(nothing_to_divide), cmocka_unit_test(a_core), cmocka_unit_test(one_burst), cmocka_unit_test(fragile),
		cmocka_unit_test(equal_times), cmocka_unit_test(agreement),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
