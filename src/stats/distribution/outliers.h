/* What counts as an outlier of a series in run order. */
#ifndef KB_STATS_DISTRIBUTION_OUTLIERS_H
#define KB_STATS_DISTRIBUTION_OUTLIERS_H

#include "types.h"

struct kb_fences { double median, reach; };     /* reach: 3 sigma by the MAD; 0 if more than half are equal */

/* scratch: n values. */
struct kb_fences kb_limits_of(const double *x, size_t n, double *scratch);

/* Pulls every value in to median +- reach. */
void kb_pull_in(double *x, size_t n, const struct kb_fences *limits);

/* The same for a series that has levels: to +- reach about the median of the neighbours, from x to `to`. Without reach
   a copy. */
void kb_pull_to_neighbours(const double *x, double *to, size_t n, const struct kb_fences *limits);

#endif
