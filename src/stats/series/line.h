/* The parts of a line fit, each a step of its own with its own test. Only for src/stats. */
#ifndef KB_STATS_SERIES_LINE_H
#define KB_STATS_SERIES_LINE_H

#include "stats/series/grid.h"
#include "stats/stats.h"

/* A clock that counts whole ticks adds at least this variance (uniform rounding); no weight may exceed its inverse. */
#define KB_TICK_VARIANCE (1.0 / 12)

/* Var(y) = v0 + v1 n. */
struct kb_variance_line { double v0, v1; };

/* Maximum likelihood from the variances within the sets, sets of one point ignored. Not below 0; both 0 when no set
   varies. */
struct kb_variance_line kb_variance_fit(const struct kb_set *sets, size_t count);
double kb_variance_at(const struct kb_variance_line *, double n);

/* Weighted least squares y = a + b n with sums about the weighted mean of n. */
struct kb_wls {
	double a, b;
	double mean_n, sum_w;
	double spread;          /* sum of w (n - mean_n)^2; with inverse variances as weights var(b) = 1 / spread */
};

/* w: NULL: all are 1. False when the weighted n do not differ. */
bool kb_wls_fit(const double *n, const double *y, const double *w, size_t count, struct kb_wls *);
double kb_wls_se_a(const struct kb_wls *);
double kb_wls_se_b(const struct kb_wls *);

struct kb_robust_line { double a, b, se; };

/* Bisquare (4.685) reweighting from the given start. w: inverse variances; all: the plain fit with them;
   scratch: 2 count values. */
struct kb_robust_line kb_bisquare_fit(const double *n, const double *y, const double *w, size_t count,
                                 const struct kb_wls *all, struct kb_robust_line start, double *scratch);

#endif
