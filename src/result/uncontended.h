/*
 * What one process says of the uncontended cost. Samples count by time: the median of the values of stretches of time, because a
 * rare state of the machine may hold most of the few clean samples that a process has.
 */
#ifndef KB_RESULT_UNCONTENDED_H
#define KB_RESULT_UNCONTENDED_H

#include "result/contention.h"
#include "result/summary/summary.h"

#define KB_STRETCH_S 0.005      /* of a stretch, or as long as 40 samples take */
#define KB_CLEAN_BLOCKS 3u      /* usable stretches that a process needs */
#define KB_CLEAN_PROCESSES 5u   /* usable processes that a result needs */

struct kb_clean_fit {
	bool usable;
	unsigned blocks;                /* usable stretches */
	double cost;                    /* of one operation, net of the empty loop; ticks */
	double cycles;                  /* the same in core cycles; 0: not known */
	double low, high;               /* of the stretches, per operation with its turn of the loop */
};

/* Of samples that kb_contention_flag has flagged, and the fit of the clean ones. */
void kb_clean_fit(const struct kb_samples *, const struct kb_launch_fit *, struct kb_clean_fit *);

/* Usable stretches so far: enough, and the process may end. */
unsigned kb_clean_blocks(const struct kb_samples *);

/* All stretches so far that have samples, usable or not. */
unsigned kb_all_blocks(const struct kb_samples *);


#endif
