/*
 * The cost of the operation alone: its timed loop minus the timed loop without it, as a difference of pairs measured in the
 * same blocks, so that a drift of the machine cancels. Never clamped: max(0, x) is biased where the truth is near 0.
 */
#ifndef KB_STATS_COMPARISON_OVERHEAD_H
#define KB_STATS_COMPARISON_OVERHEAD_H

#include "stats/stats.h"

struct kb_points_of { const double *n, *y; const uint32_t *block; size_t count; };      /* run order, block ascending */

struct kb_overhead {
	struct kb_interval net;         /* mean of the blocks' differences of slopes, under autocorrelation */
	double op, base;                /* means of the blocks' slopes; net.value is their difference */
	size_t blocks;                  /* with both sides at two different n at least */
	enum kb_reason_code code;              /* KB_CODE_below_resolution, base_exceeds_op; KB_CODE_COUNT: the net is above 0,
	                                   or its interval is not known */
	bool base_dominates;            /* the base is more than a tenth of the timed loop: out-of-order overlap makes it an
	                                   upper bound, and the operation costs net.value .. op */
};

/* quantum: of the clock, in the unit of y. -EINVAL: a value is no number of usable size; -ENOMEM. */
int kb_overhead_find(const struct kb_points_of *op, const struct kb_points_of *base, double confidence, double quantum,
                     struct kb_overhead *overhead);

#endif
