/* See json.h: one result as an element of results[], written and read by the tables at the end. */
#include "result/json/json.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "base/interference.h"
#include "base/text.h"
#include "evidence/evidence.h"
#include "result/blocks.h"
#include "result/json/environment.h"
#include "result/json/fields.h"
#include "result/summary/summary.h"

const char *const kb_json_quantiles[KB_QUANTILES] = { "p1", "p10", "p50", "p90", "p99" };

/* ---- what it is --------------------------------------------------------------------------------------- */

json_t *kb_json_params(const char *params)
{
	char name[sizeof ((struct kb_result *)0)->params];
	struct kb_span rest = kb_span_of(params), word, key, value;
	json_t *object = json_object();

	/* A quoted value is one word, blanks and all: without them the result would not be found by the name of its records. */
	while ((word = kb_span_word(&rest)).length > 0) {
		if (!kb_span_pair(word, &key, &value))
			continue;
		snprintf(name, sizeof name, "%.*s", (int)key.length, key.at);
		json_object_set_new(object, name, json_stringn(value.at, value.length));
	}
	return object;
}

static json_t *write_params(const void *from)
{
	return kb_json_params(((const struct kb_result *)from)->params);
}

/* In the order of the text. */
static void read_params(struct kb_json_reader reader, void *to)
{
	struct kb_result *result = to;
	struct kb_text text = kb_text_in(result->params, sizeof result->params);
	const char *key, *separator = "";
	/* jansson's iterator takes no const object, though it only reads it. */
	json_t *params = (json_t *)(uintptr_t)kb_json_inside(reader, "params").object, *value;

	json_object_foreach(params, key, value) {
		if (!json_is_string(value)) {
			*reader.wrong = true;
			return;
		}
		/* A longer list than any of ours is cut off rather than refused: it only names the result. */
		kb_text_str(&text, separator);
		kb_text_str(&text, key);
		kb_text_str(&text, "=");
		kb_text_str(&text, json_string_value(value));
		separator = " ";
	}
	kb_make_visible(result->params, '?');
}

static json_t *write_unit(const void *from)
{
	return json_string(kb_time_unit(from));
}

static json_t *write_confidence(const void *from)
{
	(void)from;
	return json_real(KB_SUMMARY_CONFIDENCE);
}

/* null: the headline is another one. */
static json_t *write_uncontended_by(const void *from)
{
	const struct kb_result *result = from;

	return result->headline == KB_HEADLINE_UNCONTENDED ? json_string(kb_uncontended_by_name(result->uncontended_by)) : json_null();
}

/* All flags, also those that were never seen: a missing key would leave open whether anybody looked. */
static json_t *write_flags(const void *from)
{
	json_t *object = json_object();

	for (int i = 0; i < KB_FLAGS; i++)
		json_object_set_new(object, kb_flag_names[i], kb_json_whole(((const struct kb_result *)from)->flags[i]));
	return object;
}

static void read_flags(struct kb_json_reader reader, void *to)
{
	struct kb_json_reader flags = kb_json_inside(reader, "flags");

	for (int i = 0; i < KB_FLAGS; i++)
		((struct kb_result *)to)->flags[i] = kb_json_get_whole(flags, kb_flag_names[i]);
}

static json_t *write_series_unit(const void *from)
{
	return json_string(kb_series_unit(from));
}

/* Blocks first, processes second, as in a comparison; empty where it is not known. */
static json_t *write_levels(const void *from)
{
	const struct kb_result_levels *levels = &((const struct kb_result *)from)->levels;
	const double *t2 = levels->split.t2, *repeats = levels->split.repeats;
	const unsigned *plan = levels->plan;

	return json_pack("{s:o, s:o, s:o}",
			 "t2", levels->known ? json_pack("[o, o]", kb_json_real(t2[0]), kb_json_real(t2[1])) : json_array(),
			 "repeats", levels->known ? json_pack("[o, o]", kb_json_real(repeats[0]), kb_json_real(repeats[1])) : json_array(),
			 "plan", plan[0] > 0 ? json_pack("[o, o]", kb_json_whole(plan[0]), kb_json_whole(plan[1])) : json_array());
}

static void read_levels(struct kb_json_reader reader, void *to)
{
	struct kb_result_levels *levels = &((struct kb_result *)to)->levels;
	const json_t *object = kb_json_inside(reader, "levels").object, *t2 = json_object_get(object, "t2");
	const json_t *repeats = json_object_get(object, "repeats"), *plan = json_object_get(object, "plan");

	levels->known = json_array_size(t2) == 2 && json_array_size(repeats) == 2;
	levels->split.count = levels->known ? 2 : 0;
	for (unsigned i = 0; i < 2; i++) {
		levels->split.t2[i] = json_number_value(json_array_get(t2, i));
		levels->split.repeats[i] = json_number_value(json_array_get(repeats, i));
		levels->plan[i] = (unsigned)fmin(fmax(json_number_value(json_array_get(plan, i)), 0), UINT32_MAX);
	}
}

