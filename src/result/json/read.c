/*
 * See json.h: an element of results[] back into a kb_result. The text may come from a later version or from a damaged
 * store, so every type is looked at; the first wrong one is remembered and the whole element refused.
 */
#include "result/json/json.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "base/interference.h"
#include "base/text.h"
#include "evidence/evidence.h"
#include "result/json/names.h"

/* An object being read; wrong is set by any value of another type than asked for. */
struct reader {
	const json_t *object;
	bool *wrong;
};

/* A missing object is like an empty one: everything in it is unknown. */
static struct reader inside(struct reader reader, const char *key)
{
	const json_t *member = json_object_get(reader.object, key);

	if (member && !json_is_object(member))
		*reader.wrong = true;
	return (struct reader){ json_is_object(member) ? member : NULL, reader.wrong };
}

/* NULL where there is null or nothing; what has another type is damage. */
static const json_t *typed(struct reader reader, const char *key, bool number)
{
	const json_t *member = json_object_get(reader.object, key);

	if (!member || json_is_null(member))
		return NULL;
	if (number ? json_is_number(member) : json_is_string(member))
		return member;
	*reader.wrong = true;
	return NULL;
}

/* Text that is longer than its field is cut; only names and words are read so. Reports print results as they are, and the store may
   come from elsewhere: what they are made of is visible from here on. */
static void get_text(struct reader reader, const char *key, char *text, size_t room)
{
	const json_t *member = typed(reader, key, false);

	kb_visible_copy(text, room, member ? json_string_value(member) : "");
}

/* NAN where there is null or nothing. */
static double get_real(struct reader reader, const char *key)
{
	const json_t *member = typed(reader, key, true);

	return member ? json_number_value(member) : NAN;
}

/* Through a double, for other programs write 5 as 5.0; exact below 2^53. */
static uint64_t get_whole(struct reader reader, const char *key)
{
	double value = get_real(reader, key);

	if (value < 0 || value > (double)KB_JSON_WHOLE_MAX)
		*reader.wrong = true;
	return value >= 0 && value <= (double)KB_JSON_WHOLE_MAX ? (uint64_t)value : 0;
}

/* Processes; nobody makes four thousand million of them, so a larger number can only be damage and is cut off. */
static unsigned get_count(struct reader reader, const char *key)
{
	uint64_t value = get_whole(reader, key);

	return value <= UINT32_MAX ? (unsigned)value : UINT32_MAX;
}

/* One end without the other is no interval. */
static void get_ends(struct reader reader, struct kb_estimate *estimate)
{
	double low = get_real(reader, "low"), high = get_real(reader, "high");

	estimate->bounded = estimate->known && !isnan(low) && !isnan(high);
	estimate->low = estimate->bounded ? low : 0;
	estimate->high = estimate->bounded ? high : 0;
}

/* Null is "not known", which is a fact about the measurement and no damage. */
static struct kb_estimate estimate_of(struct reader at)
{
	struct kb_estimate estimate = { .value = get_real(at, "value") };

	estimate.known = !isnan(estimate.value);
	if (!estimate.known)
		estimate.value = 0;
	get_ends(at, &estimate);
	return estimate;
}

static struct kb_estimate get_estimate(struct reader reader, const char *key)
{
	return estimate_of(inside(reader, key));
}

static void get_quantiles(struct reader reader, struct kb_result *result)
{
	struct reader values = inside(reader, "quantiles"), ends = inside(reader, "quantile_intervals");

	for (int i = 0; i < KB_QUANTILES; i++) {
		struct kb_estimate *quantile = &result->quantile[i];
		double value = get_real(values, kb_json_quantiles[i]);

		quantile->known = !isnan(value);
		quantile->value = quantile->known ? value : 0;
		get_ends(inside(ends, kb_json_quantiles[i]), quantile);
	}
}

/* Back into "op=add size=64K", in the order of the text. */
static void get_params(struct reader reader, char *text, size_t room)
{
	struct reader params = inside(reader, "params");
	const char *key, *separator = "";
	json_t *value;
	size_t used = 0;

	text[0] = '\0';
	/* jansson's iterator takes no const object, though it only reads it. */
	json_object_foreach((json_t *)(uintptr_t)params.object, key, value) {
		if (!json_is_string(value)) {
			*reader.wrong = true;
			return;
		}
		/* A longer list than any of ours is cut off rather than refused: it only names the row. */
		if (used < room) {
			used += (size_t)snprintf(text + used, room - used, "%s%s=%s", separator, key,
						 json_string_value(value));
		}
		separator = " ";
	}
	kb_make_visible(text, '?');
}

