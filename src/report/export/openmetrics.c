/*
 * OpenMetrics, for the textfile collector of Prometheus and its like: gauges in the base unit, seconds, which is the last
 * part of the name; what a clock without a known rate counts is a family of its own. The run's id is a label of the run's description
 * only: elsewhere it would make every run a time series of its own. Samples have no timestamp, with which that collector refuses a file:
 * the time of the run is a gauge. Types info and stateset would be refused there, too, so both are gauges of the same form.
 */
#include "report/export/export.h"

#include <ctype.h>
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "base/text.h"
#include "result/json/json.h"

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

/* ---- labels ------------------------------------------------------------------------------------------ */

/* Labels of ours, of Prometheus, and of other kinds of metrics. */
#define RESERVED "benchmark,q,verdict,environment,run,job,instance,le,quantile"

#define LABEL_ROOM 288

/* A parameter's name with the characters that names of labels have; "param_" before what is none, or means something else. */
static void name_label(char name[LABEL_ROOM], const json_t *labels, const char *param)
{
	bool plain = isalpha((unsigned char)param[0]) && !kb_list_has(RESERVED, param);

	snprintf(name, LABEL_ROOM - 1, "%s%s", plain ? "" : "param_", param);
	for (char *at = name; *at; at++) {
		if ((unsigned char)*at >= 128 || !isalnum((unsigned char)*at))
			*at = '_';
	}
	while (json_object_get(labels, name) && strlen(name) + 2 < LABEL_ROOM)
		strcat(name, "_");
}

/* What names a time series: the benchmark, each parameter, and where it was measured. */
static json_t *labels_of(const struct kb_export *all, const struct kb_result *result)
{
	json_t *labels = json_object(), *params = kb_json_params(result->params), *value;
	const char *param;

	json_object_set_new(labels, "benchmark", kb_json_string(result->benchmark));
	json_object_foreach(params, param, value) {
		char name[LABEL_ROOM];

		name_label(name, labels, param);
		json_object_set(labels, name, value);
	}
	json_object_set_new(labels, "environment", kb_json_string(kb_export_env_id(all, result)));
	json_decref(params);
	return labels;
}

static void put_text(FILE *out, const char *value)
{
	for (; *value; value++) {
		if (*value == '\n')
			fputs("\\n", out);
		else
			fprintf(out, "%s%c", *value == '"' || *value == '\\' ? "\\" : "", *value);
	}
}

/* One more label where `last` is not NULL. Takes the labels over. */
static void sample(FILE *out, const char *family, json_t *labels, const char *last, const char *text, double value)
{
	char number[KB_EXPORT_NUMBER];
	const char *name, *comma = "{";
	json_t *label;

	if (last)
		json_object_set_new(labels, last, kb_json_string(text));
	fputs(family, out);
	json_object_foreach(labels, name, label) {
		fprintf(out, "%s%s=\"", comma, name);
		put_text(out, json_string_value(label));
		fputs("\"", out);
		comma = ",";
	}
	fprintf(out, "} %s\n", kb_export_number(number, value));
	json_decref(labels);
}

/* ---- families ---------------------------------------------------------------------------------------- */

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
			sample(out, name, labels_of(all, result), "q",
			       k == 0 && result->headline == KB_HEADLINE_TYPICAL ? "typical" : estimates[k].q, value);
		}
	}
}

/* A sample for each verdict that there is: 1 where the result has it. */
static void print_verdicts(FILE *out, const struct kb_export *all)
{
	fputs("# TYPE kbench_verdict gauge\n# HELP kbench_verdict 1 for the verdict of the result, 0 for the others.\n", out);
	for (size_t i = 0; i < all->count; i++) {
		const struct kb_result *result = all->rows[i].result;

		for (int status = 0; status < KB_STATUSES; status++)
			sample(out, "kbench_verdict", labels_of(all, result), "verdict", kb_status_name((enum kb_status)status),
			       (int)result->verdict.status == status);
	}
}

static bool is_new_environment(const struct kb_export *all, size_t i)
{
	for (size_t k = 0; k < i; k++) {
		if (strcmp(kb_export_env_id(all, all->rows[k].result), kb_export_env_id(all, all->rows[i].result)) == 0)
			return false;
	}
	return true;
}

/* A run may have measured in several environments. */
static void print_run(FILE *out, const struct kb_export *all)
{
	double time = kb_export_time(all, "finished");

	fputs("# TYPE kbench_run_info gauge\n# HELP kbench_run_info What was measured where; always 1.\n", out);
	for (size_t i = 0; i < all->count; i++) {
		const struct kb_environment *e = &all->rows[i].result->environment;

		if (!is_new_environment(all, i))
			continue;
		sample(out, "kbench_run_info",
		       json_pack("{s:o, s:o, s:o, s:o, s:o, s:o}", "run", kb_json_string(kb_export_run_text(all, "id")), "label",
				 kb_json_string(kb_export_run_text(all, "label")), "environment",
				 kb_json_string(kb_export_env_id(all, all->rows[i].result)), "cpu",
				 kb_json_string(e->cpu[0] ? e->cpu : kb_export_fact(all, "cpu_model", "")), "kernel",
				 kb_json_string(e->kernel[0] ? e->kernel : kb_export_fact(all, "kernel", "")), "arch",
				 kb_json_string(e->arch[0] ? e->arch : kb_export_fact(all, "arch", ""))), NULL, NULL, 1);
	}
	time = time > 0 ? time : kb_export_time(all, "started");
	if (time > 0) {
		fputs("# TYPE kbench_run_timestamp_seconds gauge\n# UNIT kbench_run_timestamp_seconds seconds\n"
		      "# HELP kbench_run_timestamp_seconds When the run ended, in seconds since 1970.\n", out);
		sample(out, "kbench_run_timestamp_seconds",
		       json_pack("{s:o}", "environment", kb_json_string(kb_export_env_id(all, all->rows[0].result))), NULL, NULL, time);
	}
}

static int print_families(FILE *out, const struct kb_export *all)
{
	print_run(out, all);
	for (size_t i = 0; i < sizeof families / sizeof families[0]; i++)
		print_family(out, all, i);
	print_verdicts(out, all);
	fputs("# EOF\n", out);
	return 0;
}

/* A result that failed has no cost, but it has a state: that is what an alarm waits for. */
const struct kb_export_format kb_export_openmetrics = {
	.name = "openmetrics", .end = print_families,
};