static const struct kb_json_field copy_fields[] = { { .kind = KB_JSON_ESTIMATE }, { 0 } };

static json_t *write_copies(const void *from)
{
	const struct kb_result_parallel *parallel = from;
	json_t *copies = json_array();

	for (unsigned i = 0; i < parallel->copies && i < KB_COPIES_MAX; i++)
		json_array_append_new(copies, kb_json_estimate(&parallel->copy[i]));
	return copies;
}

static void read_copies(struct kb_json_reader reader, void *to)
{
	struct kb_result_parallel *parallel = to;
	const json_t *array = json_object_get(reader.object, "per_copy");
	size_t i;

	if (parallel->copies > KB_COPIES_MAX) {
		*reader.wrong = true;
		parallel->copies = 0;
	}
	json_array_foreach(array, i, reader.object) {
		if (!json_is_object(reader.object))
			*reader.wrong = true;
		else if (i < parallel->copies)
			kb_json_to_fields(reader, copy_fields, &parallel->copy[i]);
	}
}

/* ---- what memory bounds ------------------------------------------------------------------------------- */

static json_t *write_found_level(const void *from)
{
	return json_string(kb_found_level(from));
}

static json_t *write_range(const void *from)
{
	double low, high;

	return kb_result_range(from, &low, &high) ? json_pack("{s:o, s:o}", "low", kb_json_real(low), "high", kb_json_real(high)) : NULL;
}

/* ---- verdict ------------------------------------------------------------------------------------------ */

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
static json_t *write_verdict(const void *from)
{
	const struct kb_verdict *verdict = &((const struct kb_result *)from)->verdict;
	enum kb_status evidence = verdict->status == KB_NOISY ? KB_OK : verdict->status;

	return json_pack("{s:s, s:s, s:o, s:o}", "status", kb_status_name(verdict->status), "evidence", kb_status_name(evidence),
			 "quality", kb_json_real(rint(1e6 * kb_quality(kb_headline(from))) / 1e6), "reasons", kb_json_reasons(verdict));
}

static const struct kb_json_field status_field[] = {
	{ KB_JSON_FIELD(NAME, "status", kb_verdict, status), .name = kb_status_name, .most = KB_STATUSES, .otherwise = KB_STATUSES },
	{ 0 }
};

/* Of a code that is known, its words and severity are what is known of it. Nobody here can say that an unknown one does no harm. */
static const struct kb_json_field reason_fields[] = {
	{ KB_JSON_FIELD(TEXT, "code", kb_reason, name) },
	{ KB_JSON_FIELD(NAME, "severity", kb_reason, severity), .name = kb_severity_word, .most = KB_MAKES_SKIPPED + 1,
	  .otherwise = KB_MAKES_UNVERIFIED },
	{ KB_JSON_FIELD(TEXT, "detail", kb_reason, words) },
	{ KB_JSON_FIELD(TEXT, "evidence", kb_reason, detail) },
	{ 0 }
};

/* An unknown status is refused: to take it for a known one would turn a warning into a number that looks good. A later version may
   know more codes: they are kept as it wrote them, and the status carries what they led to. */
static void read_verdict(struct kb_json_reader reader, void *to)
{
	struct kb_verdict *verdict = &((struct kb_result *)to)->verdict;
	struct kb_json_reader at = kb_json_inside(reader, "verdict");
	size_t i;

	kb_json_to_fields(at, status_field, verdict);
	*reader.wrong |= verdict->status == KB_STATUSES;
	json_array_foreach(json_object_get(at.object, "reasons"), i, reader.object) {
		struct kb_reason read = { 0 };

		kb_json_to_fields(reader, reason_fields, &read);
		if (!read.name[0] || verdict->count == KB_REASONS_MAX)
			continue;
		read.code = kb_code_find(read.name);
		verdict->reasons[verdict->count] = (struct kb_reason){ .code = read.code };
		if (read.code == KB_CODE_COUNT)
			verdict->reasons[verdict->count] = read;
		else
			memcpy(verdict->reasons[verdict->count].detail, read.detail, sizeof read.detail);
		verdict->count++;
	}
}

/* ---- evidence ----------------------------------------------------------------------------------------- */

