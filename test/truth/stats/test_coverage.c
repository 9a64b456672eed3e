/*
 * T-CI-1, T-CI-2, T-CI-4: nominal 95 % intervals of the mean and of quantiles for x = exp(z / 4), z an AR(1).
 * Coverage is that of every interval, as if none were refused; "shown & wrong" is the share of all series that print an
 * interval which misses.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "stats/distribution/rank.h"
#include "stats/series/series.h"
#include "truth/truth.h"
#include "unit/stats/draws.h"

#define N_MAX 2000
#define CONFIDENCE 0.95

struct tally { int shown, wrong, covers; double share; };      /* share: shown of all */

static void draw(struct kb_rng *rng, double phi, double *x, size_t n)
{
	draw_ar1(rng, phi, x, n);
	for (size_t i = 0; i < n; i++)
		x[i] = exp(0.25 * x[i]);
}

static void count(struct tally *tally, const struct kb_interval *interval, double truth, bool covers)
{
	tally->covers += covers;
	tally->shown += interval->known;
	tally->wrong += interval->known && (interval->low > truth || truth > interval->high);
}

static void try_mean(struct tally *tally, const double *x, size_t n)
{
	double truth = exp(0.25 * 0.25 / 2);
	struct kb_interval interval = kb_mean_interval(x, n, CONFIDENCE, 0);
	struct kb_lrv lrv;
	double half = kb_mean_halfwidth(x, n, CONFIDENCE, &lrv);

	count(tally, &interval, truth, fabs(lrv.mean - truth) <= half);
}

/* A rank outside 1..n leaves that side open, whatever the refusal says. */
static void try_quantile(struct tally *tally, const double *x, size_t n, double p)
{
	double truth = exp(0.25 * kb_normal_quantile(p)), size = (double)n;
	struct kb_bounds b = kb_quantile_bounds(x, n, p, CONFIDENCE);
	double t = kb_t_factor(CONFIDENCE, fmax(b.interval.n_eff - 1, 3));
	double half = t * size * sqrt(p * (1 - p) / b.interval.n_eff);
	bool above = b.low <= truth || floor(size * p - half) < 1;
	bool below = truth <= b.high || ceil(size * p + half) + 1 > size;

	count(tally, &b.interval, truth, above && below);
}

/* p 0: the mean. */
static struct tally simulate(size_t n, double phi, double p, int tries)
{
	static double x[N_MAX];
	struct tally tally = { 0 };
	struct kb_rng rng;

	kb_rng_seed(&rng, n + (uint64_t)(1000 * phi));
	for (int r = 0; r < tries; r++) {
		draw(&rng, phi, x, n);
		if (p > 0)
			try_quantile(&tally, x, n, p);
		else
			try_mean(&tally, x, n);
	}
	tally.share = (double)tally.shown / tries;
	return tally;
}

static struct tally judge(size_t n, double phi, double p, double coverage)
{
	int tries = truth_tries(2000, n > 1000 ? 100 : n > 100 ? 300 : 500);
	struct tally tally = simulate(n, phi, p, tries);
	double wrong = (double)tally.wrong / tries;
	char name[16], what[80];

	snprintf(name, sizeof(name), p > 0 ? "p%g" : "mean", 100 * p);
	snprintf(what, sizeof(what), "%s CI, n=%zu, phi=%g: coverage", name, n, phi);
	truth_row("T-CI-1", what, coverage, truth_tolerance(0.02), (double)tally.covers / tries);
	snprintf(what, sizeof(what), "%s CI, n=%zu, phi=%g: shown & wrong", name, n, phi);
	truth_at_most("T-CI-2", what, (phi > 0.6 ? 0.13 : 0.08) + (truth_full() ? 0 : 0.02), wrong);
	/* Refusing everything would never be wrong. */
	snprintf(what, sizeof(what), "%s CI, n=%zu, phi=%g: shown", name, n, phi);
	if (n >= 100 && phi <= 0.6)
		truth_at_least("T-CI-2", what, 0.9, tally.share);
	return tally;
}

