/*
 * See history.h: points that are fleets. Each is made as `kbench fleet report` makes its row; levels are of what the fleets' nodes have in common, so
 * that a node that comes or goes is no change. All fleets are one question to the store and their results of a row another one, which goes back
 * no further than it must.
 */
#include "analysis/history.h"

#include <errno.h>
#include <fnmatch.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/fleet_parts.h"
#include "analysis/fleet_read.h"
#include "grown.h"
#include "stats/series/series.h"
#include "stats/stats.h"

#define MARGIN .01              /* of the nodes that deviate; as of `kbench fleet report` */
#define WIDER 4u                /* times as many fleets are looked at if one environment has too few of them */

/* ---- environments ---------------------------------------------------------------------------------------------- */

/* Those that are asked for, else those of the newest fleet. */
static bool is_shown(const struct fleet_parts *parts, size_t from, const struct kb_history_wanted *wanted)
{
	size_t newest = SIZE_MAX;

	if (wanted->environment)
		return fnmatch(wanted->environment, parts->at[from].result.environment, 0) == 0;
	for (size_t i = 0; i < parts->count; i++)
		newest = parts->at[i].age < newest ? parts->at[i].age : newest;
	return parts->at[from].age == newest;
}

static bool are_enough(const struct fleet_parts *parts, const struct kb_history_wanted *wanted)
{
	size_t fleets;

	for (size_t from = 0, to; from < parts->count; from = to) {
		to = kb_fleet_parts_group(parts, from, &fleets);
		if (is_shown(parts, from, wanted) && fleets < wanted->limit)
			return false;
	}
	return parts->count > 0;
}

/* ---- points ------------------------------------------------------------------------------------------------ */

/* A history in the making. */
struct fleet_line {
	struct kb_history *history;
	struct kb_fleet_mark *marks;
	size_t mark_count;
	struct fleet_node { char name[64]; size_t last; } *nodes;      /* last: number of the point that it was in, from 1 */
	size_t node_count, last_nodes;  /* last_nodes: of the last point with a number */
	bool alone;                     /* a point is one node */
};

/* Fleets have their nodes in one order, so the search begins behind the one that was found last. SIZE_MAX: no memory. */
static size_t find_node(struct fleet_line *line, const char *name, size_t *next)
{
	for (size_t k = 0; k < line->node_count; k++) {
		size_t at = (*next + k) % line->node_count;

		if (strcmp(line->nodes[at].name, name) == 0) {
			*next = at + 1;
			return at;
		}
	}
	if (!KB_GROW(line->nodes, line->node_count))
		return SIZE_MAX;
	line->nodes[line->node_count] = (struct fleet_node){ .last = 0 };
	snprintf(line->nodes[line->node_count].name, sizeof line->nodes->name, "%s", name);
	*next = line->node_count + 1;
	return line->node_count++;
}

static int add_marks(struct fleet_line *line, const struct kb_fleet_report *fleet, const struct kb_fleet_row *row, struct kb_fleet_point *point)
{
	size_t number = line->history->count, next = 0;

	point->before = line->last_nodes;
	for (size_t i = 0; i < fleet->node_count; i++) {
		const struct kb_fleet_cell *cell = &row->cells[i];
		size_t node;

		if (!cell->there && !line->alone)
			continue;
		node = find_node(line, fleet->nodes[i].name, &next);
		if (node == SIZE_MAX || !KB_GROW(line->marks, line->mark_count))
			return -ENOMEM;
		point->common += number > 0 && line->nodes[node].last == number ? 1 : 0;
		point->deviate += cell->deviates ? 1 : 0;
		line->nodes[node].last = number + 1;
		if (!cell->deviation.apart)
			line->marks[line->mark_count++] = (struct kb_fleet_mark){ number, node, log(cell->value) };
	}
	line->last_nodes = point->nodes;
	return 0;
}

/* Of a node that is looked at alone: the mean of its runs, with their errors. */
static struct kb_stored_estimate cost_of_node(const struct fleet_read *read, const char *environment)
{
	double x = 0, se = 0, df = INFINITY, n = 0, half;

	for (size_t i = 0; i < read->sample_count; i++) {
		const struct fleet_sample *sample = &read->samples[i];

		if (sample->why || strcmp(sample->environment, environment) != 0)
			continue;
		x += sample->cost.x;
		se = hypot(se, sample->cost.se);
		df = fmin(df, sample->cost.df);
		n++;
	}
	half = n > 0 ? kb_t_factor(.95, df) * se / n : NAN;
	return (struct kb_stored_estimate){ exp(x / n), exp(x / n - half), exp(x / n + half) };
}

static struct kb_stored_estimate cost_of(const struct fleet_line *line, const struct fleet_read *read, const struct kb_fleet_row *row)
{
	const struct kb_interval *centre = &row->spread.centre;

	if (line->alone)
		return cost_of_node(read, row->environment);
	return row->known ? (struct kb_stored_estimate){ exp(centre->value), exp(centre->low), exp(centre->high) } : (struct kb_stored_estimate){ NAN, NAN, NAN };
}

