/* Comparisons by order alone, decile by decile, and p values of many comparisons at once. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "stats/comparison/compare.h"

/* ---- order ---------------------------------------------------------------------------------------------- */

/* How many of x lie below the value, those equal counted half. */
static double below(double value, const double *x, size_t n)
{
	double count = 0;

	for (size_t i = 0; i < n; i++)
		count += x[i] < value ? 1 : x[i] == value ? 0.5 : 0;
	return count;
}

double kb_a12(const double *a, size_t na, const double *b, size_t nb)
{
	double sum = 0;

	for (size_t i = 0; i < nb; i++)
		sum += below(b[i], a, na);
	return na > 0 && nb > 0 ? sum / ((double)na * (double)nb) : 0.5;
}

/* Variance of the placements of x's values among the other side's, with n-1. */
static double placement_variance(const double *x, size_t n, const double *other, size_t m)
{
	double sum = 0, squares = 0;

	for (size_t i = 0; i < n; i++)
		sum += below(x[i], other, m);
	for (size_t i = 0; i < n; i++) {
		double off = below(x[i], other, m) - sum / (double)n;

		squares += off * off;
	}
	return squares / (double)(n - 1);
}

double kb_brunner_munzel(const double *a, size_t na, const double *b, size_t nb)
{
	if (na < 2 || nb < 2)
		return 1;
	double x = (double)na, y = (double)nb;
	/* Placements are ranks less own ranks; by side, the other side's size squared makes them shares. */
	double va = placement_variance(a, na, b, nb) / (x * y * y), vb = placement_variance(b, nb, a, na) / (y * x * x);
	double v = va + vb;

	double off = kb_a12(a, na, b, nb) - 0.5;

	/* Sides that do not overlap at all: of all ways to choose na of the values, two are as far apart. */
	if (!(v > 0))
		return off != 0 ? fmin(2 * exp(kb_lgamma(x + 1) + kb_lgamma(y + 1) - kb_lgamma(x + y + 1)), 1) : 1;
	double t = off / sqrt(v);
	double df = v * v / (va * va / (x - 1) + vb * vb / (y - 1));

	return fmin(2 * kb_t_cdf(-fabs(t), df), 1);
}

/* ---- deciles -------------------------------------------------------------------------------------------- */

bool kb_deciles(double *x, size_t n, double deciles[KB_DECILES])
{
	if (n < KB_DECILE_VALUES_MIN)
		return false;
	kb_sort(x, n);
	for (unsigned k = 0; k < KB_DECILES; k++)
		deciles[k] = kb_quantile_sorted(x, n, (k + 1) / 10.0);
	return true;
}

void kb_decile_shift(const double (*ln)[KB_DECILES], size_t pairs, double confidence, struct kb_interval shift[KB_DECILES])
{
	double *values = malloc((pairs + 1) * sizeof *values);

	for (unsigned k = 0; k < KB_DECILES; k++) {
		for (size_t i = 0; values && i < pairs; i++)
			values[i] = ln[i][k];
		/* Without memory as without values. */
		shift[k] = kb_t_interval(values, values ? pairs : 0, confidence);
	}
	free(values);
}

/* ---- families of p -------------------------------------------------------------------------------------- */

struct item { double p; size_t index; };

static int by_p(const void *left, const void *right)
{
	const struct item *a = left, *b = right;

	return a->p < b->p ? -1 : a->p > b->p ? 1 : a->index < b->index ? -1 : 1;
}

/* From the smallest p up, or from the largest down; adjusted ones keep that order. */
static int adjust(const double *p, size_t n, double *adjusted, bool holm)
{
	struct item *items = malloc((n + 1) * sizeof *items);
	double reached = holm ? 0 : 1;

	if (!items)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++)
		items[i] = (struct item){ p[i], i };
	qsort(items, n, sizeof *items, by_p);
	for (size_t k = 0; k < n; k++) {
		const struct item *item = &items[holm ? k : n - 1 - k];

		reached = holm ? fmax(reached, fmin((double)(n - k) * item->p, 1)) : fmin(reached, (double)n / (double)(n - k) * item->p);
		adjusted[item->index] = reached;
	}
	free(items);
	return 0;
}

/* Holm (1979): the smallest of n counts n times, the next n-1 times; never below one before it. */
int kb_holm(const double *p, size_t n, double *adjusted)
{
	return adjust(p, n, adjusted, true);
}

/* Benjamini and Hochberg (1995), from the largest down. */
int kb_benjamini_hochberg(const double *p, size_t n, double *adjusted)
{
	return adjust(p, n, adjusted, false);
}
