/* The line through (n, ticks): published data, bias and coverage on simulated launches, bursts, edges, speed's bound. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "draws.h"
#include "published_sets.h"
#include "stats/line.h"
#include "stats/stats.h"

#define REPLICATIONS 300

/* The truth of the published simulation. */
#define A 1330.0
#define B 4536.0
#define V0 6e4
#define V1 2e4

#define POINTS_MAX 5000

struct launch {
	double n[POINTS_MAX], y[POINTS_MAX];
	uint32_t block[POINTS_MAX];
	size_t count;
};

static void assert_near(double value, double expected, double tolerance)
{
	if (!(fabs(value - expected) <= tolerance))
		fail_msg("%.10g is not %.10g +- %g", value, expected, tolerance);
}

/* ---- the steps, on published measurements -------------------------------------------------------- */

static void variance_of_published_sets(void **state)
{
	struct kb_variance_line v = kb_variance_fit(published_sets, PUBLISHED_SETS);

	(void)state;
	assert_near(v.v0, 114430.2, 1e-4 * 114430.2);
	assert_near(v.v1, 18711.81, 1e-4 * 18711.81);
}

/* Fits the sets from `first` on; returns the lack of fit. */
static double fit_published(size_t first, struct kb_wls *line)
{
	struct kb_variance_line v = kb_variance_fit(published_sets, PUBLISHED_SETS);
	double n[PUBLISHED_SETS], y[PUBLISHED_SETS], w[PUBLISHED_SETS], chi2 = 0;
	size_t count = PUBLISHED_SETS - first;

	for (size_t i = 0; i < count; i++) {
		const struct kb_set *set = &published_sets[first + i];

		n[i] = set->n;
		y[i] = set->mean;
		w[i] = (double)set->count / kb_variance_at(&v, set->n);
	}
	assert_true(kb_wls_fit(n, y, w, count, line));
	for (size_t i = 0; i < count; i++)
		chi2 += w[i] * (y[i] - line->a - line->b * n[i]) * (y[i] - line->a - line->b * n[i]);
	return chi2;
}

static void line_of_published_sets(void **state)
{
	struct kb_wls line;

	(void)state;
	assert_near(fit_published(PUBLISHED_SMALL, &line), 14.8024, 1e-4 * 14.8024);
	assert_near(line.a, 1329.7255, 0.13);
	assert_near(kb_wls_se_a(&line), 62.2618, 0.0062);
	assert_near(line.b, 4535.9175, 0.01);
	assert_near(kb_wls_se_b(&line), 0.958173, 9.6e-5);
	assert_near(fit_published(0, &line), 114.5356, 0.0114);
	assert_near(line.b, 4540.4708, 0.01);
}

/* ---- whole launches ------------------------------------------------------------------------------ */

/* One observation, with the noise of the model. */
static double observe(struct kb_rng *rng, double n)
{
	return A + B * n + sqrt(V0 + V1 * n) * draw_normal(rng);
}

static void add_point(struct launch *launch, double n, double y, uint32_t block)
{
	launch->n[launch->count] = n;
	launch->y[launch->count] = y;
	launch->block[launch->count++] = block;
}

/* `blocks` shuffled passes over n0 {1, 2, 4, 8}; the cost of an operation drifts as an AR(1) of this relative size. */
static void draw_launch(struct launch *launch, struct kb_rng *rng, uint32_t blocks, double drift, double phi)
{
	double n[4] = { 30, 60, 120, 240 }, state = draw_normal(rng);

	launch->count = 0;
	for (uint32_t k = 0; k < blocks; k++) {
		kb_rng_shuffle(rng, n, 4, sizeof(*n));
		for (int i = 0; i < 4; i++) {
			state = phi * state + sqrt(1 - phi * phi) * draw_normal(rng);
			add_point(launch, n[i], observe(rng, n[i]) + B * n[i] * drift * state, k);
		}
	}
}

static struct kb_line_fit fit_launch(const struct launch *launch)
{
	return kb_fit_line(launch->n, launch->y, launch->block, launch->count, 0.95);
}

