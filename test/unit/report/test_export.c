/* What every export has in common, row by row; whole files are read back by test/integration/exchange/export.sh. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <errno.h>
#include <locale.h>
#include <math.h>

#include "report/export/export.h"
#include "report/export/hdr.h"
#include "unit/report/fixed.h"

/* A record of the fixed rows: their process 1 (pipe) or 2 (add) counts. */
static const char record[] =
	"kbench-record 1\nbench x.y\nper call\nmethod slope seed=1 launch=1\nclock tsc hz=1000000000 quantum=1 cost=20\n"
	"o 10 1000 t=0 k=0 cpu=1\no 20 2100 t=1 k=0 cpu=1\no 10 9000 t=2 k=0 cpu=1 flags=gap\nq 1 120 t=3 k=0 cpu=1\n"
	"q 1 7000 t=4 k=0 cpu=1 flags=irq\no 10 1010 t=5 k=1 cpu=1\n";

static const struct kb_export_format *format_of(const char *name)
{
	for (size_t i = 0; i < KB_EXPORT_FORMATS; i++) {
		if (strcmp(kb_export_formats[i]->name, name) == 0)
			return kb_export_formats[i];
	}
	fail_msg("no format %s", name);
	return NULL;
}

/* The whole export of these results as text, or NULL with *error. */
static char *exported(const struct kb_export_format *format, const struct kb_result *results, size_t count, int *error)
{
	struct kb_process_text texts[] = { { 1, "", record, sizeof record - 1 }, { 2, "", record, sizeof record - 1 } };
	struct kb_exported rows[8];
	json_t *run = json_pack("{s:s, s:s}", "id", "run-1", "started", "2026-05-04T10:00:00Z");
	json_t *env = json_pack("{s:s, s:{s:s}}", "class", "0123456789abcdef", "facts", "cpu_model", "Some CPU");
	char *text = NULL;
	size_t length;
	FILE *out = open_memstream(&text, &length);

	for (size_t i = 0; i < count; i++)
		rows[i] = (struct kb_exported){ &results[i], texts, 2 };
	*error = kb_export_write(out, format, &(struct kb_export){ run, env, rows, count });
	fclose(out);
	json_decref(run);
	json_decref(env);
	return text;
}

static char *written(const char *name, const struct kb_result *result)
{
	int error;
	char *text = exported(format_of(name), result, 1, &error);

	assert_int_equal(error, 0);
	return text;
}

static void contains(const char *text, const char *part)
{
	if (!strstr(text, part))
		fail_msg("no '%s' in:\n%.2000s", part, text);
}

static void lacks(const char *text, const char *part)
{
	if (strstr(text, part))
		fail_msg("'%s' in:\n%.2000s", part, text);
}

/* ---- rows without a number --------------------------------------------------------------------------- */

static struct kb_result with_status(enum kb_status status)
{
	struct kb_result result = fixed_pipe();

	result.verdict = (struct kb_verdict){ .status = status };
	snprintf(result.benchmark, sizeof result.benchmark, "left.out");
	return result;
}

/* A row that is not to be had leaves no trace: neither its name nor a number. */
static void absent(void **state)
{
	struct kb_result unknown = with_status(KB_NOISY);

	(void)state;
	unknown.estimate.known = false;
	const struct kb_result results[] = { with_status(KB_INVALID), fixed_pipe(), with_status(KB_SKIPPED), unknown };

	for (size_t i = 0; i < KB_EXPORT_FORMATS; i++) {
		const struct kb_export_format *format = kb_export_formats[i];
		int error;
		char *text = exported(format, results, 4, &error);

		assert_int_equal(error, 0);
		if (format != &kb_export_junit && format != &kb_export_openmetrics)
			lacks(text, "left.out");
		if (format == &kb_export_openmetrics)
			lacks(text, "kbench_latency_seconds{benchmark=\"left.out\"");
		lacks(text, "nan");
		lacks(text, "inf\"");
		free(text);
	}
}

/* Nothing to write is told apart from a file with nothing in it. */
static void nothing(void **state)
{
	const struct kb_result result = fixed_crash();

	(void)state;
	for (size_t i = 0; i < KB_EXPORT_FORMATS; i++) {
		const struct kb_export_format *format = kb_export_formats[i];
		int error;
		char *text = exported(format, &result, 1, &error);
		bool states = format == &kb_export_junit || format == &kb_export_openmetrics;

		assert_int_equal(error, states ? 0 : -ENODATA);
		assert_int_equal(text[0] != '\0', states);
		free(text);
	}
}

