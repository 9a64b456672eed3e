/*
 * See export.h: the values that tools of other projects call repetitions. A block of the slope method is one pass over
 * the grid: the median of its costs per operation after the launch's fixed cost was taken off, as comparisons have it; a
 * slope of so few points would follow every burst of a neighbour. Methods without a grid have a value an interval.
 */
#include "report/export/export.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "result/blocks.h"
#include "result/summary/summary.h"

/* One launch on its way into the list. */
struct launch {
	struct kb_export_blocks *blocks;
	const struct kb_samples *samples;
	const struct kb_process_cost *cost;
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
		.launch = launch->cost->process, .cost = cost, .operations = operations,
		.cycles = launch->cost->cycles > 0 && core > 0 ? cost * launch->cost->cycles / core : 0,
	};
	return 0;
}

static int add_grid(const struct launch *launch)
{
	const struct kb_points *op = &launch->samples->op;
	int error = 0;

	for (size_t next = 0; !error && next < op->count;) {
		double operations, cost = kb_block_median(op, op->block[next], launch->fixed, &next, &operations);

		if (operations > 0)
			error = append(launch, cost - launch->base, operations);
	}
	return error;
}

/* The document of method kanata drops nothing but skipped tests, and its headline is that of the last group. */
static int add_intervals(const struct launch *launch, bool kanata)
{
	const struct kb_points *op = kb_cost_points(launch->samples);
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

static int add_launch(void *context, const struct kb_samples *samples, const struct kb_process_cost *cost)
{
	struct launch *launch = context;
	const char *method = samples->method;
	struct kb_launch_fit fit;

	launch->samples = samples;
	launch->cost = cost;
	if (strcmp(method, "kanata") == 0 || kb_is_one_by_one(method))
		return add_intervals(launch, method[0] == 'k');
	kb_fit_launch(samples, &fit);
	launch->fixed = kb_fit_fixed(&fit);
	launch->base = fit.base_cost;
	return add_grid(launch);
}

int kb_export_blocks(const struct kb_exported *row, struct kb_export_blocks *blocks)
{
	struct launch launch = { .blocks = blocks };

	*blocks = (struct kb_export_blocks){ 0 };
	launch.scale = row->result->ticks_per_ns > 0 ? 1 / row->result->ticks_per_ns : 1;
	return kb_export_each_process(row, add_launch, &launch);
}
