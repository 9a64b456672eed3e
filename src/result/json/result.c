/* See json.h: one result as an element of results[]. What is written here is read back in read.c, key by key. */
#include "result/json/json.h"

#include <math.h>
#include <string.h>

#include "evidence/evidence.h"
#include "result/blocks.h"
#include "result/json/names.h"
#include "result/summary/summary.h"

const char *const kb_json_quantiles[KB_QUANTILES] = { "p1", "p10", "p50", "p90", "p99" };

/* An end belongs to an interval; a value alone has none, and 0 would be read as a bound. */
static json_t *end_of(const struct kb_estimate *estimate, double end)
{
	return kb_json_real(estimate->known && estimate->bounded ? end : NAN);
}

json_t *kb_json_estimate(const struct kb_estimate *estimate)
{
	return json_pack("{s:o, s:o, s:o}", "value", kb_json_real(estimate->known ? estimate->value : NAN), "low",
			 end_of(estimate, estimate->low), "high", end_of(estimate, estimate->high));
}

/* Confidence and method stand with the headline: they hold for the whole element. */
static json_t *headline(const struct kb_result *result)
{
	json_t *object = kb_json_estimate(&result->estimate);

	json_object_set_new(object, "confidence", json_real(0.95));
	json_object_set_new(object, "method", json_string(kb_methods[result->method].name));
	return object;
}

/* null: the headline is another one. */
static json_t *uncontended_by(const struct kb_result *result)
{
	return result->headline == KB_HEADLINE_UNCONTENDED ? json_string(kb_uncontended_by_name(result->uncontended_by)) : json_null();
}

/* "op=add size=64K" as an object. Values stay text: 64K is what the user typed and what -p takes. */
static json_t *params(const char *text)
{
	json_t *object = json_object();

	while (*(text += strspn(text, " "))) {
		size_t length = strcspn(text, " ");
		const char *equals = memchr(text, '=', length);

		if (equals) {
			char key[sizeof ((struct kb_result *)0)->params];
			size_t key_length = (size_t)(equals - text);

			snprintf(key, sizeof key, "%.*s", (int)key_length, text);
			json_object_set_new(object, key, json_stringn(equals + 1, length - key_length - 1));
		}
		text += length;
	}
	return object;
}

static json_t *quantiles(const struct kb_result *result)
{
	json_t *object = json_object();

	for (int i = 0; i < KB_QUANTILES; i++) {
		const struct kb_estimate *quantile = &result->quantile[i];

		json_object_set_new(object, kb_json_quantiles[i],
				    kb_json_real(quantile->known ? quantile->value : NAN));
	}
	return object;
}

/* Beside the quantiles, not inside: `quantiles.p99` stays the one number that most scripts want. */
static json_t *quantile_intervals(const struct kb_result *result)
{
	json_t *object = json_object();

	for (int i = 0; i < KB_QUANTILES; i++) {
		const struct kb_estimate *quantile = &result->quantile[i];

		json_object_set_new(object, kb_json_quantiles[i],
				    json_pack("{s:o, s:o}", "low", end_of(quantile, quantile->low), "high",
					      end_of(quantile, quantile->high)));
	}
	return object;
}

/* All flags, also those that were never seen: a missing key would leave open whether anybody looked. */
static json_t *flags(const struct kb_result *result)
{
	json_t *object = json_object();

	for (int i = 0; i < KB_FLAGS; i++)
		json_object_set_new(object, kb_flag_names[i], kb_json_whole(result->flags[i]));
	return object;
}

json_t *kb_json_reasons(const struct kb_verdict *verdict)
{
	json_t *reasons = json_array();

	for (unsigned i = 0; i < verdict->count && i < KB_REASONS_MAX; i++) {
		const struct kb_reason *reason = &verdict->reasons[i];
		const char *hint = reason->code < KB_CODE_COUNT ? kb_code_hint(reason->code) : "";

		json_array_append_new(reasons, json_pack("{s:o, s:s, s:o, s:o, s:s}", "code", kb_json_string(kb_reason_name(reason)),
							 "severity", kb_severity_word(kb_reason_severity(reason)), "detail",
							 kb_json_string(kb_reason_words(reason)), "evidence",
							 kb_json_string(reason->detail), "hint", hint));
	}
	return reasons;
}

/* Two axes: whether the operation happened as claimed, and how surely its cost is known, in percent. It is made of two ends that are
   printed with twelve digits, and so has fewer. */
static json_t *verdict(const struct kb_result *result)
{
	const struct kb_verdict *verdict = &result->verdict;
	enum kb_status evidence = verdict->status == KB_NOISY ? KB_OK : verdict->status;

	return json_pack("{s:s, s:s, s:o, s:o}", "status", kb_status_name(verdict->status), "evidence", kb_status_name(evidence),
			 "quality", kb_json_real(rint(1e6 * kb_quality(kb_headline(result))) / 1e6), "reasons", kb_json_reasons(verdict));
}

