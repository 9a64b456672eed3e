/*
 * Where the spread comes from when measurements are nested (Kalibera and Jones 2013): block in process in boot or build.
 * Level 1 is the lowest. Variances are in the square of the values' unit.
 */
#ifndef KB_STATS_COMPARISON_LEVELS_H
#define KB_STATS_COMPARISON_LEVELS_H

#include "stats/stats.h"

#define KB_LEVELS_MAX 3

struct kb_levels {
	unsigned count;                 /* levels: 2 or 3 */
	double repeats[KB_LEVELS_MAX];  /* r_i: units of level i in one of level i+1, harmonic mean; of the highest: all */
	double s2[KB_LEVELS_MAX];       /* S_i^2: variance of the means of level-i units inside one of level i+1 */
	double t2[KB_LEVELS_MAX];       /* T_i^2: what level i adds by itself. Not clamped: below zero means none was seen */
	struct kb_interval mean;        /* of the means of the highest level's units, t */
};

/*
 * x: all values of level 1, unit after unit. sizes[i] tells how many units of level i+1 each unit of level i+2 holds,
 * counts[i] is how many of these there are; i from 0 to count-2. Every size is at least 1.
 * 0; -EINVAL: count, or sizes that do not add up, or values that are no numbers; -ENOMEM.
 */
int kb_levels_split(const double *x, size_t n, const size_t *const *sizes, const size_t *counts, unsigned count,
                    double confidence, struct kb_levels *levels);

/*
 * The next run: plan[i] units of level i+1 in each unit above, for the narrowest interval. cost[i] is the time of one
 * unit of level i+1 without what it holds; budget in the same unit gives the number of the highest level, at least 3.
 * Where a level adds nothing the repeats go to the one below it.
 */
void kb_levels_plan(const struct kb_levels *levels, const double *cost, double budget, size_t *plan);

#endif
