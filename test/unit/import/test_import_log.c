/* Logs as processes: what is whole is believed digit by digit, what is cut off says so, what contradicts itself is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "import/import.h"
#include "result/summary/summary.h"
#include "run/run.h"

static char error[KB_IMPORT_ERROR];
static struct kb_import_options options = { .confidence = .9, .records = true };

/* A copy of exactly that size: a sanitizer sees one byte too many. */
static int read_log(struct kb_import *log, const char *text, size_t length)
{
	char *copy = malloc(length ? length : 1);
	int result;

	assert_non_null(copy);
	memcpy(copy, text, length);
	*log = (struct kb_import){ .count = 0 };
	result = kb_import_text(log, &options, "t.log", copy, length, error);
	free(copy);
	return result;
}

static struct kb_import good(const char *text)
{
	struct kb_import log;

	if (read_log(&log, text, strlen(text)))
		fail_msg("%s", error);
	return log;
}

static void wrong(const char *text, const char *message)
{
	struct kb_import log;

	assert_int_not_equal(read_log(&log, text, strlen(text)), 0);
	assert_string_equal(error, message);
	kb_import_free(&log);
}

static struct kb_result result_of(const struct kb_import_run *run)
{
	struct kb_process_text texts[16];
	struct kb_result result;

	unsigned count = 0;

	assert_in_range(run->count, 1, 16);
	/* Its first row. */
	for (size_t i = 0; i < run->count; i++) {
		if (strcmp(run->processes[i].row, run->processes[0].row) == 0) {
			texts[count] = (struct kb_process_text){ count + 1, "", run->processes[i].record, run->processes[i].length };
			count++;
		}
	}
	kb_summarise(texts, count, &(struct kb_summary_rules){ .planned = count, .precision = .01 }, &result);
	return result;
}

static struct kb_samples samples_of(const struct kb_import_process *process)
{
	struct kb_process_text text = { 1, "", process->record, process->length };
	struct kb_samples samples;

	assert_int_equal(kb_samples_load(&samples, &text), 0);
	return samples;
}

/* Its first process. */
static void is_cut(const struct kb_import *log, unsigned line, const char *why)
{
	assert_string_equal(log->runs[0].processes[0].cut, why);
	assert_int_equal(log->runs[0].processes[0].cut_line, line);
}

/* ---- tables ---------------------------------------------------------------------------------------- */

#define NUMBERS "Initial Test size: 30\nDelta: 2\n" \
	"Number of Tests / Sample size of Accumulated latency: 3\nNumber of Groups: 2\n"
#define HEAD NUMBERS "Accumulated latencies (clock cycles): \n"
#define ROWS "138832 141131 \n138833 141132 \n138834 141133 \n"
#define TABLE HEAD ROWS "\nDone!\n"

static void table(void **state)
{
	struct kb_import log = good("boot\n" TABLE);
	struct kb_samples samples = samples_of(&log.runs[0].processes[0]);

	(void)state;
	assert_ptr_equal(log.kind, &kb_import_kanata);
	assert_int_equal(log.runs[0].count, 1);
	assert_string_equal(log.runs[0].processes[0].row, "sel4.signal");
	assert_string_equal(log.runs[0].processes[0].cut, "");
	assert_int_equal(log.runs[0].processes[0].line, 2);
	assert_int_equal(samples.state, KB_RECORD_WHOLE);
	assert_int_equal(samples.method, KB_METHOD_KANATA);
	/* Group by group, though the text has them side by side. */
	assert_int_equal(samples.op.count, 6);
	assert_true(samples.op.n[2] == 30 && samples.op.n[3] == 32 && samples.op.block[2] == 0 && samples.op.block[3] == 1);
	assert_true(samples.op.ticks[1] == 138833 && samples.op.ticks[3] == 141131 && samples.op.ticks[5] == 141133);
	kb_samples_free(&samples);
	kb_import_free(&log);
}

/* A serial line, a terminal, and messages between rows. */
static void dressed(void **state)
{
	static const char *const forms[] = {
		"\033c\033[2J\033[1;1HInitial Test size: 30\r\r\nDelta: 2\r\r\n"
		"Number of Tests / Sample size of Accumulated latency: 3\r\r\nNumber of Groups: 2\r\r\n"
		"Accumulated latencies (clock cycles): \r\r\n138832 141131 \r\r\n138833 141132 \r\r\n138834 141133 \r\r\n\r\r\nDone!\r\r\n",
		"\033]0;title\aboot\n" NUMBERS "\033[0m\033[1;32mAccumulated latencies (clock cycles): \n"
		"138832 141131\n<<seL4(CPU 0) [decodeUntypedInvocation/212 T0x80bf817400]: Insufficient memory>>\n138833 141132\n"
		"\033[32m138834 141133\033[0m\n\033[0mDone!",
	};

	(void)state;
	for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++) {
		struct kb_import log = good(forms[i]);
		struct kb_samples samples = samples_of(&log.runs[0].processes[0]);

		assert_string_equal(log.runs[0].processes[0].cut, "");
		assert_true(samples.state == KB_RECORD_WHOLE && samples.op.count == 6 && samples.op.ticks[4] == 141132);
		kb_samples_free(&samples);
		kb_import_free(&log);
	}
}

