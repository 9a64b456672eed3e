/*
 * Weighted straight lines: least squares, and its robust twin by iterated reweighting with Tukey's bisquare
 * (Beaton and Tukey 1974; 4.685 keeps 95 % efficiency under the normal).
 */
#include "stats/series/line.h"

#include <math.h>

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
