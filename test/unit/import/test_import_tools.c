/* Results of other benchmark tools: their numbers and their own uncertainty, digit by digit; what is malformed or contradicts itself is refused. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "import/import.h"
#include "result/summary/summary.h"

static char error[KB_IMPORT_ERROR];

/* A copy of exactly that size: a sanitizer sees one byte too many. */
static int read_as(struct kb_import *import, const struct kb_import_options *options, const char *text)
{
	size_t length = strlen(text);
	char *copy = malloc(length ? length : 1);
	int result;

	assert_non_null(copy);
	memcpy(copy, text, length);
	result = kb_import_text(import, options, "t", copy, length, error);
	free(copy);
	return result;
}

static const struct kb_import_options usual = { .records = true };

static struct kb_import good(const struct kb_import_kind *kind, const char *text)
{
	struct kb_import import = { .count = 0 };

	if (read_as(&import, &usual, text))
		fail_msg("%s", error);
	assert_ptr_equal(import.kind, kind);
	return import;
}

static void refused(const char *text, const char *message)
{
	struct kb_import import = { .count = 0 };

	if (!read_as(&import, &usual, text))
		fail_msg("not refused: %s", message);
	assert_string_equal(error, message);
	kb_import_free(&import);
}

/* The result of this row. */
static struct kb_result *result_of(const struct kb_import *import, const char *row)
{
	static struct kb_process_text texts[200];
	static struct kb_result result;
	const struct kb_import_run *run = &import->runs[0];
	unsigned count = 0;

	for (size_t i = 0; i < run->count && count < 200; i++) {
		if (strcmp(run->processes[i].row, row) == 0) {
			texts[count] = (struct kb_process_text){ count + 1, "", run->processes[i].record, run->processes[i].length };
			count++;
		}
	}
	if (count == 0)
		fail_msg("no %s; the first is %s", row, run->processes[0].row);
	kb_summarise(texts, count, &(struct kb_summary_rules){ .planned = count, .precision = .01 }, &result);
	return &result;
}

static void near(double value, double expected)
{
	if (!(fabs(value - expected) <= 1e-9 * fabs(expected)))
		fail_msg("%.12g, not %.12g", value, expected);
}

/* ---- hyperfine --------------------------------------------------------------------------------------- */

#define HYPERFINE(command, mean, times, rest) \
	"{\"results\":[{\"command\":\"" command "\",\"mean\":" mean ",\"stddev\":null,\"times\":[" times "]" rest "}]}"

static void hyperfine(void **state)
{
	struct kb_import import = good(&kb_import_hyperfine, HYPERFINE("sleep 0.1", "0.12", "0.11,0.13,0.12,0.11,0.13,0.12,0.12,0.11,0.13", ""));
	struct kb_result *result = result_of(&import, "hyperfine.sleep_0.1");

	(void)state;
	/* The median of the runs, with order statistics, and hyperfine's mean. */
	near(result->estimate.value, 120e6);
	assert_true(result->estimate.bounded && result->estimate.low > 109e6 && result->estimate.high < 131e6);
	near(result->mean.value, 120e6);
	assert_int_equal(result->processes, 9);
	assert_int_equal(result->method, KB_METHOD_COMMAND);
	assert_string_equal(result->per, "run");
	assert_true(kb_verdict_has(&result->verdict, KB_CODE_imported) && !kb_verdict_has(&result->verdict, KB_CODE_budget_exhausted));
	kb_import_free(&import);
	import = good(&kb_import_hyperfine, HYPERFINE("a", "2", "", ",\"parameters\":{\"n\":\"4 x\",\"m\":3}"));
	result = result_of(&import, "hyperfine.a n=4_x m=3");
	assert_true(result->estimate.known && !result->estimate.bounded);
	near(result->estimate.value, 2e9);
	kb_import_free(&import);
	/* A command that failed is no fast one. */
	import = good(&kb_import_hyperfine, HYPERFINE("a", "1", "1,1", ",\"exit_codes\":[0,null]"));
	result = result_of(&import, "hyperfine.a");
	assert_true(result->verdict.status == KB_INVALID && kb_verdict_has(&result->verdict, KB_CODE_op_failed));
	kb_import_free(&import);
}

