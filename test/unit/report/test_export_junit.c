/* JUnit's XML of a run, and of two runs against each other. */
#include "report/export/junit.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "unit/report/exported.h"
#include "unit/report/fixed.h"

static struct kb_comparison row_of(enum kb_decision decision, bool regression)
{
	struct kb_comparison row = {
		.key = "sys.null", .key_b = "sys.null", .unit = "ns", .a = { 100, 99, 101, true, true }, .b = { 105, 104, 106, true, true },
		.processes = 5, .decision = decision, .regression = regression, .counts = true, .status = { KB_OK, KB_NOISY },
	};

	row.difference.ln = (struct kb_interval){ log(1.05), log(1.04), log(1.06), 5, true, KB_CODE_COUNT };
	return row;
}

static char *compared(const struct kb_comparison *rows, size_t count)
{
	char *text = NULL;
	size_t length;
	FILE *out = open_memstream(&text, &length);

	kb_export_junit_comparisons(out, &(struct kb_junit_comparisons){ "before", "after <&>", "2026-05-04T10:00:00Z", rows, count });
	fclose(out);
	return text;
}

/* What fails a gate fails here, and nothing that is not settled passes. */
static void outcomes(void **state)
{
	struct kb_comparison rows[] = {
		row_of(KB_SLOWER, true), row_of(KB_SLOWER, false), row_of(KB_INCONCLUSIVE, false), row_of(KB_EQUIVALENT, false),
		row_of(KB_FASTER, false), row_of(KB_INCONCLUSIVE, false), row_of(KB_SLOWER, true),
	};
	char *text;

	(void)state;
	rows[5].counts = false;
	rows[6].invalid = true;
	text = compared(rows, 7);
	contains(text, "<testsuite name=\"kbench compare before after &lt;&amp;&gt;\" tests=\"7\" failures=\"1\" errors=\"1\" skipped=\"3\" "
		       "timestamp=\"2026-05-04T10:00:00\">");
	contains(text, "<testcase classname=\"kbench.sys\" name=\"sys.null\" time=\"0.000000105000000000\">\n"
		       "    <failure type=\"slower\" message=\"slower: ratio 1.0500, 95 % CI 1.0400 to 1.0600\">slower: ratio 1.0500, "
		       "95 % CI 1.0400 to 1.0600\nbase: 100 ns, 95 % CI 99 to 101, ok\nnew: 105 ns, 95 % CI 104 to 106, noisy\n</failure>");
	contains(text, "<skipped message=\"not settled: ratio 1.0500");
	contains(text, "<skipped message=\"nothing to compare\">");
	contains(text, "<system-out>equivalent: ratio");
	contains(text, "<system-out>faster: ratio");
	contains(text, "<error type=\"invalid\" message=\"a side is invalid: ratio");
	free(text);
}

/* Sides of two units have no ratio; what is no time has none. */
static void units(void **state)
{
	struct kb_comparison row = row_of(KB_INCONCLUSIVE, false);
	char *text;

	(void)state;
	row.unit_b = "ticks";
	row.difference.ln.known = false;
	row.b.bounded = row.a.known = false;
	snprintf(row.key_b, sizeof row.key_b, "plugin.<b>");
	kb_verdict_add(&row.verdict, KB_CODE_env_mismatch, "clocks \"tsc\" & ns");
	text = compared(&row, 1);
	contains(text, "name=\"sys.null\">\n    <skipped message=\"not settled\">not settled\nnew is plugin.&lt;b&gt;\nbase: no number, ok\n"
		       "new: 105 ticks, noisy\nenv_mismatch: clocks &quot;tsc&quot; &amp; ns\n</skipped>");
	free(text);
}

/* XML has no form for control characters and for bytes that are no UTF-8. */
static void hostile(void **state)
{
	char *text = NULL;
	size_t length;
	FILE *out = open_memstream(&text, &length);

	(void)state;
	kb_junit_text(out, "\033[1m\n\xff]]>\xc3\xa9\"");
	fclose(out);
	assert_string_equal(text, " [1m  ]]&gt;\xc3\xa9&quot;");
	free(text);
}

/* ---- a run alone ----------------------------------------------------------------------------------- */

static void junit_kinds(void **state)
{
	struct kb_result results[] = { fixed_crash(), fixed_pipe(), fixed_add() };
	int error;

	(void)state;
	results[1].verdict = (struct kb_verdict){ .status = KB_SKIPPED };
	kb_verdict_add(&results[1].verdict, KB_CODE_need_unmet, NULL);
	/* Not as the text of a reason, which would be visible by then: XML must not rely on that. */
	strcpy(results[1].verdict.reasons[0].detail, "no \033 second CPU");

	char *text = exported(&kb_export_junit, results, 3, &error);

	contains(text, "tests=\"3\" failures=\"0\" errors=\"1\" skipped=\"1\" timestamp=\"2026-05-04T10:00:00\"");
	contains(text, "<error type=\"crashed\" message=\"the collector crashed\">verdict: invalid\n"
		       "crashed: signal 11 in op\n</error>");
	contains(text, "<skipped message=\"requirement not met\">verdict: skipped\nneed_unmet: no   second CPU\n</skipped>");
	contains(text, "<system-out>verdict: noisy\n");
	free(text);
}

/* What a later version said of a row, it says here, too; and a status without a reason is no unknown code. */
static void junit_later_codes(void **state)
{
	struct kb_result results[] = { fixed_pipe(), fixed_pipe() };
	int error;

	(void)state;
	results[0].verdict = results[1].verdict = (struct kb_verdict){ .status = KB_INVALID };
	results[0].verdict.reasons[0] = (struct kb_reason){
		.code = KB_CODE_COUNT, .detail = "of 2124", .name = "sun_spots", .words = "the <sun> was in it", .severity = KB_MAKES_INVALID,
	};
	results[0].verdict.count = 1;

	char *text = exported(&kb_export_junit, results, 2, &error);

	contains(text, "<error type=\"sun_spots\" message=\"the &lt;sun&gt; was in it\">verdict: invalid\nsun_spots: of 2124\n");
	contains(text, "<error type=\"invalid\" message=\"invalid\">verdict: invalid\n</error>");
	lacks(text, "?\"");
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(outcomes), cmocka_unit_test(units), cmocka_unit_test(hostile),
		cmocka_unit_test(junit_kinds), cmocka_unit_test(junit_later_codes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
