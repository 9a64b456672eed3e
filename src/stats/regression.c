/* See regression.h. */
#include "stats/regression.h"

#include <math.h>
#include <string.h>

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