/* Not counted is not zero: both what was seen and whether it holds are null then; and so is what nobody expects. */
static json_t *write_counts(const void *from)
{
	const struct kb_finding_evidence *found = from;
	json_t *counts = json_pack("{s:o, s:o, s:o, s:o}", "per_op", kb_json_real(found->known ? found->per_op : NAN), "expected",
			 kb_json_real(found->asked ? NAN : found->expected), "tolerance",
			 kb_json_real(found->asked ? NAN : found->tolerance), "ok",
			 found->known && !found->asked ? json_boolean(found->ok) : json_null());

	if (found->elsewhere)
		json_object_set_new(counts, "elsewhere", json_true());
	return counts;
}

/* `ok` decides whether the counter could be read: null is neither yes nor no. Without `expected` it was asked for. */
static void read_counts(struct kb_json_reader reader, void *to)
{
	struct kb_finding_evidence *found = to;
	const json_t *ok = json_object_get(reader.object, "ok");

	found->asked = json_is_null(json_object_get(reader.object, "expected"));
	found->expected = found->asked ? 0 : kb_json_get_real(reader, "expected");
	found->tolerance = found->asked ? 0 : kb_json_get_real(reader, "tolerance");
	found->known = found->asked ? json_is_number(json_object_get(reader.object, "per_op")) : json_is_boolean(ok);
	found->ok = json_is_true(ok);
	found->elsewhere = json_is_true(json_object_get(reader.object, "elsewhere"));
	found->per_op = found->known ? kb_json_get_real(reader, "per_op") : 0;
}

/* ---- the tables --------------------------------------------------------------------------------------- */

#define OF(kind, key, member) KB_JSON_FIELD(kind, key, kb_result, member)
#define ONLY_WRITTEN(name, function) { .kind = KB_JSON_SPECIAL, .key = name, .write = function }
#define BOTH_WAYS(name, function) { .kind = KB_JSON_SPECIAL, .key = name, .write = write_##function, .read = read_##function }
#define INSIDE(name, table) .kind = KB_JSON_OBJECT, .key = name, .inside = table
#define ARRAY(name, table, elements, number, room) \
	.kind = KB_JSON_ARRAY, .key = name, .at = offsetof(struct kb_result, elements), .inside = table, \
	.size = sizeof ((struct kb_result *)0)->elements[0], .count_at = offsetof(struct kb_result, number), .most = room

static const char *name_of_method(unsigned method)
{
	return kb_methods[method].name;
}

/* Confidence and method stand with the headline: they hold for the whole element. */
static const struct kb_json_field estimate_fields[] = {
	{ OF(ESTIMATE, NULL, estimate) },
	ONLY_WRITTEN("confidence", write_confidence),
	{ OF(NAME, "method", method), .name = name_of_method, .most = KB_METHODS, .otherwise = KB_METHOD_NONE },
	{ 0 }
};

/* No unit inside: cycles of the core are a unit of their own. */
static const struct kb_json_field cycles_fields[] = {
	{ OF(ESTIMATE, "estimate", estimate_cycles) },
	{ OF(ESTIMATE, "observed", observed_cycles) },
	{ OF(ESTIMATE, "quiet", quiet_cycles), .flags = KB_JSON_READ_ONLY },
	{ 0 }
};

static const struct kb_json_field quantile_fields[] = {
	{ OF(VALUE, "p1", quantile[KB_P1]) },
	{ OF(VALUE, "p10", quantile[KB_P10]) },
	{ OF(VALUE, "p50", quantile[KB_P50]) },
	{ OF(VALUE, "p90", quantile[KB_P90]) },
	{ OF(VALUE, "p99", quantile[KB_P99]) },
	{ 0 }
};

/* Next to the quantiles, not inside: `quantiles.p99` stays the one number that most scripts want. */
static const struct kb_json_field interval_fields[] = {
	{ OF(ENDS, "p1", quantile[KB_P1]) },
	{ OF(ENDS, "p10", quantile[KB_P10]) },
	{ OF(ENDS, "p50", quantile[KB_P50]) },
	{ OF(ENDS, "p90", quantile[KB_P90]) },
	{ OF(ENDS, "p99", quantile[KB_P99]) },
	{ 0 }
};

static const struct kb_json_field ratio_fields[] = {
	{ OF(ESTIMATE, NULL, ratio) },
	ONLY_WRITTEN("confidence", write_confidence),
	{ OF(TEXT, "to", twin), .flags = KB_JSON_NEEDED },
	{ 0 }
};

