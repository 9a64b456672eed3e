/*
 * Google Benchmark's JSON in full: a row of type iteration for each block and aggregates of them, as its compare.py wants
 * them.
 */
#include "report/export/google.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "result/json/json.h"
#include "stats/stats.h"

static int print_blocks(struct kb_google *google, const struct kb_export_blocks *blocks)
{
	int error = 0;

	for (size_t i = 0; i < blocks->count && !error; i++) {
		const struct kb_export_block *block = &blocks->at[i];
		json_t *json = kb_google_row(google, "", "iteration", blocks->count, block->operations);

		json_object_set_new(json, "repetition_index", kb_json_whole(i));
		kb_google_time(json, block->cost);
		kb_google_counter(json, "process", block->launch, true);
		kb_google_counter(json, "cycles", block->cycles, block->cycles > 0);
		error = kb_google_print(google, json);
	}
	return error;
}

static int print_aggregate(struct kb_google *google, size_t count, const char *name, double value)
{
	char suffix[16];
	bool ratio = name[0] == 'c';
	json_t *json;

	snprintf(suffix, sizeof suffix, "_%s", name);
	json = kb_google_row(google, suffix, "aggregate", count, (double)count);
	json_object_set_new(json, "aggregate_name", json_string(name));
	json_object_set_new(json, "aggregate_unit", json_string(ratio ? "percentage" : "time"));
	kb_google_time(json, value);
	return kb_google_print(google, json);
}

/* Of the rows above, as that library makes them; our own estimate stands in context. */
static int print_aggregates(struct kb_google *google, const struct kb_export_blocks *blocks)
{
	size_t count = blocks->count;
	double *x = malloc((count + 1) * sizeof *x);
	int error = x ? 0 : -ENOMEM;

	for (size_t i = 0; x && i < count; i++)
		x[i] = blocks->at[i].cost;
	if (x && count > 1) {
		double mean = kb_mean(x, count), deviation = sqrt(kb_variance(x, count));

		kb_sort(x, count);
		error = print_aggregate(google, count, "mean", mean);
		error = error ? error : print_aggregate(google, count, "median", kb_quantile_sorted(x, count, 0.5));
		error = error ? error : print_aggregate(google, count, "stddev", deviation);
		if (!error && mean > 0)
			error = print_aggregate(google, count, "cv", deviation / mean);
	}
	free(x);
	return error;
}

static int full(struct kb_google *google, const struct kb_result *result, const struct kb_export_blocks *blocks)
{
	int error = print_blocks(google, blocks);

	(void)result;
	return error ? error : print_aggregates(google, blocks);
}

static const char *refuses(const struct kb_export_row *row)
{
	return kb_export_no_records(row, kb_export_no_time(row));
}

static int write(FILE *out, const struct kb_export *all)
{
	return kb_google_document(out, all, full);
}

const struct kb_export_format kb_export_google = {
	.name = "google-benchmark", .records = true, .refuses = refuses, .write = write,
};