/* Version 1 called it beside=KIND. */
static void rename_interference(struct kb_result *result)
{
	char old[sizeof result->params];

	memcpy(old, result->params, sizeof old);

	struct kb_text text = kb_text_in(result->params, sizeof result->params);

	kb_interference_rename(&text, old);
}

/* An unknown status is refused: to take it for a known one would turn a warning into a number that looks good. */
static enum kb_status status_of(struct reader reader)
{
	char name[16];

	get_text(reader, "status", name, sizeof name);
	for (int status = 0; status < KB_STATUSES; status++) {
		if (strcmp(name, kb_status_name((enum kb_status)status)) == 0)
			return (enum kb_status)status;
	}
	*reader.wrong = true;
	return KB_INVALID;
}

/* An unknown severity is taken as that of an unknown code: nobody here can say that it does no harm. */
static enum kb_severity severity_of(struct reader reader)
{
	char name[16];

	get_text(reader, "severity", name, sizeof name);
	for (enum kb_severity severity = KB_NOTE; severity <= KB_MAKES_SKIPPED; severity++) {
		if (strcmp(name, kb_severity_word(severity)) == 0)
			return severity;
	}
	return KB_MAKES_UNVERIFIED;
}

/* A later version may know more codes: they are kept as it said them, and the status carries what they led to. */
static void get_reason(struct reader from, struct kb_verdict *verdict)
{
	struct kb_reason *to = &verdict->reasons[verdict->count];

	get_text(from, "code", to->name, sizeof to->name);
	if (!to->name[0])
		return;
	to->code = kb_code_find(to->name);
	get_text(from, "evidence", to->detail, sizeof to->detail);
	if (to->code == KB_CODE_COUNT) {
		get_text(from, "detail", to->words, sizeof to->words);
		to->severity = severity_of(from);
	} else {
		to->name[0] = '\0';
	}
	verdict->count++;
}

static void get_verdict(struct reader reader, struct kb_verdict *verdict)
{
	struct reader at = inside(reader, "verdict");
	const json_t *reason;
	size_t i;

	verdict->status = status_of(at);
	json_array_foreach(json_object_get(at.object, "reasons"), i, reason) {
		if (verdict->count < KB_REASONS_MAX)
			get_reason((struct reader){ reason, reader.wrong }, verdict);
	}
}

/* `ok` decides whether the counter could be read: null is neither yes nor no. Without `expected` it was asked for. */
static void get_evidence(struct reader reader, struct kb_result *result)
{
	const json_t *item;
	size_t i;

	json_array_foreach(json_object_get(reader.object, "evidence"), i, item) {
		struct reader from = { item, reader.wrong };
		const json_t *ok = json_object_get(item, "ok");

		if (result->evidence_count == KB_EVIDENCE_MAX)
			return;

		struct kb_finding_evidence *to = &result->evidence[result->evidence_count++];

		get_text(from, "counter", to->counter, sizeof to->counter);
		get_text(from, "who", to->who, sizeof to->who);
		to->asked = json_is_null(json_object_get(item, "expected"));
		to->expected = to->asked ? 0 : get_real(from, "expected");
		to->tolerance = to->asked ? 0 : get_real(from, "tolerance");
		to->known = to->asked ? json_is_number(json_object_get(item, "per_op")) : json_is_boolean(ok);
		to->ok = json_is_true(ok);
		to->per_op = to->known ? get_real(from, "per_op") : 0;
	}
}

/* A missing count is 0: versions before it existed counted none. */
static void get_process_costs(struct reader reader, bool first, struct kb_result *result)
{
	const json_t *item;
	size_t i;

	json_array_foreach(json_object_get(reader.object, first ? "launch_costs" : "process_costs"), i, item) {
		struct reader from = { item, reader.wrong };
		double cost = get_real(from, "cost"), cycles = get_real(from, "cycles"), mhz = get_real(from, "core_mhz");

		/* A process without a cost says nothing; of more than any run has, the first are enough. */
		if (isnan(cost) || result->process_cost_count == KB_PROCESS_COSTS_MAX)
			continue;
		result->process_costs[result->process_cost_count++] = (struct kb_process_cost){
			.process = get_count(from, first ? "launch" : "process"), .cost = cost, .cycles = isnan(cycles) ? 0 : cycles,
			.ratio = get_real(from, "ratio"),
			.observed = get_real(from, "observed"), .uncontended = get_real(from, "uncontended"),
			.clean_share = get_real(from, "clean_share"), .mhz = isnan(mhz) ? 0 : mhz, .used = get_whole(from, first ? "used" : "samples"),
		};
	}
}

