/*
 * JUnit's XML, which most build servers show: a test case a result, `time` the cost of one operation in seconds. A failed
 * benchmark is an error and a requirement that is not met is skipped; a failure would be a regression, which a run alone cannot have.
 */
#include "report/export/export.h"

#include "report/export/junit.h"

#include <string.h>

static bool is_error(const struct kb_exported *row)
{
	return row->result->verdict.status != KB_SKIPPED && kb_export_no_number(row);
}

static int print_row(FILE *out, const struct kb_export *all, const struct kb_exported *row)
{
	const struct kb_result *result = row->result;
	bool skipped = result->verdict.status == KB_SKIPPED, error = is_error(row);
	const char *element = skipped ? "skipped" : error ? "error" : "system-out";
	const struct kb_reason *reason = kb_junit_cause(&result->verdict);
	char name[KB_EXPORT_NAME];

	(void)all;
	kb_junit_case(out, kb_export_name(name, result, ' '), kb_export_no_time(row) ? NULL : &result->estimate);
	fprintf(out, "    <%s", element);
	if (error)
		kb_junit_attribute(out, "type", reason ? kb_reason_name(reason) : kb_export_no_number(row));
	if (error || skipped)
		kb_junit_attribute(out, "message", reason ? kb_reason_words(reason) : kb_export_no_number(row));
	fprintf(out, ">verdict: %s\n", kb_status_name(result->verdict.status));
	kb_junit_reasons(out, &result->verdict);
	fprintf(out, "</%s>\n  </testcase>\n", element);
	return 0;
}

static void begin(FILE *out, const struct kb_export *all)
{
	struct kb_junit_counts counts = { .tests = all->count };

	for (size_t i = 0; i < all->count; i++) {
		counts.errors += is_error(&all->rows[i]);
		counts.skipped += all->rows[i].result->verdict.status == KB_SKIPPED;
	}
	kb_junit_begin(out, "kbench", &counts, kb_export_run_text(all, "started"));
}

static int end(FILE *out, const struct kb_export *all)
{
	(void)all;
	kb_junit_end(out);
	return 0;
}

const struct kb_export_format kb_export_junit = {
	.name = "junit", .begin = begin, .row = print_row, .end = end,
};