/* What the fleet's newest run states stands for all of it. */
static int add_point(struct fleet_line *line, const struct fleet_read *read, const struct kb_fleet_report *fleet, const struct kb_fleet_row *row,
		     const struct kb_stored_result *newest)
{
	struct kb_history *history = line->history;
	bool cycles = strcmp(row->unit, "cycles") == 0;
	int error = 0;

	if (history->point_count == 0 && row->unit[0])
		history->cycles = cycles;
	if (row->unit[0] && history->cycles != cycles) {
		history->unlike += row->spread.nodes;
		return 0;
	}
	if (!KB_GROW(history->fleets, history->point_count) || !KB_GROW(history->points, history->point_count))
		return -ENOMEM;
	struct kb_fleet_point *point = &history->fleets[history->point_count];
	struct kb_stored_result *result = &history->points[history->point_count];

	*result = *newest;
	*point = (struct kb_fleet_point){
		.nodes = row->spread.nodes, .healthy = row->spread.healthy, .between = row->known ? expm1(row->spread.between.value) : NAN, .change = NAN,
	};
	snprintf(point->fleet, sizeof point->fleet, "%s", newest->fleet);
	snprintf(result->started, sizeof result->started, "%s", fleet->started);
	snprintf(result->environment, sizeof result->environment, "%s", row->environment);
	result->processes = (int64_t)row->spread.nodes;
	result->estimate = result->cycles = cost_of(line, read, row);
	if (!isnan(result->estimate.value)) {
		error = add_marks(line, fleet, row, point);
		history->numbered[history->count++] = history->point_count;
	}
	history->point_count++;
	return error;
}

/* As `kbench fleet report` does, of this result alone. */
static int add_fleet(struct fleet_line *line, const struct fleet_part *parts, size_t count)
{
	struct kb_history *history = line->history;
	struct kb_fleet_report fleet = { .margin = MARGIN };
	struct fleet_read read = { .runs = NULL };
	int error = 0;

	for (size_t i = 0; i < count && !error; i++) {
		if (kb_history_alike(&parts[i].result, &history->like))
			error = kb_fleet_take(&read, &parts[i].result, &fleet.damaged);
		else
			history->unlike++;
	}
	if (!error && read.run_count > 0)
		error = kb_fleet_arrange(&read, &fleet) ?: kb_fleet_judge(&read, &fleet);
	for (size_t r = 0; r < fleet.row_count && !error; r++) {
		if (fleet.rows[r].kind == KB_FLEET_COST && !fleet.rows[r].whole)
			error = add_point(line, &read, &fleet, &fleet.rows[r], &parts[count - 1].result);
	}
	kb_fleet_read_free(&read);
	kb_fleet_free(&fleet);
	return error;
}

/* ---- levels ------------------------------------------------------------------------------------------------ */

/* A node that is far from its own level is no part of the mean either, though it may not be far from the others. Its fleet's part is the marks. */
static void leave_out(struct fleet_line *line, const struct kb_fleet_mark *marks, const bool *apart, size_t count, const struct kb_node_value *level)
{
	struct kb_history *history = line->history;
	size_t at = history->numbered[marks->fleet], n = 0;
	double *x = calloc(count + 1, sizeof *x);

	for (size_t i = 0; i < count && x; i++) {
		if (!apart[i])
			x[n++] = marks[i].x;
	}
	if (n > 1 && n < count) {
		double mean = kb_mean(x, n), variance = kb_variance(x, n), half = kb_t_factor(.95, (double)n - 1) * sqrt(variance / (double)n);

		history->points[at].estimate = (struct kb_stored_estimate){ exp(mean), exp(mean - half), exp(mean + half) };
		history->points[at].cycles = history->points[at].estimate;
		history->fleets[at].between = expm1(sqrt(fmax(variance - level->se * level->se * (double)n, 0)));
		history->fleets[at].deviate = history->fleets[at].nodes - n;
		history->fleets[at].healthy = n;
	}
	free(x);
}

static void leave_all_out(struct fleet_line *line, const bool *apart, const struct kb_node_value *levels)
{
	for (size_t from = 0, to; from < line->mark_count; from = to) {
		size_t fleet = line->marks[from].fleet;

		for (to = from; to < line->mark_count && line->marks[to].fleet == fleet;)
			to++;
		leave_out(line, &line->marks[from], &apart[from], to - from, &levels[fleet]);
	}
}

static void take_levels(struct kb_history *history, const struct kb_node_value *levels, double *ln, double *se)
{
	struct kb_occasion_line occasions = { .like = &history->like, .ln = ln, .se = se, .count = history->count };

	for (size_t i = 0; i < history->count; i++) {
		ln[i] = levels[i].x;
		se[i] = levels[i].se;
		history->values[i] = exp(levels[i].x);
		history->fleets[history->numbered[i]].change = i > 0 ? expm1(levels[i].x - levels[i - 1].x) : NAN;
	}
	history->occasion = kb_occasion_of(&occasions);
	if (history->occasion.runs > 0) {
		history->sd = expm1(history->occasion.sd);
		history->detectable = expm1(kb_occasion_finds(&history->occasion));
	}
	if (kb_changes_find(history->values, history->count, 0, KB_HISTORY_PENALTY, &history->changes))
		history->changes.count = 0;
}

