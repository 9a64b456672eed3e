/*
 * See export.h: the values that tools of other projects call repetitions. A block of the slope method is one pass over
 * the grid: the median of its costs per operation after the launch's fixed cost was taken off, as comparisons have it; a
 * slope of so few points would follow every burst of a neighbour. Methods without a grid have a value an interval.
 */
#include "report/export.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "run/summary.h"
#include "stats/stats.h"

/* One launch on its way into the list. */
struct launch {
	struct kb_export_blocks *blocks;
	const struct kb_samples *samples;
	const struct kb_launch_cost *cost;
	double scale;                   /* unit of the result over ticks */
	double fixed, base;             /* ticks of an interval, of an operation */
};

static int append(const struct launch *launch, double ticks, double operations)
{
	struct kb_export_blocks *blocks = launch->blocks;
	double cost = ticks * launch->scale, core = launch->cost->cost;

	if (blocks->count == blocks->room) {
		size_t room = blocks->room ? 2 * blocks->room : 1024;
		struct kb_export_block *at = reallocarray(blocks->at, room, sizeof *at);

		if (!at)
			return -ENOMEM;
		blocks->at = at;
		blocks->room = room;
	}
	blocks->at[blocks->count++] = (struct kb_export_block){
		.launch = launch->cost->launch, .cost = cost, .operations = operations,
		.cycles = launch->cost->cycles > 0 && core > 0 ? cost * launch->cost->cycles / core : 0,
	};
	return 0;
}

/* The undisturbed intervals from `first` to before `end`, which are one block. */
static int add_block(const struct launch *launch, size_t first, size_t end, double *costs)
{
	const struct kb_points *op = &launch->samples->op;
	double operations = 0;
	size_t count = 0;

	for (size_t i = first; i < end; i++) {
		if (op->flags[i] != 0 || op->n[i] <= 0)
			continue;
		costs[count++] = (op->ticks[i] - launch->fixed) / op->n[i];
		operations += op->n[i];
	}
	kb_sort(costs, count);
	return count > 0 ? append(launch, kb_quantile_sorted(costs, count, 0.5) - launch->base, operations) : 0;
}

static int add_grid(const struct launch *launch)
{
	const struct kb_points *op = &launch->samples->op;
	double *costs = malloc((op->count + 1) * sizeof *costs);
	int error = costs ? 0 : -ENOMEM;

	for (size_t first = 0, end; !error && first < op->count; first = end) {
		for (end = first; end < op->count && op->block[end] == op->block[first];)
			end++;
		error = add_block(launch, first, end, costs);
	}
	free(costs);
	return error;
}

/* The document of method kanata drops nothing but skipped tests, and its headline is that of the last group. */
static int add_intervals(const struct launch *launch, bool kanata)
{
	const struct kb_points *op = &launch->samples->op;
	size_t first = kanata && op->count > 0 ? op->count - 1 : 0;
	int error = 0;

	while (kanata && first > 0 && op->block[first - 1] == op->block[op->count - 1])
		first--;
	for (size_t i = first; !error && i < op->count; i++) {
		if (op->n[i] > 0 && (kanata || op->flags[i] == 0))
			error = append(launch, op->ticks[i] / op->n[i], op->n[i]);
	}
	return error;
}

/* Launches that do not count in the result are not in its list. */
static const struct kb_launch_cost *cost_of(const struct kb_result *result, unsigned launch)
{
	for (unsigned i = 0; i < result->launch_cost_count; i++) {
		if (result->launch_costs[i].launch == launch)
			return &result->launch_costs[i];
	}
	return NULL;
}

static int add_launch(struct launch *launch)
{
	const char *method = launch->samples->method;
	struct kb_launch_fit fit;

	if (strcmp(method, "kanata") == 0 || strcmp(method, "single") == 0)
		return add_intervals(launch, method[0] == 'k');
	kb_fit_launch(launch->samples, &fit);
	launch->fixed = fit.op.known ? fit.op.a_robust : 0;
	launch->base = fit.base_cost;
	return add_grid(launch);
}

int kb_export_blocks(const struct kb_export_row *row, struct kb_export_blocks *blocks)
{
	struct launch launch = { .blocks = blocks };
	int error = 0;

	*blocks = (struct kb_export_blocks){ 0 };
	launch.scale = row->result->ticks_per_ns > 0 ? 1 / row->result->ticks_per_ns : 1;
	for (size_t i = 0; i < row->text_count && !error; i++) {
		struct kb_samples samples;

		launch.cost = row->texts[i].launch > 0 ? cost_of(row->result, row->texts[i].launch) : NULL;
		if (!launch.cost)
			continue;
		launch.samples = &samples;
		error = kb_samples_load(&samples, &row->texts[i]);
		if (!error)
			error = add_launch(&launch);
		kb_samples_free(&samples);
	}
	return error;
}
