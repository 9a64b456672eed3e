/*
 * The array of the GitHub action github-action-benchmark, tool customSmallerIsBetter: everything here is a cost. A file
 * with rates as well would turn the alarm of one of the two round.
 */
#include "report/export/export.h"

#include <math.h>

#include "result/json/json.h"

/* Its chart and its comments print the value as it stands; what varies from run to run is no news. */
#define DIGITS 4
#define RANGE_DIGITS 2

/* Shown as it is when the mouse rests on a point. */
static json_t *extra(const struct kb_result *result)
{
	char second[KB_EXPORT_NUMBER] = "unknown", cycles[KB_EXPORT_NUMBER] = "unknown";
	/* Stored results of version 1 have another second number. */
	bool first = result->headline == KB_HEADLINE_TYPICAL;
	const struct kb_estimate *estimate = first ? &result->quiet : &result->observed;

	if (estimate->known)
		kb_export_number(second, kb_export_rounded(estimate->value, DIGITS));
	if (result->estimate_cycles.known)
		kb_export_number(cycles, kb_export_rounded(result->estimate_cycles.value, DIGITS));
	return json_sprintf("verdict: %s\nheadline: %s\n%s: %s %s\ncore cycles: %s\nprocesses: %u",
			    kb_status_name(result->verdict.status), kb_headline_name(result->headline), first ? "quiet" : "observed", second,
			    kb_time_unit(result), cycles, result->processes);
}

static json_t *document(const struct kb_export *all)
{
	json_t *array = json_array();

	for (size_t i = 0; i < all->count; i++) {
		const struct kb_result *result = all->rows[i].result;
		char name[KB_EXPORT_NAME], half[KB_EXPORT_NUMBER];
		json_t *row = json_pack("{s:o, s:o, s:o}", "name", kb_json_string(kb_export_name(name, result, ' ')), "unit",
					json_sprintf("%s/%s", kb_time_unit(result), result->per), "value",
					kb_json_real(kb_export_rounded(result->estimate.value, DIGITS)));

		/* As the table has it: the wider half. */
		kb_export_number(half, kb_export_rounded(fmax(result->estimate.high - result->estimate.value,
							      result->estimate.value - result->estimate.low), RANGE_DIGITS));
		if (result->estimate.bounded)
			json_object_set_new(row, "range", json_sprintf("\u00b1 %s", half));
		json_object_set_new(row, "extra", extra(result));
		json_array_append_new(array, row);
	}
	return array;
}

const struct kb_export_format kb_export_action = {
	.name = "github-action", .refuses = kb_export_no_cost, .document = document,
};

/* ---- Bencher Metric Format: measures by name of the result, the only form of another project here that carries the interval. Its
   measure `latency` is in ns; ticks, instructions and core cycles are measures of their own. ---- */

static json_t *metric(const struct kb_estimate *estimate)
{
	json_t *json = json_pack("{s:o}", "value", kb_json_real(estimate->value));

	if (estimate->bounded) {
		json_object_set_new(json, "lower_value", kb_json_real(estimate->low));
		json_object_set_new(json, "upper_value", kb_json_real(estimate->high));
	}
	return json;
}

static void set_rate(json_t *measures, const char *name, const struct kb_estimate *cost, double amount)
{
	struct kb_estimate rate = kb_rate_of(cost, amount);

	if (rate.known)
		json_object_set_new(measures, name, metric(&rate));
}

static json_t *measures_by_name(const struct kb_export *all)
{
	json_t *document = json_object();

	for (size_t i = 0; i < all->count; i++) {
		const struct kb_result *result = all->rows[i].result;
		json_t *measures = json_object();
		char name[KB_EXPORT_NAME];

		json_object_set_new(measures, result->ticks_per_ns > 0 ? "latency" : kb_time_unit(result), metric(&result->estimate));
		/* Its own measure of this name is operations per second; bytes are another one. */
		if (result->ticks_per_ns > 0)
			set_rate(measures, "throughput", &result->estimate, 1e9);
		if (result->ticks_per_ns > 0 && result->bytes_per_op > 0)
			set_rate(measures, "bytes_per_second", &result->estimate, 1e9 * (double)result->bytes_per_op);
		if (result->estimate_cycles.known)
			json_object_set_new(measures, "cycles", metric(&result->estimate_cycles));
		json_object_set_new(document, kb_export_name(name, result, ' '), measures);
	}
	return document;
}

const struct kb_export_format kb_export_bencher = {
	.name = "bencher", .refuses = kb_export_no_cost, .document = measures_by_name,
};
