/*
 * When to stop measuring. The rule looks at the interval only after enough values, and only at the series as it is:
 * never a best of tries. Deterministic: the same values give the same answer.
 */
#ifndef KB_STATS_STOP_H
#define KB_STATS_STOP_H

#include "stats/stats.h"

#define KB_STOP_TARGET 0.01     /* half-width over the mean, unless asked for otherwise */
#define KB_STOP_LEAST 30        /* values, and effective values */

/* What still speaks against stopping, in the order of the checks; the first that does. */
enum kb_stop { KB_STOP_MET, KB_STOP_FEW, KB_STOP_WIDE, KB_STOP_HALVES, KB_STOP_CHANGE };

struct kb_stop_state {
	enum kb_stop stop;
	struct kb_interval mean;        /* of all values so far */
	double relative;                /* half-width over |mean|; 0 where there is none */
};

/* x: the values so far, one a block, in run order; target: relative half-width; quantum: the clock's step, unit of x.
   Values that are no numbers, or too little memory: KB_STOP_FEW. */
struct kb_stop_state kb_stop_check(const double *x, size_t n, double target, double confidence, double quantum);

/* After a block: KB_CODE_target_met, KB_CODE_budget_exhausted, or KB_CODE_COUNT to go on. used and budget: time, any
   unit; a block is begun while used < budget, so that the overshoot is at most one block. */
enum kb_code kb_stop_after_block(const struct kb_stop_state *state, double used, double budget);

#endif