static const struct kb_json_field found_fields[] = {
	ONLY_WRITTEN("level", write_found_level),
	{ KB_JSON_FIELD(REAL, "cache_share", kb_result_found, share) },
	{ KB_JSON_FIELD(REAL, "cache_ns", kb_result_found, cache) },
	{ KB_JSON_FIELD(REAL, "memory_ns", kb_result_found, memory) },
	{ KB_JSON_FIELD(WHOLE, "loads", kb_result_found, loads), .flags = KB_JSON_NEEDED },
	{ 0 }
};

static const struct kb_json_field process_fields[] = {
	{ KB_JSON_FIELD(COUNT, "process", kb_process_cost, process), .first_key = "launch" },
	{ KB_JSON_FIELD(REAL, "cost", kb_process_cost, cost), .flags = KB_JSON_NEEDED },
	{ KB_JSON_FIELD(SIZE, "cycles", kb_process_cost, cycles), .flags = KB_JSON_OR_NULL },
	{ KB_JSON_FIELD(REAL, "observed", kb_process_cost, observed) },
	{ KB_JSON_FIELD(REAL, "uncontended", kb_process_cost, uncontended) },
	{ KB_JSON_FIELD(REAL, "clean_share", kb_process_cost, clean_share) },
	{ KB_JSON_FIELD(SIZE, "core_mhz", kb_process_cost, mhz), .flags = KB_JSON_OR_NULL },
	{ KB_JSON_FIELD(WHOLE, "samples", kb_process_cost, used), .first_key = "used" },
	{ KB_JSON_FIELD(REAL, "ratio", kb_process_cost, ratio), .flags = KB_JSON_OR_NONE },
	{ 0 }
};

static const struct kb_json_field grid_fields[] = {
	{ OF(WHOLE, "min", n_min) },
	{ OF(WHOLE, "max", n_max) },
	{ 0 }
};

static const struct kb_json_field mode_fields[] = {
	{ KB_JSON_FIELD(SIZE, "location", kb_result_mode, location) },
	{ KB_JSON_FIELD(SIZE, "weight", kb_result_mode, weight) },
	{ 0 }
};

static const struct kb_json_field spread_fields[] = {
	{ OF(SIZE, "operation_short", spread.operation_short), .flags = KB_JSON_OR_NULL },
	{ OF(SIZE, "operation_long", spread.operation_long), .flags = KB_JSON_OR_NULL },
	{ OF(SIZE, "block", spread.block), .flags = KB_JSON_OR_NULL },
	{ OF(SIZE, "long_run", spread.long_run), .flags = KB_JSON_OR_NULL },
	{ 0 }
};

static const struct kb_json_field series_fields[] = {
	ONLY_WRITTEN("unit", write_series_unit),
	{ ARRAY("modes", mode_fields, modes, mode_count, KB_RESULT_MODES) },
	{ OF(TRUTH, "clustered", modes_clustered) },
	{ INSIDE("spread", spread_fields) },
	BOTH_WAYS("levels", levels),
	{ 0 }
};

static const struct kb_json_field evidence_fields[] = {
	{ KB_JSON_FIELD(TEXT, "counter", kb_finding_evidence, counter) },
	{ KB_JSON_FIELD(TEXT, "who", kb_finding_evidence, who) },
	BOTH_WAYS(NULL, counts),
	{ 0 }
};

static const struct kb_json_field covariate_fields[] = {
	{ KB_JSON_FIELD(TEXT, "name", kb_result_covariate, name) },
	{ KB_JSON_FIELD(SIZE, "median", kb_result_covariate, median) },
	{ KB_JSON_FIELD(SIZE, "min", kb_result_covariate, min) },
	{ KB_JSON_FIELD(SIZE, "max", kb_result_covariate, max) },
	{ KB_JSON_FIELD(WHOLE, "count", kb_result_covariate, count) },
	{ 0 }
};

static const struct kb_json_field parallel_fields[] = {
	{ KB_JSON_FIELD(COUNT, "copies", kb_result_parallel, copies), .flags = KB_JSON_NEEDED },
	{ KB_JSON_FIELD(REAL, "overlap", kb_result_parallel, overlap) },
	{ KB_JSON_FIELD(ESTIMATE, "aggregate_per_s", kb_result_parallel, aggregate) },
	BOTH_WAYS("per_copy", copies),
	{ 0 }
};

