/*
 * CSV by RFC 4180, a line a result: its parameters as columns, its numbers with one unit. A number that is not known is an empty cell. What
 * has no number has its line, too: it is the verdict that such a table is filtered by.
 */
#include "report/export/export.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "result/json/json.h"

/* ---- columns ----------------------------------------------------------------------------------------- */

enum { COST, CI_LOW, CI_HIGH, CI_PERCENT, OBSERVED, P50, P99, GB_PER_S, CYCLES, CORE_MHZ, NUMBERS };

#define BEFORE "run,benchmark"
#define BEHIND "per,unit,cost,ci_low,ci_high,ci_percent,observed,p50,p99,gb_per_s,cycles,core_mhz,processes,samples,verdict,reasons,environment"

static double value_of(const struct kb_estimate *estimate)
{
	return estimate->known ? estimate->value : NAN;
}

static void collect(const struct kb_exported *row, double numbers[NUMBERS])
{
	const struct kb_result *result = row->result;
	const struct kb_estimate *cost = &result->estimate;
	bool moves = result->bytes_per_op > 0 && result->ticks_per_ns > 0;
	struct kb_estimate rate = kb_rate_of(cost, (double)result->bytes_per_op);

	for (int i = 0; i < NUMBERS; i++)
		numbers[i] = NAN;
	/* A number of an invalid result is none. */
	if (kb_export_no_number(row))
		return;
	numbers[COST] = cost->value;
	numbers[CI_LOW] = cost->bounded ? cost->low : NAN;
	numbers[CI_HIGH] = cost->bounded ? cost->high : NAN;
	numbers[CI_PERCENT] = kb_quality(cost);
	numbers[OBSERVED] = value_of(&result->observed);
	numbers[P50] = value_of(&result->quantile[KB_P50]);
	numbers[P99] = value_of(&result->quantile[KB_P99]);
	numbers[GB_PER_S] = moves ? value_of(&rate) : NAN;
	numbers[CYCLES] = value_of(&result->estimate_cycles);
	numbers[CORE_MHZ] = value_of(&result->core_mhz);
}

/* Names of all parameters, in the order in which results have them first. A new reference. */
static json_t *columns_of(const struct kb_export *all)
{
	json_t *columns = json_object(), *value;
	const char *name;

	for (size_t i = 0; i < all->count; i++) {
		json_t *params = kb_json_params(all->rows[i].result->params);

		json_object_foreach(params, name, value)
			json_object_set_new(columns, name, json_null());
		json_decref(params);
	}
	return columns;
}

static void begin(FILE *out, const struct kb_export *all)
{
	json_t *columns = columns_of(all), *unused;
	const char *name;

	fputs(BEFORE ",", out);
	json_object_foreach(columns, name, unused) {
		/* Two columns of one name are none. */
		char title[320];

		snprintf(title, sizeof title, "%s%s", kb_list_has(BEFORE "," BEHIND, name) ? "param_" : "", name);
		kb_export_cell(out, title, ",");
	}
	fputs(BEHIND "\r\n", out);
	json_decref(columns);
}

/* ---- lines ------------------------------------------------------------------------------------------- */

static void print_params(FILE *out, const struct kb_export *all, const struct kb_result *result)
{
	json_t *columns = columns_of(all), *params = kb_json_params(result->params), *unused;
	const char *name;

	json_object_foreach(columns, name, unused)
		kb_export_cell(out, kb_json_string_of(params, name), ",");
	json_decref(columns);
	json_decref(params);
}

static void print_reasons(FILE *out, const struct kb_verdict *verdict)
{
	char text[KB_REASONS_MAX * 34] = "";
	struct kb_text names = kb_text_in(text, sizeof text);

	for (unsigned i = 0; i < verdict->count; i++) {
		kb_text_str(&names, i > 0 ? " " : "");
		kb_text_str(&names, kb_reason_name(&verdict->reasons[i]));
	}
	kb_export_cell(out, text, ",");
}

static int print_row(FILE *out, const struct kb_export *all, const struct kb_exported *row)
{
	const struct kb_result *result = row->result;
	double numbers[NUMBERS];
	char text[KB_EXPORT_NUMBER];

	collect(row, numbers);
	kb_export_cell(out, kb_export_run_text(all, "id"), ",");
	kb_export_cell(out, result->benchmark, ",");
	print_params(out, all, result);
	kb_export_cell(out, result->per, ",");
	kb_export_cell(out, kb_time_unit(result), ",");
	for (int i = 0; i < NUMBERS; i++)
		fprintf(out, "%s,", isfinite(numbers[i]) ? kb_export_number(text, numbers[i]) : "");
	fprintf(out, "%u,%s,%s,", result->processes, kb_export_number(text, (double)result->observations),
		kb_status_name(result->verdict.status));
	print_reasons(out, &result->verdict);
	kb_export_cell(out, kb_export_env_id(all, result), "\r\n");
	return 0;
}

const struct kb_export_format kb_export_csv_wide = {
	.name = "csv-wide", .begin = begin, .row = print_row,
};
