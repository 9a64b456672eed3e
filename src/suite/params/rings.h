/*
 * Rings of several sizes, sweep by sweep, and what is kept of them: the points from which the sizes of caches follow. A ring
 * that others disturbed tells of them; which one was is decided here.
 */
#ifndef KB_SUITE_PARAMS_RINGS_H
#define KB_SUITE_PARAMS_RINGS_H

#include "suite/params/measure.h"

#define KB_RINGS_RISE 0.15      /* above a level: disturbed points of a level were within 0.1 of it */
#define KB_RINGS_LARGE (4.0 * 1048576)  /* beyond, a ring is not walked once in a short process that begins cold */
#define KB_RINGS_SIZES_MAX 48
#define KB_RINGS_REFUSED_MAX 32

struct kb_rings {
	struct kb_curve curve, latest;  /* of all sweeps; of the last one */
	struct kb_plateau levels[KB_PLATEAUS_MAX], before[KB_PLATEAUS_MAX];
	unsigned count, before_count, rounds;
	double refused[KB_RINGS_REFUSED_MAX];   /* sizes all of whose processes were disturbed; they are owed another */
	unsigned refused_count;
	unsigned large;         /* sweeps with rings above KB_RINGS_LARGE */
	bool huge[3];           /* rings of this group lie in huge pages */
	struct kb_curve near;   /* of the lines in huge pages */
	unsigned looks, emptied;        /* sweeps in which rings that fit were slow */
	bool even;              /* which are huge to the processor, too: rings fill the second cache evenly */
};

/* Measures rings of these sizes once each, every size at most once, and keeps what tells of the caches. False: nothing was
   measured, or it was stopped. */
bool kb_rings_sweep(struct kb_prober *, struct kb_rings *, const double *sizes, size_t count);

/* Levels of all that was measured; those of the sweep before are kept. */
void kb_rings_infer(struct kb_rings *);

/* A level whose end is to be sharp: in the second cache, on pages that are huge to the processor. */
bool kb_rings_even(const struct kb_rings *, const struct kb_plateau *level);

#endif