/* The published table: n = 30, 60 .. 300, ten each: bias -0.01, sd 1.85 for the weighted line. */
static void bias_and_sd(void **state)
{
	static struct launch launch;
	double plain[REPLICATIONS], robust[REPLICATIONS];
	struct kb_rng rng;

	(void)state;
	kb_rng_seed(&rng, 21);
	for (int r = 0; r < REPLICATIONS; r++) {
		struct kb_line_fit fit;

		launch.count = 0;
		for (uint32_t k = 0; k < 10; k++)
			for (int i = 1; i <= 10; i++)
				add_point(&launch, 30 * i, observe(&rng, 30 * i), k);
		fit = fit_launch(&launch);
		assert_true(fit.known && fit.df == 8 && fit.se_b > 1 && fit.se_b < 4);
		plain[r] = fit.b;
		robust[r] = fit.b_robust;
	}
	print_message("bias %.3f sd %.3f, robust bias %.3f sd %.3f\n", kb_mean(plain, REPLICATIONS) - B,
	              sqrt(kb_variance(plain, REPLICATIONS)), kb_mean(robust, REPLICATIONS) - B,
	              sqrt(kb_variance(robust, REPLICATIONS)));
	/* The mean of 300 has a standard error of 0.11, their sd one of 4 %; the bounds are 10 % doubled. */
	assert_near(kb_mean(plain, REPLICATIONS), B, 0.37);
	assert_near(sqrt(kb_variance(plain, REPLICATIONS)), 1.85, 0.37);
	assert_near(kb_mean(robust, REPLICATIONS), B, 0.4);
	assert_near(sqrt(kb_variance(robust, REPLICATIONS)), 1.9, 0.38);
}

/* Published: .978 without drift, .935 with 0.1 % drift of correlation .95, .978 with 1 % of .5 (60 blocks). */
static void coverage_of_the_slope(void **state)
{
	static const struct { double drift, phi, coverage; } rows[] = {
		{ 0, 0, 0.978 }, { 0.001, 0.95, 0.935 }, { 0.01, 0.5, 0.978 },
	};
	static struct launch launch;
	struct kb_rng rng;

	(void)state;
	kb_rng_seed(&rng, 22);
	for (size_t k = 0; k < sizeof(rows) / sizeof(*rows); k++) {
		int shown = 0, hit = 0;

		for (int r = 0; r < REPLICATIONS; r++) {
			struct kb_line_fit fit;

			draw_launch(&launch, &rng, 60, rows[k].drift, rows[k].phi);
			fit = fit_launch(&launch);
			shown += fit.slope.known;
			hit += fit.slope.known && fit.slope.low <= B && B <= fit.slope.high;
		}
		print_message("drift %g phi %g: shown %d, hit %d of %d\n", rows[k].drift, rows[k].phi, shown, hit,
		              REPLICATIONS);
		assert_near((double)hit / shown, rows[k].coverage, 0.04);
	}
}

/* A drift that no interval could cover must be refused, not shown. */
static void drifting_launch_is_refused(void **state)
{
	static struct launch launch;
	int shown = 0, wrong = 0;
	struct kb_rng rng;

	(void)state;
	kb_rng_seed(&rng, 23);
	for (int r = 0; r < REPLICATIONS; r++) {
		struct kb_line_fit fit;

		draw_launch(&launch, &rng, 60, 0.01, 0.95);
		fit = fit_launch(&launch);
		assert_true(fit.known);
		assert_true(fit.slope.known || fit.why == KB_CODE_too_few_effective);
		shown += fit.slope.known;
		wrong += fit.slope.known && (fit.slope.low > B || B > fit.slope.high);
	}
	print_message("drift 1 %%, phi .95: shown %d, wrong %d of %d\n", shown, wrong, REPLICATIONS);
	assert_true(shown < 0.25 * REPLICATIONS);
	assert_true(wrong <= 0.10 * REPLICATIONS);
}

