/* See junit.h: what every document of JUnit is made of. */
#include "report/export/junit.h"

#include <math.h>
#include <string.h>

#include "base/text.h"

void kb_junit_text(FILE *out, const char *text)
{
	static const char *const names[128] = { ['&'] = "&amp;", ['<'] = "&lt;", ['>'] = "&gt;", ['"'] = "&quot;" };
	struct kb_span rest = kb_span_of(text);

	while (rest.length > 0) {
		struct kb_character c = kb_character_at(rest);

		if (!c.visible)
			fputc(' ', out);
		else if (c.code < 128 && names[c.code])
			fputs(names[c.code], out);
		else
			fwrite(rest.at, 1, c.length, out);
		rest.at += c.length;
		rest.length -= c.length;
	}
}

void kb_junit_attribute(FILE *out, const char *name, const char *value)
{
	fprintf(out, " %s=\"", name);
	kb_junit_text(out, value);
	fputc('"', out);
}

/* Twelve digits without exponent: the form of XML's decimals. */
static void put_seconds(FILE *out, double ns)
{
	int before = ns != 0 ? (int)floor(log10(fabs(ns) / 1e9)) : 0;

	fprintf(out, " time=\"%.*f\"", before < 0 ? 11 - before : 11, ns / 1e9);
}

/* Build servers fold test cases by what stands before the last dot. */
void kb_junit_case(FILE *out, const char *name, const struct kb_estimate *ns)
{
	char class[80];

	snprintf(class, sizeof class, "kbench.%.*s", (int)strcspn(name, ". "), name);
	fputs("  <testcase", out);
	kb_junit_attribute(out, "classname", class);
	kb_junit_attribute(out, "name", name);
	if (ns)
		put_seconds(out, ns->value);
	fputs(">\n", out);
}

const struct kb_reason *kb_junit_cause(const struct kb_verdict *verdict)
{
	for (unsigned i = 0; i < verdict->count; i++) {
		if (kb_severity_status(kb_reason_severity(&verdict->reasons[i])) == verdict->status)
			return &verdict->reasons[i];
	}
	return verdict->count > 0 ? &verdict->reasons[0] : NULL;
}

void kb_junit_reasons(FILE *out, const struct kb_verdict *verdict)
{
	for (unsigned i = 0; i < verdict->count; i++) {
		const struct kb_reason *given = &verdict->reasons[i];

		kb_junit_text(out, kb_reason_name(given));
		fputs(given->detail[0] ? ": " : "", out);
		kb_junit_text(out, given->detail);
		fputc('\n', out);
	}
}

void kb_junit_begin(FILE *out, const char *suite, const struct kb_junit_counts *counts, const char *started)
{
	fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n <testsuite", out);
	kb_junit_attribute(out, "name", suite);
	fprintf(out, " tests=\"%zu\" failures=\"%zu\" errors=\"%zu\" skipped=\"%zu\"", counts->tests, counts->failures, counts->errors,
		counts->skipped);
	/* The schema wants no zone behind the time. */
	fprintf(out, " timestamp=\"%.*s\">\n", (int)strcspn(started, "Z<&\""), started);
}

void kb_junit_end(FILE *out)
{
	fputs(" </testsuite>\n</testsuites>\n", out);
}
