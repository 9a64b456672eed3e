/*
 * Is B slower than A? All differences are d = ln B - ln A, so that swapping the sides only changes the sign.
 * Pure functions. A refused interval decides nothing: inconclusive, p = 1.
 */
#ifndef KB_STATS_COMPARE_H
#define KB_STATS_COMPARE_H

#include "stats/stats.h"

enum kb_decision { KB_EQUIVALENT, KB_FASTER, KB_SLOWER, KB_INCONCLUSIVE, KB_DECISIONS };

/* "equivalent" ...; static text. */
const char *kb_decision_name(enum kb_decision decision);

#define KB_COMPARE_CONFIDENCE 0.95
#define KB_BLOCKS_MEDIAN 30u    /* from so many blocks on the median; its ranks are out of range in 15 % of cases at 15 */
#define KB_BLOCKS_MIN 15u       /* fewer blocks are refused */
#define KB_LAUNCHES_MIN 3u      /* fewer launches never fire a gate: layout luck is inside */

/* A difference with its interval, and how surely it is beyond the margin. */
struct kb_difference {
	struct kb_interval ln;  /* of d */
	double p_slower;        /* one-sided, for "d <= margin" */
	double p_faster;        /* one-sided, for "d >= -margin" */
};

/* Blocks of one launch in order of time: median with quantile interval, or mean under autocorrelation. */
struct kb_interval kb_block_interval(const double *d, size_t n, double confidence);
struct kb_difference kb_compare_blocks(const double *d, size_t n, double margin);

/* One value a launch, both sides of it measured together: Student's t. */
struct kb_difference kb_compare_launches(const double *d, size_t n, double margin);

/* Launches of two runs that were not measured together, as logarithms of their costs: Welch's t. */
struct kb_difference kb_compare_unpaired(const double *ln_a, size_t na, const double *ln_b, size_t nb, double margin);

/* The larger of what the user does not care about and what the machine cannot tell apart; both as ln of a ratio. */
double kb_compare_margin(double user, double noise_floor);

enum kb_decision kb_decide(const struct kb_interval *ln, double margin);

/* What an A/A comparison leaves open: the farther end of its interval, or the 95 % quantile of |d| of earlier ones. */
double kb_noise_floor(const struct kb_interval *self, const double *earlier, size_t n);

/* P(a < b) + P(a = b)/2; Cliff's delta is 2 A12 - 1. 0.5 without values. */
double kb_a12(const double *a, size_t na, const double *b, size_t nb);

/* Brunner and Munzel (2000): two-sided p for P(a < b) + P(a = b)/2 = 1/2. Sides without overlap, where its variance
   vanishes, get the exact p of a permutation; 1 with fewer than two values on a side. */
double kb_brunner_munzel(const double *a, size_t na, const double *b, size_t nb);

/* Adjusted p of a family, each the smallest level at which it would be rejected. adjusted may be p. -ENOMEM. */
int kb_holm(const double *p, size_t n, double *adjusted);
int kb_benjamini_hochberg(const double *p, size_t n, double *adjusted);

#endif
