/* See analysis.h: groups and lists. What lies across groups is in across.c. */
#include "analysis/analysis.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "grown.h"

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

/* ---- the series, made fit ---------------------------------------------------------------------------- */

/* Takes the points out that are among the first `skip` of their n. */
static int skip_points(struct kb_import_series *series, size_t skip, double *n)
{
	struct kb_grid grid;
	int result = kb_grid_make(&grid, series->x, series->y, series->count);
	size_t *seen = NULL, count = series->count;

	if (result)
		return result;
	for (size_t g = 0; g < grid.count && result == 0; g++) {
		*n = grid.sets[g].n;
		result = grid.sets[g].count > skip ? 0 : -EINVAL;
	}
	if (result == 0)
		seen = calloc(grid.count + 1, sizeof *seen);
	for (size_t i = series->count = 0; seen && i < count; i++) {
		if (seen[grid.set_of[i]]++ < skip)
			continue;
		series->x[series->count] = series->x[i];
		series->y[series->count] = series->y[i];
		series->block[series->count++] = series->block[i];
	}
	kb_grid_free(&grid);
	if (result == 0 && !seen)
		result = -ENOMEM;
	free(seen);
	return result;
}

int kb_analysis_skip(struct kb_import *import, size_t skip, double *n)
{
	int result = 0;

	for (size_t i = 0; i < import->count && result == 0; i++) {
		struct kb_import_series *series = &import->series[i];

		*n = series->n;
		if (series->count <= skip)
			return -EINVAL;
		if (series->x) {
			result = skip_points(series, skip, n);
			continue;
		}
		series->count -= skip;
		memmove(series->y, series->y + skip, series->count * sizeof *series->y);
	}
	return result;
}

int kb_analysis_points(struct kb_import *import)
{
	size_t room = 0;

	for (size_t i = 0; i < import->count; i++)
		room += import->series[i].count;

	struct kb_import_series points = {
		.x = calloc(room, sizeof *points.x), .y = calloc(room, sizeof *points.y), .block = calloc(room, sizeof *points.block),
	};
	bool memory = points.x && points.y && points.block;

	for (uint32_t s = 0; memory && points.count < room; s++) {
		for (size_t i = 0; i < import->count; i++) {
			const struct kb_import_series *column = &import->series[i];

			/* Of several tables in one text some may have more tests. */
			if (s >= column->count)
				continue;
			points.x[points.count] = column->n;
			points.y[points.count] = column->y[s];
			points.block[points.count++] = s;
		}
	}
	for (size_t i = 0; i < import->count; i++)
		free(import->series[i].y);
	import->series[0] = points;
	import->count = 1;
	return memory ? 0 : -ENOMEM;
}

bool kb_analysis_is_single(const struct kb_import *import)
{
	bool single = true;

	for (size_t i = 0; i < import->count; i++) {
		const struct kb_import_series *series = &import->series[i];

		single &= series->x || !(fabs(series->n - 1) > 0);
		for (size_t k = 0; series->x && k < series->count && single; k++)
			single = !(fabs(series->x[k] - 1) > 0);
	}
	return single;
}

/* ---- groups ---------------------------------------------------------------------------------------- */

static int add_group(struct kb_kanata_analysis *analysis, double n, const double *a, size_t count,
                     const struct kb_analysis_options *options)
{
	struct kb_group_analysis *group;

	if (analysis->count == KB_GROUPS_MAX)
		return -E2BIG;
	if (!KB_GROW(analysis->groups, analysis->count))
		return -ENOMEM;
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

/* The points of one process, sorted into sets of equal n; within a set they stay in run order. */
static int add_sets(struct kb_kanata_analysis *analysis, const struct kb_import_series *series,
                    const struct kb_analysis_options *options)
{
	struct kb_grid grid;
	int result = kb_grid_make(&grid, series->x, series->y, series->count);

	if (result)
		return result;
	for (size_t g = 0; result == 0 && g < grid.count; g++)
		result = add_group(analysis, grid.sets[g].n, grid.sets[g].y, grid.sets[g].count, options);
	kb_grid_free(&grid);
	return result;
}

int kb_kanata_add(struct kb_kanata_analysis *analysis, const struct kb_import *import,
                  const struct kb_analysis_options *options)
{
	int result = 0;

	analysis->counts = import->unit && strcmp(import->unit, "insn") == 0;
	for (size_t i = 0; result == 0 && i < import->count; i++) {
		const struct kb_import_series *series = &import->series[i];

		if (series->x)
			result = add_sets(analysis, series, options);
		else
			result = add_group(analysis, series->n, series->y, series->count, options);
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

int kb_points_analyze(struct kb_points_analysis *points, const struct kb_import_series *series,
		      const struct kb_analysis_options *options)
{
	struct kb_import import = { .series = (struct kb_import_series *)(uintptr_t)series, .count = 1 };
	struct kb_kanata_analysis sets = { 0 };
	int result = kb_kanata_add(&sets, &import, options);

	*points = (struct kb_points_analysis){ .count = series->count, .sets = sets.count };
	if (result == 0)
		points->across = kb_across_groups(&sets, options);
	/* Nearly every point with an n of its own: there is a line, and there are no sets to compare. */
	if (result == -E2BIG)
		result = 0;
	if (result == 0) {
		points->fit = kb_fit_line(series->x, series->y, series->block, series->count, options->confidence);
		points->blocks = series->count > 0;
		for (size_t i = 1; i < series->count; i++)
			points->blocks += series->block[i] != series->block[i - 1];
	}
	kb_kanata_free(&sets);
	return result;
}
