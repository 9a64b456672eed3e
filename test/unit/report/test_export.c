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
#include <math.h>

#include "report/export/export.h"
#include "report/export/hdr.h"
#include "unit/report/exported.h"
#include "unit/report/fixed.h"

/* ---- rows without a number --------------------------------------------------------------------------- */

static struct kb_result with_status(enum kb_status status)
{
	struct kb_result result = fixed_pipe();

	result.verdict = (struct kb_verdict){ .status = status };
	snprintf(result.benchmark, sizeof result.benchmark, "left.out");
	return result;
}

/* These tell the verdict of a result that has no number; the others leave it out. */
static bool tells_verdicts(const struct kb_export_format *format)
{
	return format == &kb_export_junit || format == &kb_export_openmetrics || format == &kb_export_csv_wide || format == &kb_export_markdown;
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
		if (!tells_verdicts(format))
			lacks(text, "left.out");
		if (format == &kb_export_openmetrics)
			lacks(text, "kbench_latency_seconds{benchmark=\"left.out\"");
		lacks(text, "nan");
		lacks(text, "inf\"");
		free(text);
	}
}

/* A loop of nothing costs a hair above zero, and next time below: a reader that divides the two sees a regression. */
static void self_tests(void **state)
{
	static const char *const dividing[] = {
		"google-benchmark", "google-benchmark-rows", "bencher", "benchfmt", "github-action", "sel4bench", "sel4bench-results",
	};
	struct kb_result results[] = { fixed_pipe(), fixed_pipe() };
	int error;

	(void)state;
	snprintf(results[0].benchmark, sizeof results[0].benchmark, "self.empty");
	for (size_t i = 0; i < sizeof dividing / sizeof *dividing; i++) {
		char *text = exported(format_of(dividing[i]), results, 2, &error);

		assert_int_equal(error, 0);
		lacks(text, "elf.empty");
		free(text);
	}
	char *csv = exported(format_of("csv"), results, 2, &error);

	contains(csv, "self.empty");
	free(csv);
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

		assert_int_equal(error, tells_verdicts(format) ? 0 : -ENODATA);
		assert_int_equal(text[0] != '\0', tells_verdicts(format));
		free(text);
	}
}

/* ---- units ------------------------------------------------------------------------------------------- */

/* A clock without a known rate: no form may say ns or seconds, and what can hold only those refuses the row. */
static void ticks(void **state)
{
	static const struct { const char *format, *wanted, *never; } forms[] = {
		{ "google-benchmark", NULL, "ns" }, { "google-benchmark-rows", NULL, "ns" },
		{ "bencher", "\"ticks\": {\n      \"value\": 2412.25", "latency\"" }, { "bencher", "ticks", "throughput" },
		{ "benchfmt", "\t2423 ticks/op\n", " ns/op\n" },
		{ "openmetrics", "kbench_latency_ticks{", "latency_seconds" }, { "github-action", "\"unit\": \"ticks/round-trip\"", "\"ns" },
		{ "junit", "<system-out>", " time=" }, { "csv", ",estimate,ticks,2412.25", ",ns," }, { "hdr", "[ticks]", "[ns]" },
		{ "csv-wide", ",ticks,2412.25,", ",ns," }, { "markdown", " ticks |", " us" }, { "chrome-trace", NULL, "ts" },
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
		{ "openmetrics", "kbench_latency_seconds{benchmark=\"ipc.pipe_latency\",placement=\"same-cpu\","
				 "environment=\"0123456789abcdef\",q=\"headline\"} 2.41225e-06\n" },
		{ "openmetrics", "kbench_verdict{benchmark=\"ipc.pipe_latency\",placement=\"same-cpu\",environment=\"0123456789abcdef\","
				 "verdict=\"ok\"} 1\n" },
		{ "openmetrics", "verdict=\"noisy\"} 0\n" },
		{ "openmetrics", "kbench_run_info{run=\"run-1\",label=\"\",environment=\"0123456789abcdef\",cpu=\"Some CPU\"," },
		{ "openmetrics", "\nkbench_run_timestamp_seconds{environment=\"0123456789abcdef\"} 1777888800\n" },
		{ "openmetrics", "# TYPE kbench_latency_ci_low_seconds gauge\n# UNIT kbench_latency_ci_low_seconds seconds\n" },
		{ "github-action", "\"unit\": \"ns/round-trip\",\n    \"value\": 2412.0,\n    \"range\": \"\u00b1 15\"" },
		{ "bencher", "\"throughput\": {\n      \"value\": 414550.7306" },
		{ "junit", "classname=\"kbench.ipc\" name=\"ipc.pipe_latency placement=same-cpu\" time=\"0.00000241225000000\"" },
		{ "csv", ",ipc.pipe_latency,placement=same-cpu,round-trip,ok,uncontended,,estimate,ns,2412.25\r\n" },
		{ "csv", ",round-trip,ok,uncontended,3,process_cost,ns,2423\r\n" },
		{ "csv-wide", "run,benchmark,placement,per,unit,cost,ci_low,ci_high,ci_percent,observed," },
		{ "csv-wide", "\r\nrun-1,ipc.pipe_latency,same-cpu,round-trip,ns,2412.25,2397.5,2427,0." },
		{ "markdown", "\n| `ipc.pipe_latency` | 2.412 us | round-trip | 0.6 % |" },
		{ "google-benchmark", "\"repetition_index\":1,\"real_time\":2423.0," },
		{ "benchfmt", "\nBenchmarkIpc.pipe_latency/placement=same-cpu-1\t" },
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
		{ "openmetrics", "q=\"typical\"} 2.41225e-06\n" },
		{ "openmetrics", "q=\"quiet\"} 2.39075e-06\n" },
		{ "google-benchmark-rows", "\"quiet\":2390.75" }, { "github-action", "headline: typical\\nquiet: 2391 ns\\n" },
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
		lacks(text, "observed\"");
		lacks(text, "observed:");
		free(text);
	}
}

