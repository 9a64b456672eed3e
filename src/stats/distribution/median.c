/*
 * The interval of a median over a handful of processes. Of a t interval, one of trimmed means and this one it alone keeps 0.93 to
 * 0.97 for 5 to 12 values, whether they are normal, have outliers or lie in two states, and where more are drawn until it is
 * narrow enough (test/truth/stats/test_median.c).
 */
#include <math.h>
#include <stdlib.h>

#include "stats/stats.h"

#define FEWEST 5
#define BEYOND 0.1              /* of the range, where the whole range does not reach the confidence */

/* That the d-th smallest and the d-th largest of n values have the median between them. */
static double coverage(size_t n, size_t d)
{
	return 1 - 2 * kb_binomial_cdf((double)d - 1, (double)n, 0.5);
}

/* Between the d-th pair of order statistics, which is a little too wide, and the next one, which is too narrow. */
static void interpolate(const double *sorted, size_t n, double confidence, struct kb_interval *interval)
{
	size_t d = 1;

	while (d + 1 <= n / 2 && coverage(n, d + 1) >= confidence)
		d++;
	interval->low = sorted[d - 1];
	interval->high = sorted[n - d];
	if (d + 1 > n / 2 || coverage(n, d) < confidence)
		return;
	double excess = (coverage(n, d) - confidence) / (coverage(n, d) - coverage(n, d + 1));
	double share = (double)(n - d) * excess / ((double)d + (double)(n - 2 * d) * excess);

	interval->low += share * (sorted[d] - sorted[d - 1]);
	interval->high += share * (sorted[n - d - 1] - sorted[n - d]);
}

struct kb_interval kb_median_interval(const double *x, size_t n, double confidence)
{
	double *sorted = kb_sorted(x, n);
	struct kb_interval interval = { .n_eff = (double)n, .why = KB_CODE_too_few_effective };

	if (!sorted || n == 0) {
		free(sorted);
		return interval;
	}
	interval.value = interval.low = interval.high = kb_quantile_sorted(sorted, n, 0.5);
	if (n >= FEWEST) {
		double beyond = coverage(n, 1) < confidence ? BEYOND * (sorted[n - 1] - sorted[0]) : 0;

		interpolate(sorted, n, confidence, &interval);
		interval.low -= beyond;
		interval.high += beyond;
		interval.known = true;
		interval.why = KB_CODE_COUNT;
	}
	free(sorted);
	return interval;
}