static void get_counts(struct reader reader, bool first, struct kb_result *result)
{
	struct reader grid = inside(reader, "n_grid"), flags = inside(reader, "flags");
	double n_eff = get_real(reader, "n_eff"), rate = get_real(reader, "ticks_per_ns");

	result->processes = get_count(reader, first ? "launches" : "processes");
	result->processes_planned = get_count(reader, first ? "launches_planned" : "processes_planned");
	result->processes_contended = get_count(reader, first ? "launches_left_out" : "processes_contended");
	result->processes_failed = get_count(reader, first ? "launches_failed" : "processes_failed");
	result->observations = get_whole(reader, first ? "observations" : "samples");
	result->disturbed = get_whole(reader, "disturbed");
	result->bytes_per_op = get_whole(reader, "bytes_per_op");
	result->n_min = get_whole(grid, "min");
	result->n_max = get_whole(grid, "max");
	result->n_eff = isnan(n_eff) ? 0 : n_eff;
	result->ticks_per_ns = isnan(rate) ? 0 : rate;
	for (int i = 0; i < KB_FLAGS; i++)
		result->flags[i] = get_whole(flags, kb_flag_names[i]);
}

/* Version 1 has one headline, and beside it `quiet`, which is another estimate than either of today's. */
static enum kb_headline get_headline(struct reader reader, bool first)
{
	char name[16];

	get_text(reader, "headline", name, sizeof name);
	if (first)
		return KB_HEADLINE_TYPICAL;
	return strcmp(name, kb_headline_name(KB_HEADLINE_UNCONTENDED)) ? KB_HEADLINE_OBSERVED : KB_HEADLINE_UNCONTENDED;
}

/* Missing in older ones, which are all by the median. */
static enum kb_uncontended_by get_by(struct reader reader)
{
	char name[16];

	get_text(reader, "uncontended_by", name, sizeof name);
	for (enum kb_uncontended_by by = KB_BY_QUARTILE; by <= KB_BY_PARTS; by++) {
		if (!strcmp(name, kb_uncontended_by_name(by)))
			return by;
	}
	return KB_BY_MEDIAN;
}

static void get_estimates(struct reader reader, bool first, struct kb_result *result)
{
	struct reader cycles = inside(reader, "cycles");

	result->headline = get_headline(reader, first);
	result->uncontended_by = get_by(reader);
	result->clean_share = get_real(reader, "clean_share");
	result->estimate = get_estimate(reader, "estimate");
	result->observed = get_estimate(reader, "observed");
	result->observed_cycles = get_estimate(cycles, "observed");
	result->quiet = get_estimate(reader, "quiet");
	result->mean = get_estimate(reader, "mean");
	result->fixed = get_estimate(reader, "fixed");
	result->estimate_cycles = get_estimate(cycles, "estimate");
	result->quiet_cycles = get_estimate(cycles, "quiet");
	result->core_mhz = get_estimate(reader, "core_mhz");
	get_quantiles(reader, result);
}

static double get_known(struct reader reader, const char *key)
{
	double value = get_real(reader, key);

	return isnan(value) ? 0 : value;
}

static double element(const json_t *array, size_t i)
{
	return json_number_value(json_array_get(array, i));
}

static void get_levels(struct reader from, struct kb_result_levels *levels)
{
	const json_t *t2 = json_object_get(from.object, "t2"), *repeats = json_object_get(from.object, "repeats");
	const json_t *plan = json_object_get(from.object, "plan");

	levels->known = json_array_size(t2) == 2 && json_array_size(repeats) == 2;
	levels->split.count = levels->known ? 2 : 0;
	for (unsigned i = 0; i < 2; i++) {
		levels->split.t2[i] = element(t2, i);
		levels->split.repeats[i] = element(repeats, i);
		levels->plan[i] = (unsigned)fmin(fmax(element(plan, i), 0), UINT32_MAX);
	}
}

