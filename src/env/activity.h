/* What the machine does at the moment: the kernel's counters of CPU time and of pages swapped. */
#ifndef KB_ENV_ACTIVITY_H
#define KB_ENV_ACTIVITY_H

#include "env/source.h"

/* A reading since boot, or the difference of two. Times in clock ticks of the kernel (10 ms), all CPUs together. */
struct kb_activity {
	bool known;             /* the times are */
	uint64_t total;         /* steal included */
	uint64_t idle;          /* waiting for a disk included: the CPU is free */
	uint64_t steal;
	bool swap_known;
	uint64_t swapped;       /* pages in and out */
};

void kb_activity_read(const struct kb_fact_source *, struct kb_activity *);

/* after - before; unknown if either is. Counters that went back (a CPU came or went) count as 0. */
struct kb_activity kb_activity_between(const struct kb_activity *before, const struct kb_activity *after);

#endif
