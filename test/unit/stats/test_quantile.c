/* Location, scale, quantiles and their intervals. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "draws.h"
#include "stats/stats.h"
#include "truth/truth.h"

#define NEAR(a, b) assert_true(near(a, b))

static bool near(double a, double b)
{
	return fabs(a - b) <= 1e-12 * fmax(1, fabs(b));
}

/* T-QNT: the published vectors that break the function of the kernel-module article. */
static void type_7_table(void **state)
{
	static const struct { enum { ONE, FEW, FOUR, TENS, HUNDRED } of; size_t n; double p, value; } rows[] = {
		{ ONE, 1, 0.5, 42 }, { ONE, 1, 1, 42 }, { FEW, 2, 0.5, 15 }, { FOUR, 4, 0.5, 2.5 },
		{ TENS, 3, 0.5, 20 }, { TENS, 10, 0.5, 55 }, { TENS, 10, 0.9, 91 }, { TENS, 10, 0.95, 95.5 },
		{ TENS, 100, 0.5, 505 }, { TENS, 100, 0.9, 901 }, { TENS, 100, 0.95, 950.5 },
		{ HUNDRED, 101, 0.5, 50 }, { HUNDRED, 101, 0.9, 90 }, { HUNDRED, 101, 0.95, 95 },
	};
	double one = 42, few[] = { 10, 20 }, four[] = { 1, 2, 3, 4 }, tens[100], hundred[101], worst = 0;
	const double *const arrays[] = { &one, few, four, tens, hundred };

	(void)state;
	for (int i = 0; i < 100; i++)
		tens[i] = 10 * (i + 1);
	for (int i = 0; i <= 100; i++)
		hundred[i] = i;
	for (size_t k = 0; k < sizeof(rows) / sizeof(*rows); k++) {
		double got = kb_quantile_sorted(arrays[rows[k].of], rows[k].n, rows[k].p);

		worst = fmax(worst, fabs(got / rows[k].value - 1));
	}
	truth_row("T-QNT", "14 published vectors: largest relative error", 0, 1e-12, worst);
}

static void quantile_edges(void **state)
{
	double huge[] = { 0, 9223372036854775808.0, 18446744073709551615.0 }, same[] = { 0.1, 0.1, 0.1, 0.1 };

	(void)state;
	assert_true(kb_quantile_sorted(huge, 0, 0.5) == 0);
	assert_true(kb_quantile_sorted(huge, 3, 1) == huge[2] && kb_quantile_sorted(huge, 3, 0) == 0);
	assert_true(kb_quantile_sorted(huge, 3, 7) == huge[2] && kb_quantile_sorted(huge, 3, -7) == 0);
	assert_true(kb_quantile_sorted(huge, 3, NAN) == 0);
	assert_true(kb_quantile_sorted(huge, 3, 0.5) == huge[1]);
	for (double p = 0; p <= 1; p += 0.01)
		assert_true(kb_quantile_sorted(same, 4, p) == 0.1);
	truth_row("T-QNT", "n = 0", 0, 0, kb_quantile_sorted(huge, 0, 0.5));
	truth_row("T-QNT", "UINT64_MAX as the largest", 18446744073709551615.0, 0, kb_quantile_sorted(huge, 3, 1));
}

/* Between the ends, rising with p, and following a shift and a scale. */
static void quantile_properties(void **state)
{
	struct kb_rng rng;
	double x[57], shifted[57];
	int tries = truth_tries(2000, 20), broken = 0;

	(void)state;
	kb_rng_seed(&rng, 1);
	for (int r = 0; r < tries; r++) {
		size_t n = 1 + (size_t)kb_rng_below(&rng, 57);
		double last;

		for (size_t i = 0; i < n; i++)
			x[i] = draw_normal(&rng);
		kb_sort(x, n);
		for (size_t i = 0; i < n; i++)
			shifted[i] = 3 + 7 * x[i];
		last = x[0];
		for (double p = 0; p <= 1; p += 0.003) {
			double q = kb_quantile_sorted(x, n, p);

			broken += !(q >= last && q <= x[n - 1]);
			broken += !near(kb_quantile_sorted(shifted, n, p), 3 + 7 * q);
			last = q;
		}
	}
	truth_row("T-QNT", "properties broken by random series", 0, 0, broken);
}

