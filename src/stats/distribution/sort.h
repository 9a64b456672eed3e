/* Sorting for src/stats: kb_sort() of stats.h, and values that remember where they stood. */
#ifndef KB_STATS_DISTRIBUTION_SORT_H
#define KB_STATS_DISTRIBUTION_SORT_H

#include <stddef.h>

struct kb_ranked { double x; size_t at; };

/* Ascending by x, NaNs last; values that are equal stay in their order. */
void kb_sort_ranked(struct kb_ranked *items, size_t n);

#endif
