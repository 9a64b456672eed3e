/*
 * How much costs differ from one occasion to the next beyond their own intervals. Neighbours in time are set against each other, and
 * of their differences the median counts: a change of the code is one difference of many. What was seen before on other machines and
 * benchmarks weighs as much as some runs, so that two quiet runs are no proof that all will be.
 */
#include <math.h>
#include <stdlib.h>

#include "stats/comparison/compare.h"

#define RUNS_FEWEST 5u
#define PRIOR_DF 8.0
#define EACH_DF 0.5             /* of a difference: the median of absolute ones knows less than their squares, and neighbours share a run */
#define TO_SD 1.4826            /* the median absolute value of a normal distribution, times this, is its standard deviation */

/* The variance that neighbours show, less what their own intervals explain; there are two or more runs. */
static double seen_by_neighbours(const double *ln, const double *se, size_t runs)
{
	double *sizes = malloc(2 * runs * sizeof *sizes), *own = sizes + runs, sd;
	size_t n = runs - 1;

	for (size_t i = 0; sizes && i < n; i++) {
		sizes[i] = fabs(ln[i + 1] - ln[i]);
		own[i] = se[i] * se[i] + se[i + 1] * se[i + 1];
	}
	if (!sizes)
		return 0;
	kb_sort(sizes, n);
	kb_sort(own, n);
	sd = TO_SD * kb_quantile_sorted(sizes, n, .5);
	sd = fmax((sd * sd - kb_quantile_sorted(own, n, .5)) / 2, 0);
	free(sizes);
	return sd;
}

struct kb_occasion kb_occasion_find(const double *ln, const double *se, size_t runs, double prior)
{
	if (runs < RUNS_FEWEST)
		return (struct kb_occasion){ .sd = prior, .df = PRIOR_DF };
	double seen = seen_by_neighbours(ln, se, runs), df = EACH_DF * (double)(runs - 1);
	/* Where more is seen than is usual, what is usual counts for less. */
	double usual = PRIOR_DF * fmin(prior * prior / fmax(seen, 1e-30), 1);

	return (struct kb_occasion){ sqrt((usual * prior * prior + df * seen) / (usual + df)), usual + df, (unsigned)runs };
}