static const struct kb_json_field result_fields[] = {
	{ OF(TEXT, "benchmark", benchmark) },
	BOTH_WAYS("params", params),
	{ OF(TEXT, "per", per) },
	ONLY_WRITTEN("unit", write_unit),
	{ INSIDE("estimate", estimate_fields) },
	{ OF(NAME, "headline", headline), .name = kb_headline_name, .most = KB_HEADLINE_TYPICAL, .otherwise = KB_HEADLINE_OBSERVED },
	{ OF(NAME, "uncontended_by", uncontended_by), .name = kb_uncontended_by_name, .most = KB_BY_PARTS + 1,
	  .otherwise = KB_BY_MEDIAN, .write = write_uncontended_by },
	{ OF(ESTIMATE, "observed", observed) },
	{ OF(ESTIMATE, "quiet", quiet), .flags = KB_JSON_READ_ONLY },
	{ OF(REAL, "clean_share", clean_share) },
	{ OF(REAL, "waited_share", waited_share) },     /* none in older runs */
	{ OF(ESTIMATE, "mean", mean) },
	{ OF(ESTIMATE, "fixed", fixed) },
	{ INSIDE("cycles", cycles_fields) },
	{ OF(ESTIMATE, "core_mhz", core_mhz) },
	{ INSIDE("quantiles", quantile_fields) },
	{ INSIDE("quantile_intervals", interval_fields) },
	ONLY_WRITTEN("range", write_range),     /* these three of what memory bounds only */
	{ INSIDE("ratio", ratio_fields) },
	{ INSIDE("found", found_fields), .at = offsetof(struct kb_result, found) },
	{ OF(COUNT, "processes", processes), .first_key = "launches" },
	{ OF(COUNT, "processes_planned", processes_planned), .first_key = "launches_planned" },
	{ OF(COUNT, "processes_contended", processes_contended), .first_key = "launches_left_out" },
	{ OF(COUNT, "processes_failed", processes_failed), .first_key = "launches_failed" },
	{ ARRAY("process_costs", process_fields, process_costs, process_cost_count, KB_PROCESS_COSTS_MAX), .first_key = "launch_costs" },
	{ OF(WHOLE, "samples", observations), .first_key = "observations" },
	{ OF(WHOLE, "disturbed", disturbed) },
	{ OF(SIZE, "n_eff", n_eff) },
	{ INSIDE("n_grid", grid_fields) },
	{ INSIDE("series", series_fields) },
	BOTH_WAYS("flags", flags),
	{ OF(TEXT, "clock", clock) },
	{ OF(SIZE, "ticks_per_ns", ticks_per_ns) },
	{ OF(NAME, "bound", bound), .name = kb_bound_name, .most = KB_NOTHING + 1, .otherwise = KB_KERNEL },
	{ OF(WHOLE, "bytes_per_op", bytes_per_op) },
	{ OF(TEXT, "code", code), .flags = KB_JSON_OR_NULL },
	{ OF(TEXT, "arch", arch), .flags = KB_JSON_OR_NONE },   /* none in older runs */
	{ INSIDE("environment", kb_environment_fields), .at = offsetof(struct kb_result, environment) },      /* none in older runs */
	BOTH_WAYS("verdict", verdict),
	{ ARRAY("evidence", evidence_fields, evidence, evidence_count, KB_EVIDENCE_MAX) },
	{ ARRAY("covariates", covariate_fields, covariates, covariate_count, KB_COVARIATES) },
	{ INSIDE("utilisation", kb_utilisation_fields), .at = offsetof(struct kb_result, kept) },
	{ INSIDE("kernel_log", kb_kernel_log_fields), .at = offsetof(struct kb_result, kept) },
	{ INSIDE("parallel", parallel_fields), .at = offsetof(struct kb_result, parallel) },
	{ 0 }
};

json_t *kb_result_to_json(const struct kb_result *result)
{
	json_t *json = kb_json_from_fields(result_fields, result), *cost;
	size_t i;

	/* Where there is a twin, a process without a ratio to it says so. */
	json_array_foreach(json_object_get(json, "process_costs"), i, cost) {
		if (result->twin[0] && !json_object_get(cost, "ratio"))
			json_object_set_new(cost, "ratio", json_null());
	}
	return json;
}

int kb_result_from_json(struct kb_result *result, const json_t *json)
{
	bool wrong = !json_is_object(json), first = json_object_get(json, "headline") == NULL;
	struct kb_text text = kb_text_in(result->params, sizeof result->params);
	char params[sizeof result->params];

	memset(result, 0, sizeof *result);
	kb_json_to_fields((struct kb_json_reader){ json, &wrong, first }, result_fields, result);
	kb_rename_operation(result->per);
	/* Version 1 called interference beside=KIND, and has a headline of its own. */
	if (first) {
		memcpy(params, result->params, sizeof params);
		kb_interference_rename(&text, params);
		result->headline = KB_HEADLINE_TYPICAL;
	}
	return wrong || !result->benchmark[0] ? -EINVAL : 0;
}
