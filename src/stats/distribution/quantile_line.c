/*
 * The line through one quantile of the observations at each n: with a low quantile, what the machine can do when
 * nothing disturbs it. Bursts only lengthen intervals, so they leave the low quantiles of most sets alone.
 */
#include "stats/stats.h"

#include <math.h>
#include <stdlib.h>

#include "stats/distribution/rank.h"
#include "stats/series/line.h"
#include "stats/series/series.h"

/* From here on the run order of a set tells its correlation; below, the values are taken as independent. */
#define SERIES_MIN 30

/* The quantiles of the sets that have at least two values. */
struct points {
	double *n, *value, *se, *scratch;
	size_t count;
	double n_eff;
	double step;            /* of the clock, as far as the values show it */
	bool tied;
};

static void collect(struct points *points, const struct kb_grid *grid, double p, double confidence, double z)
{
	for (size_t g = 0; g < grid->count; g++) {
		const struct kb_set *set = &grid->sets[g];
		struct kb_bounds b;

		if (set->count < 2)
			continue;
		/* The set is the grid's copy, and its order is not needed any more. */
		if (set->count < SERIES_MIN)
			kb_sort(set->y, set->count);
		b = set->count < SERIES_MIN ? kb_rank_bounds(set->y, set->count, p, confidence) :
		    kb_quantile_bounds(set->y, set->count, p, confidence);
		points->n[points->count] = grid->sets[g].n;
		points->value[points->count] = b.interval.value;
		/* A refused interval leaves its order statistics, cut off at the smallest and largest value. */
		points->se[points->count] = 0.5 * (b.high - b.low) / z;
		points->n_eff += b.interval.n_eff;
		points->tied = points->tied || (b.interval.known && b.interval.why == KB_CODE_tick_limited);
		if (b.step > 0 && (b.step < points->step || !(points->step > 0)))
			points->step = b.step;
		points->count++;
	}
}

static struct kb_interval fit(struct points *points, double z)
{
	double *weight = points->scratch;
	struct kb_interval interval;
	struct kb_wls line;
	double half, least;

	/* A set whose values happen to coincide (a coarse clock) must not outweigh all others: no standard error counts as
	   less than half the median one, nor as less than the rounding of the clock. */
	least = fmax(0.5 * kb_median(points->se, points->count, points->scratch), fmax(points->step, 1) * sqrt(KB_TICK_VARIANCE));
	for (size_t g = 0; g < points->count; g++) {
		double se = fmax(points->se[g], least);

		weight[g] = 1 / (se * se);
	}
	if (points->count < 2 || !kb_wls_fit(points->n, points->value, weight, points->count, &line))
		return kb_interval_refused(0, points->n_eff, KB_CODE_too_few_effective);
	half = z * kb_wls_se_b(&line);
	interval = kb_interval_known(line.b, line.b - half, line.b + half, points->n_eff);
	if (points->tied)
		interval.why = KB_CODE_tick_limited;
	return interval;
}

struct kb_interval kb_quantile_line(const double *n, const double *y, size_t count, double p, double confidence)
{
	double level = fmin(fmax(confidence, 0.01), 1 - 1e-12), z = kb_normal_quantile(0.5 + 0.5 * level);
	struct kb_interval line = kb_interval_refused(0, 0, KB_CODE_too_few_effective);
	struct points points = { .count = 0 };
	struct kb_grid grid;

	if (count == 0 || !kb_usable(n, count) || !kb_usable(y, count) || kb_grid_make(&grid, n, y, count) < 0)
		return line;
	points.n = malloc(4 * grid.count * sizeof(*points.n));
	if (points.n) {
		points.value = points.n + grid.count;
		points.se = points.value + grid.count;
		points.scratch = points.se + grid.count;
		collect(&points, &grid, p, level, z);
		line = fit(&points, z);
		free(points.n);
	}
	kb_grid_free(&grid);
	return line;
}
