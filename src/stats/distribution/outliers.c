/*
 * Winsorising. About one median it would pull parts of a whole level in, and leave runs of equal values there that look
 * like changes of their own; hence the median of the neighbours where a series may have levels.
 */
#include "stats/distribution/outliers.h"

#include <math.h>

#include "stats/stats.h"

#define OUTLYING 3              /* sigma */
#define NEIGHBOURS 5            /* on each side: a level of the minimum segment, 5, outvotes what is beside it */

struct kb_fences kb_limits_of(const double *x, size_t n, double *scratch)
{
	double median = kb_median(x, n, scratch);

	return (struct kb_fences){ median, OUTLYING * KB_MAD_SIGMA * kb_mad(x, n, scratch) };
}

static double pulled(double x, double centre, double reach)
{
	return fmin(fmax(x, centre - reach), centre + reach);
}

void kb_pull_in(double *x, size_t n, const struct kb_fences *limits)
{
	for (size_t i = 0; i < n; i++)
		x[i] = pulled(x[i], limits->median, limits->reach);
}

void kb_pull_to_neighbours(const double *x, double *to, size_t n, const struct kb_fences *limits)
{
	double scratch[2 * NEIGHBOURS + 1];

	for (size_t i = 0; i < n; i++) {
		size_t begin = i > NEIGHBOURS ? i - NEIGHBOURS : 0, end = i + NEIGHBOURS < n ? i + NEIGHBOURS + 1 : n;

		to[i] = x[i];
		if (limits->reach > 0 && fabs(x[i] - limits->median) > limits->reach)
			to[i] = pulled(x[i], kb_median(x + begin, end - begin, scratch), limits->reach);
	}
}
