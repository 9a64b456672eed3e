/* See mix.h. */
#include "workflow/runs/mix.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "grown.h"
#include "io.h"
#include "result/json/json.h"
#include "stats/comparison/compare.h"
#include "suite/select.h"

#define SEPARATORS ",\n"

/* ---- reading --------------------------------------------------------------------------------------- */

/* "mem.latency size=16K=1000": what stands behind the last = is the weight. */
static int read_item(char *text, struct kb_mix *mix, struct kb_failure *failure)
{
	char *equals = strrchr(text, '='), *end = NULL;
	double weight = equals ? strtod(equals + 1, &end) : 0;

	if (!equals || equals == text || end == equals + 1 || *end || !isfinite(weight) || weight <= 0)
		return kb_refuse_typed(failure, "--weights: '%.80s' must be a benchmark or result, =, and how often it is done, above 0", text);
	*equals = '\0';
	if (strlen(text) >= KB_ROW_NAME)
		return kb_refuse_typed(failure, "--weights: '%.40s...' is longer than any result's name", text);
	if (!KB_GROW(mix->items, mix->count))
		return kb_refuse_memory(failure);
	mix->items[mix->count].weight = weight;
	snprintf(mix->items[mix->count++].pattern, KB_ROW_NAME, "%s", text);
	return 0;
}

static int read_items(char *text, struct kb_mix *mix, struct kb_failure *failure)
{
	char *rest = NULL;
	int code = 0;

	for (char *item = strtok_r(text, SEPARATORS, &rest); item && !code; item = strtok_r(NULL, SEPARATORS, &rest)) {
		item += strspn(item, " \t");
		for (size_t length = strlen(item); length > 0 && strchr(" \t\r", item[length - 1]); length--)
			item[length - 1] = '\0';
		if (*item && *item != '#')
			code = read_item(item, mix, failure);
	}
	return code || mix->count > 0 ? code : kb_refuse_typed(failure, "--weights: no item; 'sys.null=1000,ipc=20' has two");
}

int kb_mix_read(const char *text, struct kb_mix *mix, struct kb_failure *failure)
{
	char *own = text[0] == '@' ? kb_read_whole(text + 1, &(size_t){ 0 }) : strdup(text);
	int code;

	*mix = (struct kb_mix){ .count = 0 };
	if (!own)
		return text[0] == '@' ? kb_refuse(failure, KB_EXIT_USAGE, "--weights: cannot read %.200s", text + 1) : kb_refuse_memory(failure);
	code = read_items(own, mix, failure);
	free(own);
	return code;
}

void kb_mix_release(struct kb_mix *mix)
{
	free(mix->items);
}

/* ---- what it costs --------------------------------------------------------------------------------- */

static bool matches(const struct kb_mix_item *item, const struct kb_comparison *row)
{
	char benchmark[KB_ROW_NAME];

	snprintf(benchmark, sizeof benchmark, "%.*s", (int)strcspn(row->key, " "), row->key);
	return kb_result_matches(item->pattern, benchmark, row->key);
}

static int check_items(const struct kb_mix *mix, const struct kb_comparison *rows, size_t count, struct kb_failure *failure)
{
	for (size_t k = 0; k < mix->count; k++) {
		const struct kb_mix_item *item = &mix->items[k];
		size_t found = 0;

		for (size_t i = 0; i < count; i++) {
			found += matches(item, &rows[i]);
			for (size_t other = 0; other < k && matches(item, &rows[i]); other++) {
				if (matches(&mix->items[other], &rows[i]))
					return kb_refuse_typed(failure, "--weights: '%.80s' and '%.80s' both mean %.80s",
							       mix->items[other].pattern, item->pattern, rows[i].key);
			}
		}
		if (found == 0)
			return kb_refuse_typed(failure, "--weights: no result that was compared is called '%.80s'", item->pattern);
	}
	return 0;
}

/* How often the row is done; 0: it is no part of the mix. */
static double weight_of(const struct kb_mix *mix, const struct kb_comparison *row)
{
	for (size_t k = 0; k < mix->count; k++) {
		if (matches(&mix->items[k], row))
			return mix->items[k].weight;
	}
	return 0;
}

static bool has_times(const struct kb_comparison *row)
{
	return row->counts && !row->invalid && row->a.known && row->b.known && row->a.value > 0 && strcmp(row->unit, "ns") == 0 && !row->unit_b;
}

/* The ratio of the totals is the mean of the rows' ratios, each weighted by its share of the base's total: so it has their errors. */
static struct kb_interval ratio_of(const struct kb_mix *mix, const struct kb_comparison *rows, size_t count, double base_ns)
{
	double below = 0, above = 0, mean = 0;
	bool known = true;

	for (size_t i = 0; i < count; i++) {
		const struct kb_interval *ln = &rows[i].difference.ln;
		double weight = has_times(&rows[i]) ? weight_of(mix, &rows[i]) : 0, share = weight * rows[i].a.value / base_ns;

		if (weight <= 0)
			continue;
		known &= ln->known;
		mean += share * (ln->known ? exp(ln->value) : rows[i].b.value / rows[i].a.value);
		below += pow(share * (exp(ln->value) - exp(ln->low)), 2);
		above += pow(share * (exp(ln->high) - exp(ln->value)), 2);
	}
	return (struct kb_interval){ .value = mean, .low = mean - sqrt(below), .high = mean + sqrt(above), .known = known };
}

int kb_mix_cost(const struct kb_mix *mix, const struct kb_comparison *rows, size_t count, struct kb_mix_cost *cost, struct kb_failure *failure)
{
	int code = check_items(mix, rows, count, failure);

	*cost = (struct kb_mix_cost){ .rows = 0 };
	for (size_t i = 0; i < count && !code; i++) {
		double weight = weight_of(mix, &rows[i]);

		if (weight > 0 && !has_times(&rows[i])) {
			cost->first_left_out = cost->left_out++ ? cost->first_left_out : rows[i].key;
		} else if (weight > 0) {
			cost->rows++;
			cost->base_ns += weight * rows[i].a.value;
			cost->new_ns += weight * rows[i].b.value;
		}
	}
	if (!code && cost->rows == 0)
		return kb_refuse(failure, KB_EXIT_USAGE, "--weights: none of the mix has a time on both sides; %.80s has none", cost->first_left_out);
	if (!code)
		cost->ratio = ratio_of(mix, rows, count, cost->base_ns);
	return code;
}

json_t *kb_mix_to_json(const struct kb_mix_cost *cost)
{
	const struct kb_interval *ratio = &cost->ratio;

	return json_pack("{s:o, s:o, s:o, s:o, s:{s:o, s:o, s:o, s:f}}", "results", kb_json_whole(cost->rows),
			 "left_out", kb_json_whole(cost->left_out), "base_ns", kb_json_real(cost->base_ns), "new_ns",
			 kb_json_real(cost->new_ns), "ratio", "value", kb_json_real(ratio->value),
			 "low", kb_json_real(ratio->known ? ratio->low : NAN), "high", kb_json_real(ratio->known ? ratio->high : NAN),
			 "confidence", KB_COMPARE_CONFIDENCE);
}
