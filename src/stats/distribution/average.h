/*
 * Which average for what: times add up, so their mean is arithmetic; ratios to a baseline multiply, so theirs is geometric.
 * Rates are never averaged, and a geometric mean says nothing about total time.
 */
#ifndef KB_STATS_DISTRIBUTION_AVERAGE_H
#define KB_STATS_DISTRIBUTION_AVERAGE_H

#include "stats/stats.h"

/* Geometric mean of ratios with the t interval of their logarithms. Not known: fewer than two, or one that is not a
   positive number (value 0 then). */
struct kb_interval kb_geometric_mean(const double *ratio, size_t n, double confidence);

/* The smallest value, and how stable it is: a minimum far below the first percentile is one lucky draw. */
struct kb_minimum { double value, p1, gap_percent; };

/* gap: of p1 above the minimum, in % of the minimum; 0 if the minimum is not above 0. sorted ascending, n >= 1. */
struct kb_minimum kb_minimum_sorted(const double *sorted, size_t n);

#endif
