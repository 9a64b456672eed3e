/* See mix.h. */
#include "workflow/runs/mix.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "grown.h"
#include "io.h"
#include "result/json/json.h"
#include "suite/select.h"

#define SEPARATORS ",\n"

/* How often, and which results. */
struct mix_item { double weight; char pattern[KB_ROW_NAME]; };

struct mix_items { struct mix_item *at; size_t count; };

/* ---- reading --------------------------------------------------------------------------------------- */

/* "mem.latency size=16K=1000": what stands behind the last = is the weight. */
static int read_item(char *text, struct mix_items *items, struct kb_failure *failure)
{
	char *equals = strrchr(text, '='), *end = NULL;
	double weight = equals ? strtod(equals + 1, &end) : 0;

	if (!equals || equals == text || end == equals + 1 || *end || !isfinite(weight) || weight <= 0)
		return kb_refuse_typed(failure, "--weights: '%.80s' must be a benchmark or result, =, and how often it is done, above 0", text);
	*equals = '\0';
	if (strlen(text) >= KB_ROW_NAME)
		return kb_refuse_typed(failure, "--weights: '%.40s...' is longer than any result's name", text);
	if (!KB_GROW(items->at, items->count))
		return kb_refuse_memory(failure);
	items->at[items->count].weight = weight;
	snprintf(items->at[items->count++].pattern, KB_ROW_NAME, "%s", text);
	return 0;
}

static int read_items(char *text, struct mix_items *items, struct kb_failure *failure)
{
	char *rest = NULL;
	int code = 0;

	for (char *item = strtok_r(text, SEPARATORS, &rest); item && !code; item = strtok_r(NULL, SEPARATORS, &rest)) {
		item += strspn(item, " \t");
		for (size_t length = strlen(item); length > 0 && strchr(" \t\r", item[length - 1]); length--)
			item[length - 1] = '\0';
		if (*item && *item != '#')
			code = read_item(item, items, failure);
	}
	return code || items->count > 0 ? code : kb_refuse_typed(failure, "--weights: no item; 'sys.null=1000,ipc=20' has two");
}

static int read_weights(const char *weights, struct mix_items *items, struct kb_failure *failure)
{
	char *own = weights[0] == '@' ? kb_read_whole(weights + 1, &(size_t){ 0 }) : strdup(weights);
	int code;

	if (!own)
		return weights[0] == '@' ? kb_refuse(failure, KB_EXIT_USAGE, "--weights: cannot read %.200s", weights + 1) : kb_refuse_memory(failure);
	code = read_items(own, items, failure);
	free(own);
	return code;
}

/* ---- which results are meant ----------------------------------------------------------------------- */

static bool matches(const struct mix_item *item, const char *key)
{
	char benchmark[KB_ROW_NAME];

	snprintf(benchmark, sizeof benchmark, "%.*s", (int)strcspn(key, " "), key);
	return kb_result_matches(item->pattern, benchmark, key);
}

/* Takes its weight to each part that it means. */
static int weigh(const struct mix_items *items, size_t k, struct kb_mix_cost *mix, struct kb_failure *failure)
{
	const struct mix_item *item = &items->at[k], *other;
	size_t found = 0;

	for (size_t i = 0; i < mix->count; i++) {
		struct kb_mix_part *part = &mix->parts[i];

		if (!matches(item, part->key))
			continue;
		for (other = items->at; part->weight > 0 && !matches(other, part->key); other++)
			;
		if (part->weight > 0)
			return kb_refuse_typed(failure, "--weights: '%.80s' and '%.80s' both mean %.80s", other->pattern, item->pattern, part->key);
		part->weight = item->weight;
		found++;
	}
	return found > 0 ? 0 : kb_refuse_typed(failure, "--weights: no result here is called '%.80s'", item->pattern);
}

static void keep_weighed(struct kb_mix_cost *mix)
{
	size_t kept = 0;

	for (size_t i = 0; i < mix->count; i++) {
		if (mix->parts[i].weight > 0)
			mix->parts[kept++] = mix->parts[i];
	}
	mix->count = kept;
}

/* ---- what it takes --------------------------------------------------------------------------------- */

/* Until the sum ends, low and high hold squares of errors. */
static void add(struct kb_estimate *sum, double weight, const struct kb_estimate *x)
{
	sum->value += weight * x->value;
	sum->low += pow(weight * (x->value - x->low), 2);
	sum->high += pow(weight * (x->high - x->value), 2);
	sum->bounded &= x->bounded;
}

static void end_sum(struct kb_estimate *sum)
{
	sum->low = sum->value - sqrt(sum->low);
	sum->high = sum->value + sqrt(sum->high);
}

/* The ratio of the totals is the mean of the parts' ratios, each weighted by its share of the base's total: so it has their errors. */
static void add_ratio(struct kb_mix_cost *mix, const struct kb_mix_part *part)
{
	const struct kb_interval *ln = &part->ln;
	struct kb_estimate ratio = { exp(ln->value), exp(ln->low), exp(ln->high), true, ln->known };

	add(&mix->ratio, part->weight * part->ns[0].value / mix->ns[0].value, &ratio);
}