/* Up to 45 % of the long intervals hit by something longer: the plain slope moves, the robust one stays. */
static void robust_slope_ignores_outliers(void **state)
{
	static struct launch launch;
	double robust[100];
	struct kb_rng rng;
	int moved = 0;

	(void)state;
	kb_rng_seed(&rng, 24);
	for (int r = 0; r < 100; r++) {
		struct kb_line_fit fit;

		draw_launch(&launch, &rng, 60, 0, 0);
		for (size_t i = 0; i < launch.count; i++)
			if (draw_uniform(&rng) < launch.n[i] / 530)
				launch.y[i] += 2e6 * draw_uniform(&rng);
		fit = fit_launch(&launch);
		robust[r] = fit.b_robust;
		assert_true(fit.se_robust > 0 && fit.se_robust < 0.1 * B);
		moved += fabs(fit.b - B) > 0.05 * B;
	}
	assert_true(moved > 80);
	assert_near(kb_mean(robust, 100), B, 0.001 * B);
	assert_true(sqrt(kb_variance(robust, 100)) < 0.002 * B);
}

/* Two modes, four intervals in ten half as long again: the slope of the more frequent one, not of something between. */
static void robust_slope_keeps_to_the_larger_mode(void **state)
{
	static struct launch launch;
	struct kb_rng rng;

	(void)state;
	kb_rng_seed(&rng, 29);
	for (int r = 0; r < 20; r++) {
		draw_launch(&launch, &rng, 150, 0, 0);
		for (size_t i = 0; i < launch.count; i++)
			if (draw_uniform(&rng) < 0.4)
				launch.y[i] += 0.5 * B * launch.n[i];
		assert_near(fit_launch(&launch).b_robust, B, 0.01 * B);
	}
}

static void exact_line(void **state)
{
	static struct launch launch;
	struct kb_line_fit fit;

	(void)state;
	launch.count = 0;
	for (uint32_t k = 0; k < 30; k++)
		for (int i = 0; i < 4; i++)
			add_point(&launch, 100 << i, 46 + 7.0 * (100 << i), k);
	fit = fit_launch(&launch);
	assert_true(fit.known && fit.slope.known);
	assert_near(fit.a, 46, 1e-9);
	assert_near(fit.b, 7, 1e-12);
	assert_near(fit.b_robust, 7, 1e-12);
	/* A clock of whole ticks: the interval is narrow but not a point. */
	assert_true(fit.se_b > 0 && fit.slope.high > fit.slope.low && fit.slope.high - fit.slope.low < 0.01);
	assert_near(fit.chi2, 0, 1e-9);
	assert_true(fit.df == 2 && fit.n_eff == 30);
}

/* A coarse clock puts most residuals at exactly 0: the few at one step are rounding, no outliers. */
static void robust_line_of_a_coarse_clock(void **state)
{
	static struct launch launch;
	struct kb_line_fit fit;

	(void)state;
	launch.count = 0;
	for (uint32_t k = 0; k < 40; k++)
		for (int i = 0; i < 4; i++)
			add_point(&launch, 64 << i, (64 << i) + (k % 8 == 5), k);
	fit = fit_launch(&launch);
	assert_near(fit.a_robust, fit.a, 0.125);
	assert_true(fit.a_robust > 0.01 && fit.se_robust > 0.1 * fit.se_b);
	for (size_t i = 0; i < launch.count; i++)
		launch.y[i] = 0;
	fit = fit_launch(&launch);
	assert_true(fit.known && fit.b == 0 && fit.b_robust == 0 && fit.v0 == 0 && fit.se_robust > 0);
}

/* ---- the quiet line ------------------------------------------------------------------------------- */

/* 60 % of the intervals lengthened by 10 us .. 3 ms at 2.3 ticks/ns. */
static void disturb(struct launch *launch, struct kb_rng *rng)
{
	for (size_t i = 0; i < launch->count; i++)
		if (draw_uniform(rng) < 0.6)
			launch->y[i] += 23e3 * exp(log(300.0) * draw_uniform(rng));
}

/* The slope of the undisturbed p-quantiles by the model's weights: a little off B, as sqrt(v0 + v1 n) is bent. */
static double slope_of_true_quantiles(double p)
{
	double n[4], y[4], w[4];
	struct kb_wls line;

	for (int i = 0; i < 4; i++) {
		n[i] = 30 << i;
		w[i] = 1 / (V0 + V1 * n[i]);
		y[i] = A + B * n[i] + kb_normal_quantile(p) / sqrt(w[i]);
	}
	assert_true(kb_wls_fit(n, y, w, 4, &line));
	return line.b;
}

