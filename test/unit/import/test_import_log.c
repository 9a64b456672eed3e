/* Logs as processes: what is whole is believed digit by digit, what is cut off says so, what contradicts itself is refused. */
#include "import_log.h"

#include <stdio.h>

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
		cmocka_unit_test(flipped_anywhere), cmocka_unit_test(record_cut_anywhere), cmocka_unit_test(later_version), cmocka_unit_test(cleaning),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
