/* Intervals of a mean: the method's worked example (T-CI-3), invariances, edges. Coverage: truth/stats/test_coverage.c. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "draws.h"
#include "stats/series/series.h"
#include "truth/truth.h"

static void assert_near(double value, double expected, double tolerance)
{
	if (!(fabs(value - expected) <= tolerance))
		fail_msg("%.10g is not %.10g +- %g", value, expected, tolerance);
}

static void worked_example(void **state)
{
	static const double x[] = { 3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3, 2, 3, 8, 4 };
	struct kb_lrv v = kb_long_run_variance(x, 20);
	struct kb_interval interval = kb_mean_interval(x, 20, 0.95, 1);

	(void)state;
	truth_row("T-CI-3", "20 values: mean", 4.85, 1e-12, v.mean);
	truth_row("T-CI-3", "20 values: s^2", 7.292105, 5e-7, v.variance);
	truth_row("T-CI-3", "20 values: r", 0.173060, 5e-7, v.lag1);
	truth_row("T-CI-3", "20 values: rho", 0.262424, 5e-7, v.rho);
	truth_row("T-CI-3", "20 values: L", 2, 0, v.bandwidth);
	truth_row("T-CI-3", "20 values: NW", 9.013509, 5e-7, v.newey_west);
	truth_row("T-CI-3", "20 values: LRV", 12.481054, 5e-7, v.lrv);
	truth_row("T-CI-3", "20 values: n_eff", 11.6851, 5e-5, v.n_eff);
	/* Fewer than 15 effective values: no interval, but the mean and the reason. */
	assert_false(interval.known);
	assert_int_equal(interval.why, KB_CODE_too_few_effective);
	assert_near(interval.value, 4.85, 1e-12);
	assert_near(interval.n_eff, 11.6851, 5e-5);
}

/* floor(1.1447 cbrt(alpha n)): alpha = 16/9 at correlation 1/2 gives 6.44 of 100, and at .97 n/2 is the limit. */
static void bandwidths(void **state)
{
	(void)state;
	assert_int_equal(kb_bandwidth(0.5, 100), 6);
	assert_int_equal(kb_bandwidth(-0.5, 100), 6);
	assert_int_equal(kb_bandwidth(0, 100), 0);
	assert_int_equal(kb_bandwidth(0.97, 20), 10);
}

/* Six batches below 100 values: the half-width is the larger of two, and either happens to be. */
static void wider_of_two(void **state)
{
	int hac_wins = 0, batches_win = 0;
	struct kb_rng rng;
	double x[96];

	(void)state;
	kb_rng_seed(&rng, 13);
	for (int r = 0; r < 50; r++) {
		double means[6], hac, batches;
		struct kb_interval interval;
		struct kb_lrv v;

		draw_ar1(&rng, 0.2, x, 96);
		v = kb_long_run_variance(x, 96);
		hac = kb_t_quantile(0.975, v.n_eff - 1) * sqrt(v.lrv / 96);
		for (int k = 0; k < 6; k++)
			means[k] = kb_mean(x + 16 * k, 16);
		batches = kb_t_quantile(0.975, 5) * sqrt(kb_variance(means, 6) / 6);
		interval = kb_mean_interval(x, 96, 0.95, 1);
		assert_near(interval.high - interval.value, fmax(hac, batches), 1e-12);
		hac_wins += hac > batches;
		batches_win += batches > hac;
	}
	assert_true(hac_wins > 5 && batches_win > 5);
}

