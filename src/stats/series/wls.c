/*
 * Weighted straight lines: least squares, and its robust twin by iterated reweighting with Tukey's bisquare
 * (Beaton and Tukey 1974; 4.685 keeps 95 % efficiency under the normal).
 */
#include "stats/series/line.h"

#include <math.h>
#include <string.h>

#define BISQUARE 4.685
#define ROUNDS_MAX 50

bool kb_wls_fit(const double *n, const double *y, const double *w, size_t count, struct kb_wls *line)
{
	double sum_n = 0, sum_y = 0, cross = 0, mean_y;

	*line = (struct kb_wls){ 0 };
	for (size_t i = 0; i < count; i++) {
		double weight = w ? w[i] : 1;

		line->sum_w += weight;
		sum_n += weight * n[i];
		sum_y += weight * (y[i] - y[0]);
	}
	if (!(line->sum_w > 0))
		return false;
	line->mean_n = sum_n / line->sum_w;
	mean_y = sum_y / line->sum_w;
	for (size_t i = 0; i < count; i++) {
		double weighted = (w ? w[i] : 1) * (n[i] - line->mean_n);

		line->spread += weighted * (n[i] - line->mean_n);
		cross += weighted * (y[i] - y[0] - mean_y);
	}
	/* Below this the n differ by rounding only. */
	if (!(line->spread > 1e-20 * line->sum_w * line->mean_n * line->mean_n))
		return false;
	line->b = cross / line->spread;
	line->a = y[0] + (mean_y - line->b * line->mean_n);
	return true;
}

double kb_wls_se_a(const struct kb_wls *line)
{
	return sqrt(1 / line->sum_w + line->mean_n * line->mean_n / line->spread);
}

double kb_wls_se_b(const struct kb_wls *line)
{
	return sqrt(1 / line->spread);
}

/* The rounding of a clock of whole ticks, in standard deviations of the most precise point. */
static double rounding(const double *w, size_t count)
{
	double w_max = 0;

	for (size_t i = 0; i < count; i++)
		w_max = fmax(w_max, w[i]);
	return sqrt(KB_TICK_VARIANCE * w_max);
}

/* Sizes of the residuals in units of their standard deviation, and their scale by the median. */
static double standardise(const double *n, const double *y, const double *w, size_t count,
                          const struct kb_robust_line *line, double *residual, double *scratch)
{
	for (size_t i = 0; i < count; i++)
		residual[i] = fabs(y[i] - line->a - line->b * n[i]) * sqrt(w[i]);
	/* Most residuals of a coarse clock are exactly 0; one tick must not count as an outlier then. */
	return fmax(KB_MAD_SIGMA * kb_median(residual, count, scratch), rounding(w, count));
}

static double bisquare_weight(double size)
{
	double u = size / BISQUARE;

	return u < 1 ? (1 - u * u) * (1 - u * u) : 0;
}

/* Variance of an M-estimate (Huber 1981, section 7.6): mean psi^2 over the squared mean of psi'. */
static double sandwich_se(const double *residual, double scale, size_t count, const struct kb_wls *all)
{
	double psi2 = 0, slope = 0;

	for (size_t i = 0; i < count; i++) {
		double r = residual[i] / scale, u = r / BISQUARE;

		if (u >= 1)
			continue;
		psi2 += r * r * bisquare_weight(r) * bisquare_weight(r);
		slope += (1 - u * u) * (1 - 5 * u * u);
	}
	/* With most points far out the mean of psi' may vanish; then the scale alone is what is known. */
	if (!(slope > 0))
		return scale * kb_wls_se_b(all);
	return scale * sqrt(psi2 / (double)(count - 2)) * (double)count / slope * kb_wls_se_b(all);
}

