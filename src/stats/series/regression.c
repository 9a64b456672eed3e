/* See regression.h. */
#include "stats/series/regression.h"

#include <math.h>
#include <string.h>

#include "stats/series/line.h"

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
