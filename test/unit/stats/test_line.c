/* The line through (n, ticks): published data, bias and coverage on simulated processes, bursts, edges. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "processes.h"
#include "published_sets.h"
#include "stats/series/line.h"
#include "stats/stats.h"

#define REPLICATIONS 300

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

/* ---- whole processes ------------------------------------------------------------------------------ */

/* Up to 45 % of the long intervals hit by something longer: the plain slope moves, the robust one stays. */
static void robust_slope_ignores_outliers(void **state)
{
	static struct process process;
	double robust[100];
	struct kb_rng rng;
	int moved = 0;

	(void)state;
	kb_rng_seed(&rng, 24);
	for (int r = 0; r < 100; r++) {
		struct kb_line_fit fit;

		draw_process(&process, &rng, 60, 0, 0);
		for (size_t i = 0; i < process.count; i++)
			if (draw_uniform(&rng) < process.n[i] / 530)
				process.y[i] += 2e6 * draw_uniform(&rng);
		fit = fit_process(&process);
		robust[r] = fit.b_robust;
		assert_true(fit.se_robust > 0 && fit.se_robust < 0.1 * TRUE_B);
		moved += fabs(fit.b - TRUE_B) > 0.05 * TRUE_B;
	}
	assert_true(moved > 80);
	assert_near(kb_mean(robust, 100), TRUE_B, 0.001 * TRUE_B);
	assert_true(sqrt(kb_variance(robust, 100)) < 0.002 * TRUE_B);
}

/* Two modes, a third of the intervals half as long again: the more frequent slope, nothing between. */
static void robust_slope_keeps_to_the_larger_mode(void **state)
{
	static struct process process;
	struct kb_rng rng;

	(void)state;
	kb_rng_seed(&rng, 29);
	for (int r = 0; r < 20; r++) {
		draw_process(&process, &rng, 150, 0, 0);
		for (size_t i = 0; i < process.count; i++)
			if (draw_uniform(&rng) < 0.35)
				process.y[i] += 0.5 * TRUE_B * process.n[i];
		assert_near(fit_process(&process).b_robust, TRUE_B, 0.01 * TRUE_B);
	}
}

static void exact_line(void **state)
{
	static struct process process;
	struct kb_line_fit fit;

	(void)state;
	process.count = 0;
	for (uint32_t k = 0; k < 30; k++)
		for (int i = 0; i < 4; i++)
			add_point(&process, 100 << i, 46 + 7.0 * (100 << i), k);
	fit = fit_process(&process);
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
	static struct process process;
	struct kb_line_fit fit;

	(void)state;
	process.count = 0;
	for (uint32_t k = 0; k < 40; k++)
		for (int i = 0; i < 4; i++)
			add_point(&process, 64 << i, (64 << i) + (k % 8 == 5), k);
	fit = fit_process(&process);
	assert_near(fit.a_robust, fit.a, 0.125);
	assert_true(fit.a_robust > 0.01 && fit.se_robust > 0.1 * fit.se_b);
	for (size_t i = 0; i < process.count; i++)
		process.y[i] = 0;
	fit = fit_process(&process);
	assert_true(fit.known && fit.b == 0 && fit.b_robust == 0 && fit.v0 == 0 && fit.se_robust > 0);
}

/* ---- the quiet line ------------------------------------------------------------------------------- */

/* Without bursts: the slope of the true 10 % quantiles is covered. */
static void quiet_interval_covers(void **state)
{
	static const uint32_t blocks[] = { 12, 30, 150 };
	static struct process process;
	struct kb_rng rng;

	(void)state;
	kb_rng_seed(&rng, 26);
	for (size_t k = 0; k < sizeof(blocks) / sizeof(*blocks); k++) {
		int hit = 0;

		for (int r = 0; r < REPLICATIONS; r++) {
			struct kb_interval line;

			draw_process(&process, &rng, blocks[k], 0, 0);
			line = kb_quantile_line(process.n, process.y, process.count, 0.5, 0.95);
			assert_true(line.known);
			hit += line.low <= TRUE_B && TRUE_B <= line.high;
		}
		print_message("median line of %u blocks: %d of %d cover\n", blocks[k], hit, REPLICATIONS);
		assert_true(hit >= 0.9 * REPLICATIONS);
	}
}

/* Every set within one step of 2000 ticks: the interval must know that the step, not the scatter, limits it. */
static void quiet_line_knows_the_clock_step(void **state)
{
	static struct process process;
	struct kb_interval line;
	struct kb_rng rng;

	(void)state;
	kb_rng_seed(&rng, 28);
	draw_process(&process, &rng, 200, 0, 0);
	for (size_t i = 0; i < process.count; i++)
		process.y[i] = 2000 * floor(process.y[i] / 2000);
	line = kb_quantile_line(process.n, process.y, process.count, 0.5, 0.95);
	assert_true(line.known);
	assert_int_equal(line.why, KB_CODE_tick_limited);
	assert_true(line.low <= TRUE_B && TRUE_B <= line.high && line.high - line.low < 0.01 * TRUE_B);
}

