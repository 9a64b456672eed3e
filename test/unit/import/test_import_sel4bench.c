/* What sel4bench prints, and the history that its project keeps. */
#include "import_log.h"

#include <stdio.h>

/* ---- sel4bench ------------------------------------------------------------------------------------- */

#define ROW(raw) "\"Prio\": 1, \"Same vspace?\": true, \"Min\": 300, \"Max\": 320, \"Mean\": 305, \"Stddev\": 3.2, \"Variance\": \"nan\", " \
	"\"Mode\": 304, \"Median\": 306, \"1st quantile\": 303, \"3rd quantile\": 307, \"Samples\": 16" raw
#define BENCH(rows) "[{\"Benchmark\": \"Wait time\", \"Results\": [" rows "]}]"

static void sel4bench(void **state)
{
	struct kb_import log = good("boot [1]\nJSON OUTPUT\n" BENCH("{" ROW("") "}") "END JSON OUTPUT\nlater [2]\n");
	struct kb_result result = result_of(&log.runs[0]);

	(void)state;
	assert_ptr_equal(log.kind, &kb_import_sel4bench);
	assert_string_equal(result.benchmark, "sel4bench.wait_time");
	assert_string_equal(result.params, "prio=1 same_vspace=yes");
	assert_int_equal(result.method, KB_METHOD_REPORTED);
	assert_true(result.estimate.known && result.estimate.value == 306 && !result.estimate.bounded);
	assert_true(result.mean.value == 305 && result.observations == 16);
	assert_int_equal(result.verdict.status, KB_UNVERIFIED);
	kb_import_free(&log);
}

static void named(const char *words, const char *bench)
{
	char text[400];
	struct kb_import log;

	snprintf(text, sizeof text, "[{\"Benchmark\": \"%s\", \"Results\": [{\"Mean\": 5, \"Samples\": 16}]}]", words);
	log = good(text);
	assert_string_equal(log.runs[0].processes[0].row, bench);
	kb_import_free(&log);
}

/* What a name loses on its way to a benchmark's is in the hash behind it. */
static void names(void **state)
{
	(void)state;
	named("IRQ path cycle count (measured from user level)", "sel4bench.irq_path_cycle_count_measured_from_user_level");
	named("\u65e5\u672c", "sel4bench.c7b7cdcc");
	named("\u65e5\u672d", "sel4bench.b0b0fd5a");
	named("a \u00b5 b", "sel4bench.a_b_9a426cf8");
	named("0123456789 0123456789 0123456789 0123456789 0123456789", "sel4bench.0123456789_0123456789_0123456789_01234_21c1e6cb");
	named("0123456789 0123456789 0123456789 0123456789 0123456780", "sel4bench.0123456789_0123456789_0123456789_01234_581d5e6f");
	wrong("[{\"Benchmark\": \" ? \", \"Results\": []}]", "t.log:1: ' ? ' cannot name a benchmark: give it 1 to 63 letters, digits, '_', "
	      "'-' and '.' where it is measured");
}

/* Processes of several boots have an interval, as all processes have. */
static void sel4bench_boots(void **state)
{
	struct kb_import log = good("JSON OUTPUT\n" BENCH("{" ROW("") "}") "END JSON OUTPUT\nJSON OUTPUT\n" BENCH("{" ROW("") "}")
				 "END JSON OUTPUT\nJSON OUTPUT\n" BENCH("{" ROW("") "}"));
	struct kb_result result = result_of(&log.runs[0]);

	(void)state;
	assert_int_equal(log.runs[0].count, 3);
	assert_int_equal(result.processes, 3);
	assert_true(result.estimate.bounded && result.estimate.low == 306 && result.estimate.high == 306);
	kb_import_free(&log);
}

/* What has a name in the list of metrics of the history has it here, too; columns that the list does not name tell nothing more of it. */
static void metrics(void **state)
{
	struct kb_import log = good("[{\"Benchmark\": \"One way IPC microbenchmarks\", \"Results\": ["
				 "{\"Function\": \"seL4_Call\", \"Direction\": \"client->server\", \"Client Prio\": 254, \"Same vspace?\": false, "
				 "\"IPC length\": 0, \"Mean\": 700, \"Samples\": 16}, "
				 "{\"Function\": \"seL4_Call\", \"Direction\": \"client->server\", \"Same vspace?\": true, \"IPC length\": 10, "
				 "\"Mean\": 800, \"Samples\": 16}]}]");

	(void)state;
	assert_string_equal(log.runs[0].processes[0].row, "sel4bench.ipc_call");
	assert_memory_equal(log.runs[0].processes[1].row, "sel4bench.one_way_ipc_microbenchmarks function=", 47);
	kb_import_free(&log);
}