static void invariances(void **state)
{
	double x[100], y[100];
	struct kb_interval a, b;
	struct kb_rng rng;

	(void)state;
	kb_rng_seed(&rng, 12);
	draw_ar1(&rng, 0.3, x, 100);
	a = kb_mean_interval(x, 100, 0.95, 1);
	assert_true(a.known && a.low < a.value && a.value < a.high && a.n_eff < 100);
	for (int i = 0; i < 100; i++)
		y[i] = 1000 + 8 * x[i];
	b = kb_mean_interval(y, 100, 0.95, 1);
	assert_near(b.low, 1000 + 8 * a.low, 1e-9);
	assert_near(b.high, 1000 + 8 * a.high, 1e-9);
	assert_near(b.n_eff, a.n_eff, 1e-6);
	for (int i = 0; i < 100; i++)
		y[i] = x[99 - i];
	b = kb_mean_interval(y, 100, 0.95, 1);
	assert_near(b.low, a.low, 1e-12);
	assert_near(b.n_eff, a.n_eff, 1e-9);
	/* More confidence, a wider interval. */
	assert_true(kb_mean_interval(x, 100, 0.9999, 1).low < a.low);
}

static void constant_series(void **state)
{
	double x[50];
	struct kb_interval interval;

	(void)state;
	for (int i = 0; i < 50; i++)
		x[i] = 0.1;
	interval = kb_mean_interval(x, 50, 0.95, 2);
	assert_true(interval.known);
	assert_int_equal(interval.why, KB_CODE_tick_limited);
	assert_near(interval.low, 0.1 - 2, 0);
	assert_near(interval.high, 0.1 + 2, 0);
	assert_true(interval.n_eff == 50);
	assert_false(kb_mean_interval(x, 14, 0.95, 2).known);
}

static void t_interval(void **state)
{
	static const double x[] = { 10, 12, 11, 9, 13 };
	struct kb_interval interval = kb_t_interval(x, 5, 0.95);

	(void)state;
	/* s^2 = 2.5, t(.975, 4) = 2.776445. */
	assert_true(interval.known);
	assert_near(interval.value, 11, 1e-12);
	assert_near(interval.low, 11 - 2.776445105 * sqrt(0.5), 1e-8);
	assert_near(interval.high, 11 + 2.776445105 * sqrt(0.5), 1e-8);
	assert_true(interval.n_eff == 5);
	assert_true(kb_t_interval(x, 2, 0.95).known);
	interval = kb_t_interval(x, 1, 0.95);
	assert_false(interval.known);
	assert_true(interval.value == 10);
	assert_false(kb_t_interval(x, 0, 0.95).known);
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
	static const double odd[] = { NAN, INFINITY, -INFINITY, 1e300 };
	double x[64];

	(void)state;
	for (int i = 0; i < 64; i++)
		x[i] = 9223372036854775808.0 + 4096.0 * (i * 17 % 31);
	for (size_t n = 0; n <= 64; n++) {
		assert_sound(kb_mean_interval(x, n, 0.95, 1));
		assert_sound(kb_t_interval(x, n, 0.95));
		assert_true(n >= 15 || !kb_mean_interval(x, n, 0.95, 1).known);
		assert_true(isfinite(kb_long_run_variance(x, n).lrv));
	}
	assert_true(kb_mean_interval(x, 62, 0.95, 1).known);
	assert_sound(kb_mean_interval(x, 64, NAN, NAN));
	assert_sound(kb_mean_interval(x, 64, 1, -1));
	for (size_t k = 0; k < sizeof(odd) / sizeof(*odd); k++) {
		x[40] = odd[k];
		assert_sound(kb_mean_interval(x, 64, 0.95, 1));
		assert_false(kb_mean_interval(x, 64, 0.95, 1).known);
		assert_int_equal(kb_mean_interval(x, 64, 0.95, 1).why, KB_CODE_too_few_effective);
		assert_false(kb_t_interval(x, 64, 0.95).known);
		assert_true(kb_long_run_variance(x, 64).n_eff == 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(worked_example),
		cmocka_unit_test(bandwidths),
		cmocka_unit_test(wider_of_two),
		cmocka_unit_test(invariances),
		cmocka_unit_test(constant_series),
		cmocka_unit_test(t_interval),
		cmocka_unit_test(degenerate_inputs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