/* More runs than a result keeps processes of: stretches of neighbours. */
static void many_runs(void **state)
{
	char text[8000] = "{\"results\":[{\"command\":\"a\",\"mean\":2,\"stddev\":1,\"times\":[";
	struct kb_import import;

	(void)state;
	for (int i = 0; i < 250; i++)
		snprintf(text + strlen(text), sizeof text - strlen(text), "%s%d", i ? "," : "", i % 2 ? 3 : 1);
	strcat(text, "]}]}");
	import = good(&kb_import_hyperfine, text);
	assert_int_equal(import.runs[0].count, 84);
	assert_int_equal(result_of(&import, "hyperfine.a")->observations, 250);
	kb_import_free(&import);
}

/* ---- Google Benchmark ------------------------------------------------------------------------------------ */

#define GOOGLE(entries) "{\"context\":{\"date\":\"2026-05-04T12:00:00+02:00\",\"host_name\":\"h\",\"num_cpus\":2},\"benchmarks\":[" entries "]}"
#define ENTRY(name, repetitions, real) \
	"{\"name\":\"x\",\"run_name\":\"" name "\",\"run_type\":\"iteration\",\"repetitions\":" repetitions ",\"real_time\":" real \
	",\"cpu_time\":2,\"time_unit\":\"us\"}"
#define AGGREGATE(which, real) \
	"{\"name\":\"x\",\"run_name\":\"BM_a\",\"run_type\":\"aggregate\",\"aggregate_name\":\"" which "\",\"iterations\":4,\"real_time\":" real \
	",\"cpu_time\":2,\"time_unit\":\"ns\"}"

static void google(void **state)
{
	struct kb_import import = good(&kb_import_google, GOOGLE(ENTRY("BM_a<int>/4096/n:3/min_time:1.000/real_time", "3", "1") ","
		ENTRY("BM_a<int>/4096/n:3/min_time:1.000/real_time", "3", "2") "," ENTRY("BM_a<int>/4096/n:3/min_time:1.000/real_time", "3", "3")));
	struct kb_result *result = result_of(&import, "google.BM_a_int_584407cf arg=4096 n=3 timed_by=real_time");

	(void)state;
	assert_string_equal(import.runs[0].started, "2026-05-04T10:00:00Z");
	near(result->estimate.value, 2000);
	assert_true(result->estimate.bounded && kb_verdict_has(&result->verdict, KB_CODE_single_launch));
	kb_import_free(&import);
	import = good(&kb_import_google, GOOGLE(AGGREGATE("mean", "100") "," AGGREGATE("median", "90") "," AGGREGATE("stddev", "8")));
	result = result_of(&import, "google.BM_a");
	/* 3.182446 x 8 / sqrt(4) */
	near(result->estimate.value, 100);
	assert_true(result->estimate.bounded && fabs(result->estimate.low - (100 - 12.729785)) < 1e-5);
	kb_import_free(&import);
	import = good(&kb_import_google, GOOGLE("{\"name\":\"BM_b\",\"error_occurred\":true,\"error_message\":\"no\",\"real_time\":0}"));
	assert_true(kb_verdict_has(&result_of(&import, "google.BM_b")->verdict, KB_CODE_op_failed));
	kb_import_free(&import);
	import = good(&kb_import_google, GOOGLE("{\"name\":\"BM_b\",\"skipped\":true,\"skip_message\":\"no\",\"real_time\":0}"));
	assert_int_equal(result_of(&import, "google.BM_b")->verdict.status, KB_SKIPPED);
	kb_import_free(&import);
	/* A rate is by the CPU time: 2 us of 1 GB/s. */
	import = good(&kb_import_google, GOOGLE("{\"name\":\"BM_c\",\"real_time\":3,\"cpu_time\":2,\"time_unit\":\"us\",\"bytes_per_second\":1e9}"));
	assert_int_equal(result_of(&import, "google.BM_c")->bytes_per_op, 2000);
	kb_import_free(&import);
}

/* ---- criterion -------------------------------------------------------------------------------------------- */

#define FILE_OF(name, content) "kbench-criterion-file g/new/" name ".json\n" content "\n"
#define BENCHMARK FILE_OF("benchmark", "{\"group_id\":\"g\",\"function_id\":\"f 1\",\"value_str\":\"2\",\"throughput\":{\"Bytes\":64},\"full_id\":\"g/f 1/2\"}")
#define ESTIMATE(value, low, high, level) \
	"{\"confidence_interval\":{\"confidence_level\":" level ",\"lower_bound\":" low ",\"upper_bound\":" high "},\"point_estimate\":" value "}"

