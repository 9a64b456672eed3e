/*
 * Estimators and intervals. Pure functions over the caller's arrays: no I/O, no globals, no clock.
 * Every interval is two-sided at `confidence` (0.95 in the product). A refusal is a verdict code, never a NaN.
 * Method and formulas: doc/method.md; sources are named at each function.
 */
#ifndef KB_STATS_STATS_H
#define KB_STATS_STATS_H

#include "types.h"
#include "base/verdict.h"

/* ---- special functions: relative error <= 1e-10 for df 1..1e6, p 1e-12..1-1e-12 ---------------- */
double kb_lgamma(double x);                                     /* x > 0 */
double kb_normal_cdf(double z);
double kb_normal_quantile(double p);                            /* 0 < p < 1 */
double kb_beta_inc(double a, double b, double x);               /* regularised I_x(a, b) */
double kb_t_cdf(double t, double df);
double kb_t_quantile(double p, double df);
double kb_chi2_cdf(double x, double df);
double kb_chi2_tail(double x, double df);                      /* 1 - cdf, with its digits; 1 for df <= 0 */
double kb_f_cdf(double x, double df1, double df2);
double kb_binomial_cdf(double k, double n, double p);           /* at most k of n, each with probability p; k from -1 to n */

/* ---- location, scale, quantiles ------------------------------------------------------------------ */
double kb_mean(const double *x, size_t n);
double kb_variance(const double *x, size_t n);                  /* with n-1; 0 for n < 2 */
void kb_sort(double *x, size_t n);
double *kb_sorted(const double *x, size_t n);                   /* a sorted copy; NULL without memory; free it */

/* Hyndman-Fan type 7 on a sorted array; p is clamped to 0..1; n = 0 gives 0. */
double kb_quantile_sorted(const double *sorted, size_t n, double p);

/* The smallest value, and how stable it is: a minimum far below the first percentile is one lucky draw. gap: of p1 above the minimum,
   in % of the minimum; 0 if the minimum is not above 0. sorted ascending, n >= 1. */
struct kb_minimum { double value, p1, gap_percent; };
struct kb_minimum kb_minimum_sorted(const double *sorted, size_t n);

/* Median and median absolute deviation, unscaled. scratch holds n values. */
double kb_median(const double *x, size_t n, double *scratch);
double kb_mad(const double *x, size_t n, double *scratch);
#define KB_MAD_SIGMA 1.4826     /* standard deviation of a normal distribution over its median absolute deviation */

/* ---- intervals ----------------------------------------------------------------------------------- */
struct kb_interval {
	double value, low, high;
	double n_eff;           /* effective sample size; <= n */
	bool known;             /* false: low and high are only the value again, `why` is the reason */
	enum kb_reason_code why;       /* refused: KB_CODE_too_few_effective, KB_CODE_rank_out_of_range;
	                           known: KB_CODE_tick_limited (all equal, or heavy ties), KB_CODE_COUNT (nothing) */
};

struct kb_lrv { double mean, variance, lag1, rho, newey_west, lrv, n_eff; unsigned bandwidth; };

/* Long-run variance (Andrews AR(1) bandwidth, Bartlett window). n >= 4; smaller n gives lrv = variance, n_eff = n. */
struct kb_lrv kb_long_run_variance(const double *x, size_t n);

/* Mean under autocorrelation: the wider of the HAC and the batch-means interval; refused when n_eff < 15. */
struct kb_interval kb_mean_interval(const double *x, size_t n, double confidence, double quantum);

/* t interval of the mean of independent values (processes). n < 2: not known. */
struct kb_interval kb_t_interval(const double *x, size_t n, double confidence);

/* Geometric mean of ratios with the t interval of their logarithms: ratios to a baseline multiply. (Times add up, so their mean is
   arithmetic; a geometric mean tells nothing about total time.) Not known: fewer than two, or one that is not a positive number
   (value 0 then). */
struct kb_interval kb_geometric_mean(const double *ratio, size_t n, double confidence);

/* Median of independent values (processes) with order statistics, interpolated to the confidence (Hettmansperger and Sheather
   1986). Five values, which cannot reach 0.95, get a tenth of their range more on both sides; fewer have none. */
struct kb_interval kb_median_interval(const double *x, size_t n, double confidence);

/* Mean and median of values in order of time, few as they may be: the intervals are those of as many independent values as they are worth. */
struct kb_interval kb_serial_mean(const double *x, size_t n, double confidence);
struct kb_interval kb_serial_median(const double *x, size_t n, double confidence);

/* Quantile of values in run order; ranks by the effective sample size of the indicator. Closed form. */
struct kb_interval kb_quantile_interval(const double *x, size_t n, double p, double confidence);

/* The same for several p at once, which sorts only once. */
void kb_quantile_intervals(const double *x, size_t n, const double *p, size_t count, double confidence,
                           struct kb_interval *intervals);

/* Distribution-free order-statistic interval for independent values (pooled over processes): binomial ranks. */
struct kb_interval kb_rank_interval(const double *sorted, size_t n, double p, double confidence);

/* ---- the line through (n, ticks) ------------------------------------------------------------------ */
struct kb_line_fit {
	double a, b;            /* intercept and slope of the weighted fit over all points */
	double se_a, se_b;
	double a_robust, b_robust, se_robust;   /* bisquare (4.685) */
	double v0, v1;          /* Var = v0 + v1 N */
	double chi2;            /* lack of fit over groups - 2 degrees of freedom */
	unsigned df;
	double misfit;          /* of the group that lies farthest off, over slope times its n */
	double n_eff;           /* of the influence of the blocks */
	struct kb_interval slope;   /* of the weighted fit: the widest of model, HAC and batch intervals */
	bool known;
	enum kb_reason_code why;
};

/* Points of one process: n[i], y[i] (ticks), block[i] (nondecreasing, run order). Needs two different n and
   3 blocks; otherwise not known. What it is for: doc/method.md, "Series: why several n".
   Allocates scratch memory itself; not known with KB_CODE_too_few_effective when that fails. */
struct kb_line_fit kb_fit_line(const double *n, const double *y, const uint32_t *block, size_t count,
                               double confidence);

/* Straight line through the p-quantiles of y at each n of a grid, with an interval made of the quantiles' intervals:
   weighted least squares by their widths. Points in run order, any mixture of n. */
struct kb_interval kb_quantile_line(const double *n, const double *y, size_t count, double p, double confidence);

/* ---- plain least squares y = intercept + slope x, as published tables have it ------------------------ */
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
