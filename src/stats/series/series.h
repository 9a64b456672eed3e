/* What the estimators share about a series in run order, and how they give or refuse an interval. Only for src/stats. */
#ifndef KB_STATS_SERIES_SERIES_H
#define KB_STATS_SERIES_SERIES_H

#include "stats/stats.h"

/* Below this many effective observations no interval is given (statistics: 12 % of those shown would be wrong). */
#define KB_N_EFF_MIN 15

/* All finite and below 1e100 in size, so that sums of products stay finite. */
bool kb_usable(const double *x, size_t n);

/* Bias-corrected lag-1 correlation within +-0.97; 0 for n < 4 or a constant series. */
double kb_lag1_rho(const double *x, size_t n);

/* Andrews' bandwidth for an AR(1) of this correlation, at most n/2. */
unsigned kb_bandwidth(double rho, size_t n);

/* g_k: autocovariance at lag k, with divisor n. */
double kb_autocovariance(const double *x, size_t n, double mean, size_t lag);

/* Newey-West variance with the Bartlett window over this bandwidth. n >= 2. */
double kb_newey_west(const double *x, size_t n, unsigned bandwidth);

/* Student's factor of a two-sided interval; confidence is clamped to 0 .. 1-1e-12. */
double kb_t_factor(double confidence, double df);

/* Half-width of the mean: the wider of HAC and batch means. *lrv is the series' own. n >= 4. */
double kb_mean_halfwidth(const double *x, size_t n, double confidence, struct kb_lrv *lrv);

/* How far the mean of the second half is above that of the first, in joint standard errors. n >= 2, usable. */
double kb_halves_distance(const double *x, size_t n);

struct kb_interval kb_interval_refused(double value, double n_eff, enum kb_reason_code why);
struct kb_interval kb_interval_known(double value, double low, double high, double n_eff);

#endif