struct kb_robust_line kb_bisquare_fit(const double *n, const double *y, const double *w, size_t count,
                                 const struct kb_wls *all, struct kb_robust_line start, double *scratch)
{
	double *residual = scratch, *weight = scratch + count;
	double scale = standardise(n, y, w, count, &start, residual, weight);
	struct kb_robust_line line = start;

	for (int round = 0; round < ROUNDS_MAX; round++) {
		struct kb_wls next;
		double moved;

		for (size_t i = 0; i < count; i++)
			weight[i] = w[i] * bisquare_weight(residual[i] / scale);
		if (!kb_wls_fit(n, y, weight, count, &next))
			break;
		moved = fabs(next.b - line.b);
		line.a = next.a;
		line.b = next.b;
		scale = standardise(n, y, w, count, &line, residual, weight);
		/* A ten thousandth of the standard error is beyond what the data tell. */
		if (moved <= 1e-4 * scale * kb_wls_se_b(all))
			break;
	}
	line.se = fmax(sandwich_se(residual, scale, count, all), rounding(w, count) * kb_wls_se_b(all));
	return line;
}

/* ---- plain lines ----------------------------------------------------------------------------------------- */

struct kb_regression kb_regress(const double *x, const double *y, size_t n)
{
	return kb_regress_fit(x, y, NULL, n, 0.95).line;
}

/* Adds what moving one coordinate by its error changes. */
static void add_change(struct kb_regression *reach, const struct kb_regression *from, const struct kb_regression *to)
{
	reach->slope += fabs(to->slope - from->slope);
	reach->intercept += fabs(to->intercept - from->intercept);
	reach->r2 += fabs(to->r2 - from->r2);
	reach->known = reach->known && to->known;
}

struct kb_regression kb_regress_reach(const double *x, const double *y, size_t n, double dx, double dy,
                                      double *scratch)
{
	struct kb_regression line = kb_regress(x, y, n), reach = { .known = line.known };
	double *moved_x = scratch, *moved_y = scratch + n;

	memcpy(moved_x, x, n * sizeof(*x));
	memcpy(moved_y, y, n * sizeof(*y));
	for (size_t i = 0; i < n; i++) {
		struct kb_regression moved;

		moved_x[i] = x[i] + dx;
		moved = kb_regress(moved_x, y, n);
		add_change(&reach, &line, &moved);
		moved_x[i] = x[i];
		moved_y[i] = y[i] + dy;
		moved = kb_regress(x, moved_y, n);
		add_change(&reach, &line, &moved);
		moved_y[i] = y[i];
	}
	return reach;
}

static struct kb_interval around(double value, double error, unsigned df, double confidence)
{
	struct kb_interval interval = { .value = value, .low = value, .high = value, .n_eff = df + 2.0, .known = df > 0,
	                                .why = df > 0 ? KB_CODE_COUNT : KB_CODE_too_few_effective };
	double reach = df > 0 ? kb_t_quantile((1 + confidence) / 2, df) * error : 0;

	interval.low -= reach;
	interval.high += reach;
	return interval;
}

struct kb_regression_fit kb_regress_fit(const double *x, const double *y, const double *w, size_t n, double confidence)
{
	struct kb_regression_fit fit = { .df = n > 2 ? (unsigned)n - 2 : 0 };
	double error = 0, all = 0, mean = 0;
	struct kb_wls line;

	if (n < 2 || !kb_wls_fit(x, y, w, n, &line) || !isfinite(line.spread))
		return fit;
	for (size_t i = 0; i < n; i++)
		mean += (w ? w[i] : 1) * y[i] / line.sum_w;
	for (size_t i = 0; i < n; i++) {
		double weight = w ? w[i] : 1, off = y[i] - line.a - line.b * x[i];

		error += weight * off * off;
		all += weight * (y[i] - mean) * (y[i] - mean);
	}
	fit.residual_sd = fit.df > 0 ? sqrt(error / fit.df) : 0;
	fit.line = (struct kb_regression){ line.b, line.a, all > 0 ? 1 - error / all : 1, isfinite(all) };
	fit.slope = around(line.b, fit.residual_sd * kb_wls_se_b(&line), fit.df, confidence);
	fit.intercept = around(line.a, fit.residual_sd * kb_wls_se_a(&line), fit.df, confidence);
	return fit;
}
