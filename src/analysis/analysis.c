/* See analysis.h: groups and lists. What lies across groups is in across.c. */
#include "analysis/analysis.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LAGS 6                  /* of Ljung and Box; a group of 30 has no more to give */

const char *const kb_analysis_methods[KB_ANALYSIS_METHODS] = {
	[KB_ANALYSIS_KANATA] = "kanata",
	[KB_ANALYSIS_SLOPE] = "slope",
	[KB_ANALYSIS_SINGLE] = "single",
};

static struct kb_series_checks check_series(const double *x, size_t count)
{
	return (struct kb_series_checks){
		.normal = kb_check_normal(x, count), .lag1 = kb_check_lag1(x, count),
		.von_neumann = kb_check_von_neumann(x, count), .ljung_box = kb_check_ljung_box(x, count, LAGS),
		.runs = kb_check_runs(x, count), .skewness = kb_skewness(x, count),
	};
}

/* ---- what --skip leaves ---------------------------------------------------------------------------- */

static int smallest_set(const struct kb_import_series *series, size_t *least, double *n)
{
	struct kb_grid grid;
	int result = kb_grid_make(&grid, series->x, series->y, series->count);

	if (result)
		return result;
	for (size_t g = 0; g < grid.count; g++) {
		if (grid.sets[g].count < *least) {
			*least = grid.sets[g].count;
			*n = grid.sets[g].n;
		}
	}
	kb_grid_free(&grid);
	return 0;
}

int kb_analysis_skip_fits(const struct kb_import *import, size_t skip, double *n)
{
	for (size_t i = 0; i < import->count; i++) {
		const struct kb_import_series *series = &import->series[i];
		size_t least = series->count;
		int result = 0;

		*n = series->n;
		if (series->x)
			result = smallest_set(series, &least, n);
		if (result)
			return result;
		if (least <= skip)
			return -EINVAL;
	}
	return 0;
}

/* ---- groups ---------------------------------------------------------------------------------------- */

static int add_group(struct kb_kanata_analysis *analysis, double n, const double *a, size_t count,
                     const struct kb_analysis_options *options)
{
	struct kb_group_analysis *group;

	if (analysis->count == KB_GROUPS_MAX)
		return -E2BIG;
	if (analysis->count == analysis->room) {
		size_t room = analysis->room ? 2 * analysis->room : 16;

		group = reallocarray(analysis->groups, room, sizeof *group);
		if (!group)
			return -ENOMEM;
		analysis->groups = group;
		analysis->room = room;
	}
	group = &analysis->groups[analysis->count];
	*group = (struct kb_group_analysis){ .y = malloc((count + 1) * sizeof *group->y) };
	if (!group->y)
		return -ENOMEM;
	analysis->count++;
	group->k = kb_kanata_group(n, a, count, options->confidence, options->half_width, group->y);
	group->robust = kb_robust_of(group->y, count, options->confidence);
	group->checks = check_series(a, count);
	return 0;
}

static int add_skipping(struct kb_kanata_analysis *analysis, double n, const double *a, size_t count,
                        const struct kb_analysis_options *options)
{
	if (count <= options->skip)
		return -EINVAL;
	return add_group(analysis, n, a + options->skip, count - options->skip, options);
}

/* The points of one launch, sorted into sets of equal n; within a set they stay in run order. */
static int add_sets(struct kb_kanata_analysis *analysis, const struct kb_import_series *series,
                    const struct kb_analysis_options *options)
{
	struct kb_grid grid;
	int result = kb_grid_make(&grid, series->x, series->y, series->count);

	if (result)
		return result;
	for (size_t g = 0; result == 0 && g < grid.count; g++)
		result = add_skipping(analysis, grid.sets[g].n, grid.sets[g].y, grid.sets[g].count, options);
	kb_grid_free(&grid);
	return result;
}

int kb_kanata_add(struct kb_kanata_analysis *analysis, const struct kb_import *import,
                  const struct kb_analysis_options *options)
{
	int result = 0;

	for (size_t i = 0; result == 0 && i < import->count; i++) {
		const struct kb_import_series *series = &import->series[i];

		if (series->x)
			result = add_sets(analysis, series, options);
		else
			result = add_skipping(analysis, series->n, series->y, series->count, options);
	}
	return result;
}

void kb_kanata_free(struct kb_kanata_analysis *analysis)
{
	for (size_t i = 0; i < analysis->count; i++)
		free(analysis->groups[i].y);
	free(analysis->groups);
	*analysis = (struct kb_kanata_analysis){ 0 };
}

/* ---- one list -------------------------------------------------------------------------------------- */

