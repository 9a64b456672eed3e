/*
 * Google Benchmark's JSON with one row a benchmark and no aggregates, for readers that take every row for a benchmark of
 * its own. The time is our estimate; most of them skip the counters beside it.
 */
#include "report/export/google.h"

static int single(struct kb_google *google, const struct kb_result *result, const struct kb_export_blocks *blocks)
{
	double operations = 0;

	for (size_t i = 0; i < blocks->count; i++)
		operations += blocks->at[i].operations;

	json_t *json = kb_google_row(google, "", "iteration", 1, operations);

	json_object_set_new(json, "repetition_index", json_integer(0));
	kb_google_time(json, result->estimate.value);
	kb_google_counter(json, "low", result->estimate.low, result->estimate.bounded);
	kb_google_counter(json, "high", result->estimate.high, result->estimate.bounded);
	kb_google_counter(json, "observed", result->observed.value, result->observed.known);
	kb_google_counter(json, "quiet", result->quiet.value, result->quiet.known);
	kb_google_counter(json, "cycles", result->estimate_cycles.value, result->estimate_cycles.known);
	return kb_google_print(google, json);
}

static int write(FILE *out, const struct kb_export *all)
{
	return kb_google_document(out, all, single);
}

const struct kb_export_format kb_export_google_rows = {
	.name = "google-benchmark-rows", .records = true, .refuses = kb_export_no_time, .write = write,
};
