/* CSV by RFC 4180 in long form: one number a line, with its unit. A number that is not known has no line. */
#include "report/export/export.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "result/json/json.h"

struct sheet {
	FILE *out;
	const char *run;
	const struct kb_result *result;
	char process[12];               /* "" where the number is of all processes */
};

/* A spreadsheet takes a cell that begins so for a formula, wherever it comes from; an apostrophe makes it text there. One that is there
   already gets another, so that it can be taken off again. Numbers stay numbers. */
static bool is_formula(const char *text)
{
	char *end;

	if (!text[0] || !strchr("=+-@'\t\r", text[0]))
		return false;
	strtod(text, &end);
	return end == text || *end != '\0';
}

void kb_export_cell(FILE *out, const char *text, const char *end)
{
	bool quoted = strpbrk(text, ",\"\r\n") != NULL;

	fputs(quoted ? "\"" : "", out);
	fputs(is_formula(text) ? "'" : "", out);
	for (; *text; text++)
		fprintf(out, "%s%c", *text == '"' ? "\"" : "", *text);
	fprintf(out, "%s%s", quoted ? "\"" : "", end);
}

static void line(const struct sheet *sheet, const char *metric, const char *part, const char *unit, double value)
{
	const struct kb_result *result = sheet->result;
	const char *const cells[] = {
		sheet->run, result->benchmark, result->params, result->per, kb_status_name(result->verdict.status),
		kb_headline_name(result->headline),
		sheet->process,
	};
	char number[KB_EXPORT_NUMBER];

	for (size_t i = 0; i < sizeof cells / sizeof cells[0]; i++)
		kb_export_cell(sheet->out, cells[i], ",");
	fprintf(sheet->out, "%s%s,%s,%s\r\n", metric, part, unit, kb_export_number(number, value));
}

static void estimate(const struct sheet *sheet, const char *metric, const char *unit, const struct kb_estimate *estimate)
{
	if (!estimate->known)
		return;
	line(sheet, metric, "", unit, estimate->value);
	if (estimate->bounded) {
		line(sheet, metric, "_low", unit, estimate->low);
		line(sheet, metric, "_high", unit, estimate->high);
	}
}

static int print_row(FILE *out, const struct kb_export *all, const struct kb_exported *row)
{
	const struct kb_result *result = row->result;
	struct sheet sheet = { .out = out, .run = kb_export_run_text(all, "id"), .result = result };
	const char *unit = kb_time_unit(result);

	/* Stored results of version 1 keep the name that they had. */
	estimate(&sheet, result->headline == KB_HEADLINE_TYPICAL ? "typical" : "estimate", unit, &result->estimate);
	estimate(&sheet, "observed", unit, &result->observed);
	estimate(&sheet, "quiet", unit, &result->quiet);
	if (!isnan(result->clean_share))
		line(&sheet, "clean_share", "", "1", result->clean_share);
	if (!isnan(result->waited_share))
		line(&sheet, "waited_share", "", "1", result->waited_share);
	estimate(&sheet, "mean", unit, &result->mean);
	estimate(&sheet, "fixed", unit, &result->fixed);
	for (int i = 0; i < KB_QUANTILES; i++)
		estimate(&sheet, kb_json_quantiles[i], unit, &result->quantile[i]);
	estimate(&sheet, "estimate_cycles", "cycles", &result->estimate_cycles);
	estimate(&sheet, "observed_cycles", "cycles", &result->observed_cycles);
	estimate(&sheet, "quiet_cycles", "cycles", &result->quiet_cycles);
	estimate(&sheet, "core_clock", "MHz", &result->core_mhz);
	if (result->bytes_per_op > 0 && result->ticks_per_ns > 0) {
		struct kb_estimate rate = kb_rate_of(&result->estimate, (double)result->bytes_per_op);

		estimate(&sheet, "bandwidth", "GB/s", &rate);
	}
	line(&sheet, "processes", "", "count", result->processes);
	line(&sheet, "samples", "", "count", (double)result->observations);
	line(&sheet, "disturbed", "", "count", (double)result->disturbed);
	line(&sheet, "n_eff", "", "count", result->n_eff);
	for (unsigned i = 0; i < result->process_cost_count; i++) {
		const struct kb_process_cost *cost = &result->process_costs[i];

		snprintf(sheet.process, sizeof sheet.process, "%u", cost->process);
		line(&sheet, "process_cost", "", unit, cost->cost);
		if (!isnan(cost->observed))
			line(&sheet, "process_observed", "", unit, cost->observed);
		if (!isnan(cost->clean_share))
			line(&sheet, "process_clean_share", "", "1", cost->clean_share);
		if (cost->cycles > 0)
			line(&sheet, "process_cycles", "", "cycles", cost->cycles);
		line(&sheet, "process_samples", "", "count", (double)cost->used);
	}
	return 0;
}

static void begin(FILE *out, const struct kb_export *all)
{
	(void)all;
	fputs("run,benchmark,params,per,verdict,headline,process,metric,unit,value\r\n", out);
}

const struct kb_export_format kb_export_csv = {
	.name = "csv", .refuses = kb_export_no_number, .begin = begin, .row = print_row,
};