/* Without an interval there is none: no end that equals the value, no 0. */
static void unbounded(void **state)
{
	struct kb_result result = fixed_pipe();
	static const struct { const char *format, *part; } parts[] = {
		{ "google-benchmark-rows", "\"low\":2" }, { "bencher", "lower_value" }, { "github-action", "range" },
		{ "openmetrics", "kbench_latency_ci_low_seconds{benchmark=\"ipc.pipe_latency\",placement=\"same-cpu\",environment=\"0123456789abcdef\","
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

/* ---- values ------------------------------------------------------------------------------------------ */

/* A grid of n has a value a process, and needs no records; single operations are those of the records, without the disturbed one. */
static void single_values(void **state)
{
	struct kb_process_text texts[] = { { 0, "", exported_record, exported_record_length }, { 1, "", exported_record, exported_record_length },
					  { 2, "", exported_record, exported_record_length } };
	struct kb_result result = fixed_add();
	size_t count;
	double *values = kb_export_values(&(struct kb_exported){ &result, NULL, 0 }, &count);

	(void)state;
	assert_int_equal(count, result.process_cost_count);
	assert_true(fabs(values[0] - result.process_costs[0].cost) < 1e-12);
	free(values);
	result.method = KB_METHOD_SINGLE;
	result.ticks_per_ns = 2;
	values = kb_export_values(&(struct kb_exported){ &result, texts, 3 }, &count);
	/* Process 2 only, which counts. */
	assert_int_equal(count, 3);
	assert_true(fabs(values[0] - 100.0 / 2) < 1e-9 && fabs(values[1] - 105.0 / 2) < 1e-9 && fabs(values[2] - 101.0 / 2) < 1e-9);
	free(values);
}

/* What has no costs of processes (an emulator, statistics of others) is one value. */
static void one_process(void **state)
{
	struct kb_result result = fixed_pipe();
	struct kb_process_cost whole;
	unsigned count;

	(void)state;
	result.process_cost_count = 0;
	assert_true(fabs(kb_export_processes(&result, &whole, &count)->cost - 2412.25) < 1e-9);
	assert_int_equal(count, 1);
}

static void digits(void **state)
{
	(void)state;
	assert_true(fabs(kb_export_rounded(2412.25, 4) - 2412) < 1e-9);
	assert_true(fabs(kb_export_rounded(0.0012345, 2) - 0.0012) < 1e-12);
	assert_true(fabs(kb_export_rounded(-99999, 4) + 100000) < 1e-9);
}

/* Bytes per ns are GB/s, and the upper end of the cost is the lower end of the rate. */
static void rates(void **state)
{
	static const struct { const char *format, *part; } parts[] = {
		{ "google-benchmark", ",\"bytes_per_second\":" }, { "google-benchmark-rows", ",\"bytes_per_second\":2000000000.0" },
		{ "benchfmt", " MB/s" }, { "bencher", "\"bytes_per_second\": {\n      \"value\": 2000000000.0" },
		{ "csv", ",bandwidth,GB/s,2\r\n" }, { "csv", ",bandwidth_low,GB/s,1.97" }, { "csv-wide", ",2710,2,,," },
	};
	struct kb_result result = fixed_pipe();

	(void)state;
	result.estimate.value = 2400;
	result.bytes_per_op = 4800;
	for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
		char *text = written(parts[i].format, &result);

		contains(text, parts[i].part);
		free(text);
		result.bytes_per_op = 0;
		text = written(parts[i].format, &result);
		lacks(text, "bytes_per_second");
		lacks(text, "GB/s");
		lacks(text, " MB/s\n");
		free(text);
		result.bytes_per_op = 4800;
	}
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
	contains(text, "goarch: riscv64\npkg: kbench\ncpu: QEMU\nkbench-environment: 0123456789abcdef.00000000.00000001\nBenchmark");
	free(text);
	text = exported(format_of("openmetrics"), results, 3, &error);
	contains(text, "n=\"2\",environment=\"0123456789abcdef.00000000.00000001\",q=\"headline\"}");
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
		cmocka_unit_test(absent), cmocka_unit_test(self_tests), cmocka_unit_test(nothing), cmocka_unit_test(ticks), cmocka_unit_test(values),
		cmocka_unit_test(version_1), cmocka_unit_test(unbounded), cmocka_unit_test(single_values), cmocka_unit_test(one_process),
		cmocka_unit_test(digits), cmocka_unit_test(rates),
		cmocka_unit_test(hdr_classes), cmocka_unit_test(hdr_counts), cmocka_unit_test(environments),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
