/*
 * A block's cost is a median and no slope: a slope of so few points would follow every burst of a neighbour. What an
 * sample costs in addition to its operations has to be subtracted first, or short samples would look dear.
 */
#include "result/blocks.h"

#include <math.h>
#include <stdlib.h>

#include "base/plan.h"
#include "result/contention.h"
#include "stats/stats.h"

const char *kb_series_unit(const struct kb_result *result)
{
	return kb_core_bound(result->bound) ? "cycles" : kb_time_unit(result);
}

double kb_block_median(const struct kb_points *all, uint32_t block, double per_interval, size_t *next, double *operations)
{
	double costs[KB_BLOCK_STEPS_MAX]; /* no plan can ask for more */
	size_t count = 0;

	*operations = 0;
	while (*next < all->count && all->block[*next] < block)
		++*next;
	for (; *next < all->count && all->block[*next] == block; ++*next) {
		if ((all->flags[*next] & KB_BLOCK_DISTURBED) || count == KB_BLOCK_STEPS_MAX)
			continue;
		costs[count++] = (all->ticks[*next] - per_interval) / all->n[*next];
		*operations += all->n[*next];
	}
	kb_sort(costs, count);
	return count > 0 ? kb_quantile_sorted(costs, count, 0.5) : NAN;
}

/* Ticks of one dependent add alongside the block. 1: no core cycles. */
static double tick_of(const struct kb_samples *samples, uint32_t block)
{
	return kb_core_bound(samples->bound) ? kb_contention_add(samples, block) : 1;
}

double *kb_block_costs(const struct kb_samples *samples, double per_interval, double less, size_t *count)
{
	const struct kb_points *points = kb_cost_points(samples);
	uint32_t last = points->count > 0 ? points->block[points->count - 1] : 0;
	double *costs = malloc(((size_t)last + 1) * sizeof *costs);
	double operations;
	size_t next = 0;

	*count = (size_t)last + 1;
	for (uint32_t block = 0; costs && block <= last; block++)
		costs[block] = (kb_block_median(points, block, per_interval, &next, &operations) - less) / tick_of(samples, block);
	return costs;
}

/* ---- as a series --------------------------------------------------------------------------------- */

static void take_observations(const struct kb_samples *samples, struct kb_block_series *series)
{
	const struct kb_points *op = kb_cost_points(samples);

	for (size_t i = 0; i < op->count; i++) {
		double tick = tick_of(samples, op->block[i]);

		if (op->flags[i] & KB_BLOCK_DISTURBED || !(tick > 0))
			continue;
		series->x[series->count] = op->ticks[i] / op->n[i] / tick;
		series->block[series->count++] = op->block[i];
	}
	series->quantum = op->count > 0 ? (double)samples->quantum / op->n[0] : 0;
}

static void take_blocks(const struct kb_samples *samples, double per_interval, struct kb_block_series *series)
{
	size_t count;
	double *costs = kb_block_costs(samples, per_interval, 0, &count);

	for (size_t block = 0; costs && block < count; block++) {
		if (!isfinite(costs[block]))
			continue;
		series->x[series->count] = costs[block];
		series->block[series->count++] = (uint32_t)block;
	}
	free(costs);
	if (series->count > 0)
		series->quantum = (double)samples->quantum / samples->op.n[0];
}

bool kb_block_series_open(const struct kb_samples *samples, double per_interval, struct kb_block_series *series)
{
	size_t room = samples->op.count + 1;

	*series = (struct kb_block_series){ .x = malloc(room * sizeof(double)), .block = malloc(room * sizeof(uint32_t)) };
	if (series->x && series->block) {
		if (kb_methods[samples->method].one_by_one)
			take_observations(samples, series);
		else
			take_blocks(samples, per_interval, series);
	}
	if (series->count == 0)
		kb_block_series_close(series);
	return series->count > 0;
}

void kb_block_series_close(struct kb_block_series *series)
{
	free(series->x);
	free(series->block);
	*series = (struct kb_block_series){ 0 };
}