static void judge_list(struct kb_list_analysis *list)
{
	const struct kb_series_checks *checks = &list->checks;

	if (!list->mean_interval.known)
		kb_verdict_add(&list->verdict, list->mean_interval.why, "%.0f effective of %zu",
		               list->mean_interval.n_eff,
		               list->count);
	if (list->mean_interval.known && list->mean_interval.why == KB_CODE_tick_limited)
		kb_verdict_add(&list->verdict, KB_CODE_tick_limited, "all values are equal");
	if (checks->normal.known && checks->normal.p < KB_REJECTED)
		kb_verdict_add(&list->verdict, KB_CODE_not_normal, "Shapiro-Wilk p = %.2g, skewness %+.1f",
		               checks->normal.p, list->skewness);
	if (list->mean_interval.known && list->mean_interval.n_eff < (double)list->count / 2)
		kb_verdict_add(&list->verdict, KB_CODE_autocorrelated, "%.0f effective of %zu",
		               list->mean_interval.n_eff, list->count);
}

int kb_list_analyze(struct kb_list_analysis *list, const double *x, size_t count,
                    const struct kb_analysis_options *options)
{
	static const double levels[KB_QUANTILES] = {
		[KB_P1] = .01, [KB_P10] = .1, [KB_P50] = .5, [KB_P90] = .9, [KB_P99] = .99
	};
	double *sorted;

	*list = (struct kb_list_analysis){ 0 };
	if (count <= options->skip)
		return -EINVAL;
	x += options->skip;
	count -= options->skip;
	sorted = malloc(count * sizeof *sorted);
	if (!sorted)
		return -ENOMEM;
	list->count = count;
	list->mean = kb_mean(x, count);
	list->sd = sqrt(kb_variance(x, count));
	list->mad = kb_mad(x, count, sorted);
	list->mean_interval = kb_mean_interval(x, count, options->confidence, 1);
	list->checks = check_series(x, count);
	list->skewness = list->checks.skewness;
	memcpy(sorted, x, count * sizeof *sorted);
	kb_sort(sorted, count);
	list->minimum = kb_minimum_sorted(sorted, count);
	for (int i = 0; i < KB_QUANTILES; i++)
		list->quantile[i] = kb_quantile_interval(x, count, levels[i], options->confidence);
	free(sorted);
	judge_list(list);
	return 0;
}

/* ---- points ---------------------------------------------------------------------------------------- */

static size_t blocks_of(const uint32_t *block, size_t count)
{
	size_t blocks = count > 0;

	for (size_t i = 1; i < count; i++)
		blocks += block[i] != block[i - 1];
	return blocks;
}

/* Without the first `skip` points of each n. Quadratic in nothing: the grid says which set a point is in. */
static int leave_out(const struct kb_import_series *from, size_t skip, struct kb_import_series *to)
{
	struct kb_grid grid;
	size_t *seen;
	int result = kb_grid_make(&grid, from->x, from->y, from->count);

	if (result)
		return result;
	*to = (struct kb_import_series){
		.x = malloc((from->count + 1) * sizeof *to->x), .y = malloc((from->count + 1) * sizeof *to->y),
		.block = malloc((from->count + 1) * sizeof *to->block),
	};
	seen = calloc(grid.count + 1, sizeof *seen);
	result = to->x && to->y && to->block && seen ? 0 : -ENOMEM;
	for (size_t i = 0; result == 0 && i < from->count; i++) {
		if (seen[grid.set_of[i]]++ < skip)
			continue;
		to->x[to->count] = from->x[i];
		to->y[to->count] = from->y[i];
		to->block[to->count++] = from->block[i];
	}
	free(seen);
	kb_grid_free(&grid);
	return result;
}

int kb_points_analyze(struct kb_points_analysis *points, const struct kb_import_series *series,
                      const struct kb_analysis_options *options)
{
	struct kb_analysis_options all = *options;
	struct kb_import_series kept = { 0 };
	struct kb_import import = { .series = &kept, .count = 1 };
	struct kb_kanata_analysis sets = { 0 };
	int result = leave_out(series, options->skip, &kept);

	*points = (struct kb_points_analysis){ .count = kept.count };
	all.skip = 0;
	if (result == 0 && kept.count == 0)
		result = -EINVAL;
	if (result == 0)
		result = kb_kanata_add(&sets, &import, &all);
	points->sets = sets.count;
	if (result == 0)
		points->across = kb_across_groups(&sets, 0, options);
	/* Nearly every point with an n of its own: there is a line, and there are no sets to compare. */
	if (result == -E2BIG)
		result = 0;
	if (result == 0) {
		points->fit = kb_fit_line(kept.x, kept.y, kept.block, kept.count, options->confidence);
		points->blocks = blocks_of(kept.block, kept.count);
	}
	kb_kanata_free(&sets);
	free(kept.x);
	free(kept.y);
	free(kept.block);
	return result;
}