static void sort_orders_anything(void **state)
{
	double x[] = { 3, NAN, -INFINITY, 2, INFINITY, NAN, 2, -0.0 };

	(void)state;
	kb_sort(x, 8);
	assert_true(x[0] == -INFINITY && x[1] == 0 && x[2] == 2 && x[3] == 2 && x[4] == 3 && x[5] == INFINITY);
	assert_true(isnan(x[6]) && isnan(x[7]));
	kb_sort(x, 0);
}

static void mean_and_variance(void **state)
{
	double x[] = { 2, 4, 4, 4, 5, 5, 7, 9 }, far[4], same[] = { 0.1, 0.1, 0.1 };

	(void)state;
	NEAR(kb_mean(x, 8), 5);
	NEAR(kb_variance(x, 8), 32.0 / 7);
	assert_true(kb_mean(x, 0) == 0 && kb_variance(x, 0) == 0 && kb_variance(x, 1) == 0);
	assert_true(kb_variance(same, 3) == 0 && kb_mean(same, 3) == 0.1);
	/* 2^52 leaves room for whole ticks only; they must survive. */
	for (int i = 0; i < 4; i++)
		far[i] = 4503599627370496.0 + i;
	NEAR(kb_variance(far, 4), 5.0 / 3);
	assert_true(kb_mean(far, 4) > far[0] && kb_mean(far, 4) < far[3]);
}

static void median_and_mad(void **state)
{
	double x[] = { 9, 1, 7, 3, 100 }, scratch[1001], y[1001];
	struct kb_rng rng;

	(void)state;
	NEAR(kb_median(x, 5, scratch), 7);
	NEAR(kb_median(x, 4, scratch), 5);
	NEAR(kb_mad(x, 5, scratch), 4);
	assert_true(x[0] == 9 && x[4] == 100);
	assert_true(kb_median(x, 0, scratch) == 0 && kb_mad(x, 0, scratch) == 0 && kb_mad(x, 1, scratch) == 0);
	kb_rng_seed(&rng, 2);
	for (size_t n = 1; n <= 1001; n += n < 20 ? 1 : 97) {
		double sorted[1001];

		/* Few values and many ties, in any order. */
		for (size_t i = 0; i < n; i++)
			sorted[i] = y[i] = (double)kb_rng_below(&rng, n % 3 == 0 ? 5 : 1u << 20);
		kb_sort(sorted, n);
		NEAR(kb_median(y, n, scratch), kb_quantile_sorted(sorted, n, 0.5));
	}
}

/* A rising, a falling and an organ-pipe order: the usual poisons of a quick selection. */
static void median_survives_bad_orders(void **state)
{
	static double x[200000], scratch[200000];
	size_t n = 200000;

	(void)state;
	for (int order = 0; order < 3; order++) {
		for (size_t i = 0; i < n; i++)
			x[i] = (double)(order == 0 ? i : order == 1 ? n - 1 - i : i < n / 2 ? 2 * i : 2 * (n - i) - 1);
		NEAR(kb_median(x, n, scratch), ((double)n - 1) / 2);
	}
}

/* ---- intervals of quantiles ---------------------------------------------------------------------- */

