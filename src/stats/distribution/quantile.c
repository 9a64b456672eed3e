/*
 * Location, scale and quantiles of plain arrays. The one definition of a quantile in this project is type 7 of
 * Hyndman and Fan (1996); medians are its value at 1/2.
 */
#include "stats/stats.h"

#include <math.h>
#include <string.h>

/* Measured from the first value: equal values have exactly that mean, and 2^63 leaves its digits to the differences. */
double kb_mean(const double *x, size_t n)
{
	double sum = 0;

	if (n == 0)
		return 0;
	for (size_t i = 0; i < n; i++)
		sum += x[i] - x[0];
	return x[0] + sum / (double)n;
}

double kb_variance(const double *x, size_t n)
{
	double sum = 0, mean = 0;

	if (n < 2)
		return 0;
	/* About the first value again: the mean of large ticks is itself rounded to a tick. */
	for (size_t i = 0; i < n; i++)
		mean += (x[i] - x[0]) / (double)n;
	for (size_t i = 0; i < n; i++)
		sum += (x[i] - x[0] - mean) * (x[i] - x[0] - mean);
	return sum / (double)(n - 1);
}

double kb_quantile_sorted(const double *sorted, size_t n, double p)
{
	double h, below;
	size_t i;

	if (n == 0)
		return 0;
	if (!(p > 0))
		return sorted[0];
	h = (double)(n - 1) * p;
	if (p >= 1 || h >= (double)(n - 1))
		return sorted[n - 1];
	below = floor(h);
	i = (size_t)below;
	/* Equal neighbours are returned as they are: the interpolation could round past them. */
	if (!(sorted[i + 1] > sorted[i]))
		return sorted[i];
	return fmin(sorted[i] + (h - below) * (sorted[i + 1] - sorted[i]), sorted[i + 1]);
}

struct kb_minimum kb_minimum_sorted(const double *sorted, size_t n)
{
	struct kb_minimum m = { .value = sorted[0], .p1 = kb_quantile_sorted(sorted, n, 0.01) };

	m.gap_percent = m.value > 0 ? 100 * (m.p1 - m.value) / m.value : 0;
	return m;
}

static void swap(double *a, double *b)
{
	double keep = *a;

	*a = *b;
	*b = keep;
}

static double middle_of_three(double a, double b, double c)
{
	return fmax(fmin(a, b), fmin(fmax(a, b), c));
}

/* Three-way partition of x[0..n): [0, *less) below the pivot, [*more, n) above it. Ties end at once. */
static void partition(double *x, size_t n, double pivot, size_t *less, size_t *more)
{
	size_t low = 0, high = n, i = 0;

	while (i < high) {
		if (x[i] < pivot)
			swap(&x[i++], &x[low++]);
		else if (x[i] > pivot)
			swap(&x[i], &x[--high]);
		else
			i++;
	}
	*less = low;
	*more = high;
}

/* Puts the k-th smallest at x[k] with nothing larger before it; linear on average, never quadratic. */
static void select_rank(double *x, size_t n, size_t k)
{
	size_t less, more;

	for (int round = 0; n > 2; round++) {
		if (round == 64)
			break;
		partition(x, n, middle_of_three(x[0], x[n / 2], x[n - 1]), &less, &more);
		if (k >= less && k < more)
			return;
		if (k < less) {
			n = less;
		} else {
			x += more;
			n -= more;
			k -= more;
		}
	}
	kb_sort(x, n);
}

static double median_in_place(double *x, size_t n)
{
	size_t k;
	double upper, lower;

	if (n == 0)
		return 0;
	k = n / 2;
	select_rank(x, n, k);
	upper = x[k];
	if (n % 2 == 1)
		return upper;
	lower = x[0];
	for (size_t i = 1; i < k; i++)
		lower = fmax(lower, x[i]);
	return lower + (upper - lower) / 2;
}

double kb_median(const double *x, size_t n, double *scratch)
{
	if (n > 0)
		memcpy(scratch, x, n * sizeof(*x));
	return median_in_place(scratch, n);
}

double kb_mad(const double *x, size_t n, double *scratch)
{
	double median = kb_median(x, n, scratch);

	for (size_t i = 0; i < n; i++)
		scratch[i] = fabs(x[i] - median);
	return median_in_place(scratch, n);
}
