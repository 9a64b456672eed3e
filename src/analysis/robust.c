/* See analysis.h: location and scale that a few wild values do not move. The trimmed mean has no formula for its interval
   under dependence, so neighbours are drawn together. */
#include "analysis/analysis.h"

#include <stdlib.h>
#include <string.h>

#include "stats/distribution/bootstrap.h"

#define TRIMMED 0.2     /* from each end: the efficiency of a mean, and a fifth of the values may be anything */
#define SEED 1          /* the same file gives the same interval */

struct trim {
	const double *y;
	double *scratch;
};

static double trimmed_mean(double *values, size_t n)
{
	size_t cut = (size_t)(TRIMMED * (double)n);

	kb_sort(values, n);
	return kb_mean(values + cut, n - 2 * cut);
}

static double trimmed_at(const size_t *at, size_t n, void *context)
{
	const struct trim *trim = context;

	for (size_t i = 0; i < n; i++)
		trim->scratch[i] = trim->y[at[i]];
	return trimmed_mean(trim->scratch, n);
}

struct kb_robust kb_robust_of(const double *y, size_t n, double confidence)
{
	struct kb_robust robust = { .mad_sigma = 0 };
	struct trim trim = { y, malloc((n + 1) * sizeof(double)) };

	if (!trim.scratch || n == 0) {
		robust.median.why = robust.trimmed.why = KB_CODE_too_few_effective;
		free(trim.scratch);
		return robust;
	}
	robust.median = kb_quantile_interval(y, n, 0.5, confidence);
	robust.mad_sigma = 1.4826 * kb_mad(y, n, trim.scratch);
	robust.trimmed = kb_bootstrap_interval(y, n, trimmed_at, &trim, confidence, KB_BOOTSTRAP_DRAWS, SEED);
	memcpy(trim.scratch, y, n * sizeof *y);
	robust.trimmed.value = trimmed_mean(trim.scratch, n);
	free(trim.scratch);
	return robust;
}
