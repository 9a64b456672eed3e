/* A clock that counts instructions: intervals with a timer tick are seen and left out, and what is left lies on its line exactly. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/record.h"
#include "result/samples.h"
#include "result/summary/summary.h"
#include "run/run.h"

#define PROCESSES 20     /* chance refused one in three before rounding was known for what it is */

static int put(void *context, const char *bytes, size_t count)
{
	return fwrite(bytes, 1, count, context) == count ? 0 : -1;
}

static void begin(struct kb_record_writer *record, FILE *memory, const char *method, const char *clock)
{
	char line[64];

	snprintf(line, sizeof line, "%s hz=0 quantum=1 cost=6 ordered=1", clock);
	kb_record_begin(record, (struct kb_sink){ put, memory });
	kb_record_line(record, "bench", "sel4.signal");
	kb_record_line(record, "per", "circle");
	kb_record_line(record, "bound", "kernel");
	kb_record_line(record, "method", method);
	kb_record_line(record, "clock", line);
}

/* A circle of 1144 and 14 for its readings, as one kernel of riscv64 has it; a tick adds `tick` to one interval in seven. */
static char *process(const char *clock, unsigned tick, unsigned seed, size_t *length)
{
	unsigned grid[] = { 100, 200, 400, 800 }, state = 4711 * seed + 1;
	struct kb_record_writer record;
	char *text;
	FILE *memory = open_memstream(&text, length);

	begin(&record, memory, "slope seed=1 process=1", clock);
	for (unsigned i = 0; i < 120; i++) {
		/* Another order in each block, as plans have it. */
		if (i % 4 == 0) {
			for (unsigned k = 3; k > 0; k--) {
				state = 1103515245 * state + 12345;
				unsigned j = state / 65536 % (k + 1), n = grid[k];

				grid[k] = grid[j];
				grid[j] = n;
			}
		}
		state = 1103515245 * state + 12345;
		unsigned n = grid[i % 4];

		kb_record_obs(&record, &(struct kb_obs){ .role = KB_ROLE_OP, .n = n, .block = i / 4,
			.ticks = 1144ull * n + 14 + (state / 65536 % 7 == 3 ? tick : 0) });
		kb_record_obs(&record, &(struct kb_obs){ .role = KB_ROLE_BASE, .n = n, .block = i / 4, .ticks = 2ull * n + 13 });
	}
	kb_record_end(&record);
	fclose(memory);
	return text;
}

static struct kb_result result_of(const char *clock, unsigned tick)
{
	struct kb_process_text texts[PROCESSES];
	struct kb_result result;

	for (unsigned i = 0; i < PROCESSES; i++) {
		size_t length;
		char *text = process(clock, tick, i, &length);

		texts[i] = (struct kb_process_text){ i + 1, "", text, length };
	}
	kb_summarise(texts, PROCESSES, &(struct kb_summary_rules){ .planned = PROCESSES, .precision = .01 }, &result);
	for (unsigned i = 0; i < PROCESSES; i++)
		free((void *)(uintptr_t)texts[i].record);
	return result;
}

/* 1142 to the last digit, from every process: rounding is no correlation. */
static void exact(const struct kb_result *result)
{
	assert_int_equal(result->processes, PROCESSES);
	assert_true(result->estimate.value > 1142 - 1e-9 && result->estimate.value < 1142 + 1e-9);
	assert_true(result->estimate.high - result->estimate.low < 1e-8);
	assert_string_equal(kb_time_unit(result), "insn");
}

static void without_ticks(void **state)
{
	struct kb_result result = result_of("icount", 0);

	(void)state;
	exact(&result);
	assert_int_equal(result.disturbed, 0);
	assert_false(kb_verdict_has(&result.verdict, KB_CODE_timer_ticks));
}

static void ticks_are_left_out(void **state)
{
	static const unsigned sizes[] = { 139, 181, 512, 798 };

	(void)state;
	for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
		struct kb_result result = result_of("icount", sizes[i]);

		exact(&result);
		assert_in_range(result.disturbed, PROCESSES * 120 / 10, PROCESSES * 120 / 5);
		assert_true(kb_verdict_has(&result.verdict, KB_CODE_timer_ticks));
		assert_false(kb_verdict_has(&result.verdict, KB_CODE_irq_hit));
	}
}

/* What is smaller or larger than a tick is the operation's own, and stays. */
static void others_stay(void **state)
{
	static const unsigned sizes[] = { 40, 5000 };

	(void)state;
	for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
		struct kb_result result = result_of("icount", sizes[i]);

		assert_int_equal(result.disturbed, 0);
		assert_false(kb_verdict_has(&result.verdict, KB_CODE_timer_ticks));
	}
}

/* A real clock has noise of every size. */
static void other_clocks(void **state)
{
	struct kb_result result = result_of("rdcycle", 512);

	(void)state;
	assert_int_equal(result.disturbed, 0);
	assert_string_equal(kb_time_unit(&result), "cycles");
	result = result_of("tsc", 512);
	assert_string_equal(kb_time_unit(&result), "ticks");
}

/* Groups of the source document's method: 930 n + 11, and a tick in one test of seven. */
static char *groups(unsigned tick, size_t *length)
{
	struct kb_record_writer record;
	char *text;
	FILE *memory = open_memstream(&text, length);

	begin(&record, memory, "kanata seed=1 process=1 confidence=0.9", "icount");
	for (unsigned i = 0; i < 150; i++)
		kb_record_obs(&record, &(struct kb_obs){ .role = KB_ROLE_OP, .n = 300 + i / 30, .block = i / 30,
			.ticks = 930ull * (300 + i / 30) + 11 + (i % 7 == 3 ? tick : 0) });
	kb_record_end(&record);
	fclose(memory);
	return text;
}

/* A/N has the ticks and the 11 in it, and stays what the document says; the cost is the slope of the tests without a tick. */
static void slope_of_groups(void **state)
{
	struct kb_process_text texts[2];
	struct kb_result result;
	char *text[2];

	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		size_t length;

		text[i] = groups(512, &length);
		texts[i] = (struct kb_process_text){ i + 1, "", text[i], length };
	}
	kb_summarise(texts, 2, &(struct kb_summary_rules){ .planned = 2, .precision = .01 }, &result);
	assert_true(result.estimate.value > 930 - 1e-6 && result.estimate.value < 930 + 1e-6);
	assert_true(result.mean.value > 930.2 && result.mean.value < 930.4);
	assert_true(kb_is_exact(&result));
	assert_true(kb_verdict_has(&result.verdict, KB_CODE_intercept_bias));
	for (unsigned i = 0; i < result.verdict.count; i++)
		assert_true(kb_reason_severity(&result.verdict.reasons[i]) < KB_MAKES_NOISY ||
			    result.verdict.reasons[i].code == KB_CODE_expect_unknown);
	free(text[0]);
	free(text[1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(slope_of_groups),
		cmocka_unit_test(without_ticks), cmocka_unit_test(ticks_are_left_out), cmocka_unit_test(others_stay),
		cmocka_unit_test(other_clocks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