/* ---- units ------------------------------------------------------------------------------------------- */

/* A clock without a known rate: no form may say ns or seconds, and what can hold only those refuses the row. */
static void ticks(void **state)
{
	static const struct { const char *format, *wanted, *never; } forms[] = {
		{ "google-benchmark", NULL, "ns" }, { "google-benchmark-rows", NULL, "ns" },
		{ "bencher", "\"ticks\": {\n      \"value\": 2412.25", "latency\"" },
		{ "benchfmt", "\t102.5 ticks/op\n", "5 ns/op" },
		{ "openmetrics", "kbench_latency_ticks{", "seconds" }, { "github-action", "\"unit\": \"ticks/round-trip\"", "\"ns" },
		{ "junit", "<system-out>", " time=" }, { "csv", ",estimate,ticks,2412.25", ",ns," }, { "hdr", "[ticks]", "[ns]" },
	};
	struct kb_result result = fixed_pipe();

	(void)state;
	result.ticks_per_ns = 0;
	for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++) {
		int error;
		char *text = exported(format_of(forms[i].format), &result, 1, &error);

		assert_int_equal(error, forms[i].wanted ? 0 : -ENODATA);
		if (forms[i].wanted)
			contains(text, forms[i].wanted);
		lacks(text, forms[i].never);
		free(text);
	}
}

static void values(void **state)
{
	struct kb_result pipe = fixed_pipe(), add = fixed_add();
	static const struct { const char *format, *part; } parts[] = {
		{ "google-benchmark-rows", "\"real_time\":2412.25,\"cpu_time\":2412.25,\"time_unit\":\"ns\",\"low\":2397.5" },
		{ "bencher", "\"value\": 2412.25,\n      \"lower_value\": 2397.5,\n      \"upper_value\": 2427.0" },
		{ "openmetrics", "kbench_latency_seconds{benchmark=\"ipc.pipe_latency\",params=\"placement=same-cpu\","
				 "q=\"headline\",host=\"0123456789abcdef\"} 2.41225e-06\n" },
		{ "openmetrics", "# TYPE kbench_latency_ci_low_seconds gauge\n# UNIT kbench_latency_ci_low_seconds seconds\n" },
		{ "github-action", "\"unit\": \"ns/round-trip\",\n    \"value\": 2412.25,\n    \"range\": \"\u00b1 14.75\"" },
		{ "junit", "name=\"ipc.pipe_latency placement=same-cpu\" time=\"0.00000241225000000\"" },
		{ "csv", ",ipc.pipe_latency,placement=same-cpu,round-trip,ok,uncontended,,estimate,ns,2412.25\r\n" },
		{ "csv", ",round-trip,ok,uncontended,3,process_cost,ns,2423\r\n" },
		{ "benchfmt", "\nBenchmarkIpc.pipe_latency/placement=same-cpu-1\t30\t" },
		{ "hdr", "\nTag=ipc.pipe_latency/placement=same-cpu[ns],0.000,0.000,0.000052,HISTFAAA" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
		char *text = written(parts[i].format, &pipe);

		contains(text, parts[i].part);
		free(text);
	}
	char *text = written("bencher", &add);

	contains(text, "\"cycles\": {\n      \"value\": 1.0002");
	free(text);
}

/* Of version 1 the names that it had, and nothing that it did not know. */
static void version_1(void **state)
{
	static const struct { const char *format, *part; } parts[] = {
		{ "csv", ",ok,typical,,typical,ns,2412.25\r\n" }, { "csv", ",ok,typical,,quiet,ns,2390.75\r\n" },
		{ "openmetrics", "q=\"typical\",host=\"0123456789abcdef\"} 2.41225e-06\n" },
		{ "openmetrics", "q=\"quiet\",host=\"0123456789abcdef\"} 2.39075e-06\n" },
		{ "google-benchmark-rows", "\"quiet\":2390.75" }, { "github-action", "headline: typical\\nquiet: 2390.75 ns\\n" },
	};
	struct kb_result result = fixed_pipe();

	(void)state;
	result.headline = KB_HEADLINE_TYPICAL;
	result.quiet = (struct kb_estimate){ .value = 2390.75, .low = 2380, .high = 2401, .known = true, .bounded = true };
	result.observed.known = false;
	result.clean_share = result.process_costs[0].observed = result.process_costs[1].observed = NAN;
	result.process_costs[0].clean_share = result.process_costs[1].clean_share = NAN;
	for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
		char *text = written(parts[i].format, &result);

		contains(text, parts[i].part);
		lacks(text, "nan");
		lacks(text, "observed");
		free(text);
	}
}

