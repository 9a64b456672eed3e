/*
 * The statistics of one group of tests as the source document defines them (sections 3.2 to 3.4, appendix 2), exactly,
 * with its normal quantile and its equations; and the same questions answered without its assumptions.
 */
#ifndef KB_STATS_SERIES_KANATA_H
#define KB_STATS_SERIES_KANATA_H

#include "stats/stats.h"

struct kb_moments { double mean, variance, sd, cv_percent; };   /* variance with S - 1; cv is not finite if mean is 0 */

struct kb_kanata {
	double n;                       /* test size N */
	size_t count;                   /* group size S */
	struct kb_moments a;            /* accumulated latency */
	struct kb_moments y;            /* A/N */
	struct kb_moments p;            /* primary latency: mean of Y, N times the variance of Y (3.2) */
	double z;                       /* as tables print it: 1.645 for 90 % */
	double low, high, half_percent; /* c1, c2 and half-width in % of the mean of Y */
	double next_size;               /* S' of equation (3.3), a fraction as it comes out of it */
	bool known; /* false: S < 2 or values that cannot be used; then only n and count, and for S = 1
	                                   the means, are set */
	enum kb_reason_code why;               /* known: KB_CODE_COUNT or KB_CODE_tick_limited (all equal) */

	/* Without the assumptions of normality and independence. */
	struct kb_interval t;           /* t for z */
	struct kb_interval dependent;   /* mean interval under autocorrelation; value is the mean of Y */
	double enough;                  /* group size for the half-width, at least 30, t for z; 0: not known */
};

/* a: the group's values in run order. half_width: the wanted half-width as a fraction of the mean.
   scratch: S values. */
struct kb_kanata kb_kanata_group(double n, const double *a, size_t count, double confidence, double half_width,
                                 double *scratch);

/* The two-sided normal quantile to three decimals. */
double kb_kanata_z(double confidence);

/* Smallest group size at least 30 whose t interval is expected to be so narrow. cv: sd over mean. */
double kb_group_size(double cv, double confidence, double half_width);

#endif