/* Ten a turn of the loop, and one more or less in turn. */
#define SAMPLES "{\"iters\":[100,200,300,400,500,600,700,800,900,1000,1100,1200,1300,1400,1500,1600]," \
	"\"times\":[1001,1999,3001,3999,5001,5999,7001,7999,9001,9999,11001,11999,13001,13999,15001,15999]}"

static void criterion(void **state)
{
	struct kb_import import = good(&kb_import_criterion, BENCHMARK FILE_OF("estimates", "{\"Slope\":" ESTIMATE("10.5", "10", "12", "0.95") ",\"Mean\":"
		ESTIMATE("11", "10", "12", "0.95") "}") FILE_OF("sample", SAMPLES));
	struct kb_result *result = result_of(&import, "criterion.g.f_1 value=2");

	(void)state;
	/* The cost is criterion's, what its samples come to here is alongside. */
	near(result->estimate.value, 10.5);
	near(result->estimate.low, 10);
	near(result->estimate.high, 12);
	assert_true(result->observed.known && fabs(result->observed.value - 10) < .01);
	assert_int_equal(result->bytes_per_op, 64);
	assert_true(kb_verdict_has(&result->verdict, KB_CODE_single_launch) && !kb_verdict_has(&result->verdict, KB_CODE_warmup));
	kb_import_free(&import);
	import = good(&kb_import_criterion, BENCHMARK FILE_OF("estimates", "{\"slope\":null,\"mean\":" ESTIMATE("11", "10", "12", "0.99") "}"));
	result = result_of(&import, "criterion.g.f_1 value=2");
	/* Its interval is of another level, and is no interval of ours. */
	assert_true(result->estimate.known && !result->estimate.bounded);
	kb_import_free(&import);
	import = good(&kb_import_criterion, "warning: unused\n{\"reason\":\"benchmark-complete\",\"id\":\"a/b\",\"typical\":{\"estimate\":2,\"lower_bound\":1,"
		"\"upper_bound\":3,\"unit\":\"us\"}}\n{\"reason\":\"group-complete\"}\n");
	near(result_of(&import, "criterion.a.b")->estimate.high, 3000);
	kb_import_free(&import);
}

/* ---- perf bench and lmbench ------------------------------------------------------------------------------ */

#define PERF "# Running 'syscall/basic' benchmark:\n# Executed 10 getppid() calls\n     Total time: 1.863 [sec]\n\n       0.5 usecs/op\n"

static void perf(void **state)
{
	struct kb_import import = good(&kb_import_perf, PERF "        2000000 ops/sec\n" PERF
		"# Running 'mem/memcpy' benchmark:\n# function 'default' (x)\n# Copying 1MB bytes ...\n\n      2 GB/sec\n"
		"# Running 'sched/messaging' benchmark:\n     Total time: 0.067 [sec]\n# Running 'futex/hash' benchmark:\nAveraged 2000 operations/sec (+- 5.42%), total secs = 1");
	struct kb_import_options named = usual;
	struct kb_result *result = result_of(&import, "perf_bench.syscall_basic");

	(void)state;
	near(result->estimate.value, 500);
	assert_int_equal(result->processes, 2);
	result = result_of(&import, "perf_bench.mem_memcpy function=default");
	near(result->estimate.value, 1e9 / 2048);
	assert_int_equal(result->bytes_per_op, 1048576);
	assert_true(!result->estimate.bounded && kb_verdict_has(&result->verdict, KB_CODE_partial_run));
	near(result_of(&import, "perf_bench.sched_messaging")->estimate.value, 67e6);
	near(result_of(&import, "perf_bench.futex_hash")->estimate.value, 5e5);
	kb_import_free(&import);
	import = good(&kb_import_perf, "# Running 'syscall/basic' benchmark:\n");
	assert_int_equal(result_of(&import, "perf_bench.syscall_basic")->verdict.status, KB_INVALID);
	assert_int_equal(import.runs[0].processes[0].cut_line, 1);
	kb_import_free(&import);
	/* The simple format has no name. */
	named.kind = &kb_import_perf;
	named.bench = "perf_bench.mine";
	if (read_as(&import, &named, "0.029\n0.031\n"))
		fail_msg("%s", error);
	assert_int_equal(import.runs[0].count, 2);
	near(result_of(&import, "perf_bench.mine")->estimate.value, 30e6);
	kb_import_free(&import);
}