static void largest_values(void **state)
{
	struct kb_import log = good(NUMBERS "Accumulated latencies\n18446744073709551615 0\n1 2\n3 4\nDone!\n");

	(void)state;
	assert_non_null(strstr(log.runs[0].processes[0].record, "o 30 18446744073709551615 "));
	kb_import_free(&log);
	wrong(NUMBERS "Accumulated latencies\n18446744073709551616 0\n1 2\n3 4\nDone!\n",
	      "t.log:6: '18446744073709551616' is not a number of cycles");
}

static void several_tables(void **state)
{
	struct kb_import log = good(TABLE "reboot\n" TABLE);

	(void)state;
	assert_int_equal(log.runs[0].count, 2);
	assert_int_equal(log.runs[0].processes[1].line, 12);
	kb_import_free(&log);
	/* The first boot ended inside its table: it is cut off, the second one is not. */
	log = good(HEAD "1 2\n" TABLE);
	assert_int_equal(log.runs[0].count, 2);
	is_cut(&log, 7, "'Initial Test size: 30' after 1 of 3 tests");
	assert_string_equal(log.runs[0].processes[1].cut, "");
	kb_import_free(&log);
	/* Or before its last word: nobody knows what else it would have said. */
	log = good(HEAD ROWS TABLE);
	is_cut(&log, 8, "the log ends without 'Done!'");
	assert_string_equal(log.runs[0].processes[1].cut, "");
	kb_import_free(&log);
}

