/* See comparison.h: one comparison as JSON. Keys are described in doc/result.md. */
#include "result/json/comparison.h"

#include <math.h>

#include "result/json/json.h"

json_t *kb_comparison_to_json(const struct kb_comparison *row)
{
	const struct kb_interval *ln = &row->difference.ln;
	bool compared = row->processes > 0;
	json_t *t2 = json_array(), *repeats = json_array(), *deciles = json_array();
	json_t *ratio = json_pack("{s:o, s:o, s:o, s:f}", "value", kb_json_real(compared ? exp(ln->value) : NAN),
				  "low", kb_json_real(ln->known ? exp(ln->low) : NAN),
				  "high", kb_json_real(ln->known ? exp(ln->high) : NAN), "confidence", KB_COMPARE_CONFIDENCE);

	/* Lowest level first; empty where one process, or none, tells nothing of levels. */
	for (unsigned i = 0; row->split && i < row->levels.count; i++) {
		json_array_append_new(t2, kb_json_real(row->levels.t2[i]));
		json_array_append_new(repeats, kb_json_real(row->levels.repeats[i]));
	}
	/* Empty unless single operations were compared in turn. */
	for (unsigned k = 0; row->shifted && k < KB_DECILES; k++) {
		ln = &row->shift[k];
		json_array_append_new(deciles, json_pack("{s:o, s:o, s:o, s:o}", "percent", kb_json_whole(10 * (k + 1)),
							 "ratio", kb_json_real(exp(ln->value)), "low",
							 kb_json_real(ln->known ? exp(ln->low) : NAN), "high",
							 kb_json_real(ln->known ? exp(ln->high) : NAN)));
	}

	json_t *json = json_pack("{s:o, s:o, s:s, s:o, s:o, s:o, s:o, s:o}", "row", kb_json_string(row->key), "row_new",
				 kb_json_string(row->key_b), "unit", row->unit, "base", kb_json_estimate(&row->a), "new",
				 kb_json_estimate(&row->b), "ratio", ratio, "cliffs_delta",
				 kb_json_real(compared ? row->delta : NAN), "a12",
				 kb_json_real(compared ? (row->delta + 1) / 2 : NAN));
	json_t *rest = json_pack("{s:s, s:b, s:b, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:[s, s], s:o}", "decision",
				 kb_decision_name(row->decision), "regression", row->regression, "paired", row->paired,
				 "processes", kb_json_whole(row->processes), "margin", kb_json_real(expm1(row->margin)),
				 "detectable", kb_json_real(expm1(row->difference.detectable)), "p",
				 kb_json_real(compared ? row->difference.p_slower : NAN), "p_holm",
				 kb_json_real(compared ? row->p_holm : NAN), "q", kb_json_real(compared ? row->q : NAN),
				 "p_rank", kb_json_real(row->paired || row->exact || !compared ? NAN : row->p_rank), "levels", json_pack("{s:o, s:o}", "t2", t2, "repeats", repeats),
				 "deciles", deciles, "verdicts", kb_status_name(row->status[0]), kb_status_name(row->status[1]), "reasons",
				 kb_json_reasons(&row->verdict));

	if (json && rest)
		json_object_update(json, rest);
	if (json && row->compared)
		json_object_set_new(json, "compared", json_string(row->compared));
	if (json)
		json_object_set_new(json, "exact", json_boolean(row->exact));
	if (json && row->exact)
		json_object_set_new(json, "difference", kb_json_real(row->b.value - row->a.value));
	if (json && !row->paired && !row->exact)
		json_object_set_new(json, "occasion", json_pack("{s:o, s:o}", "sd", kb_json_real(expm1(row->occasion.sd)), "runs",
								kb_json_whole(row->occasion.runs)));
	if (json && row->unit_b)
		json_object_set_new(json, "unit_new", json_string(row->unit_b));
	json_decref(rest);
	return json;
}

json_t *kb_comparison_to_stored(const struct kb_comparison *row, const char *baseline_run)
{
	json_t *json = kb_comparison_to_json(row);

	if (json)
		json_object_set_new(json, "baseline_run", kb_json_string(baseline_run));
	return json;
}

/* Its keys tell that the interval is no CI of a measurement. */
static json_t *mean_to_json(const struct kb_comparison *rows, size_t count)
{
	struct kb_ratio_mean mean = kb_compared_mean(rows, count);

	return !mean.spread.known ? json_null()
				  : json_pack("{s:o, s:o, s:o, s:o}", "value", kb_json_real(mean.spread.value), "results", kb_json_whole(mean.rows),
					      "spread_low", kb_json_real(mean.spread.low), "spread_high", kb_json_real(mean.spread.high));
}

json_t *kb_comparisons_to_json(json_t *base, json_t *new, const struct kb_comparison *rows, size_t count, json_t *only_base, json_t *only_new,
			       int code)
{
	json_t *array = json_array();

	for (size_t i = 0; i < count; i++)
		json_array_append_new(array, kb_comparison_to_json(&rows[i]));
	return json_pack("{s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:i}", "schema", KB_COMPARE_SCHEMA, "base", base, "new", new, "rows", array,
			 "geometric_mean", mean_to_json(rows, count), "only_base", only_base, "only_new", only_new, "exit", code);
}