static void quiet_slope_survives_bursts(void **state)
{
	static struct launch launch;
	double slope[REPLICATIONS], truth;
	struct kb_rng rng;
	int hit = 0;

	(void)state;
	/* Bursts are long against the noise: 10 % of all are 25 % of the four in ten that were left alone. */
	truth = slope_of_true_quantiles(0.25);
	kb_rng_seed(&rng, 25);
	for (int r = 0; r < REPLICATIONS; r++) {
		struct kb_interval line;

		draw_launch(&launch, &rng, 150, 0, 0);
		disturb(&launch, &rng);
		line = kb_quantile_line(launch.n, launch.y, launch.count, 0.1, 0.95);
		assert_true(line.known && line.low < line.value && line.value < line.high);
		slope[r] = line.value;
		hit += line.low <= truth && truth <= line.high;
	}
	print_message("quiet: mean %.2f of %.2f, sd %.2f, %d of %d cover\n", kb_mean(slope, REPLICATIONS), truth,
	              sqrt(kb_variance(slope, REPLICATIONS)), hit, REPLICATIONS);
	assert_near(kb_mean(slope, REPLICATIONS), B, 0.01 * B);
	assert_true(hit >= 0.9 * REPLICATIONS);
}

/* Without bursts: the slope of the true 10 % quantiles is covered. */
static void quiet_interval_covers(void **state)
{
	static const uint32_t blocks[] = { 12, 30, 150 };
	static struct launch launch;
	struct kb_rng rng;

	(void)state;
	kb_rng_seed(&rng, 26);
	for (size_t k = 0; k < sizeof(blocks) / sizeof(*blocks); k++) {
		int hit = 0;

		for (int r = 0; r < REPLICATIONS; r++) {
			struct kb_interval line;

			draw_launch(&launch, &rng, blocks[k], 0, 0);
			line = kb_quantile_line(launch.n, launch.y, launch.count, 0.5, 0.95);
			assert_true(line.known);
			hit += line.low <= B && B <= line.high;
		}
		print_message("median line of %u blocks: %d of %d cover\n", blocks[k], hit, REPLICATIONS);
		assert_true(hit >= 0.9 * REPLICATIONS);
	}
}

/* Every set within one step of 2000 ticks: the interval must know that the step, not the scatter, limits it. */
static void quiet_line_knows_the_clock_step(void **state)
{
	static struct launch launch;
	struct kb_interval line;
	struct kb_rng rng;

	(void)state;
	kb_rng_seed(&rng, 28);
	draw_launch(&launch, &rng, 200, 0, 0);
	for (size_t i = 0; i < launch.count; i++)
		launch.y[i] = 2000 * floor(launch.y[i] / 2000);
	line = kb_quantile_line(launch.n, launch.y, launch.count, 0.5, 0.95);
	assert_true(line.known);
	assert_int_equal(line.why, KB_CODE_tick_limited);
	assert_true(line.low <= B && B <= line.high && line.high - line.low < 0.01 * B);
}

static void quiet_line_of_a_coarse_clock(void **state)
{
	static struct launch launch;
	struct kb_interval line;

	(void)state;
	launch.count = 0;
	/* At n = 400 every value is the same; at the others one of two ticks. */
	for (uint32_t k = 0; k < 40; k++)
		for (int i = 0; i < 4; i++)
			add_point(&launch, 100 << i, 50 + 3.0 * (100 << i) + (i == 2 ? 0 : k * 7 % 2), k);
	line = kb_quantile_line(launch.n, launch.y, launch.count, 0.1, 0.95);
	assert_true(line.known);
	assert_near(line.value, 3, 0.005);
	assert_true(line.low < 3 && 3 < line.high && line.high - line.low < 0.02);
}

/* ---- edges ---------------------------------------------------------------------------------------- */

