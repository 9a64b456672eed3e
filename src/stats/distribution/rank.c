/*
 * Intervals of a quantile, made of order statistics: of values in run order by the effective sample size of the
 * indicator "not above the quantile", of independent values by exact binomial ranks. No bootstrap, no density.
 */
#include "stats/distribution/rank.h"

#include <math.h>
#include <stdlib.h>

#include "stats/series/series.h"

/* A set that has more than this share on one value sits on clock steps. */
#define TIED_SHARE 0.2

/* One allocation for everything that quantiles of a series need; all in run order but `sorted`. */
struct workspace {
	struct kb_ranked *order;
	double *ranks, *below, *sorted;
	double rho, n_eff;      /* of the rank series: a slow drift shows there first */
};

/* The indicator of "not above the quantile", as a series. */
struct indicator {
	double variance;        /* long-run */
	double n_eff;
};

static int workspace_open(struct workspace *work, size_t n)
{
	work->order = malloc(n * (sizeof(*work->order) + 3 * sizeof(double)));
	if (!work->order)
		return -1;
	work->ranks = (double *)(work->order + n);
	work->below = work->ranks + n;
	work->sorted = work->below + n;
	return 0;
}

/* Fills sorted, ranks with the average over ties, and what the ranks show. */
static void rank_values(struct workspace *work, const double *x, size_t n)
{
	size_t end;

	for (size_t i = 0; i < n; i++)
		work->order[i] = (struct kb_ranked){ x[i], i };
	kb_sort_ranked(work->order, n);
	for (size_t begin = 0; begin < n; begin = end) {
		for (end = begin + 1; end < n && !(work->order[end].x > work->order[begin].x); end++)
			;
		for (size_t i = begin; i < end; i++) {
			work->ranks[work->order[i].at] = 0.5 * (double)(begin + 1 + end);
			work->sorted[i] = work->order[i].x;
		}
	}
	work->rho = kb_lag1_rho(work->ranks, n);
	work->n_eff = kb_long_run_variance(work->ranks, n).n_eff;
}

/* A constant indicator (all values tied) counts as independent. */
static struct indicator indicate(struct workspace *work, const double *x, size_t n, double p, double value)
{
	double independent = p * (1 - p), rho;
	struct indicator result;

	for (size_t i = 0; i < n; i++)
		work->below[i] = x[i] <= value;
	rho = kb_lag1_rho(work->below, n);
	result.variance = fmax(kb_newey_west(work->below, n, kb_bandwidth(fmax(rho, work->rho), n)), independent);
	if (rho > 0)
		result.variance = fmax(result.variance, independent * (1 + rho) / (1 - rho));
	result.n_eff = (double)n * (independent / result.variance);
	return result;
}

static bool heavily_tied(const double *sorted, size_t n)
{
	size_t run = 1, longest = 1;

	for (size_t i = 1; i < n; i++) {
		run = sorted[i] > sorted[i - 1] ? 1 : run + 1;
		longest = run > longest ? run : longest;
	}
	return (double)longest > TIED_SHARE * (double)n;
}

double kb_smallest_step(const double *sorted, size_t n)
{
	double step = 0;

	for (size_t i = 1; i < n; i++) {
		double gap = sorted[i] - sorted[i - 1];

		if (gap > 0 && (gap < step || !(step > 0)))
			step = gap;
	}
	return step;
}

/* The order statistics at 1-based ranks; the interval is refused when a rank lies outside 1..n. */
static struct kb_bounds bounds_at(const double *sorted, size_t n, double p, double low, double high, double n_eff)
{
	double value = kb_quantile_sorted(sorted, n, p), last = (double)n;
	struct kb_bounds b = {
		.low = sorted[(size_t)fmin(fmax(low, 1), last) - 1],
		.high = sorted[(size_t)fmin(fmax(high, 1), last) - 1],
		.step = kb_smallest_step(sorted, n),
	};