#define AGAIN(name, more) "{\"Benchmark\": \"" name "\", " more "\"Results\": [{\"Mean\": 500, \"Samples\": 16}]}"

/* Iterations are processes of one result. Two programs of the suite may use one name: their results stay apart. */
static void iterations(void **state)
{
	struct kb_import log = good("[" AGAIN("Thread yield", "\"Iteration\": 0, ") ", " AGAIN("Signal overhead", "\"Iteration\": 0, ") ", "
				 AGAIN("Signal overhead", "\"Iteration\": 0, ") ", " AGAIN("Thread yield", "\"Iteration\": 1, ") "]");

	(void)state;
	assert_true(log.runs[0].count == 4 && !strcmp(log.runs[0].processes[0].row, "sel4bench.thread_yield"));
	assert_string_equal(log.runs[0].processes[1].row, "sel4bench.signal_overhead");
	assert_string_equal(log.runs[0].processes[2].row, "sel4bench.signal_overhead block=2");
	assert_string_equal(log.runs[0].processes[3].row, "sel4bench.thread_yield");
	kb_import_free(&log);
}

/* Counts of events stand next to the times of the same operation, and overheads may be nothing. */
static void no_costs(void **state)
{
	struct kb_import log = good("[{\"Benchmark\": \"Average seL4_Yield (no thread switch)\", \"Results\": ["
				 "{\"Event\": \"L1 i-cache misses\", \"Mean\": 12, \"Samples\": 16}, "
				 "{\"Event\": \"Cycle counter\", \"Mean\": 300, \"Samples\": 16}]}, "
				 "{\"Benchmark\": \"Signal overhead\", \"Results\": [{\"Mean\": 0, \"Samples\": 16}]}]");

	(void)state;
	assert_int_equal(log.runs[0].count, 1);
	assert_true(log.events == 1 && log.zeros == 1);
	kb_import_free(&log);
}

static void raw_values(void **state)
{
	char text[4096], raw[2048] = ", \"Raw results\": [";
	struct kb_result result;
	struct kb_import log;

	(void)state;
	for (int i = 0; i < 40; i++)
		sprintf(raw + strlen(raw), "%d, ", 300 + i * 17 % 11);
	strcat(raw, "305]");
	snprintf(text, sizeof text, BENCH("{" ROW("%s") "}"), raw);
	log = good(text);
	result = result_of(&log.runs[0]);
	assert_int_equal(result.method, KB_METHOD_SINGLE);
	assert_int_equal(result.observations, 41);
	assert_true(result.estimate.known && result.estimate.value == 305);
	kb_import_free(&log);
	/* An overhead that was larger than the value: 2^64 - 3. */
	snprintf(strrchr(raw, '3'), 40, "18446744073709551613]");
	snprintf(text, sizeof text, BENCH("{" ROW("%s") "}"), raw);
	log = good(text);
	result = result_of(&log.runs[0]);
	assert_true(kb_verdict_has(&result.verdict, KB_CODE_clock_backwards) && result.verdict.status == KB_INVALID);
	kb_import_free(&log);
}

static void early_processing(void **state)
{
	struct kb_import log = good("[{\"Benchmark\": \"b (early processing)\", \"Results\": [{\"Min\": 0, \"Max\": 0, \"Mean\": 571, \"Stddev\": 7, "
				 "\"Median\": 0, \"Samples\": 16}]}]");
	struct kb_result result = result_of(&log.runs[0]);

	(void)state;
	assert_string_equal(result.benchmark, "sel4bench.b_early_processing");
	assert_true(result.estimate.value == 571 && !result.quantile[KB_P50].known);
	assert_non_null(strstr(log.runs[0].processes[0].record, "reported_mean=571"));
	assert_null(strstr(log.runs[0].processes[0].record, "=0 reported"));
	kb_import_free(&log);
}

