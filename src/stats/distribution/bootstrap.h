/*
 * Intervals of statistics that have no formula (a trimmed mean, a ratio of medians): the stationary bootstrap, which
 * draws runs of neighbours instead of single values and so keeps their correlation.
 */
#ifndef KB_STATS_DISTRIBUTION_BOOTSTRAP_H
#define KB_STATS_DISTRIBUTION_BOOTSTRAP_H

#include "stats/stats.h"

#define KB_BOOTSTRAP_DRAWS 2000

/* A statistic of the observations at these indices, some of them repeated; must be finite. Indices and not values, so
   that what was measured together stays together. */
typedef double kb_statistic(const size_t *at, size_t n, void *context);

/* Mean length of the runs to draw (Politis and White 2004, as corrected by Patton, Politis and White 2009);
   1 .. min(3 sqrt n, n/3). 1 for a constant series, one of fewer than 4 values, or unusable values. */
double kb_block_length(const double *x, size_t n);

/*
 * x: a series in run order that carries the dependence (of pairs: their difference); n_eff is its. count: of draws.
 * Two-sided percentile interval, widened where the draws vary less than the series; the same seed gives the same
 * interval. Refused below 15 effective values, or without memory.
 */
struct kb_interval kb_bootstrap_interval(const double *x, size_t n, kb_statistic *statistic, void *context,
                                         double confidence, unsigned count, uint64_t seed);

#endif