static void add_up(struct kb_mix_cost *mix)
{
	static const struct kb_estimate empty = { .known = true, .bounded = true };

	mix->ns[0] = mix->ns[1] = mix->ratio = empty;
	for (size_t i = 0; i < mix->count; i++) {
		const struct kb_mix_part *part = &mix->parts[i];

		mix->left_out += part->left_out != NULL;
		for (unsigned side = 0; side < mix->sides && !part->left_out; side++)
			add(&mix->ns[side], part->weight, &part->ns[side]);
		if (!part->left_out && part->status > mix->status)
			mix->status = part->status;
	}
	for (size_t i = 0; i < mix->count && mix->sides == 2; i++) {
		if (!mix->parts[i].left_out)
			add_ratio(mix, &mix->parts[i]);
	}
	end_sum(&mix->ns[0]);
	end_sum(&mix->ns[1]);
	end_sum(&mix->ratio);
}

static const char *why_left_out(const struct kb_mix_part *part, unsigned sides)
{
	const char *why = part->status == KB_INVALID ? "invalid" : NULL;

	for (unsigned side = 0; side < sides && !why; side++)
		why = !part->ns[side].known ? "without a time" : part->ns[side].value <= 0 ? "not above 0" : NULL;
	return why;
}

/* All results are there as parts. */
static int finish(const char *weights, struct kb_mix_cost *mix, struct kb_failure *failure)
{
	struct mix_items items = { .count = 0 };
	int code = read_weights(weights, &items, failure);

	for (size_t k = 0; k < items.count && !code; k++)
		code = weigh(&items, k, mix, failure);
	free(items.at);
	keep_weighed(mix);
	for (size_t i = 0; i < mix->count; i++)
		mix->parts[i].left_out = why_left_out(&mix->parts[i], mix->sides);
	add_up(mix);
	if (!code && mix->left_out == mix->count)
		code = kb_refuse(failure, KB_EXIT_USAGE, "--weights: no result of the mix can be added; %.80s is %s", mix->parts[0].key,
				 mix->parts[0].left_out);
	return code;
}

int kb_mix_of_comparisons(const char *weights, const struct kb_comparison *rows, size_t count, struct kb_mix_cost *mix, struct kb_failure *failure)
{
	*mix = (struct kb_mix_cost){ .parts = calloc(count + 1, sizeof *mix->parts), .sides = 2 };
	if (!mix->parts)
		return kb_refuse_memory(failure);
	for (; mix->count < count; mix->count++) {
		const struct kb_comparison *row = &rows[mix->count];
		struct kb_mix_part *part = &mix->parts[mix->count];

		*part = (struct kb_mix_part){
			.status = row->status[0] > row->status[1] ? row->status[0] : row->status[1], .ns = { row->ns[0], row->ns[1] },
			.ln = kb_compared_times(row),
		};
		snprintf(part->key, sizeof part->key, "%s", row->key);
	}
	return finish(weights, mix, failure);
}

int kb_mix_of_results(const char *weights, const struct kb_result *const *results, size_t count, struct kb_mix_cost *mix, struct kb_failure *failure)
{
	*mix = (struct kb_mix_cost){ .parts = calloc(count + 1, sizeof *mix->parts), .sides = 1 };
	if (!mix->parts)
		return kb_refuse_memory(failure);
	for (; mix->count < count; mix->count++) {
		struct kb_mix_part *part = &mix->parts[mix->count];

		*part = (struct kb_mix_part){ .status = results[mix->count]->verdict.status, .ns = { kb_time_of(results[mix->count]) } };
		kb_row_name(part->key, results[mix->count]);
	}
	return finish(weights, mix, failure);
}

void kb_mix_release(struct kb_mix_cost *mix)
{
	free(mix->parts);
}

json_t *kb_mix_to_json(const struct kb_mix_cost *mix)
{
	json_t *left_out = json_array(), *json;

	for (size_t i = 0; i < mix->count; i++) {
		const struct kb_mix_part *part = &mix->parts[i];

		if (part->left_out)
			json_array_append_new(left_out, json_pack("{s:o, s:s}", "row", kb_json_string(part->key), "why", part->left_out));
	}
	json = json_pack("{s:o, s:o, s:o, s:s}", "results", kb_json_whole(mix->count - mix->left_out), "left_out", left_out,
			 mix->sides == 2 ? "base_ns" : "total_ns", kb_json_estimate(&mix->ns[0]), "status", kb_status_name(mix->status));
	if (mix->sides == 2) {
		json_object_set_new(json, "new_ns", kb_json_estimate(&mix->ns[1]));
		json_object_set_new(json, "ratio", kb_json_estimate(&mix->ratio));
	}
	return json;
}
