/*
 * Checks of the assumptions behind an average of repeated samples: each gives a statistic and the probability p of
 * one at least as extreme if the assumption holds. Pure functions; a check that cannot be made gives the reason by a verdict
 * code and gives no p. Formulas: doc/method.md; sources at each function.
 */
#ifndef KB_STATS_DISTRIBUTION_CHECKS_H
#define KB_STATS_DISTRIBUTION_CHECKS_H

#include "stats/series/grid.h"
#include "stats/stats.h"

struct kb_check {
	double statistic, p;
	bool known;
	enum kb_reason_code why; /* not known: KB_CODE_too_few_effective (too short), KB_CODE_tick_limited (does not vary),
	                           KB_CODE_rank_out_of_range (more values than the approximation was made for);
	                           known: KB_CODE_COUNT */
};

/* ---- one series of values in run order -------------------------------------------------------------- */
struct kb_check kb_check_normal(const double *x, size_t n);             /* Shapiro-Wilk W; n 3..5000 */
struct kb_check kb_check_lag1(const double *x, size_t n);               /* lag-1 correlation r */
struct kb_check kb_check_von_neumann(const double *x, size_t n);        /* about 2 if independent */
struct kb_check kb_check_ljung_box(const double *x, size_t n, size_t lags);
struct kb_check kb_check_runs(const double *x, size_t n);               /* number of runs about the median */
double kb_skewness(const double *x, size_t n);                          /* m3 / m2^1.5; 0 if it does not vary */

/* ---- several series ---------------------------------------------------------------------------------- */
struct kb_group { const double *x; size_t count; };

struct kb_check kb_check_equal_means(const struct kb_group *groups, size_t count);      /* one-way ANOVA, F */
struct kb_check kb_check_equal_spreads(const struct kb_group *groups, size_t count);    /* Brown-Forsythe, F */

/* The first from the sets' means, variances and counts alone. */
struct kb_check kb_check_equal_set_means(const struct kb_set *sets, size_t count);

/* ---- sample sets: A and its variance against n ------------------------------------------------------- */
struct kb_growth {
	double v0, v1;                  /* Var(A) = v0 + v1 n; 0 when not known */
	double v2;                      /* with a third term v2 n^2 */
	struct kb_check proportional;   /* Var(A) = v1 n: likelihood ratio against v0 + v1 n */
	struct kb_check common_mode;    /* no v2 n^2 besides v0 + v1 n; needs three different n */
};

/* Only the means, variances and counts of the sets are read; sets of one n may occur more than once. */
struct kb_growth kb_check_growth(const struct kb_set *sets, size_t count);

/* The weighted line through the sets' means, with variances v0 + v1 n, and its lack of fit. */
struct kb_set_line {
	double a, b, se_a, se_b;
	bool known;                     /* false: fewer than two different n, or nothing varies */
	unsigned df;
	struct kb_check fit;            /* chi2 over df; needs three sets */
};

struct kb_set_line kb_set_line(const struct kb_set *sets, size_t count, double v0, double v1);

/* ---- only for src/stats ------------------------------------------------------------------------------- */

/* p is clamped into 0..1; what is not finite becomes a refusal. */
struct kb_check kb_check_made(double statistic, double p);
struct kb_check kb_check_refused(enum kb_reason_code why);

/* At least `least` usable values that are not all equal; else *refused is the reason. */
bool kb_check_possible(const double *x, size_t n, size_t least, struct kb_check *refused);

#endif