static void quiet_line_of_a_coarse_clock(void **state)
{
	static struct process process;
	struct kb_interval line;

	(void)state;
	process.count = 0;
	/* At n = 400 every value is the same; at the others one of two ticks. */
	for (uint32_t k = 0; k < 40; k++)
		for (int i = 0; i < 4; i++)
			add_point(&process, 100 << i, 50 + 3.0 * (100 << i) + (i == 2 ? 0 : k * 7 % 2), k);
	line = kb_quantile_line(process.n, process.y, process.count, 0.1, 0.95);
	assert_true(line.known);
	assert_near(line.value, 3, 0.005);
	assert_true(line.low < 3 && 3 < line.high && line.high - line.low < 0.02);
}

/* ---- edges ---------------------------------------------------------------------------------------- */

static void assert_sound(const struct process *process)
{
	struct kb_line_fit fit = fit_process(process);
	double numbers[] = {
		fit.a, fit.b, fit.se_a, fit.se_b, fit.a_robust, fit.b_robust, fit.se_robust, fit.v0, fit.v1, fit.chi2,
		fit.n_eff, fit.slope.value, fit.slope.low, fit.slope.high, fit.slope.n_eff,
	};

	for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++)
		if (!isfinite(numbers[i]))
			fail_msg("field %zu of a fit over %zu points is %g", i, process->count, numbers[i]);
	for (double p = -0.5; p <= 1.5; p += 0.25) {
		struct kb_interval line = kb_quantile_line(process->n, process->y, process->count, p, 0.95);

		assert_true(isfinite(line.value) && isfinite(line.low) && isfinite(line.high) && isfinite(line.n_eff));
	}
}

static void too_little_is_refused(void **state)
{
	static struct process process;

	(void)state;
	for (process.count = 0; process.count < 40;) {
		assert_sound(&process);
		if (process.count < 9)
			assert_false(fit_process(&process).slope.known);
		add_point(&process, 10 + 10 * (double)(process.count % 2), (double)(process.count * 7 % 5),
		          (uint32_t)process.count / 4);
	}
	/* One n only; two blocks only. */
	for (size_t i = 0; i < process.count; i++)
		process.n[i] = 8;
	assert_sound(&process);
	assert_false(fit_process(&process).known);
	assert_int_equal(fit_process(&process).why, KB_CODE_too_few_effective);
	assert_false(kb_quantile_line(process.n, process.y, process.count, 0.1, 0.95).known);
	for (size_t i = 0; i < process.count; i++) {
		process.n[i] = (double)i;
		process.block[i] = i > 20;
	}
	assert_sound(&process);
	assert_false(fit_process(&process).known);
}

static void odd_values(void **state)
{
	static const double odd[] = { NAN, INFINITY, -INFINITY, 1e300 };
	static struct process process;
	struct kb_rng rng;

	(void)state;
	kb_rng_seed(&rng, 27);
	draw_process(&process, &rng, 30, 0, 0);
	for (size_t k = 0; k < sizeof(odd) / sizeof(*odd); k++) {
		double keep = process.y[50];

		process.y[50] = odd[k];
		assert_sound(&process);
		assert_false(fit_process(&process).known);
		assert_false(kb_quantile_line(process.n, process.y, process.count, 0.1, 0.95).known);
		process.y[50] = keep;
	}
	for (int kind = 0; kind < 5; kind++) {
		for (size_t i = 0; i < process.count; i++)
			process.y[i] = kind == 0 ? 0 : kind == 1 ? 9223372036854775808.0 : kind == 2 ? (double)(i % 2) :
			              kind == 3 ? 9223372036854775808.0 * (double)(i % 3) : 1e97 * (double)i;
		assert_sound(&process);
		assert_true(fit_process(&process).known);
	}
	/* Every point a set of its own, and a set at n = 0. */
	for (size_t i = 0; i < process.count; i++) {
		process.n[i] = (double)i;
		process.y[i] = 5 * (double)i + draw_normal(&rng);
	}
	assert_sound(&process);
	assert_near(fit_process(&process).b, 5, 0.05);
	assert_false(kb_quantile_line(process.n, process.y, process.count, 0.1, 0.95).known);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(variance_of_published_sets),
		cmocka_unit_test(line_of_published_sets),
		cmocka_unit_test(robust_slope_ignores_outliers),
		cmocka_unit_test(robust_slope_keeps_to_the_larger_mode),
		cmocka_unit_test(exact_line),
		cmocka_unit_test(robust_line_of_a_coarse_clock),
		cmocka_unit_test(quiet_interval_covers),
		cmocka_unit_test(quiet_line_knows_the_clock_step),
		cmocka_unit_test(quiet_line_of_a_coarse_clock),
		cmocka_unit_test(too_little_is_refused),
		cmocka_unit_test(odd_values),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
