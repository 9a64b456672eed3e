/* CSV by RFC 4180 in long form: one number a line, with its unit. A number that is not known has no line. */
#include "report/export.h"

#include <string.h>

#include "report/json_names.h"

struct sheet {
	FILE *out;
	const char *run;
	const struct kb_result *result;
	char launch[12];                /* "" where the number is of all launches */
};

static void cell(FILE *out, const char *text, const char *end)
{
	bool quoted = strpbrk(text, ",\"\r\n") != NULL;

	fputs(quoted ? "\"" : "", out);
	for (; *text; text++)
		fprintf(out, "%s%c", *text == '"' ? "\"" : "", *text);
	fprintf(out, "%s%s", quoted ? "\"" : "", end);
}

static void line(const struct sheet *sheet, const char *metric, const char *part, const char *unit, double value)
{
	const struct kb_result *result = sheet->result;
	const char *const cells[] = {
		sheet->run, result->benchmark, result->params, result->per, kb_status_name(result->verdict.status),
		sheet->launch,
	};
	char number[KB_EXPORT_NUMBER];

	for (size_t i = 0; i < sizeof cells / sizeof cells[0]; i++)
		cell(sheet->out, cells[i], ",");
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

static void launches(struct sheet *sheet)
{
	const struct kb_result *result = sheet->result;

	for (unsigned i = 0; i < result->launch_cost_count; i++) {
		const struct kb_launch_cost *cost = &result->launch_costs[i];

		snprintf(sheet->launch, sizeof sheet->launch, "%u", cost->launch);
		line(sheet, "launch_cost", "", kb_time_unit(result), cost->cost);
		if (cost->cycles > 0)
			line(sheet, "launch_cycles", "", "cycles", cost->cycles);
		line(sheet, "launch_observations", "", "count", (double)cost->used);
	}
}

static void print_result(FILE *out, const char *run, const struct kb_result *result)
{
	struct sheet sheet = { .out = out, .run = run, .result = result };
	const char *unit = kb_time_unit(result);

	estimate(&sheet, "typical", unit, &result->typical);
	estimate(&sheet, "quiet", unit, &result->quiet);
	estimate(&sheet, "mean", unit, &result->mean);
	estimate(&sheet, "fixed", unit, &result->fixed);
	for (int i = 0; i < KB_QUANTILES; i++)
		estimate(&sheet, kb_json_quantiles[i], unit, &result->quantile[i]);
	estimate(&sheet, "typical_cycles", "cycles", &result->typical_cycles);
	estimate(&sheet, "quiet_cycles", "cycles", &result->quiet_cycles);
	estimate(&sheet, "core_clock", "MHz", &result->core_mhz);
	line(&sheet, "launches", "", "count", result->launches);
	line(&sheet, "observations", "", "count", (double)result->observations);
	line(&sheet, "disturbed", "", "count", (double)result->disturbed);
	line(&sheet, "n_eff", "", "count", result->n_eff);
	launches(&sheet);
}

static int write(FILE *out, const struct kb_export *all)
{
	fputs("run,benchmark,params,per,verdict,launch,metric,unit,value\r\n", out);
	for (size_t i = 0; i < all->count; i++)
		print_result(out, kb_export_run_text(all, "id"), all->rows[i].result);
	return 0;
}

const struct kb_export_format kb_export_csv = {
	.name = "csv", .refuses = kb_export_no_number, .write = write,
};
