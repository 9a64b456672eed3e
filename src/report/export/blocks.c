/*
 * See export.h: the values that tools of other projects call repetitions. A block of the slope method is one pass over
 * the grid: the median of its costs per operation after the process's fixed cost was subtracted, as comparisons have it; a
 * slope of so few points would follow every burst of a neighbour. Methods without a grid have a value a sample.
 */
#include "report/export/export.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "import/reader.h"
#include "result/blocks.h"
#include "result/summary/summary.h"

/* One process on its way into the list. */
struct process {
	struct kb_export_blocks *blocks;
	const struct kb_process_cost *cost;
	double scale;                   /* unit of the result over ticks */
};

static int append(const struct process *process, double ticks, double operations)
{
	struct kb_export_blocks *blocks = process->blocks;
	double cost = ticks * process->scale, core = process->cost->cost;

	struct kb_export_block *at = kb_import_grown(blocks->at, blocks->count, sizeof *at);

	if (!at)
		return -ENOMEM;
	blocks->at = at;
	blocks->at[blocks->count++] = (struct kb_export_block){
		.process = process->cost->process, .cost = cost, .operations = operations,
		.cycles = process->cost->cycles > 0 && core > 0 ? cost * process->cost->cycles / core : 0,
	};
	return 0;
}

static int add_process(void *context, const struct kb_samples *samples, const struct kb_process_cost *cost)
{
	struct process *process = context;
	bool kanata = samples->method == KB_METHOD_KANATA, grid = !kanata && !kb_methods[samples->method].one_by_one;
	const struct kb_points *op = grid ? &samples->op : kb_cost_points(samples);
	size_t next = kanata && op->count > 0 ? op->count - 1 : 0;
	struct kb_process_fit fit;
	int error = 0;

	process->cost = cost;
	if (grid)
		kb_fit_process(samples, &fit);
	while (grid && !error && next < op->count) {
		double operations, ticks = kb_block_median(op, op->block[next], kb_fit_fixed(&fit), &next, &operations);

		if (operations > 0)
			error = append(process, ticks - fit.base_cost, operations);
	}
	/* The document of method kanata drops nothing but skipped tests, and its headline is that of the last group. */
	while (kanata && next > 0 && op->block[next - 1] == op->block[op->count - 1])
		next--;
	for (; !grid && !error && next < op->count; next++) {
		if (op->n[next] > 0 && (kanata || op->flags[next] == 0))
			error = append(process, op->ticks[next] / op->n[next], op->n[next]);
	}
	return error;
}

int kb_export_blocks(const struct kb_exported *row, struct kb_export_blocks *blocks)
{
	struct process process = { .blocks = blocks };

	*blocks = (struct kb_export_blocks){ 0 };
	process.scale = row->result->ticks_per_ns > 0 ? 1 / row->result->ticks_per_ns : 1;
	return kb_export_each_process(row, add_process, &process);
}
