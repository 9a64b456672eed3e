/* Allan variances with chi-square intervals. Neighbouring differences share a value, which costs degrees of freedom. */
#include "stats/series/allan.h"

#include <math.h>

#include "stats/series/series.h"

#define MEANS_LEAST 4

/* x with P(chi-square <= x) = p, by halving: the range of a variance ratio needs no more than its digits. */
static double chi2_quantile(double p, double df)
{
	double low = 0, high = df + 40 * sqrt(df) + 200;

	for (int i = 0; i < 100; i++) {
		double middle = 0.5 * (low + high);

		if (kb_chi2_cdf(middle, df) < p)
			low = middle;
		else
			high = middle;
	}
	return 0.5 * (low + high);
}

/* factor: from the variance to what is constant for independent values. */
static struct kb_allan row_of(double n, double sum, size_t pairs, double factor, double confidence)
{
	/* Squares of neighbouring differences of independent normal values are correlated by 1/4. */
	double df = (double)pairs / (1 + 0.5 * ((double)pairs - 1) / (double)pairs), tail = 0.5 * (1 - fmin(fmax(confidence, 0), 1 - 1e-12));
	struct kb_allan row = { .n = n, .variance = 0.5 * sum / (double)pairs, .pairs = pairs };

	row.scaled = row.variance * factor;
	row.low = row.scaled * df / chi2_quantile(1 - tail, df);
	row.high = row.scaled * df / chi2_quantile(tail, df);
	return row;
}

/* Of the means of m values each; what is left over at the end is not used. */
static double square_steps(const double *x, size_t n, size_t m)
{
	double sum = 0, last = 0;

	for (size_t k = 0; k < n / m; k++) {
		double mean = kb_mean(x + k * m, m);

		if (k > 0)
			sum += (mean - last) * (mean - last);
		last = mean;
	}
	return sum;
}

unsigned kb_allan_series(const double *x, size_t n, double confidence, struct kb_allan *rows)
{
	unsigned count = 0;

	if (!kb_usable(x, n))
		return 0;
	for (size_t m = 1; n / m >= MEANS_LEAST && count < KB_ALLAN_MAX; m *= 2)
		rows[count++] = row_of((double)m, square_steps(x, n, m), n / m - 1, (double)m, confidence);
	return count;
}

unsigned kb_allan_sets(const struct kb_set *sets, size_t count, double confidence, struct kb_allan *rows)
{
	unsigned used = 0;

	for (size_t g = 0; g < count && used < KB_ALLAN_MAX; g++) {
		const struct kb_set *set = &sets[g];

		if (set->count >= 2 && set->n > 0 && kb_usable(set->y, set->count))
			rows[used++] = row_of(set->n, square_steps(set->y, set->count, 1), set->count - 1, 1 / set->n,
			                      confidence);
	}
	return used;
}