/* Not there in results of versions that did not look at the series: nothing is known then. */
static void get_series(struct reader reader, struct kb_result *result)
{
	struct reader series = inside(reader, "series"), spread = inside(series, "spread");
	const json_t *item;
	size_t i;

	json_array_foreach(json_object_get(series.object, "modes"), i, item) {
		struct reader from = { item, reader.wrong };

		if (result->mode_count == KB_RESULT_MODES)
			break;
		result->modes[result->mode_count++] = (struct kb_result_mode){ get_known(from, "location"), get_known(from, "weight") };
	}
	result->modes_clustered = json_is_true(json_object_get(series.object, "clustered"));
	result->spread = (struct kb_result_spread){
		.operation_short = get_known(spread, "operation_short"), .operation_long = get_known(spread, "operation_long"),
		.block = get_known(spread, "block"), .long_run = get_known(spread, "long_run"),
	};
	get_levels(inside(series, "levels"), &result->levels);
}

/* Not there in results of versions that knew none. */
static void get_covariates(struct reader reader, struct kb_result *result)
{
	const json_t *item;
	size_t i;

	json_array_foreach(json_object_get(reader.object, "covariates"), i, item) {
		struct reader from = { item, reader.wrong };

		if (result->covariate_count == KB_COVARIATES)
			return;
		struct kb_result_covariate *to = &result->covariates[result->covariate_count++];

		get_text(from, "name", to->name, sizeof to->name);
		to->median = get_known(from, "median");
		to->min = get_known(from, "min");
		to->max = get_known(from, "max");
		to->count = get_whole(from, "count");
	}
}

/* Only in rows that were measured in copies. */
static void get_parallel(struct reader reader, struct kb_result *result)
{
	struct kb_result_parallel *parallel = &result->parallel;
	const json_t *item;
	size_t i;

	parallel->copies = get_count(reader, "copies");
	parallel->overlap = get_real(reader, "overlap");
	parallel->aggregate = get_estimate(reader, "aggregate_per_s");
	if (parallel->copies > KB_COPIES_MAX) {
		*reader.wrong = true;
		parallel->copies = 0;
	}
	json_array_foreach(json_object_get(reader.object, "per_copy"), i, item) {
		if (!json_is_object(item))
			*reader.wrong = true;
		else if (i < parallel->copies)
			parallel->copy[i] = estimate_of((struct reader){ item, reader.wrong });
	}
}

static void get_memory(struct reader reader, struct kb_result *result)
{
	struct reader found = inside(reader, "found"), ratio = inside(reader, "ratio");

	result->ratio = estimate_of(ratio);
	get_text(ratio, "to", result->twin, sizeof result->twin);
	result->found.loads = get_whole(found, "loads");
	result->found.share = get_real(found, "cache_share");
	result->found.cache = get_real(found, "cache_ns");
	result->found.memory = get_real(found, "memory_ns");
}

int kb_result_from_json(struct kb_result *result, const json_t *json)
{
	bool wrong = !json_is_object(json), first = json_object_get(json, "headline") == NULL;
	struct reader reader = { json, &wrong };
	char word[16];

	memset(result, 0, sizeof *result);
	get_text(reader, "benchmark", result->benchmark, sizeof result->benchmark);
	get_params(reader, result->params, sizeof result->params);
	if (first)
		rename_interference(result);
	get_text(reader, "per", result->per, sizeof result->per);
	get_text(inside(reader, "estimate"), "method", word, sizeof word);
	result->method = kb_method_find(word);
	get_text(reader, "clock", result->clock, sizeof result->clock);
	get_text(reader, "code", result->code, sizeof result->code);
	get_text(reader, "arch", result->arch, sizeof result->arch);
	get_text(reader, "bound", word, sizeof word);
	result->bound = kb_bound_find(word);
	get_counts(reader, first, result);
	get_process_costs(reader, first, result);
	get_estimates(reader, first, result);
	get_memory(reader, result);
	get_series(reader, result);
	get_verdict(reader, &result->verdict);
	get_evidence(reader, result);
	get_covariates(reader, result);
	get_parallel(inside(reader, "parallel"), result);
	return wrong || !result->benchmark[0] ? -EINVAL : 0;
}
