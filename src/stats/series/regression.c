/* See regression.h. */
#include "stats/series/regression.h"

#include <math.h>
#include <string.h>

#include "stats/series/line.h"

struct kb_regression kb_regress(const double *x, const double *y, size_t n)
{
	double mean_x = kb_mean(x, n), mean_y = kb_mean(y, n), xx = 0, xy = 0, yy = 0, error = 0;
	struct kb_regression line = { 0 };

	for (size_t i = 0; i < n; i++) {
		xx += (x[i] - mean_x) * (x[i] - mean_x);
		xy += (x[i] - mean_x) * (y[i] - mean_y);
		yy += (y[i] - mean_y) * (y[i] - mean_y);
	}
	if (!(xx > 0) || !isfinite(xx) || !isfinite(yy))
		return line;
	line.slope = xy / xx;
	line.intercept = mean_y - line.slope * mean_x;
	line.known = true;
	for (size_t i = 0; i < n; i++) {
		double off = y[i] - mean_y - line.slope * (x[i] - mean_x);

		error += off * off;
	}
	line.r2 = yy > 0 ? 1 - error / yy : 1;
	return line;
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
	double ones[n ? n : 1], error = 0, all = 0, mean = 0;
	struct kb_wls line;

	for (size_t i = 0; i < n; i++)
		ones[i] = w ? w[i] : 1;
	if (n < 2 || !kb_wls_fit(x, y, ones, n, &line))
		return fit;
	for (size_t i = 0; i < n; i++)
		mean += ones[i] * y[i] / line.sum_w;
	for (size_t i = 0; i < n; i++) {
		double off = y[i] - line.a - line.b * x[i];

		error += ones[i] * off * off;
		all += ones[i] * (y[i] - mean) * (y[i] - mean);
	}
	fit.residual_sd = fit.df > 0 ? sqrt(error / fit.df) : 0;
	fit.line = (struct kb_regression){ .slope = line.b, .intercept = line.a, .r2 = all > 0 ? 1 - error / all : 1, .known = true };
	fit.slope = around(line.b, fit.residual_sd * kb_wls_se_b(&line), fit.df, confidence);
	fit.intercept = around(line.a, fit.residual_sd * kb_wls_se_a(&line), fit.df, confidence);
	return fit;
}