/* Without an interval there is none: no end that equals the value, no 0. */
static void unbounded(void **state)
{
	struct kb_result result = fixed_pipe();
	static const struct { const char *format, *part; } parts[] = {
		{ "google-benchmark-rows", "\"low\":2" }, { "bencher", "lower_value" }, { "github-action", "range" },
		{ "openmetrics", "kbench_latency_ci_low_seconds{benchmark=\"ipc.pipe_latency\",params=\"placement=same-cpu\","
				 "q=\"headline\"" },
		{ "csv", "estimate_low" },
	};

	(void)state;
	result.estimate.bounded = false;
	for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
		char *text = written(parts[i].format, &result);

		lacks(text, parts[i].part);
		free(text);
	}
}

/* ---- blocks ------------------------------------------------------------------------------------------ */

/* The record has no end, so no line is fitted and no fixed cost comes off: what is left is plain arithmetic. */
static void blocks(void **state)
{
	struct kb_process_text texts[] = { { 0, "", record, sizeof record - 1 }, { 1, "", record, sizeof record - 1 },
					  { 2, "", record, sizeof record - 1 } };
	struct kb_result result = fixed_add();
	struct kb_export_blocks blocks;

	(void)state;
	result.ticks_per_ns = 2;
	assert_int_equal(kb_export_blocks(&(struct kb_exported){ &result, texts, 3 }, &blocks), 0);
	/* Launch 2 only, which counts; the disturbed interval is not in the first block: 100 and 105 ticks an operation. */
	assert_int_equal(blocks.count, 2);
	assert_int_equal(blocks.at[0].process, 2);
	assert_true(fabs(blocks.at[0].cost - 102.5 / 2) < 1e-9 && blocks.at[0].operations == 30);
	assert_true(fabs(blocks.at[1].cost - 101.0 / 2) < 1e-9 && blocks.at[1].operations == 10);
	assert_true(fabs(blocks.at[1].cycles - 101.0 / 2 * 1.0002 / 0.24378) < 1e-9);
	free(blocks.at);
}

/* ---- text -------------------------------------------------------------------------------------------- */

static void number_is(double value, const char *expected)
{
	char text[KB_EXPORT_NUMBER];

	assert_string_equal(kb_export_number(text, value), expected);
}