/* Made with mpmath 1.3.0 straight from the formulas, for an AR(1) of a linear congruential sequence. */
static void worked_examples(void **state)
{
	static const struct { size_t n; double p, value, low, high, n_eff; } rows[] = {
		{ 120, 0.50, 866.5, 694, 1022, 50.1818181818 }, { 200, 0.75, 1144.5, 1046, 1250, 92.2126081582 },
		{ 200, 0.90, 1379.1, 1229, 1618, 74.7772181325 }, { 60, 0.50, 868.5, 653, 1135, 26.582278481 },
	};
	uint32_t draw = 1, last = 0;
	double x[200];

	(void)state;
	for (int i = 0; i < 200; i++) {
		draw = (draw * 1103515245u + 12345u) % 0x80000000u;
		last = last / 2 + (draw >> 16) % 1000;
		x[i] = last;
	}
	for (size_t k = 0; k < sizeof(rows) / sizeof(*rows); k++) {
		struct kb_interval interval = kb_quantile_interval(x, rows[k].n, rows[k].p, 0.95);

		assert_true(interval.known);
		NEAR(interval.value, rows[k].value);
		assert_true(interval.low == rows[k].low && interval.high == rows[k].high);
		assert_true(fabs(interval.n_eff - rows[k].n_eff) < 1e-8);
	}
}

/* A square wave under noise, also from mpmath: the ranks see more of the correlation than the indicator (bandwidth 8
   against 4), so n_eff is 42 and not 52. */
static void bandwidth_comes_from_the_ranks(void **state)
{
	struct kb_interval interval;
	uint32_t draw = 1;
	double x[120];

	(void)state;
	for (int i = 0; i < 120; i++) {
		draw = (draw * 1103515245u + 12345u) % 0x80000000u;
		x[i] = (draw >> 16) % 1000 + (i % 30 < 15 ? 700 : 0);
	}
	interval = kb_quantile_interval(x, 120, 0.5, 0.95);
	assert_true(interval.known && interval.low == 536 && interval.high == 966);
	NEAR(interval.value, 802.5);
	assert_true(fabs(interval.n_eff - 42) < 1e-8);
}

/* A trend below the quantile, and the values above it evenly spread: the indicator alone would see no correlation. */
static void drift_below_the_quantile_is_refused(void **state)
{
	struct kb_interval interval;
	double x[70];

	(void)state;
	for (int i = 0; i < 70; i++)
		x[i] = i % 10 == 7 ? 1000 + i * 37 % 200 : i;
	interval = kb_quantile_interval(x, 70, 0.9, 0.95);
	assert_true(interval.n_eff > 69);
	assert_false(interval.known);
	assert_int_equal(interval.why, KB_CODE_too_few_effective);
}

/* Smallest n whose ranks lie inside, for independent values: published with the method. */
static void smallest_n_of_a_series(void **state)
{
	static const struct { double p; size_t n; } least[] = {
		{ 0.5, 15 }, { 0.75, 21 }, { 0.9, 55 }, { 0.95, 112 }, { 0.99, 565 },
	};
	static double x[600];

	(void)state;
	for (size_t k = 0; k < sizeof(least) / sizeof(*least); k++) {
		bool seen = false;

		for (size_t n = 4; n < least[k].n + 30 && n <= 600; n++) {
			struct kb_rng rng;
			struct kb_interval interval;

			kb_rng_seed(&rng, n);
			for (size_t i = 0; i < n; i++)
				x[i] = draw_normal(&rng);
			interval = kb_quantile_interval(x, n, least[k].p, 0.95);
			if (n < least[k].n)
				assert_false(interval.known);
			seen = seen || interval.known;
		}
		assert_true(seen);
	}
}

/* Exact ranks: n = 6 is the first to hold a 95 % median, with the extremes; n = 20 has ranks 6 and 15. */
static void binomial_ranks(void **state)
{
	double x[4000];
	struct kb_interval interval;

	(void)state;
	for (int i = 0; i < 4000; i++)
		x[i] = i + 1;
	interval = kb_rank_interval(x, 5, 0.5, 0.95);
	assert_false(interval.known);
	assert_int_equal(interval.why, KB_CODE_rank_out_of_range);
	NEAR(interval.value, 3);
	interval = kb_rank_interval(x, 6, 0.5, 0.95);
	assert_true(interval.known && interval.low == 1 && interval.high == 6);
	interval = kb_rank_interval(x, 20, 0.5, 0.95);
	assert_true(interval.known && interval.low == 6 && interval.high == 15 && interval.n_eff == 20);
	/* The largest value exceeds the 99 % quantile with probability .975 only from n = 368 on: .99^368 = .0248. */
	assert_false(kb_rank_interval(x, 367, 0.99, 0.95).known);
	assert_true(kb_rank_interval(x, 368, 0.99, 0.95).known);
	interval = kb_rank_interval(x, 4000, 0.5, 0.95);
	assert_true(fabs(interval.low - 1939) < 2 && fabs(interval.high - 2062) < 2);
}

