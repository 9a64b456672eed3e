/*
 * OpenMetrics, for the textfile collector of Prometheus and its like: gauges in the base unit, seconds, which is the last
 * part of the name; what a clock without a known rate counts is a family of its own. The run's id is no label: it would
 * make every run a time series of its own. `quantile` and `le` are taken, so the estimate is named by `q`.
 */
#include "report/export/export.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

/* A result that failed has no cost, but it has a state: that is what an alarm waits for. */
static const char *refuses(const struct kb_exported *row)
{
	enum kb_status status = row->result->verdict.status;

	return status == KB_SKIPPED ? kb_status_name(status) : NULL;
}

static const struct { const char *q; size_t at; } estimates[] = {
	{ "headline", offsetof(struct kb_result, estimate) }, { "observed", offsetof(struct kb_result, observed) },
	{ "quiet", offsetof(struct kb_result, quiet) },  /* of stored results of version 1 */
	{ "mean", offsetof(struct kb_result, mean) }, { "0.01", offsetof(struct kb_result, quantile[KB_P1]) },
	{ "0.1", offsetof(struct kb_result, quantile[KB_P10]) }, { "0.5", offsetof(struct kb_result, quantile[KB_P50]) },
	{ "0.9", offsetof(struct kb_result, quantile[KB_P90]) }, { "0.99", offsetof(struct kb_result, quantile[KB_P99]) },
};

enum part { VALUE, LOW, HIGH };

#define FAMILIES(name, unit, what) \
	{ "kbench_latency_" name, "Cost of one operation" what ".", VALUE, unit }, \
	{ "kbench_latency_ci_low_" name, "Lower end of its 95 % CI.", LOW, unit }, \
	{ "kbench_latency_ci_high_" name, "Upper end of its 95 % CI.", HIGH, unit }

static const struct { const char *name, *help; enum part part; const char *unit; } families[] = {
	FAMILIES("seconds", "ns", ""), FAMILIES("ticks", "ticks", " on a clock without a known rate"),
	FAMILIES("insn", "insn", " in instructions"), FAMILIES("cycles", "cycles", " on a clock that counts cycles"),
};

static void label(FILE *out, const char *name, const char *value, const char *end)
{
	fprintf(out, "%s=\"", name);
	for (; *value; value++) {
		if (*value == '\n')
			fputs("\\n", out);
		else
			fprintf(out, "%s%c", *value == '"' || *value == '\\' ? "\\" : "", *value);
	}
	fprintf(out, "\"%s", end);
}

static void sample(FILE *out, const struct kb_export *all, const struct kb_result *result, const char *family,
		   const char *q, double value)
{
	char number[KB_EXPORT_NUMBER];

	fprintf(out, "%s{", family);
	label(out, "benchmark", result->benchmark, ",");
	label(out, "params", result->params, ",");
	if (q)
		label(out, "q", q, ",");
	label(out, "host", kb_export_env_id(all, result), "} ");
	fprintf(out, "%s\n", kb_export_number(number, value));
}

/* NAN where there is nothing to say. */
static double part_of(const struct kb_exported *row, const struct kb_estimate *estimate, enum part part, const char *unit)
{
	const struct kb_result *result = row->result;
	double value = part == VALUE ? estimate->value : part == LOW ? estimate->low : estimate->high;

	if (kb_export_no_number(row) || !estimate->known || (part != VALUE && !estimate->bounded) ||
	    strcmp(unit, kb_time_unit(result)) != 0)
		return NAN;
	return result->ticks_per_ns > 0 ? value / 1e9 : value;
}

/* A family stands together, its description once and only before samples. */
static void print_family(FILE *out, const struct kb_export *all, size_t family)
{
	const char *name = families[family].name;
	bool begun = false;

	for (size_t i = 0; i < all->count; i++) {
		const struct kb_result *result = all->rows[i].result;

		for (size_t k = 0; k < sizeof estimates / sizeof estimates[0]; k++) {
			const struct kb_estimate *estimate = (const void *)((const char *)result + estimates[k].at);
			double value = part_of(&all->rows[i], estimate, families[family].part, families[family].unit);

			if (!isfinite(value))
				continue;
			if (!begun)
				fprintf(out, "# TYPE %s gauge\n# UNIT %s %s\n# HELP %s %s\n", name, name,
					strrchr(name, '_') + 1, name, families[family].help);
			begun = true;
			sample(out, all, result, name, k == 0 && result->headline == KB_HEADLINE_TYPICAL ? "typical" : estimates[k].q, value);
		}
	}
}

static int print_families(FILE *out, const struct kb_export *all)
{
	for (size_t i = 0; i < sizeof families / sizeof families[0]; i++)
		print_family(out, all, i);
	fputs("# TYPE kbench_ok gauge\n# HELP kbench_ok 1 if the verdict of the result is ok, else 0.\n", out);
	for (size_t i = 0; i < all->count; i++)
		sample(out, all, all->rows[i].result, "kbench_ok", NULL, all->rows[i].result->verdict.status == KB_OK);
	fputs("# EOF\n", out);
	return 0;
}

const struct kb_export_format kb_export_openmetrics = {
	.name = "openmetrics", .refuses = refuses, .end = print_families,
};
