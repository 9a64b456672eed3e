/* Plain least squares y = intercept + slope x, as published tables have it. */
#ifndef KB_STATS_SERIES_REGRESSION_H
#define KB_STATS_SERIES_REGRESSION_H

#include "stats/stats.h"

struct kb_regression {
	double slope, intercept, r2;    /* r2 = 1 - SSE/SST; 1 if y does not vary */
	bool known;                     /* false: fewer than two different x */
};

struct kb_regression kb_regress(const double *x, const double *y, size_t n);

/* How far the three numbers may lie from these when every x and y is known to +-dx and +-dy only, to first order: what
   rounding of printed points can explain. scratch: 2 n values. */
struct kb_regression kb_regress_reach(const double *x, const double *y, size_t n, double dx, double dy,
                                      double *scratch);

/* The line with errors by its residuals: n - 2 degrees of freedom, no other source of error. */
struct kb_regression_fit {
	struct kb_regression line;
	struct kb_interval slope, intercept;    /* by t; not known with fewer than three points */
	double residual_sd;                     /* of a point of weight 1 */
	unsigned df;
};

/* w: weights, inverse to the variance of each y; NULL: all are 1. r2 is that of the weighted points. */
struct kb_regression_fit kb_regress_fit(const double *x, const double *y, const double *w, size_t n, double confidence);

#endif