static void cut_tables(void **state)
{
	static const struct { const char *text; unsigned line; const char *why; } cuts[] = {
		{ NUMBERS, 4, "the log ends before the line 'Accumulated latencies'" },
		{ HEAD "1 2\n3 4\n", 7, "2 tests, the log declares 3" },
		{ HEAD "1 2\n3 4\n\nDone!\n", 9, "'Done!' after 2 of 3 tests" },
		{ HEAD "1 2\n3 4\n5", 8, "the log ends inside test 3 of 3" },
		{ HEAD ROWS, 8, "the log ends without 'Done!'" },
		{ HEAD ROWS "\nDon", 8, "the log ends without 'Done!'" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof cuts / sizeof cuts[0]; i++) {
		struct kb_import log = good(cuts[i].text);
		struct kb_result result = result_of(&log.runs[0]);

		is_cut(&log, cuts[i].line, cuts[i].why);
		assert_true(result.verdict.status == KB_INVALID && kb_verdict_has(&result.verdict, KB_CODE_record_truncated));
		assert_false(result.estimate.known);
		kb_import_free(&log);
	}
}

static void contradictions(void **state)
{
	(void)state;
	wrong(HEAD "1 2\n3 4 5\n6 7\nDone!\n", "t.log:7: 3 values, the log declares 2 groups");
	wrong(HEAD "1 2\n3\n6 7\nDone!\n", "t.log:7: 1 values, the log declares 2 groups");
	wrong(HEAD ROWS "7 8\nDone!\n", "t.log:9: 4 tests, the log declares 3");
	wrong(HEAD "1 2\n3 <<seL4(CPU 0) [x/1]: no>>\n6 7\nDone!\n", "t.log:7: '<<seL4(CPU' is not a number of cycles");
	wrong(HEAD "1 2\n13[K8832 4\n6 7\nDone!\n", "t.log:7: '13[K8832' is not a number of cycles");
	wrong(HEAD "1 -2\n", "t.log:6: '-2' is not a number of cycles");
	wrong("Initial Test size: 0\nDelta: 1\nNumber of Tests / Sample size of Accumulated latency: 1\nNumber of Groups: 1\n"
	      "Accumulated latencies\n", "t.log:5: test sizes from 0 in steps of 1 are not possible");
	wrong("hello\nworld\n", "t.log: no table, no record and no results of a tool that is known here in it");
	wrong("", "t.log: no table, no record and no results of a tool that is known here in it");
}

/* Wherever it ends, what was not all there is never taken for whole. */
static void cut_anywhere(void **state)
{
	static const char text[] = "boot\r\n" TABLE "later\n";
	const char *end = strstr(text, "Done!");

	(void)state;
	for (size_t length = 0; length < sizeof text - 1; length++) {
		struct kb_import log;
		int result = read_log(&log, text, length);
		bool whole = result == 0 && log.runs[0].processes[0].cut[0] == '\0';

		assert_int_equal(whole, length >= (size_t)(end - text) + 5);
		assert_true(result == 0 || strchr(error, '\n') == NULL);
		kb_import_free(&log);
	}
}

/* ---- records --------------------------------------------------------------------------------------- */

/* Made by our own writer below: a record with foreign lines between ours. */
static char *made(size_t *length)
{
	static const char table_text[] = TABLE;
	struct kb_import log = good(table_text);
	const struct kb_import_process *process = &log.runs[0].processes[0];
	const char *middle = strstr(process->record, "\no ");
	char *text = malloc(process->length + 200);

	assert_non_null(text);
	*length = (size_t)sprintf(text, "U-Boot\r\nend of boot\r\n%.*s\nkernel: a line\r\n%s", (int)(middle - process->record), process->record,
				  middle + 1);
	kb_import_free(&log);
	return text;
}

static void record(void **state)
{
	size_t length;
	char *text = made(&length);
	struct kb_import log;

	(void)state;
	assert_int_equal(read_log(&log, text, length), 0);
	assert_ptr_equal(log.kind, &kb_import_record);
	assert_true(log.runs[0].count == 1);
	assert_string_equal(log.runs[0].processes[0].row, "sel4.signal");
	assert_string_equal(log.runs[0].processes[0].cut, "");
	assert_int_equal(log.runs[0].processes[0].line, 3);
	/* Nothing of what stands around it is kept. */
	assert_memory_equal(log.runs[0].processes[0].record, "kbench-record 2\n", 16);
	kb_import_free(&log);
	free(text);
}

/* Each byte of it in turn is another digit: a sum that did not see one would let a wrong number through. */
static void flipped_anywhere(void **state)
{
	size_t length, begin;
	char *text = made(&length);
	struct kb_import log;

	(void)state;
	begin = (size_t)(strstr(text, "bench sel4") - text);
	for (size_t i = begin; i < length; i++) {
		const char *foreign = strstr(text, "kernel: a line");
		char was = text[i];

		if (was == '\r' || was == '\n' || (text + i >= foreign && text + i < foreign + strlen("kernel: a line")))
			continue;
		text[i] = was == '7' ? '4' : '7';
		if (read_log(&log, text, length) == 0)
			assert_true(log.runs[0].processes[0].cut[0] != '\0');
		kb_import_free(&log);
		text[i] = was;
	}
	free(text);
}

static void record_cut_anywhere(void **state)
{
	size_t length;
	char *text = made(&length);

	(void)state;
	for (size_t i = (size_t)(strstr(text, "kbench-record") - text) + 16; i < length; i++) {
		struct kb_import log;

		assert_int_equal(read_log(&log, text, i), 0);
		assert_true(log.runs[0].count == 1 && log.runs[0].processes[0].cut[0] != '\0');

		struct kb_result result = result_of(&log.runs[0]);

		assert_true(kb_verdict_has(&result.verdict, KB_CODE_record_truncated));
		kb_import_free(&log);
	}
	free(text);
}

static void later_version(void **state)
{
	(void)state;
	wrong("boot\nkbench-record 9\nbench a.b\n", "t.log:2: the record has a version that this program does not know");
}

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

/* ---- cleaning -------------------------------------------------------------------------------------- */

static void cleaning(void **state)
{
	static const struct { const char *text, *clean; } pairs[] = {
		{ "a\r\r\nb\r\n", "a\nb\n" }, { "\033[1;31mred\033[0m\n", "red\n" }, { "a\rb\n", "a\rb\n" }, { "\033", "" }, { "\033[", "" },
		{ "x\033[12\ny", "x\ny" }, { "\033]0;t\033\\y", "y" }, { "\033]0;t", "" }, { "\033(By", "y" }, { "\r\ra", "a" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++) {
		size_t length = strlen(pairs[i].text);
		char *copy = malloc(length);

		memcpy(copy, pairs[i].text, length);
		length = kb_import_clean(copy, length);
		assert_int_equal(length, strlen(pairs[i].clean));
		assert_memory_equal(copy, pairs[i].clean, length);
		free(copy);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(table), cmocka_unit_test(dressed), cmocka_unit_test(largest_values), cmocka_unit_test(several_tables),
		cmocka_unit_test(cut_tables), cmocka_unit_test(contradictions), cmocka_unit_test(cut_anywhere), cmocka_unit_test(record),
		cmocka_unit_test(flipped_anywhere), cmocka_unit_test(record_cut_anywhere), cmocka_unit_test(later_version),
		cmocka_unit_test(sel4bench), cmocka_unit_test(metrics), cmocka_unit_test(iterations), cmocka_unit_test(no_costs), cmocka_unit_test(names), cmocka_unit_test(sel4bench_boots), cmocka_unit_test(raw_values),
		cmocka_unit_test(early_processing), cmocka_unit_test(wrong_json), cmocka_unit_test(history), cmocka_unit_test(cleaning),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