static json_t *evidence(const struct kb_result *result)
{
	json_t *array = json_array();

	for (unsigned i = 0; i < result->evidence_count && i < KB_EVIDENCE_MAX; i++) {
		const struct kb_finding_evidence *found = &result->evidence[i];

		/* Not counted is not zero: both what was seen and whether it holds are null then; and so is what nobody expects. */
		json_t *item = json_pack("{s:o, s:o, s:o, s:o, s:o, s:o}", "counter", kb_json_string(found->counter),
					 "who", kb_json_string(found->who), "per_op",
					 kb_json_real(found->known ? found->per_op : NAN), "expected",
					 kb_json_real(found->asked ? NAN : found->expected), "tolerance",
					 kb_json_real(found->asked ? NAN : found->tolerance),
					 "ok", found->known && !found->asked ? json_boolean(found->ok) : json_null());

		json_array_append_new(array, item);
	}
	return array;
}

static json_t *covariates(const struct kb_result *result)
{
	json_t *array = json_array();

	for (unsigned i = 0; i < result->covariate_count && i < KB_COVARIATES; i++) {
		const struct kb_result_covariate *at = &result->covariates[i];

		json_array_append_new(array, json_pack("{s:o, s:o, s:o, s:o, s:o}", "name", kb_json_string(at->name), "median",
						       kb_json_real(at->median), "min", kb_json_real(at->min), "max",
						       kb_json_real(at->max), "count", kb_json_whole(at->count)));
	}
	return array;
}

/* No unit inside: cycles of the core are a unit of their own. */
static json_t *cycles(const struct kb_result *result)
{
	return json_pack("{s:o, s:o}", "estimate", kb_json_estimate(&result->estimate_cycles), "observed",
			 kb_json_estimate(&result->observed_cycles));
}

static json_t *process_costs(const struct kb_result *result)
{
	json_t *array = json_array();

	for (unsigned i = 0; i < result->process_cost_count && i < KB_PROCESS_COSTS_MAX; i++) {
		const struct kb_process_cost *cost = &result->process_costs[i];

		json_t *item = json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "process", kb_json_whole(cost->process),
						       "cost", kb_json_real(cost->cost), "cycles",
						       kb_json_real(cost->cycles > 0 ? cost->cycles : NAN), "observed",
						       kb_json_real(cost->observed), "uncontended", kb_json_real(cost->uncontended),
						       "clean_share", kb_json_real(cost->clean_share), "core_mhz",
						       kb_json_real(cost->mhz > 0 ? cost->mhz : NAN), "samples",
						       kb_json_whole(cost->used));

		if (result->twin[0])
			json_object_set_new(item, "ratio", kb_json_real(cost->ratio));
		json_array_append_new(array, item);
	}
	return array;
}

/* ---- rows of memory ------------------------------------------------------------------------------ */

/* NULL, which leaves the member out, of a row without a twin. */
static json_t *ratio(const struct kb_result *result)
{
	json_t *object = result->twin[0] ? kb_json_estimate(&result->ratio) : NULL;

	if (object) {
		json_object_set_new(object, "confidence", kb_json_real(KB_SUMMARY_CONFIDENCE));
		json_object_set_new(object, "to", kb_json_string(result->twin));
	}
	return object;
}

static json_t *range(const struct kb_result *result)
{
	double low, high;

	return kb_result_range(result, &low, &high) ? json_pack("{s:o, s:o}", "low", kb_json_real(low), "high", kb_json_real(high)) : NULL;
}

static json_t *found(const struct kb_result_found *found)
{
	return found->loads == 0 ? NULL : json_pack("{s:s, s:o, s:o, s:o, s:o}", "level", kb_found_level(found), "cache_share", kb_json_real(found->share),
						    "cache_ns", kb_json_real(found->cache), "memory_ns", kb_json_real(found->memory), "loads",
						    kb_json_whole(found->loads));
}

static json_t *modes(const struct kb_result *result)
{
	json_t *array = json_array();

	for (unsigned i = 0; i < result->mode_count && i < KB_RESULT_MODES; i++)
		json_array_append_new(array, json_pack("{s:o, s:o}", "location", kb_json_real(result->modes[i].location), "weight",
						       kb_json_real(result->modes[i].weight)));
	return array;
}

