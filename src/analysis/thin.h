/* Fewer values that stand for all of them, for pictures that have no room for all. What was left out is for the caller to state. */
#ifndef KB_ANALYSIS_THIN_H
#define KB_ANALYSIS_THIN_H

#include "types.h"

/* Kinds of values in run order: 0 to so many less one. */
#define KB_THIN_KINDS 36u

/* Of so many things, whether the one after `seen` of them is one of the `quota` that are kept: these stand at equal distances. */
bool kb_thin_keeps(size_t seen, size_t of, size_t quota);

/*
 * Marks about `keep` of the values in run order: the first and the last, and of each kind its share, evenly over its own values. What rounding
 * takes from a kind in one list is made up for in the next ones: owed, zero before the first, goes through all of them, so that over many
 * lists each kind has among those that are kept the share that it has among all. Returns how many are kept.
 */
size_t kb_thin(const unsigned char *kind, size_t count, size_t keep, bool *kept, double owed[KB_THIN_KINDS]);

/* The quantiles of a sorted array in equal steps, from the least to the highest value: all of them where they are few. Returns how many. */
size_t kb_thin_sorted(const double *sorted, size_t count, size_t keep, double *out);

#endif