static int find_levels(struct fleet_line *line)
{
	struct kb_history *history = line->history;
	struct kb_node_value *levels = calloc(history->count + 1, sizeof *levels);
	double *ln = calloc(2 * history->count + 1, sizeof *ln);
	bool *apart = calloc(line->mark_count + 1, sizeof *apart);
	int error = !levels || !ln || !apart ? -ENOMEM :
		    kb_fleet_levels(line->marks, line->mark_count, history->count, line->node_count, levels, apart);

	if (!error) {
		take_levels(history, levels, ln, ln + history->count);
		leave_all_out(line, apart, levels);
	}
	free(levels);
	free(ln);
	free(apart);
	return error;
}

/* What most of the newest fleet measured: one node of it may have been measured otherwise. */
static const struct kb_stored_result *find_like(const struct fleet_part *parts, size_t count)
{
	const struct kb_stored_result *best = &parts[count - 1].result;
	size_t most = 0;

	for (size_t i = 0; i < count; i++) {
		size_t alike = 0;

		for (size_t k = 0; k < count && !isnan(parts[i].result.estimate.value); k++)
			alike += !isnan(parts[k].result.estimate.value) && kb_history_alike(&parts[k].result, &parts[i].result) ? 1 : 0;
		if (alike > most) {
			most = alike;
			best = &parts[i].result;
		}
	}
	return best;
}

/* The newest fleets of one environment, of which parts begin there; the oldest first. */
static int load_group(const struct fleet_parts *parts, size_t from, const struct kb_history_wanted *wanted, struct kb_history *history)
{
	struct fleet_line line = { .history = history, .alone = wanted->node != NULL };
	size_t fleets, all, to, used = 0, *firsts;
	int error = 0;

	kb_fleet_parts_group(parts, from, &all);
	fleets = all < wanted->limit ? all : wanted->limit;
	firsts = calloc(fleets + 1, sizeof *firsts);
	for (to = from; firsts && used < fleets; to = kb_fleet_parts_next(parts, to))
		firsts[used++] = to;
	*history = (struct kb_history){
		.newest = parts->at[kb_fleet_parts_next(parts, from) - 1].result, .like = *find_like(&parts->at[from], kb_fleet_parts_next(parts, from) - from),
		.sd = NAN, .detectable = NAN, .total = to - from,
		/* Kernels of one configuration are one environment here: a fleet that ran several of them has several points, at most one a node. */
		.numbered = calloc(to - from + 1, sizeof *history->numbered), .values = calloc(to - from + 1, sizeof *history->values),
	};
	error = firsts && history->numbered && history->values ? 0 : -ENOMEM;
	while (!error && used-- > 0)
		error = add_fleet(&line, &parts->at[firsts[used]], kb_fleet_parts_next(parts, firsts[used]) - firsts[used]);
	if (!error)
		error = find_levels(&line);
	free(firsts);
	free(line.marks);
	free(line.nodes);
	return error;
}

static int load_groups(const struct fleet_parts *parts, const struct kb_history_wanted *wanted, struct kb_history **all, size_t *count)
{
	size_t first = *count, others = 0, fleets;
	int error = 0;

	for (size_t from = 0, to; from < parts->count && !error; from = to) {
		to = kb_fleet_parts_group(parts, from, &fleets);
		if (!is_shown(parts, from, wanted)) {
			others += to - from;
			continue;
		}
		if (!KB_GROW(*all, *count))
			return -ENOMEM;
		error = load_group(parts, from, wanted, &(*all)[(*count)++]);
	}
	for (size_t i = first; i < *count; i++)
		(*all)[i].others = others;
	return error;
}

static int load_row(struct kb_store *store, const struct kb_history_wanted *wanted, const struct kb_stored_result *row, struct fleet_ages *ages,
		    struct kb_history **all, size_t *count)
{
	size_t newest = wanted->limit;
	struct fleet_parts parts = { .at = NULL };
	int error = kb_fleet_parts(store, wanted, row, ages, newest, &parts);

	while (!error && !are_enough(&parts, wanted) && newest < ages->count) {
		free(parts.at);
		parts = (struct fleet_parts){ .at = NULL };
		newest = WIDER * newest;
		error = kb_fleet_parts(store, wanted, row, ages, newest, &parts);
	}
	if (!error)
		error = load_groups(&parts, wanted, all, count);
	free(parts.at);
	return error;
}

int kb_fleet_history_load(struct kb_store *store, const struct kb_history_wanted *wanted, struct kb_history **all, size_t *count)
{
	struct kb_stored_result *rows = NULL;
	struct fleet_ages ages = { .at = NULL };
	size_t row_count = 0;
	int error = kb_history_rows(store, wanted, &rows, &row_count);

	*all = NULL;
	*count = 0;
	if (!error && row_count > 0)
		error = kb_fleet_ages(store, &ages);
	for (size_t i = 0; i < row_count && !error; i++)
		error = load_row(store, wanted, &rows[i], &ages, all, count);
	free(rows);
	free(ages.at);
	return error;
}