/* Blocks first, launches second, as in a comparison; empty where it is not known. */
static json_t *levels(const struct kb_result_levels *levels)
{
	json_t *t2 = json_array(), *repeats = json_array(), *plan = json_array();

	for (unsigned i = 0; levels->known && i < 2; i++) {
		json_array_append_new(t2, kb_json_real(levels->split.t2[i]));
		json_array_append_new(repeats, kb_json_real(levels->split.repeats[i]));
	}
	for (unsigned i = 0; levels->plan[0] > 0 && i < 2; i++)
		json_array_append_new(plan, kb_json_whole(levels->plan[i]));
	return json_pack("{s:o, s:o, s:o}", "t2", t2, "repeats", repeats, "plan", plan);
}

static double or_unknown(double deviation)
{
	return deviation > 0 ? deviation : NAN;
}

static json_t *series(const struct kb_result *result)
{
	const struct kb_result_spread *spread = &result->spread;
	json_t *deviations = json_pack("{s:o, s:o, s:o, s:o}", "operation_short",
				       kb_json_real(or_unknown(spread->operation_short)), "operation_long",
				       kb_json_real(or_unknown(spread->operation_long)), "block",
				       kb_json_real(or_unknown(spread->block)), "long_run",
				       kb_json_real(or_unknown(spread->long_run)));

	return json_pack("{s:s, s:o, s:b, s:o, s:o}", "unit", kb_series_unit(result), "modes", modes(result), "clustered",
			 result->modes_clustered, "spread", deviations, "levels", levels(&result->levels));
}

/* NULL: it was not measured so. */
static json_t *parallel(const struct kb_result *result)
{
	const struct kb_result_parallel *copied = &result->parallel;
	json_t *copies = copied->copies > 0 ? json_array() : NULL;

	if (!copies)
		return NULL;
	for (unsigned i = 0; i < copied->copies && i < KB_COPIES_MAX; i++)
		json_array_append_new(copies, kb_json_estimate(&copied->copy[i]));
	return json_pack("{s:o, s:o, s:o, s:o}", "copies", kb_json_whole(copied->copies), "overlap",
			 kb_json_real(copied->overlap), "aggregate_per_s", kb_json_estimate(&copied->aggregate), "per_copy", copies);
}

json_t *kb_result_to_json(const struct kb_result *result)
{
	/* A table, for its order is the order in the text, which the golden test holds. */
	const struct { const char *key; json_t *value; } members[] = {
		{ "benchmark", kb_json_string(result->benchmark) },
		{ "params", params(result->params) },
		{ "per", kb_json_string(result->per) },
		{ "unit", json_string(kb_time_unit(result)) },
		{ "estimate", headline(result) },
		{ "headline", json_string(kb_headline_name(result->headline)) },
		{ "uncontended_by", uncontended_by(result) },
		{ "observed", kb_json_estimate(&result->observed) },
		{ "clean_share", kb_json_real(result->clean_share) },
		{ "mean", kb_json_estimate(&result->mean) },
		{ "fixed", kb_json_estimate(&result->fixed) },
		{ "cycles", cycles(result) },
		{ "core_mhz", kb_json_estimate(&result->core_mhz) },
		{ "quantiles", quantiles(result) },
		{ "quantile_intervals", quantile_intervals(result) },
		{ "range", range(result) }, /* these three of rows of memory only */
		{ "ratio", ratio(result) },
		{ "found", found(&result->found) },
		{ "processes", kb_json_whole(result->processes) },
		{ "processes_planned", kb_json_whole(result->processes_planned) },
		{ "processes_contended", kb_json_whole(result->processes_contended) },
		{ "processes_failed", kb_json_whole(result->processes_failed) },
		{ "process_costs", process_costs(result) },
		{ "samples", kb_json_whole(result->observations) },
		{ "disturbed", kb_json_whole(result->disturbed) },
		{ "n_eff", kb_json_real(result->n_eff) },
		{ "n_grid", json_pack("{s:o, s:o}", "min", kb_json_whole(result->n_min), "max",
				      kb_json_whole(result->n_max)) },
		{ "series", series(result) },
		{ "flags", flags(result) },
		{ "clock", kb_json_string(result->clock) },
		{ "ticks_per_ns", kb_json_real(result->ticks_per_ns) },
		{ "bound", json_string(kb_bound_name(result->bound)) },
		{ "bytes_per_op", kb_json_whole(result->bytes_per_op) },
		{ "code", result->code[0] ? kb_json_string(result->code) : json_null() },
		{ "arch", result->arch[0] ? kb_json_string(result->arch) : NULL }, /* none in older runs */
		{ "verdict", verdict(result) },
		{ "evidence", evidence(result) },
		{ "covariates", covariates(result) },
		{ "parallel", parallel(result) }, /* none where it is NULL */
	};
	json_t *object = json_object();

	for (size_t i = 0; i < sizeof members / sizeof members[0]; i++)
		json_object_set_new(object, members[i].key, members[i].value);
	return object;
}