static void wrong_json(void **state)
{
	struct kb_import log;

	(void)state;
	wrong("x\nJSON OUTPUT\n[{\"Benchmark\": \"a\",\n\"Results\": [", "t.log:4: the JSON is cut off");
	wrong("JSON OUTPUT\n[{\"Benchmark\": \"a\", \"Results\": [{\"Mean\": \"nan\"}]}]", "t.log:2: an entry of 'sel4bench.a'  has neither a mean "
	      "nor raw values");
	wrong("[{\"Benchmark\": 5, \"Results\": []}]", "t.log:1: an element has no 'Benchmark' or no 'Results'");
	wrong("[{\"Benchmark\": \"a\", \"Results\": [{\"Mean\": 5, \"Raw results\": [1.5]}]}]",
	      "t.log:1: raw value 1 of 'sel4bench.a' is not a whole number below 2^64");
	assert_int_not_equal(read_log(&log, "JSON OUTPUT\n[{\"Benchmark\": \"a\",\n<<seL4 [x]>>\n\"Results\": []}]", 60), 0);
	assert_memory_equal(error, "t.log:3: no JSON of sel4bench", 29);
	kb_import_free(&log);
}

/* ---- its history ----------------------------------------------------------------------------------- */

#define LINE(ts, sha, mean) "{\"ts\": \"" ts "\", \"sha\": \"" sha "\", \"sha_kernel\": \"k" sha "\", \"sha_bench\": \"b\", \"run_id\": 12345678901, " \
	"\"notify\": [[0, 0, 0, " mean ", 0, 0, 9, 16]], \"ipc\": [363, 365, 368, 366, 368, 373, 2.0, 16]}\n"

static void history(void **state)
{
	struct kb_import log = good(LINE("2026-06-12T05:57:25Z", "1", "1340") LINE("2026-06-11T05:57:25Z", "2", "1300") "\n"
				 LINE("2026-06-12T06:57:25Z", "1", "1350"));
	struct kb_result result;

	(void)state;
	assert_ptr_equal(log.kind, &kb_import_sel4bench_results);
	assert_int_equal(log.run_count, 2);
	assert_string_equal(log.runs[0].machine, "t");
	assert_string_equal(log.runs[0].started, "2026-06-12T05:57:25Z");
	/* Two runs of the same revisions are processes of one. */
	assert_int_equal(log.runs[0].count, 4);
	assert_int_equal(log.runs[1].count, 2);
	assert_string_equal(log.runs[0].processes[0].row, "sel4bench.notify");
	result = result_of(&log.runs[1]);
	assert_true(result.estimate.value == 1300 && !result.quantile[KB_P50].known);
	kb_import_free(&log);
	wrong("{\"ts\": \"yesterday\", \"run_id\": 1}\n", "t.log:1: no run of sel4bench: it has no time 'ts'");
	wrong(LINE("2026-06-12T05:57:25Z", "1", "1") "{\"ts\": \"2026-06-12T05:57:25Z\", \"run_id\": 1, \"x\": [1, 2]}",
	      "t.log:2: 'x' does not have min, q1, median, mean, q3, max, stddev, n");
	log = good(LINE("2026-06-12T05:57:25Z", "1", "0"));
	assert_true(log.runs[0].count == 1 && log.zeros == 1);
	kb_import_free(&log);
	/* Another kernel of one manifest. */
	log = good(LINE("2026-06-12T05:57:25Z", "1", "5") "{\"ts\": \"2026-06-12T06:57:25Z\", \"sha\": \"1\", \"sha_kernel\": \"other\", "
		   "\"sha_bench\": \"b\", \"run_id\": 1, \"ipc\": [363, 365, 368, 366, 368, 373, 2.0, 16]}\n");
	assert_int_equal(log.run_count, 2);
	kb_import_free(&log);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sel4bench), cmocka_unit_test(metrics), cmocka_unit_test(iterations), cmocka_unit_test(no_costs), cmocka_unit_test(names),
		cmocka_unit_test(sel4bench_boots), cmocka_unit_test(raw_values), cmocka_unit_test(early_processing), cmocka_unit_test(wrong_json), cmocka_unit_test(history),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
