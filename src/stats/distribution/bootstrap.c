/* The stationary bootstrap of Politis and Romano (1994): runs of geometric length, wrapped around the end. */
#include "stats/distribution/bootstrap.h"

#include <math.h>
#include <stdlib.h>

#include "base/rng.h"
#include "stats/series/series.h"

/* What counts as no correlation: |r| below 2 sqrt(log10 n / n) at this many lags in a row. */
#define INSIGNIFICANT 2
#define QUIET_LAGS 5

/* The last lag before a stretch without correlation. */
static size_t last_lag(const double *x, size_t n, double mean, double g0)
{
	double digits = log10((double)n), bound = INSIGNIFICANT * sqrt(digits / (double)n);
	size_t stretch = (size_t)fmax(QUIET_LAGS, ceil(sqrt(digits))), most = (size_t)ceil(sqrt((double)n)) + stretch;
	size_t quiet = 0, significant = 0;

	for (size_t lag = 1; lag <= most && lag < n; lag++) {
		if (fabs(kb_autocovariance(x, n, mean, lag)) < bound * g0) {
			quiet++;
			if (quiet == stretch)
				return lag - stretch;
		} else {
			quiet = 0;
			significant = lag;
		}
	}
	return significant;
}

double kb_block_length(const double *x, size_t n)
{
	double mean = kb_mean(x, n), g0, g = 0, g1 = 0, length;
	size_t lags;

	if (n < 4 || !kb_usable(x, n) || !(kb_variance(x, n) > 0))
		return 1;
	g0 = kb_autocovariance(x, n, mean, 0);
	lags = 2 * last_lag(x, n, mean, g0);
	if (lags > n - 1)
		lags = n - 1;
	g = g0;
	for (size_t k = 1; k <= lags; k++) {
		/* The window is flat up to one half, then falls to 0 at 1. */
		double weighted = 2 * fmin(1, 2 * (1 - (double)k / (double)lags)) * kb_autocovariance(x, n, mean, k);

		g += weighted;
		g1 += (double)k * weighted;
	}
	/* (2 G^2 / D)^(1/3) n^(1/3) with D = 2 g(0)^2. */
	length = g > 0 || g < 0 ? cbrt(g1 * g1 / (g * g) * (double)n) : INFINITY;
	return fmax(1, fmin(length, fmin(ceil(3 * sqrt((double)n)), ceil((double)n / 3))));
}

static void draw_runs(struct kb_rng *rng, size_t *at, size_t n, double length)
{
	uint64_t again = (uint64_t)(0x1p63 / length);
	size_t from = 0;

	for (size_t i = 0; i < n; i++) {
		from = from + 1 < n ? from + 1 : 0;
		if (i == 0 || kb_rng_next(rng) >> 1 < again)
			from = (size_t)kb_rng_below(rng, n);
		at[i] = from;
	}
}

struct draws {
	size_t *at;
	double *values, *means; /* of the statistic, and of the series: one a draw */
	unsigned count;
};

/* Drawn runs show less correlation than the series has, by as much for the statistic as for the mean, whose standard
   error is known otherwise; and a percentile of few effective values is that of the normal, not of t. Without this
   widening trimmed means of AR .3 are covered in .89 of series. */
static double widening(const struct draws *draws, const struct kb_lrv *lrv, size_t n, double confidence)
{
	double drawn = kb_variance(draws->means, draws->count), known = lrv->lrv / (double)n;
	double normal = kb_normal_quantile(0.5 + 0.5 * fmin(fmax(confidence, 0.01), 1 - 1e-12));

	return (drawn > 0 ? fmax(1, sqrt(known / drawn)) : 1) * kb_t_factor(confidence, lrv->n_eff - 1) / normal;
}

static struct kb_interval draw_interval(struct draws *draws, const double *x, size_t n, const struct kb_lrv *lrv,
                                        kb_statistic *statistic, void *context, double confidence, struct kb_rng *rng)
{
	double tail = 0.5 * (1 - fmin(fmax(confidence, 0), 1)), length = kb_block_length(x, n), value, wider, low, high;

	for (size_t i = 0; i < n; i++)
		draws->at[i] = i;
	value = statistic(draws->at, n, context);
	for (unsigned k = 0; k < draws->count; k++) {
		draw_runs(rng, draws->at, n, length);
		draws->values[k] = statistic(draws->at, n, context);
		draws->means[k] = x[0];
		for (size_t i = 0; i < n; i++)
			draws->means[k] += (x[draws->at[i]] - x[0]) / (double)n;
	}
	wider = widening(draws, lrv, n, confidence);
	kb_sort(draws->values, draws->count);
	/* The value itself is kept inside: a biased statistic may lie outside its own percentiles. */
	low = fmin(0, kb_quantile_sorted(draws->values, draws->count, tail) - value);
	high = fmax(0, kb_quantile_sorted(draws->values, draws->count, 1 - tail) - value);
	return kb_interval_known(value, value + wider * low, value + wider * high, lrv->n_eff);
}

struct kb_interval kb_bootstrap_interval(const double *x, size_t n, kb_statistic *statistic, void *context,
                                         double confidence, unsigned count, uint64_t seed)
{
	struct kb_interval interval = kb_interval_refused(0, 0, KB_CODE_too_few_effective);
	struct draws draws = { .count = count };
	struct kb_lrv lrv = { .n_eff = 0 };
	struct kb_rng rng;

	if (n >= 4)
		lrv = kb_long_run_variance(x, n);
	interval.n_eff = lrv.n_eff;
	if (lrv.n_eff < KB_N_EFF_MIN || count == 0)
		return interval;
	draws.at = malloc(n * sizeof(*draws.at));
	draws.values = malloc(2 * count * sizeof(double));
	kb_rng_seed(&rng, seed);
	if (draws.at && draws.values) {
		draws.means = draws.values + count;
		interval = draw_interval(&draws, x, n, &lrv, statistic, context, confidence, &rng);
	}
	free(draws.at);
	free(draws.values);
	return interval;
}