static void assert_sound(const struct launch *launch)
{
	struct kb_line_fit fit = fit_launch(launch);
	double numbers[] = {
		fit.a, fit.b, fit.se_a, fit.se_b, fit.a_robust, fit.b_robust, fit.se_robust, fit.v0, fit.v1, fit.chi2,
		fit.n_eff, fit.slope.value, fit.slope.low, fit.slope.high, fit.slope.n_eff,
	};

	for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++)
		if (!isfinite(numbers[i]))
			fail_msg("field %zu of a fit over %zu points is %g", i, launch->count, numbers[i]);
	for (double p = -0.5; p <= 1.5; p += 0.25) {
		struct kb_interval line = kb_quantile_line(launch->n, launch->y, launch->count, p, 0.95);

		assert_true(isfinite(line.value) && isfinite(line.low) && isfinite(line.high) && isfinite(line.n_eff));
	}
}

static void too_little_is_refused(void **state)
{
	static struct launch launch;

	(void)state;
	for (launch.count = 0; launch.count < 40;) {
		assert_sound(&launch);
		if (launch.count < 9)
			assert_false(fit_launch(&launch).slope.known);
		add_point(&launch, 10 + 10 * (double)(launch.count % 2), (double)(launch.count * 7 % 5),
		          (uint32_t)launch.count / 4);
	}
	/* One n only; two blocks only. */
	for (size_t i = 0; i < launch.count; i++)
		launch.n[i] = 8;
	assert_sound(&launch);
	assert_false(fit_launch(&launch).known);
	assert_int_equal(fit_launch(&launch).why, KB_CODE_too_few_effective);
	assert_false(kb_quantile_line(launch.n, launch.y, launch.count, 0.1, 0.95).known);
	for (size_t i = 0; i < launch.count; i++) {
		launch.n[i] = (double)i;
		launch.block[i] = i > 20;
	}
	assert_sound(&launch);
	assert_false(fit_launch(&launch).known);
}

static void odd_values(void **state)
{
	static const double odd[] = { NAN, INFINITY, -INFINITY, 1e300 };
	static struct launch launch;
	struct kb_rng rng;

	(void)state;
	kb_rng_seed(&rng, 27);
	draw_launch(&launch, &rng, 30, 0, 0);
	for (size_t k = 0; k < sizeof(odd) / sizeof(*odd); k++) {
		double keep = launch.y[50];

		launch.y[50] = odd[k];
		assert_sound(&launch);
		assert_false(fit_launch(&launch).known);
		assert_false(kb_quantile_line(launch.n, launch.y, launch.count, 0.1, 0.95).known);
		launch.y[50] = keep;
	}
	for (int kind = 0; kind < 5; kind++) {
		for (size_t i = 0; i < launch.count; i++)
			launch.y[i] = kind == 0 ? 0 : kind == 1 ? 9223372036854775808.0 : kind == 2 ? (double)(i % 2) :
			              kind == 3 ? 9223372036854775808.0 * (double)(i % 3) : 1e97 * (double)i;
		assert_sound(&launch);
		assert_true(fit_launch(&launch).known);
	}
	/* Every point a set of its own, and a set at n = 0. */
	for (size_t i = 0; i < launch.count; i++) {
		launch.n[i] = (double)i;
		launch.y[i] = 5 * (double)i + draw_normal(&rng);
	}
	assert_sound(&launch);
	assert_near(fit_launch(&launch).b, 5, 0.05);
	assert_false(kb_quantile_line(launch.n, launch.y, launch.count, 0.1, 0.95).known);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(variance_of_published_sets),
		cmocka_unit_test(line_of_published_sets),
		cmocka_unit_test(bias_and_sd),
		cmocka_unit_test(coverage_of_the_slope),
		cmocka_unit_test(drifting_launch_is_refused),
		cmocka_unit_test(robust_slope_ignores_outliers),
		cmocka_unit_test(robust_slope_keeps_to_the_larger_mode),
		cmocka_unit_test(exact_line),
		cmocka_unit_test(robust_line_of_a_coarse_clock),
		cmocka_unit_test(quiet_slope_survives_bursts),
		cmocka_unit_test(quiet_interval_covers),
		cmocka_unit_test(quiet_line_knows_the_clock_step),
		cmocka_unit_test(quiet_line_of_a_coarse_clock),
		cmocka_unit_test(too_little_is_refused),
		cmocka_unit_test(odd_values),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
