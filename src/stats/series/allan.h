/*
 * Which variance is it? The spread of one observation, of the mean of many, and of one operation are different things
 * as soon as neighbours depend on each other or intervals have a noise of their own. Two tables tell them apart:
 * against the number of observations averaged, and against the operations of one observation. Neither sees a slow
 * drift, because only neighbours are compared (Allan 1966).
 */
#ifndef KB_STATS_SERIES_ALLAN_H
#define KB_STATS_SERIES_ALLAN_H

#include "stats/series/grid.h"

#define KB_ALLAN_MAX 64

struct kb_allan {
	double n;               /* observations averaged, or operations of one observation */
	double variance;        /* half the mean square difference of neighbours */
	double scaled;          /* times n (averaged), or divided by n (operations): constant if all are independent.
	                           Growing towards the long-run variance: they are correlated. By operations, falling: a
	                           noise of the interval itself; growing: a noise common to an interval's operations */
	double low, high;       /* interval of `scaled`, chi-square */
	size_t pairs;           /* of neighbours compared */
};

/* x in run order: rows for 1, 2, 4 ... observations averaged, as far as there are four means. Returns their number, at
   most KB_ALLAN_MAX; 0 if a value is no number of usable size. */
unsigned kb_allan_series(const double *x, size_t n, double confidence, struct kb_allan *rows);

/* Rows for the n of the sets, those with two values at least; at most KB_ALLAN_MAX. Sets of n = 0 are left out. */
unsigned kb_allan_sets(const struct kb_set *sets, size_t count, double confidence, struct kb_allan *rows);

#endif
