/*
 * See fit.h. Weights come from the intervals; where the points scatter more than those explain, the line is not quite
 * straight, and the errors grow by what the scatter shows (chi squared over its degrees of freedom) with Student's t.
 */
#include "suite/model/fit.h"

#include <math.h>
#include <string.h>

#include "stats/stats.h"

#define NORMAL 1.959964         /* half of a 95 % interval in standard deviations */

typedef double matrix[KB_MODEL_UNKNOWNS][KB_MODEL_UNKNOWNS];

struct solution {
	double u[KB_MODEL_UNKNOWNS];
	matrix covariance;
	double factor;                  /* from standard deviations to half of the interval */
	bool known, bounded;
};

static double half_width(const struct kb_estimate *e)
{
	return e->bounded ? (e->high - e->low) / 2 : 0;
}

static double target(const struct kb_fit_point *point)
{
	return point->whole.value - point->fixed.value;
}

/* Standard deviation; 0 where an interval is missing. */
static double deviation(const struct kb_fit_point *point)
{
	if (!point->whole.bounded || !point->fixed.bounded)
		return 0;
	return hypot(half_width(&point->whole), half_width(&point->fixed)) / NORMAL;
}

/* Gauss and Jordan with pivots. False: the columns are not independent. */
static bool invert(matrix m, unsigned n)
{
	matrix inverse = { { 0 } };

	for (unsigned i = 0; i < n; i++)
		inverse[i][i] = 1;
	for (unsigned c = 0; c < n; c++) {
		unsigned pivot = c;

		for (unsigned r = c; r < n; r++)
			pivot = fabs(m[r][c]) > fabs(m[pivot][c]) ? r : pivot;

		double by = m[pivot][c];

		if (!(fabs(by) > 1e-9))
			return false;
		for (unsigned k = 0; k < n; k++) {
			double a = m[pivot][k] / by, b = inverse[pivot][k] / by;

			m[pivot][k] = m[c][k], m[c][k] = a;
			inverse[pivot][k] = inverse[c][k], inverse[c][k] = b;
		}
		for (unsigned r = 0; r < n; r++) {
			double times = r == c ? 0 : m[r][c];

			for (unsigned k = 0; k < n; k++) {
				m[r][k] -= times * m[c][k];
				inverse[r][k] -= times * inverse[c][k];
			}
		}
	}
	memcpy(m, inverse, sizeof inverse);
	return true;
}

static double predicted(const struct solution *s, const struct kb_fit_point *point, unsigned unknowns)
{
	double y = 0;

	for (unsigned k = 0; k < unknowns; k++)
		y += s->u[k] * point->x[k];
	return y;
}

/* s: the smallest deviation; 0: one is missing, and all points weigh the same. */
static double weight(const struct kb_fit_point *point, double s)
{
	return s > 0 ? s * s / (deviation(point) * deviation(point)) : 1;
}

/* The errors of the unknowns, by the intervals, or by the scatter where that is more. */
static void errors(struct solution *solution, const struct kb_fit_point *points, unsigned count, unsigned unknowns, double s,
		   const double *scale)
{
	double scatter = 0, df = (double)count - unknowns, variance = s * s;

	for (unsigned i = 0; i < count; i++) {
		double r = target(&points[i]) - predicted(solution, &points[i], unknowns);

		scatter += weight(&points[i], s) * r * r;
	}
	solution->factor = NORMAL;
	if (df > 0 && scatter / df > variance) {
		variance = scatter / df;
		solution->factor = kb_t_quantile(0.975, df);
	}
	solution->bounded = s > 0 || df > 0;
	for (unsigned k = 0; k < unknowns; k++) {
		for (unsigned l = 0; l < unknowns; l++)
			solution->covariance[k][l] *= variance / (scale[k] * scale[l]);
	}
}

static struct solution solve(const struct kb_fit_point *all, unsigned count, unsigned unknowns, unsigned left_out)
{
	struct solution solution = { .known = false };
	struct kb_fit_point points[KB_MODEL_VALUES];
	double scale[KB_MODEL_UNKNOWNS] = { 0 }, right[KB_MODEL_UNKNOWNS] = { 0 }, s = INFINITY;
	unsigned used = 0;

	for (unsigned i = 0; i < count; i++) {
		if (!all[i].usable || i == left_out)
			continue;
		points[used++] = all[i];
		s = fmin(s, deviation(&all[i]));
		/* Columns are scaled to at most 1, for invert() to tell what is small. */
		for (unsigned k = 0; k < unknowns; k++)
			scale[k] = fmax(scale[k], fabs(all[i].x[k]));
	}
	s = used ? s : 0;
	for (unsigned k = 0; k < unknowns; k++)
		scale[k] = scale[k] > 0 ? scale[k] : 1;
	for (unsigned i = 0; i < used; i++) {
		for (unsigned k = 0; k < unknowns; k++) {
			double xk = points[i].x[k] / scale[k] * weight(&points[i], s);

			right[k] += xk * target(&points[i]);
			for (unsigned l = 0; l < unknowns; l++)
				solution.covariance[k][l] += xk * points[i].x[l] / scale[l];
		}
	}
	if (!invert(solution.covariance, unknowns))
		return solution;
	solution.known = true;
	for (unsigned k = 0; k < unknowns; k++) {
		for (unsigned l = 0; l < unknowns; l++)
			solution.u[k] += solution.covariance[k][l] * right[l] / scale[k];
	}
	errors(&solution, points, used, unknowns, s, scale);
	return solution;
}

static struct kb_estimate estimate(double value, double half, const struct solution *s)
{
	return (struct kb_estimate){ value, value - half, value + half, s->known && isfinite(value), s->bounded && isfinite(half) };
}

void kb_fit_unknowns(const struct kb_fit_point *points, unsigned count, unsigned unknowns, struct kb_fit *fit)
{
	struct solution s = solve(points, count, unknowns, count);

	for (unsigned k = 0; k < unknowns && s.known; k++)
		fit->unknowns[k] = estimate(s.u[k], s.factor * sqrt(s.covariance[k][k]), &s);
}

struct kb_estimate kb_fit_predict(const struct kb_fit_point *points, unsigned count, unsigned unknowns, unsigned left_out)
{
	const struct kb_fit_point *point = &points[left_out];
	struct solution s = solve(points, count, unknowns, left_out);
	double variance = 0;

	if (!s.known)
		return (struct kb_estimate){ .known = false };
	for (unsigned k = 0; k < unknowns; k++) {
		for (unsigned l = 0; l < unknowns; l++)
			variance += point->x[k] * s.covariance[k][l] * point->x[l];
	}
	double half = hypot(s.factor * sqrt(fmax(variance, 0)), half_width(&point->fixed));

	return estimate(predicted(&s, point, unknowns) + point->fixed.value, half, &s);
}