static bool covers(struct kb_interval interval, double truth)
{
	return interval.low <= truth && truth <= interval.high;
}

static void binomial_ranks_cover(void **state)
{
	struct kb_rng rng;
	double x[60];
	int hit = 0;

	(void)state;
	kb_rng_seed(&rng, 4);
	for (int r = 0; r < 2000; r++) {
		for (int i = 0; i < 60; i++)
			x[i] = draw_uniform(&rng);
		kb_sort(x, 60);
		hit += covers(kb_rank_interval(x, 60, 0.25, 0.95), 0.25);
	}
	assert_true(hit >= 0.94 * 2000 && hit <= 0.99 * 2000);
}

static void ties_are_reported(void **state)
{
	double x[200];

	(void)state;
	for (int i = 0; i < 200; i++)
		x[i] = 100 + i * 37 % 3;
	assert_true(kb_quantile_interval(x, 200, 0.5, 0.95).known);
	assert_int_equal(kb_quantile_interval(x, 200, 0.5, 0.95).why, KB_CODE_tick_limited);
	for (int i = 0; i < 200; i++)
		x[i] = 5;
	assert_true(kb_quantile_interval(x, 200, 0.5, 0.95).known);
	assert_true(kb_quantile_interval(x, 200, 0.5, 0.95).high == 5);
}

static void assert_sound(struct kb_interval interval)
{
	assert_true(isfinite(interval.value) && isfinite(interval.low) && isfinite(interval.high));
	assert_true(isfinite(interval.n_eff));
	if (interval.known)
		assert_true(interval.low <= interval.value && interval.value <= interval.high);
}

static void degenerate_inputs(void **state)
{
	double x[64], sorted[64];

	(void)state;
	for (int i = 0; i < 64; i++) {
		x[i] = i % 2 == 0 ? 9223372036854775808.0 : 0;
		sorted[i] = i < 32 ? 0 : 9223372036854775808.0;
	}
	for (size_t n = 0; n <= 64; n++)
		for (double p = -0.5; p <= 1.5; p += 0.25) {
			assert_sound(kb_quantile_interval(x, n, p, 0.95));
			assert_sound(kb_rank_interval(sorted, n, p, 0.95));
			if (n < 4)
				assert_false(kb_quantile_interval(x, n, p, 0.95).known);
		}
	assert_sound(kb_quantile_interval(x, 64, NAN, NAN));
	x[17] = NAN;
	assert_sound(kb_quantile_interval(x, 64, 0.5, 0.95));
	assert_false(kb_quantile_interval(x, 64, 0.5, 0.95).known);
	assert_int_equal(kb_quantile_interval(x, 64, 0.5, 0.95).why, KB_CODE_too_few_effective);
	x[17] = INFINITY;
	assert_false(kb_rank_interval(x, 64, 0.5, 0.95).known);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(type_7_table),
		cmocka_unit_test(quantile_edges),
		cmocka_unit_test(quantile_properties),
		cmocka_unit_test(sort_orders_anything),
		cmocka_unit_test(mean_and_variance),
		cmocka_unit_test(median_and_mad),
		cmocka_unit_test(median_survives_bad_orders),
		cmocka_unit_test(worked_examples),
		cmocka_unit_test(bandwidth_comes_from_the_ranks),
		cmocka_unit_test(drift_below_the_quantile_is_refused),
		cmocka_unit_test(smallest_n_of_a_series),
		cmocka_unit_test(binomial_ranks),
		cmocka_unit_test(binomial_ranks_cover),
		cmocka_unit_test(ties_are_reported),
		cmocka_unit_test(degenerate_inputs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
