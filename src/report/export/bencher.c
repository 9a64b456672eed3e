/*
 * Bencher Metric Format: measures by name of the result, the only form of another project here that carries the interval. Its
 * measure `latency` is in ns; ticks, instructions and core cycles are measures of their own.
 */
#include "report/export/export.h"

#include "result/json/json.h"

static json_t *metric(const struct kb_estimate *estimate)
{
	json_t *json = json_pack("{s:o}", "value", kb_json_real(estimate->value));

	if (estimate->bounded) {
		json_object_set_new(json, "lower_value", kb_json_real(estimate->low));
		json_object_set_new(json, "upper_value", kb_json_real(estimate->high));
	}
	return json;
}

static json_t *measures_by_name(const struct kb_export *all)
{
	json_t *document = json_object();

	for (size_t i = 0; i < all->count; i++) {
		const struct kb_result *result = all->rows[i].result;
		json_t *measures = json_object();
		char name[KB_EXPORT_NAME];

		json_object_set_new(measures, result->ticks_per_ns > 0 ? "latency" : kb_time_unit(result), metric(&result->estimate));
		if (result->estimate_cycles.known)
			json_object_set_new(measures, "cycles", metric(&result->estimate_cycles));
		json_object_set_new(document, kb_export_name(name, result, ' '), measures);
	}
	return document;
}

const struct kb_export_format kb_export_bencher = {
	.name = "bencher", .refuses = kb_export_no_number, .document = measures_by_name,
};