static void numbers(void **state)
{
	static const char *const commas[] = { "de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "ps_AF.UTF-8" };

	(void)state;
	number_is(0, "0");
	number_is(-3, "-3");
	number_is(1e15, "1000000000000000");
	number_is(9007199254740992, "9007199254740992");
	number_is(1e17, "1e+17");
	number_is(0.1, "0.1");
	number_is(2.41225e-6, "2.41225e-06");
	/* Where such a locale is installed. */
	for (size_t i = 0; i < sizeof commas / sizeof commas[0]; i++) {
		if (setlocale(LC_NUMERIC, commas[i]))
			number_is(0.5, "0.5");
	}
	setlocale(LC_NUMERIC, "C");
}

static void escapes(void **state)
{
	struct kb_result result = fixed_pipe();
	char *text;

	(void)state;
	snprintf(result.params, sizeof result.params, "a=\"x,\\y<&\001>");
	text = written("csv", &result);
	contains(text, ",\"a=\"\"x,\\y<&\001>\",");
	free(text);
	text = written("openmetrics", &result);
	contains(text, "params=\"a=\\\"x,\\\\y<&\001>\",");
	free(text);
	text = written("junit", &result);
	contains(text, "name=\"ipc.pipe_latency a=&quot;x,\\y&lt;&amp; &gt;\"");
	free(text);
	text = written("benchfmt", &result);
	contains(text, "BenchmarkIpc.pipe_latency/a=\"x,\\y<&_>-1\t");
	free(text);
}

static void junit_kinds(void **state)
{
	struct kb_result results[] = { fixed_crash(), with_status(KB_SKIPPED), fixed_add() };
	int error;

	(void)state;
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
	struct kb_result results[] = { with_status(KB_INVALID), with_status(KB_INVALID) };
	int error;

	(void)state;
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

/* ---- HdrHistogram ------------------------------------------------------------------------------------ */

/* Classes follow each other without a gap, and none is wider than a thousandth of its values. */
static void hdr_classes(void **state)
{
	size_t last = 0;

	(void)state;
	for (uint64_t value = 1; value < 300000; value++) {
		size_t index = kb_hdr_index(value);

		assert_true(index == last || index == last + 1);
		assert_true(value > 2047 || index == value);
		last = index;
	}
	for (unsigned bits = 12; bits < 62; bits++) {
		uint64_t power = UINT64_C(1) << bits, width = power >> 10;

		assert_int_equal(kb_hdr_index(power), kb_hdr_index(power - 1) + 1);
		assert_int_equal(kb_hdr_index(power + width - 1), kb_hdr_index(power));
		assert_int_equal(kb_hdr_index(power + width), kb_hdr_index(power) + 1);
	}
}

/* The run's environment names Linux: each result tells which kernel it is of. */
static void environments(void **state)
{
	struct kb_result results[] = { fixed_pipe(), fixed_pipe(), fixed_pipe() };
	int error;

	(void)state;
	for (unsigned i = 0; i < 3; i++) {
		struct kb_environment e = { .target = "sel4", .cpu = "QEMU" };

		snprintf(results[i].params, sizeof results[i].params, "n=%u", i);
		snprintf(e.id, sizeof e.id, "0123456789abcdef.00000000.0000000%u", i / 2);
		snprintf(e.kernel, sizeof e.kernel, "kernel-%u", i / 2);
		snprintf(e.arch, sizeof e.arch, i / 2 ? "riscv64" : "x86_64");
		results[i].environment = e;
	}

	char *text = exported(format_of("sel4bench-results"), results, 3, &error);

	contains(text, "\"sha_kernel\":\"kernel-0\"");
	contains(text, "\n{\"ts\":\"2026-05-04T10:00:00Z\",\"sha\":\"kernel-1\",\"sha_kernel\":\"kernel-1\"");
	assert_int_equal(strchr(strchr(text, '\n') + 1, '\n')[1], 0); /* n=0 and n=1 are of one kernel, and of one line */
	free(text);
	text = exported(format_of("benchfmt"), results, 3, &error);
	contains(text, "goos: sel4\ngoarch: amd64\n");
	contains(text, "goarch: riscv64\npkg: kbench\ncpu: QEMU\nkbench-class: 0123456789abcdef.00000000.00000001\nBenchmark");
	free(text);
	text = exported(format_of("openmetrics"), results, 3, &error);
	contains(text, "n=2\",q=\"headline\",host=\"0123456789abcdef.00000000.00000001\"}");
	free(text);
}

static void hdr_counts(void **state)
{
	struct kb_hdr hdr = { 0 };

	(void)state;
	assert_int_equal(kb_hdr_add(&hdr, 5), 0);
	assert_int_equal(kb_hdr_add(&hdr, 70000), 0);
	assert_int_equal(kb_hdr_add(&hdr, 5), 0);
	assert_int_equal(kb_hdr_add(&hdr, UINT64_C(1) << 62), -ERANGE);
	assert_int_equal(hdr.counts[5], 2);
	assert_int_equal(hdr.counts[kb_hdr_index(70000)], 1);
	assert_int_equal(hdr.used, kb_hdr_index(70000) + 1);
	assert_int_equal(hdr.largest, 70000);
	kb_hdr_free(&hdr);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(absent), cmocka_unit_test(nothing), cmocka_unit_test(ticks), cmocka_unit_test(values),
		cmocka_unit_test(version_1), cmocka_unit_test(unbounded), cmocka_unit_test(blocks), cmocka_unit_test(numbers), cmocka_unit_test(escapes),
		cmocka_unit_test(junit_kinds), cmocka_unit_test(junit_later_codes),
		cmocka_unit_test(hdr_classes), cmocka_unit_test(hdr_counts), cmocka_unit_test(environments),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
