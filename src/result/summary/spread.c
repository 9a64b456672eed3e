/*
 * Where a row's spread comes from, and whether one number describes it. Noise is told per operation, so that samples of
 * different length can be compared: equal ones mean that operations do not depend on each other.
 */
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "result/blocks.h"
#include "result/summary/summary.h"
#include "stats/distribution/modes.h"
#include "stats/series/allan.h"
#include "stats/series/changepoint.h"

#define PAIRS_LEAST 8           /* neighbours compared; fewer say nothing of a variance */

/* ---- one process ---------------------------------------------------------------------------------- */

/* Outliers have a verdict of their own, and one of them is the whole variance of its set. */
static void pull_in_sets(struct kb_grid *grid)
{
	for (size_t g = 0; g < grid->count; g++) {
		struct kb_set *set = &grid->sets[g];
		double *scratch = malloc(set->count * sizeof *scratch);

		if (scratch) {
			struct kb_fences limits = kb_limits_of(set->y, set->count, scratch);

			if (limits.reach > 0)
				kb_pull_in(set->y, set->count, &limits);
		}
		free(scratch);
	}
}

/* Var = v0 + v1 n + v2 n^2: what a longer n adds to the variance per operation is at most v2 times the difference, for v0
   only takes away. The ends of the intervals are set against each other, so the root of v2 is at least this. */
static double common_of(const struct kb_allan *rows, unsigned count)
{
	const struct kb_allan *longest = &rows[count - 1];
	double most = 0;

	for (unsigned i = 0; i + 1 < count && longest->pairs >= PAIRS_LEAST; i++)
		most = fmax(most, (longest->low - rows[i].high) / (longest->n - rows[i].n));
	return sqrt(most);
}

/* Whatever hits samples lengthens them, and long ones more often, which looks like a noise in common; but it leaves
   the shortest quarter as it was. From 5 % to 25 % are 0.97 sigma of a normal distribution. Sorts the set. */
static double from_below(const struct kb_set *set)
{
	kb_sort(set->y, set->count);
	return (kb_quantile_sorted(set->y, set->count, .25) - kb_quantile_sorted(set->y, set->count, .05)) / 0.97 / set->n;
}

static void spread_of_sets(const struct kb_samples *samples, struct kb_process_fit *fit)
{
	const struct kb_points *op = kb_cost_points(samples);
	double *clean = malloc((2 * op->count + 1) * sizeof *clean);
	struct kb_allan rows[KB_ALLAN_MAX];
	struct kb_grid grid;
	size_t n = 0;

	for (size_t i = 0; clean && i < op->count; i++) {
		if (op->flags[i] & KB_BLOCK_DISTURBED)
			continue;
		clean[n] = op->n[i];
		clean[op->count + n++] = op->ticks[i];
	}
	if (clean && n > 0 && kb_grid_make(&grid, clean, clean + op->count, n) == 0) {
		pull_in_sets(&grid);
		unsigned count = kb_allan_sets(grid.sets, grid.count, KB_SUMMARY_CONFIDENCE, rows);

		if (count > 0) {
			fit->spread.operation_short = sqrt(rows[0].scaled);
			fit->spread.operation_long = sqrt(rows[count - 1].scaled);
		}
		if (count > 1)
			fit->spread.common = fmin(common_of(rows, count), from_below(&grid.sets[grid.count - 1]));
		kb_grid_free(&grid);
	}
	free(clean);
}

/* The longest run of means that is still many enough, and whether any length shows twice the variance for sure. */
static void spread_of_time(const struct kb_samples *samples, struct kb_process_fit *fit)
{
	struct kb_allan rows[KB_ALLAN_MAX];
	struct kb_block_series series;

	if (!kb_block_series_open(samples, kb_fit_fixed(fit), &series))
		return;
	unsigned count = kb_allan_series(series.x, series.count, KB_SUMMARY_CONFIDENCE, rows);

	for (unsigned i = 0; i < count && rows[i].pairs >= PAIRS_LEAST; i++) {
		fit->spread.long_run = sqrt(rows[i].scaled);
		fit->spread.correlated = fit->spread.correlated || rows[i].low > 2 * rows[0].scaled;
	}
	if (count > 0)
		fit->spread.neighbours = sqrt(rows[0].scaled);
	kb_block_series_close(&series);
}

void kb_series_spread(const struct kb_samples *samples, struct kb_process_fit *fit)
{
	fit->spread = (struct kb_process_spread){ 0 };
	if (!fit->usable)
		return;
	spread_of_sets(samples, fit);
	spread_of_time(samples, fit);
}

/* ---- over processes ------------------------------------------------------------------------------- */

/* In the unit of the result, process after process. */
static double *pool(const struct kb_summary *summary, const struct kb_result *result, size_t *count)
{
	double scale = result->ticks_per_ns > 0 ? 1 / result->ticks_per_ns : 1, n = (double)result->n_max;
	size_t room = 1;

	for (size_t i = 0; i < summary->count; i++)
		room += summary->samples[i].op.count;
	double *x = malloc(room * sizeof *x);

	*count = 0;
	for (size_t i = 0; x && i < summary->count; i++) {
		const struct kb_samples *samples = &summary->samples[i];
		const struct kb_points *points = kb_cost_points(samples);
		const struct kb_process_fit *fit = &summary->fits[i];
		double tick = kb_core_bound(samples->bound) ? fit->add : 1 / scale;

		for (size_t k = 0; fit->usable && tick > 0 && k < points->count; k++) {
			/* The operation's own distribution if samples hold one operation; else samples of the longest n, whose modes are
			   states of the machine or of the layout. */
			if (!(points->flags[k] & KB_BLOCK_DISTURBED) && points->n[k] >= n)
				x[(*count)++] = (points->ticks[k] - fit->op.a_robust) / n / tick;
		}
	}
	return x;
}

