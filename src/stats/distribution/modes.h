/*
 * Does one number describe the values? Modes of their density, counted on the values and on their logarithm: only what
 * both show counts, because the plain density splits the long tail of skewed values. Formulas: doc/method.md.
 */
#ifndef KB_STATS_DISTRIBUTION_MODES_H
#define KB_STATS_DISTRIBUTION_MODES_H

#include "stats/distribution/checks.h"

#define KB_MODES_MAX 10         /* a mode holds 5 %, and between two of them there is a valley */
#define KB_MODES_N_MIN 100
/* Not 100 as well: the estimate of n_eff of 100 independent values is below 100 in half of all series, which would
   halve what is found at n = 100 without saving a false alarm (doc/truth.md, T-MM). */
#define KB_MODES_N_EFF_MIN 50

struct kb_mode {
	double location;        /* of its peak */
	double low, high;       /* the valleys next to it; the smallest and largest value at the ends */
	double weight;          /* share of the values between them */
};

struct kb_modes {
	unsigned count;         /* 1: one number will do; then `mode` holds it as well */
	struct kb_mode mode[KB_MODES_MAX];      /* ascending */
	/* Of more than one mode: the number of runs of one mode in run order. A small p means that they come in
	   clusters (the machine changes its state: frequency, layout) or alternate; a large one that they are mixed
	   (two paths). */
	struct kb_check runs;
	bool clustered;         /* fewer runs than chance at p < .01 */
	bool lattice;           /* the clock's step is wide against the spread: steps were judged, not values */
	bool known;             /* false: count is 0 and `why` is the reason: KB_CODE_too_few_effective */
	enum kb_reason_code why;
};

/* x in run order; quantum: the clock's step in the unit of x, 0 if unknown. */
struct kb_modes kb_modes_find(const double *x, size_t n, double quantum);

#endif