static void t_ci_1_and_2(void **state)
{
	static const struct { size_t n; double phi, mean, median, shown; } rows[] = {
		{ 30, 0, 0.976, 0.988, 0.96 }, { 30, 0.6, 0.930, 0.947, 0.11 }, { 30, 0.9, 0.877, 0.866, 0.01 },
		{ 100, 0.3, 0.962, 0.962, 1 }, { 100, 0.6, 0.955, 0.945, 0.97 }, { 100, 0.9, 0.914, 0.856, 0.02 },
		{ 400, 0.6, 0.971, 0.937, 1 }, { 400, 0.9, 0.949, 0.896, 0.93 },
	};
	char what[80];

	(void)state;
	for (size_t k = 0; k < sizeof(rows) / sizeof(*rows); k++) {
		struct tally mean = judge(rows[k].n, rows[k].phi, 0, rows[k].mean);

		snprintf(what, sizeof(what), "mean CI, n=%zu, phi=%g: shown, published", rows[k].n, rows[k].phi);
		truth_row("T-CI-2", what, rows[k].shown, truth_tolerance(0.02), mean.share);
		judge(rows[k].n, rows[k].phi, 0.5, rows[k].median);
	}
}

static void t_ci_1_tails(void **state)
{
	static const struct { double phi, p90, p99; } rows[] = {
		{ 0, 0.967, 0.973 }, { 0.3, 0.960, 0.972 }, { 0.6, 0.951, 0.970 }, { 0.9, 0.888, 0.928 },
	};

	(void)state;
	for (size_t k = 0; k < sizeof(rows) / sizeof(*rows); k++) {
		judge(400, rows[k].phi, 0.9, rows[k].p90);
		judge(2000, rows[k].phi, 0.99, rows[k].p99);
	}
}

/* The largest change of an end, in half-widths, when the series is shifted and scaled, or read backwards. */
static void t_ci_4(void **state)
{
	double x[120], moved[120], back[120], worst_moved = 0, worst_back = 0;
	struct kb_rng rng;

	(void)state;
	kb_rng_seed(&rng, 4);
	for (int r = 0; r < 200; r++) {
		struct kb_interval a, b, c;
		double half;

		draw(&rng, 0.3, x, 120);
		for (int i = 0; i < 120; i++) {
			moved[i] = 1000 + 8 * x[i];
			back[i] = x[119 - i];
		}
		a = kb_mean_interval(x, 120, CONFIDENCE, 0);
		b = kb_mean_interval(moved, 120, CONFIDENCE, 0);
		c = kb_mean_interval(back, 120, CONFIDENCE, 0);
		assert_true(a.known && b.known && c.known);
		half = 0.5 * (a.high - a.low);
		worst_moved = fmax(worst_moved, fabs((b.low - 1000) / 8 - a.low) / half);
		worst_moved = fmax(worst_moved, fabs((b.high - 1000) / 8 - a.high) / half);
		worst_back = fmax(worst_back, fmax(fabs(c.low - a.low), fabs(c.high - a.high)) / half);
	}
	truth_row("T-CI-4", "1000 + 8 x: ends, in half-widths", 0, 1e-9, worst_moved);
	truth_row("T-CI-4", "reversed time: ends, in half-widths", 0, 1e-9, worst_back);
}

static void t_ci_4_short(void **state)
{
	double x[] = { 3, 1, 4 };
	int shown = 0;

	(void)state;
	for (size_t n = 0; n <= 3; n++) {
		struct kb_interval mean = kb_mean_interval(x, n, CONFIDENCE, 1);
		struct kb_interval median = kb_quantile_interval(x, n, 0.5, CONFIDENCE);

		assert_true(isfinite(mean.low) && isfinite(mean.high) && isfinite(median.low) && isfinite(median.high));
		shown += mean.known + median.known;
	}
	truth_row("T-CI-4", "intervals shown for n = 0..3", 0, 0, shown);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(t_ci_1_and_2),
		cmocka_unit_test(t_ci_1_tails),
		cmocka_unit_test(t_ci_4),
		cmocka_unit_test(t_ci_4_short),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