void kb_series_modes(const struct kb_summary *summary, struct kb_result *result)
{
	double quantum = summary->count > 0 ? (double)summary->samples[0].quantum / fmax((double)result->n_max, 1) : 0;
	size_t count;
	double *x = pool(summary, result, &count);
	struct kb_modes modes = { 0 };

	if (x)
		modes = kb_modes_find(x, count, result->ticks_per_ns > 0 ? quantum / result->ticks_per_ns : quantum);
	free(x);
	for (unsigned k = 0; modes.known && k < modes.count && k < KB_RESULT_MODES; k++)
		result->modes[result->mode_count++] = (struct kb_result_mode){ modes.mode[k].location, modes.mode[k].weight };
	result->modes_clustered = modes.clustered;
}

static size_t concatenate(const struct kb_summary *summary, double *x, size_t *sizes, size_t *processes)
{
	size_t n = 0;

	for (size_t i = 0; i < summary->count; i++) {
		struct kb_block_series series;
		const struct kb_process_fit *fit = &summary->fits[i];

		if (!fit->usable || !kb_block_series_open(&summary->samples[i], kb_fit_fixed(fit), &series))
			continue;
		memcpy(x + n, series.x, series.count * sizeof *x);
		n += series.count;
		sizes[(*processes)++] = series.count;
		kb_block_series_close(&series);
	}
	return n;
}

/* Time from block to block, ns: what a further one costs. 0 if it is not known. */
static double block_ns(const struct kb_summary *summary, double ticks_per_ns)
{
	double ticks = 0, blocks = 0;

	for (size_t i = 0; i < summary->count; i++) {
		const struct kb_samples *samples = &summary->samples[i];

		if (!summary->fits[i].usable || samples->ended <= samples->began)
			continue;
		ticks += (double)(samples->ended - samples->began);
		blocks += (double)(samples->last_block - samples->first_block + 1);
	}
	return blocks > 0 && ticks_per_ns > 0 ? ticks / blocks / ticks_per_ns : 0;
}

static void in_unit(struct kb_levels *levels, double scale)
{
	for (unsigned i = 0; i < KB_LEVELS_MAX; i++) {
		levels->s2[i] *= scale * scale;
		levels->t2[i] *= scale * scale;
	}
	levels->mean.value *= scale;
	levels->mean.low *= scale;
	levels->mean.high *= scale;
}

void kb_series_levels(const struct kb_summary *summary, struct kb_result *result)
{
	size_t room = 1, processes = 0;

	for (size_t i = 0; i < summary->count; i++)
		room += summary->samples[i].op.count;
	double *x = malloc(room * sizeof *x);
	size_t *sizes = malloc((summary->count + 1) * sizeof *sizes);
	size_t n = x && sizes ? concatenate(summary, x, sizes, &processes) : 0;

	result->levels.known = processes > 1 && kb_levels_split(x, n, (const size_t *const[]){ sizes }, &processes, 2,
	                                                       KB_SUMMARY_CONFIDENCE, &result->levels.split) == 0;
	result->levels.block_ns = block_ns(summary, result->ticks_per_ns);
	in_unit(&result->levels.split, kb_core_bound(result->bound) || result->ticks_per_ns <= 0 ? 1 : 1 / result->ticks_per_ns);
	free(x);
	free(sizes);
}

/* ---- the row's ----------------------------------------------------------------------------------- */

/* The median over processes of one of their numbers, where it is known. */
static double median_of(const struct kb_summary *summary, size_t at, bool core)
{
	double *values = calloc(2 * summary->count + 1, sizeof *values), median = 0;
	size_t n = 0;

	for (size_t i = 0; values && i < summary->count; i++) {
		const struct kb_process_fit *fit = &summary->fits[i];
		double value = *(const double *)((const char *)&fit->spread + at);

		if (fit->usable && value > 0 && (!core || fit->add > 0))
			values[n++] = core ? value / fit->add : value;
	}
	if (n > 0)
		median = kb_median(values, n, values + summary->count);
	free(values);
	return median;
}

void kb_series_spread_of_row(const struct kb_summary *summary, struct kb_result *result)
{
	bool core = kb_core_bound(result->bound);
	double scale = !core && result->ticks_per_ns > 0 ? 1 / result->ticks_per_ns : 1;

	result->spread = (struct kb_result_spread){
		.operation_short = scale * median_of(summary, offsetof(struct kb_process_spread, operation_short), core),
		.operation_long = scale * median_of(summary, offsetof(struct kb_process_spread, operation_long), core),
		.block = scale * median_of(summary, offsetof(struct kb_process_spread, neighbours), false),
		.long_run = scale * median_of(summary, offsetof(struct kb_process_spread, long_run), false),
	};
}
