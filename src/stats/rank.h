/* Quantiles with the order statistics about them. Only for src/stats. */
#ifndef KB_STATS_RANK_H
#define KB_STATS_RANK_H

#include "stats/stats.h"

struct kb_bounds {
	struct kb_interval interval;
	double low, high;       /* order statistics at the interval's ranks clamped into 1..n; set even if it is refused */
	double step;            /* smallest difference of two unequal values: one clock step, if the clock is coarse; or 0 */
};

/* x in run order. Without values, or with unusable ones: value 0, refused. */
struct kb_bounds kb_quantile_bounds(const double *x, size_t n, double p, double confidence);

/* Of independent values. */
struct kb_bounds kb_rank_bounds(const double *sorted, size_t n, double p, double confidence);

#endif
