/*
 * See export.h: single values of a result, for forms that are made of nothing else. A grid of n has one value a process: samples of one
 * process are dependent, so that their number would promise what they do not hold. Methods without a grid time operations one by one, and
 * have a value a sample.
 */
#include "report/export/export.h"

#include <errno.h>
#include <stdlib.h>

#include "grown.h"

struct values {
	double *at;
	size_t count;
	double scale;                   /* unit of the result over ticks */
};

static int append(struct values *values, double ticks)
{
	if (!KB_GROW(values->at, values->count))
		return -ENOMEM;
	values->at[values->count++] = ticks * values->scale;
	return 0;
}

static int add_samples(void *context, const struct kb_samples *samples, const struct kb_process_cost *cost)
{
	bool kanata = samples->method == KB_METHOD_KANATA;
	const struct kb_points *op = kb_cost_points(samples);
	size_t next = kanata && op->count > 0 ? op->count - 1 : 0;
	int error = 0;

	(void)cost;
	/* The document of method kanata drops nothing but skipped tests, and its headline is that of the last group. */
	while (kanata && next > 0 && op->block[next - 1] == op->block[op->count - 1])
		next--;
	for (; !error && next < op->count; next++) {
		if (op->n[next] > 0 && (kanata || op->flags[next] == 0))
			error = append(context, op->ticks[next] / op->n[next]);
	}
	return error;
}

bool kb_export_by_sample(const struct kb_result *result)
{
	return result->method == KB_METHOD_KANATA || kb_methods[result->method].one_by_one;
}

double *kb_export_values(const struct kb_exported *row, size_t *count)
{
	const struct kb_result *result = row->result;
	struct values values = { .scale = result->ticks_per_ns > 0 ? 1 / result->ticks_per_ns : 1 };
	struct kb_process_cost whole;
	unsigned processes;
	const struct kb_process_cost *process = kb_export_processes(result, &whole, &processes);
	int error = 0;

	if (kb_export_by_sample(result)) {
		error = kb_export_each_process(row, add_samples, &values);
	} else {
		values.scale = 1;
		for (unsigned i = 0; i < processes && !error; i++)
			error = append(&values, process[i].cost);
	}
	*count = values.count;
	if (error) {
		free(values.at);
		values.at = NULL;
	}
	return values.at;
}
