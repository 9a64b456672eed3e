/*
 * The W test of Shapiro and Wilk with Royston's approximations (Applied Statistics 44, 1995): the weights from normal
 * scores with polynomial corrections of the two outermost ones, p from a normalising transformation of 1 - W.
 */
#include "stats/distribution/checks.h"

#include <math.h>
#include <stdlib.h>


#define SIZE_MIN_W 3
#define SIZE_MAX_W 5000         /* beyond it the approximations were not fitted */

/* coefficient[0] + coefficient[1] x + ... */
static double polynomial(const double *coefficient, int count, double x)
{
	double sum = 0;

	while (count-- > 0)
		sum = sum * x + coefficient[count];
	return sum;
}

/* Weights of the upper half, outermost first: a[0] goes with the largest minus the smallest value. */
static void make_weights(double *a, size_t n)
{
	static const double last[] = { 0, 0.221157, -0.147981, -2.071190, 4.434685, -2.706056 };
	static const double next[] = { 0, 0.042981, -0.293762, -1.752461, 5.682633, -3.582633 };
	double squares = 0, u = 1 / sqrt((double)n), rest, norm;
	size_t half = n / 2, fixed = n > 5 ? 2 : 1;

	for (size_t i = 0; i < half; i++) {
		a[i] = -kb_normal_quantile(((double)i + 1 - 0.375) / ((double)n + 0.25));
		squares += 2 * a[i] * a[i];
	}
	norm = sqrt(squares);
	if (n == 3) {
		a[0] = sqrt(0.5);
		return;
	}

	double outer = a[0] / norm + polynomial(last, 6, u), second = a[1] / norm + polynomial(next, 6, u);

	/* What the outermost weights leave of a total of 1 is shared in proportion to the scores. */
	rest = squares - 2 * a[0] * a[0] - (fixed == 2 ? 2 * a[1] * a[1] : 0);
	rest /= 1 - 2 * outer * outer - (fixed == 2 ? 2 * second * second : 0);
	for (size_t i = fixed; i < half; i++)
		a[i] /= sqrt(rest);
	a[0] = outer;
	if (fixed == 2)
		a[1] = second;
}

static double p_of(double w, size_t n)
{
	static const double small_mean[] = { 0.5440, -0.39978, 0.025054, -6.714e-4 };
	static const double small_sd[] = { 1.3822, -0.77857, 0.062767, -0.0020322 };
	static const double large_mean[] = { -1.5861, -0.31082, -0.083751, 0.0038915 };
	static const double large_sd[] = { -0.4803, -0.082676, 0.0030302 };
	double count = (double)n, ln = log(count), y = log(1 - w), limit = 0.459 * count - 2.273;

	if (!(w < 1))
		return 1;
	if (n == 3)
		return fmax(0, 6 / M_PI * (asin(sqrt(w)) - asin(sqrt(0.75))));
	if (n >= 12)
		return kb_normal_cdf((polynomial(large_mean, 4, ln) - y) / exp(polynomial(large_sd, 3, ln)));
	if (y >= limit)
		return 0;
	return kb_normal_cdf((polynomial(small_mean, 4, count) + log(limit - y)) / exp(polynomial(small_sd, 4, count)));
}

struct kb_check kb_check_normal(const double *x, size_t n)
{
	struct kb_check check;
	double *sorted, *a;

	if (!kb_check_possible(x, n, SIZE_MIN_W, &check))
		return check;
	if (n > SIZE_MAX_W)
		return kb_check_refused(KB_CODE_rank_out_of_range);
	check = kb_check_refused(KB_CODE_too_few_effective);
	sorted = kb_sorted(x, n);
	a = malloc(n / 2 * sizeof(*a));
	if (sorted && a) {
		double sum = 0, w;

		make_weights(a, n);
		for (size_t i = 0; i < n / 2; i++)
			sum += a[i] * (sorted[n - 1 - i] - sorted[i]);
		/* Rounding may leave a perfect set a hair above 1. */
		w = fmin(1, sum * sum / ((double)(n - 1) * kb_variance(sorted, n)));
		check = kb_check_made(w, p_of(w, n));
	}
	free(sorted);
	free(a);
	return check;
}