static void lmbench(void **state)
{
	struct kb_import import = good(&kb_import_lmbench,
		"[lmbench3.0 results for Linux vm]\n[HOSTNAME: vm]\n[RELEASE: 6.1]\n[MACHINE: x86_64]\n[Thu Nov 26 06:34:56 UTC 2026]\n"
		"[mount: /dev/vda on / type ext4 (rw)]\nSimple syscall: 0.1181 microseconds\nSelect on 100 tcp fd's: 3.8531 microseconds\n"
		"integer add: 0.00 nanoseconds\nPipe bandwidth: 2000.00 MB/sec\nSTREAM copy latency: 1.5 nanoseconds\nAvg xfer: 3.2KB, 41.8KB in 1.4 ms\n"
		"\"read bandwidth\n0.004096 4096.0\n1.05 1048.576\n\n\"size=16k ovr=0.74\n2 1.64\n\nRandom load latency\n\"stride=64\n0.00049 1.2\n"
		"\"File system latency\n10k\t109\t10000\t20000\n");
	struct kb_result *result = result_of(&import, "lmbench.lat_syscall call=null");

	(void)state;
	assert_string_equal(import.runs[0].started, "2026-11-26T06:34:56Z");
	near(result->estimate.value, 118.1);
	assert_true(!result->estimate.bounded && kb_verdict_has(&result->verdict, KB_CODE_partial_run));
	near(result_of(&import, "lmbench.lat_select fds=100 kind=tcp")->estimate.value, 3853.1);
	/* Less than it prints is no cost of nothing. */
	result = result_of(&import, "lmbench.lat_ops op=integer_add");
	assert_true(!result->estimate.known && kb_verdict_has(&result->verdict, KB_CODE_below_resolution));
	near(result_of(&import, "lmbench.bw_pipe")->estimate.value, 5e5);
	near(result_of(&import, "lmbench.STREAM_copy_latency")->estimate.value, 1.5);
	near(result_of(&import, "lmbench.bw_file_rd mode=io_only size=4K")->estimate.value, 1000);
	near(result_of(&import, "lmbench.bw_file_rd mode=io_only size=1M")->estimate.value, 1e6);
	near(result_of(&import, "lmbench.lat_ctx processes=2 size=16K")->estimate.value, 1640);
	near(result_of(&import, "lmbench.lat_mem_rd size=512 order=random stride=64")->estimate.value, 1.2);
	near(result_of(&import, "lmbench.lat_fs op=delete size=10K")->estimate.value, 5e4);
	kb_import_free(&import);
}

/* ---- what is wrong, and names --------------------------------------------------------------------------------- */

