/*
 * JUnit's XML, which most build servers show: a test case a result, `time` the cost of one operation in seconds. A failed
 * benchmark is an error and a requirement that is not met is skipped; a failure would be a regression, which a run alone cannot have.
 */
#include "report/export/export.h"

#include <math.h>
#include <string.h>

static const char *refuses(const struct kb_exported *row)
{
	(void)row;
	return NULL;
}

/* XML has no form at all for control characters; details of reasons may come from a console. */
static void escaped(FILE *out, const char *text)
{
	static const char *const names[128] = { ['&'] = "&amp;", ['<'] = "&lt;", ['>'] = "&gt;", ['"'] = "&quot;" };

	for (; *text; text++) {
		unsigned char c = (unsigned char)*text;

		if (c < 128 && names[c])
			fputs(names[c], out);
		else
			fputc(c < ' ' || c == 127 ? ' ' : c, out);
	}
}

static void attribute(FILE *out, const char *name, const char *value)
{
	fprintf(out, " %s=\"", name);
	escaped(out, value);
	fputc('"', out);
}

/* Twelve digits without exponent: the form of XML's decimals. */
static void seconds(FILE *out, double ns)
{
	int before = ns != 0 ? (int)floor(log10(fabs(ns) / 1e9)) : 0;

	fprintf(out, " time=\"%.*f\"", before < 0 ? 11 - before : 11, ns / 1e9);
}

/* The first reason that has led to this status; NULL where none is given. */
static const struct kb_reason *cause(const struct kb_result *result)
{
	const struct kb_verdict *verdict = &result->verdict;

	for (unsigned i = 0; i < verdict->count; i++) {
		if (kb_severity_status(kb_reason_severity(&verdict->reasons[i])) == verdict->status)
			return &verdict->reasons[i];
	}
	return verdict->count > 0 ? &verdict->reasons[0] : NULL;
}

static bool is_error(const struct kb_exported *row)
{
	return row->result->verdict.status != KB_SKIPPED && kb_export_no_number(row);
}

static int print_row(FILE *out, const struct kb_export *all, const struct kb_exported *row)
{
	const struct kb_result *result = row->result;
	bool skipped = result->verdict.status == KB_SKIPPED, error = is_error(row);
	const char *element = skipped ? "skipped" : error ? "error" : "system-out";
	const struct kb_reason *reason = cause(result);
	char name[KB_EXPORT_NAME];

	(void)all;
	fputs("  <testcase", out);
	attribute(out, "classname", "kbench");
	attribute(out, "name", kb_export_name(name, result, ' '));
	if (!kb_export_no_time(row))
		seconds(out, result->estimate.value);
	fprintf(out, ">\n    <%s", element);
	if (error)
		attribute(out, "type", reason ? kb_reason_name(reason) : kb_export_no_number(row));
	if (error || skipped)
		attribute(out, "message", reason ? kb_reason_words(reason) : kb_export_no_number(row));
	fprintf(out, ">verdict: %s\n", kb_status_name(result->verdict.status));
	for (unsigned i = 0; i < result->verdict.count; i++) {
		const struct kb_reason *given = &result->verdict.reasons[i];

		escaped(out, kb_reason_name(given));
		fputs(given->detail[0] ? ": " : "", out);
		escaped(out, given->detail);
		fputc('\n', out);
	}
	fprintf(out, "</%s>\n  </testcase>\n", element);
	return 0;
}

static void begin(FILE *out, const struct kb_export *all)
{
	size_t errors = 0, skipped = 0;

	for (size_t i = 0; i < all->count; i++) {
		errors += is_error(&all->rows[i]);
		skipped += all->rows[i].result->verdict.status == KB_SKIPPED;
	}
	fprintf(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n <testsuite name=\"kbench\" tests=\"%zu\" "
		"failures=\"0\" errors=\"%zu\" skipped=\"%zu\"", all->count, errors, skipped);
	/* The schema wants no zone behind the time. */
	fprintf(out, " timestamp=\"%.*s\">\n", (int)strcspn(kb_export_run_text(all, "started"), "Z<&\""),
		kb_export_run_text(all, "started"));
}

static int end(FILE *out, const struct kb_export *all)
{
	(void)all;
	fputs(" </testsuite>\n</testsuites>\n", out);
	return 0;
}

const struct kb_export_format kb_export_junit = {
	.name = "junit", .refuses = refuses, .begin = begin, .row = print_row, .end = end,
};
