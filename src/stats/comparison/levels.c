/*
 * The split uses T_i^2 = S_i^2 - S_(i-1)^2 / r_(i-1); the original paper printed another index. Units of unequal size
 * enter by the harmonic mean of their sizes, which keeps the estimate unbiased.
 */
#include "stats/comparison/levels.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "stats/series/series.h"

#define FEWEST_TOP 3            /* of the highest level: fewer give no interval worth the name */
#define MOST_REPEATS 1e6        /* keeps a plan for a level that costs nothing finite */

/* Replaces values by the means of their groups. Fills S^2 and r of the level that the values belong to. */
static void reduce(double *values, const size_t *sizes, size_t groups, double *s2, double *repeats)
{
	double sum = 0, inverse = 0;
	size_t from = 0, spread = 0;

	for (size_t g = 0; g < groups; g++) {
		double mean = kb_mean(values + from, sizes[g]);

		if (sizes[g] > 1) {
			sum += kb_variance(values + from, sizes[g]);
			spread++;
		}
		inverse += 1 / (double)sizes[g];
		from += sizes[g];
		values[g] = mean;       /* g < from: what is overwritten has been read */
	}
	*s2 = spread > 0 ? sum / (double)spread : 0;
	*repeats = (double)groups / inverse;
}

static bool adds_up(const size_t *sizes, size_t groups, size_t n)
{
	size_t sum = 0;

	for (size_t g = 0; g < groups; g++) {
		if (sizes[g] == 0 || sizes[g] > n)
			return false;
		sum += sizes[g];
	}
	return groups > 0 && sum == n;
}

static int split(double *values, size_t n, const size_t *const *sizes, const size_t *counts, double confidence,
                 struct kb_levels *levels)
{
	unsigned top = levels->count - 1;

	for (unsigned i = 0; i < top; i++) {
		if (!adds_up(sizes[i], counts[i], n))
			return -EINVAL;
		reduce(values, sizes[i], counts[i], &levels->s2[i], &levels->repeats[i]);
		n = counts[i];
	}
	levels->s2[top] = kb_variance(values, n);
	levels->repeats[top] = (double)n;
	levels->mean = kb_t_interval(values, n, confidence);
	levels->t2[0] = levels->s2[0];
	for (unsigned i = 1; i <= top; i++)
		levels->t2[i] = levels->s2[i] - levels->s2[i - 1] / levels->repeats[i - 1];
	return 0;
}

int kb_levels_split(const double *x, size_t n, const size_t *const *sizes, const size_t *counts, unsigned count,
                    double confidence, struct kb_levels *levels)
{
	*levels = (struct kb_levels){ .count = count };
	if (count < 2 || count > KB_LEVELS_MAX || n == 0 || !kb_usable(x, n))
		return -EINVAL;
	double *values = malloc(n * sizeof *values);

	if (!values)
		return -ENOMEM;
	memcpy(values, x, n * sizeof *values);
	int result = split(values, n, sizes, counts, confidence, levels);

	free(values);
	return result;
}

/* r_i = ceil(sqrt(c_(i+1)/c_i T_i^2/T_(i+1)^2)), the optimum for a given total cost. */
static double repeats_of(const struct kb_levels *levels, const double *cost, unsigned i)
{
	if (levels->t2[i] <= 0)
		return 1;
	if (levels->t2[i + 1] <= 0 || cost[i] <= 0)
		return MOST_REPEATS;
	return fmin(fmax(ceil(sqrt(cost[i + 1] / cost[i] * levels->t2[i] / levels->t2[i + 1])), 1), MOST_REPEATS);
}

void kb_levels_plan(const struct kb_levels *levels, const double *cost, double budget, size_t *plan)
{
	double inside = cost[0];        /* one unit of level i+1 with all that is in it */

	for (unsigned i = 0; i + 1 < levels->count; i++) {
		double repeats = repeats_of(levels, cost, i);
		double room = (budget / FEWEST_TOP - cost[i + 1]) / inside;

		/* Never so many that fewer than three of the highest level would fit. */
		repeats = fmax(fmin(repeats, inside > 0 ? floor(room) : MOST_REPEATS), 1);
		plan[i] = (size_t)repeats;
		inside = cost[i + 1] + repeats * inside;
	}
	plan[levels->count - 1] = (size_t)fmin(fmax(inside > 0 ? floor(budget / inside) : 0, FEWEST_TOP), MOST_REPEATS);
}