static void wrong(void **state)
{
	static const struct { const char *text, *message; } wrongs[] = {
		{ "{\"results\":[{\"command\":\"a\",\"stddev\":1,\n", "t:2: the JSON is cut off: write the file again" },
		{ HYPERFINE("a", "1", "1e999", ""), "t:1: no JSON: real number overflow near '1e999'" },
		{ HYPERFINE("a", "NaN", "1", ""), "t:1: no JSON: invalid token near 'NaN'" },
		{ HYPERFINE("a", "1", "1,-1", ""), "t: /results/0/times/1: -1 is no such number: must be from 0 to 1e+18" },
		{ HYPERFINE("a", "1", "1,\"x\"", ""), "t: /results/0/times/1: is no number" },
		{ HYPERFINE("a", "2", "1,1", ""), "t: /results/0/mean: is not the mean of its times: which is right?" },
		{ HYPERFINE("a", "1", "1,1", ",\"exit_codes\":[0]"), "t: /results/0/exit_codes: 1 for 2 times" },
		{ HYPERFINE("", "1", "1", ""), "t: /results/0/command: is missing" },
		{ "{\"results\":[],\"command\":1,\"stddev\":1}", "t: /results: has no command in it" },
		{ "{\"results\":[{\"command\":\"a b\",\"mean\":1,\"stddev\":1},{\"command\":\"a_b\",\"mean\":1}]}",
		  "t: 'a_b' and a name before it are both written hyperfine.a_b: rename one of them" },
		{ GOOGLE(ENTRY("a", "2", "1")), "t: /benchmarks/0/repetitions: is 2, and 'a' has 1: is the file cut?" },
		{ GOOGLE("{\"name\":\"a\",\"real_time\":1,\"cpu_time\":1,\"time_unit\":\"h\"}"), "t: /benchmarks/0/time_unit: 'h' is none of ns, us, ms and s" },
		{ GOOGLE("{\"name\":\"a\",\"real_time\":\"1\",\"cpu_time\":1}"), "t: /benchmarks/0/real_time: is no number" },
		{ GOOGLE("{\"real_time\":1}"), "t: /benchmarks/0/name: is missing" },
		{ "{\"context\":{},\"context\":{},\"benchmarks\":[],\"real_time\":1}", "t:1: no JSON: duplicate object key near '\"context\"'" },
		{ BENCHMARK FILE_OF("estimates", "{\"slope\":" ESTIMATE("10", "11", "12", "0.95") "}"),
		  "t/g/new: /slope: 10 is not between the ends of its own interval, 11 and 12" },
		{ BENCHMARK FILE_OF("sample", "{\"iters\":[1,2],\"times\":[1]}"), "t/g/new: sample.json: 2 counts of iterations for 1 times" },
		{ BENCHMARK FILE_OF("sample", "{\"iters\":[0],\"times\":[1]}"), "t/g/new: sample.json[0]: 0 is no such number: must be from 1 to 1e+18" },
		{ BENCHMARK, "t/g/new: sample.json: 'g/f 1/2' has neither an estimate nor samples" },
		{ BENCHMARK FILE_OF("estimates", "{"), "t/g/new/estimates.json:2: the JSON is cut off: write the file again" },
		{ "{\"mean\":1,\"median_abs_dev\":2}", "t: no benchmark of criterion has a name in it: give the directory, such as target/criterion" },
		{ "{\"reason\":\"benchmark-complete\",\"id\":\"a\"", "t:1: no JSON: '}' expected near end of file: is the line cut off?" },
		{ PERF "        5000000 ops/sec\n", "t:6: 5e+06 ops/sec and 0.5 usecs/op contradict each other: which is right?" },
		{ PERF "1.5\n", "t:6: a number without a unit behind 'syscall/basic': results of --format=simple belong into a file of their own, and --name names "
		  "what they are" },
		{ "Simple syscall: -1 microseconds\n", "t:1: 'Simple syscall: -1 microseconds' is no such number: must be from 0 to 1e18 ns" },
		{ "Simple syscall: nan microseconds\n", "t:1: 'Simple syscall: nan microseconds' is no such number: must be from 0 to 1e18 ns" },
		{ "Simple syscall: 1e999 microseconds\n", "t:1: 'Simple syscall: 1e999 microseconds' is no such number: must be from 0 to 1e18 ns" },
		{ "Simple syscall: microseconds\n", "t:1: 'Simple syscall: microseconds' has no number" },
		{ "Simple syscall: 0.11", "t:1: the last line has no end: the file is cut off" },
		{ "[lmbench3.0 results for Linux vm]\n", "t: no number of lmbench in it" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof wrongs / sizeof wrongs[0]; i++)
		refused(wrongs[i].text, wrongs[i].message);
}

/* Whatever it is called, its name is one word that tells it from others, and nothing of it reaches a terminal. */
static void hostile_names(void **state)
{
	static const char *const names[] = { "=cmd|' /C calc'!A0", "<img onerror=x>", "a\\nb", "\\u001b[2J", "\\\"", "...", "\\u202e", "\xc3\xa9" };
	char text[12000], row[2][KB_ROW_NAME] = { "" };
	struct kb_import import;

	(void)state;
	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
		snprintf(text, sizeof text, "{\"results\":[{\"command\":\"%s\",\"mean\":1,\"stddev\":1}]}", names[i]);
		import = good(&kb_import_hyperfine, text);
		assert_true(kb_is_bench_name(import.runs[0].processes[0].row));
		assert_true(kb_is_visible(result_of(&import, import.runs[0].processes[0].row)->verdict.reasons[0].detail));
		kb_import_free(&import);
	}
	/* Ten thousand characters, and two of them that differ in the last. */
	for (int i = 0; i < 2; i++) {
		snprintf(text, sizeof text, "{\"results\":[{\"command\":\"%0*d\",\"mean\":1,\"stddev\":1}]}", 10000, i);
		import = good(&kb_import_hyperfine, text);
		assert_true(kb_is_bench_name(import.runs[0].processes[0].row));
		snprintf(row[i], sizeof row[i], "%s", import.runs[0].processes[0].row);
		kb_import_free(&import);
	}
	assert_string_not_equal(row[0], row[1]);
	refused("{\"results\":[{\"command\":\"\xff\",\"stddev\":1}]}", "t:1: no JSON: unable to decode byte 0xff near '\"'");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(hyperfine), cmocka_unit_test(many_runs), cmocka_unit_test(google), cmocka_unit_test(criterion),
		cmocka_unit_test(perf), cmocka_unit_test(lmbench), cmocka_unit_test(wrong), cmocka_unit_test(hostile_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
