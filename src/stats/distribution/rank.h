/* Quantiles with the order statistics about them. Only for src/stats. */
#ifndef KB_STATS_DISTRIBUTION_RANK_H
#define KB_STATS_DISTRIBUTION_RANK_H

#include "stats/stats.h"

struct kb_bounds {
	struct kb_interval interval;
	double low, high;       /* order statistics at the ranks, clamped into 1..n; set even if refused */
	double step;            /* smallest difference of unequal values: a coarse clock's step; 0 if all equal */
};

/* x in run order. Without values, or with unusable ones: value 0, refused. */
struct kb_bounds kb_quantile_bounds(const double *x, size_t n, double p, double confidence);

/* The smallest difference of unequal values; 0 if all are equal. */
double kb_smallest_step(const double *sorted, size_t n);

/* Of independent values. */
struct kb_bounds kb_rank_bounds(const double *sorted, size_t n, double p, double confidence);

/* A value that remembers where it stood. */
struct kb_ranked { double x; size_t at; };

/* Ascending by x, NaNs last; values that are equal stay in their order. */
void kb_sort_ranked(struct kb_ranked *items, size_t n);

#endif