	b.interval = kb_interval_known(value, b.low, b.high, n_eff);
	if (low < 1 || high > last)
		b.interval = kb_interval_refused(value, n_eff, KB_CODE_rank_out_of_range);
	else if (heavily_tied(sorted, n))
		b.interval.why = KB_CODE_tick_limited;
	return b;
}

static struct kb_bounds no_bounds(double value, double n_eff, enum kb_reason_code why)
{
	return (struct kb_bounds){ kb_interval_refused(value, n_eff, why), value, value, 0 };
}

static bool inside(double p)
{
	return p > 0 && p < 1;
}

static struct kb_bounds series_bounds(struct workspace *work, const double *x, size_t n, double p, double confidence)
{
	struct indicator indicator;
	struct kb_bounds b;
	double value = kb_quantile_sorted(work->sorted, n, p), half;

	if (n < 4 || !inside(p))
		return no_bounds(value, (double)n, inside(p) ? KB_CODE_too_few_effective : KB_CODE_rank_out_of_range);
	indicator = indicate(work, x, n, p, value);
	half = kb_t_factor(confidence, fmax(indicator.n_eff - 1, 3)) * sqrt((double)n * indicator.variance);
	b = bounds_at(work->sorted, n, p, floor((double)n * p - half), ceil((double)n * p + half) + 1, indicator.n_eff);
	if (fmin(indicator.n_eff, work->n_eff) < KB_N_EFF_MIN)
		b.interval = kb_interval_refused(value, indicator.n_eff, KB_CODE_too_few_effective);
	return b;
}

struct kb_bounds kb_quantile_bounds(const double *x, size_t n, double p, double confidence)
{
	struct workspace work;
	struct kb_bounds b;

	if (n == 0 || !kb_usable(x, n) || workspace_open(&work, n) < 0)
		return no_bounds(0, 0, KB_CODE_too_few_effective);
	rank_values(&work, x, n);
	b = series_bounds(&work, x, n, p, confidence);
	free(work.order);
	return b;
}

struct kb_interval kb_quantile_interval(const double *x, size_t n, double p, double confidence)
{
	return kb_quantile_bounds(x, n, p, confidence).interval;
}

void kb_quantile_intervals(const double *x, size_t n, const double *p, size_t count, double confidence,
                           struct kb_interval *intervals)
{
	struct workspace work;

	for (size_t k = 0; k < count; k++)
		intervals[k] = kb_interval_refused(0, 0, KB_CODE_too_few_effective);
	if (n == 0 || !kb_usable(x, n) || workspace_open(&work, n) < 0)
		return;
	rank_values(&work, x, n);
	for (size_t k = 0; k < count; k++)
		intervals[k] = series_bounds(&work, x, n, p[k], confidence).interval;
	free(work.order);
}

/* The largest rank l in 0..n with P(fewer than l values below) <= tail; 0: even the smallest value is too high. */
static double low_rank(double n, double p, double tail)
{
	double low = 0, high = n + 1;

	while (high - low > 1) {
		double middle = floor((low + high) / 2);

		if (kb_binomial_cdf(middle - 1, n, p) <= tail)
			low = middle;
		else
			high = middle;
	}
	return low;
}

struct kb_bounds kb_rank_bounds(const double *sorted, size_t n, double p, double confidence)
{
	/* Counted from the other end, the upper rank is a lower one of 1 - p: tails keep their digits. */
	double count = (double)n, tail = 0.5 * fmin(fmax(1 - confidence, 1e-12), 1);

	if (n == 0 || !kb_usable(sorted, n))
		return no_bounds(0, 0, KB_CODE_too_few_effective);
	if (!inside(p))
		return no_bounds(kb_quantile_sorted(sorted, n, p), count, KB_CODE_rank_out_of_range);
	return bounds_at(sorted, n, p, low_rank(count, p, tail), count + 1 - low_rank(count, 1 - p, tail), count);
}

struct kb_interval kb_rank_interval(const double *sorted, size_t n, double p, double confidence)
{
	return kb_rank_bounds(sorted, n, p, confidence).interval;
}
