/* What a record says of its clock and its machine decides the unit: from no count of instructions and under no emulator comes a time. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/record.h"
#include "measure/measure.h"
#include "result/json/json.h"
#include "result/summary/summary.h"
#include "run/run.h"

#define PROCESSES 5u

/* More lines of the header; `only` in the last process alone. */
struct told { const char *clock, *bound, *more, *only; };

static int put(void *context, const char *bytes, size_t count)
{
	return fwrite(bytes, 1, count, context) == count ? 0 : -1;
}

static void put_line(struct kb_record_writer *record, const char *line)
{
	char word[16];
	int length = (int)strcspn(line, " ");

	snprintf(word, sizeof word, "%.*s", length, line);
	kb_record_line(record, word, line + length + 1);
}

/* An operation of 1000 ticks that moves 64 KB, with clock probes of one tick an addition. */
static char *process(const struct told *told, unsigned number, size_t *length)
{
	struct kb_record_writer record;
	char *text, line[32];
	FILE *memory = open_memstream(&text, length);

	kb_record_begin(&record, (struct kb_sink){ put, memory });
	kb_record_line(&record, "bench", "mem.made_up");
	kb_record_line(&record, "per", "chunk");
	snprintf(line, sizeof line, "slope seed=1 process=%u", number);
	kb_record_line(&record, "method", line);
	kb_record_line(&record, "bound", told->bound);
	kb_record_line(&record, "clock", told->clock);
	kb_record_line(&record, "env", "bytes_per_op=65536 checked=1");
	if (told->more)
		put_line(&record, told->more);
	if (told->only && number == PROCESSES)
		put_line(&record, told->only);
	for (unsigned i = 0; i < 200; i++) {
		unsigned n = 100u << i % 3;

		kb_record_obs(&record, &(struct kb_obs){ .role = KB_ROLE_OP, .n = n, .block = i / 3, .t = 500000ull * i, .ticks = 1000ull * n + i * 7 % 5 });
		if (i % 3 == 0) {
			kb_record_probe(&record, &(struct kb_probe_line){ .name = "clock", .n = KB_CLOCK_PROBE_SHORT, .ticks = 2020, .block = i / 3 });
			kb_record_probe(&record, &(struct kb_probe_line){ .name = "clock", .n = KB_CLOCK_PROBE_LONG, .ticks = 40020, .block = i / 3 });
		}
	}
	kb_record_end(&record);
	fclose(memory);
	return text;
}

static struct kb_result result_of(const struct told *told)
{
	struct kb_process_text texts[PROCESSES];
	struct kb_result result;

	for (unsigned i = 0; i < PROCESSES; i++) {
		size_t length;
		char *text = process(told, i + 1, &length);

		texts[i] = (struct kb_process_text){ i + 1, "", text, length };
	}
	kb_summarise(texts, PROCESSES, &(struct kb_summary_rules){ .planned = PROCESSES, .precision = .01 }, &result);
	for (unsigned i = 0; i < PROCESSES; i++)
		free((void *)(uintptr_t)texts[i].record);
	return result;
}

static void assert_unit(const struct kb_result *result, const char *unit)
{
	assert_true(result->estimate.known);
	assert_string_equal(kb_time_unit(result), unit);
	assert_int_equal(result->verdict.status, KB_OK);
}

/* A processor: what the same record says there. Without this the rest would show nothing. */
static void times(void **state)
{
	struct kb_result result = result_of(&(struct told){ "tsc hz=2000000000 quantum=1 cost=20 ordered=1 ladder=1", "latency", NULL, NULL });

	(void)state;
	assert_unit(&result, "ns");
	assert_true(result.estimate.value > 499 && result.estimate.value < 501);
	assert_true(result.estimate_cycles.known && result.core_mhz.known);
	result = result_of(&(struct told){ "tsc hz=2000000000 quantum=1 cost=20 ordered=1", "memory", "env accel=kvm hypervisor=KVMKVMKVM", NULL });
	assert_unit(&result, "ns");
}

/* Whatever rate such a clock is said to have, and whatever a chain of additions looks like on it. */
static void instructions(void **state)
{
	static const struct told records[] = {
		{ "icount hz=0 quantum=1 cost=20 ordered=1", "kernel", NULL, NULL },
		{ "icount hz=1000000000 quantum=1 cost=20 ordered=1 ladder=1", "latency", NULL, NULL },
		{ "icount hz=1000000000 quantum=1 cost=20 ordered=1", "issue", "env accel=tcg-icount", NULL },
		{ "rdinstret hz=1000000000 quantum=1 cost=20 ordered=1", "memory", NULL, NULL },
	};

	(void)state;
	for (size_t i = 0; i < sizeof records / sizeof *records; i++) {
		struct kb_result result = result_of(&records[i]);

		assert_unit(&result, "insn");
		assert_true(result.estimate.value > 999 && result.estimate.value < 1001);
		assert_false(result.estimate_cycles.known);
		assert_false(result.core_mhz.known);
		assert_false(result.ticks_per_ns > 0);

		json_t *json = kb_result_to_json(&result);
		char *text = kb_json_text(json);

		assert_non_null(strstr(text, "\"insn\""));
		assert_null(strstr(text, "\"ns\""));
		assert_null(strstr(text, "\"cycles\": {"));
		free(text);
		json_decref(json);
	}
}

/* No number at all, and nothing that is ok; also where only one process of the row says so. */
static void emulators(void **state)
{
	static const char clock[] = "tsc hz=2000000000 quantum=1 cost=20 ordered=1 ladder=1";
	static const struct told records[] = {
		{ clock, "kernel", "note emulated_clock \"an emulator\"", NULL }, { clock, "latency", "env accel=tcg", NULL },
		{ clock, "kernel", "env accel=tcg-icount", NULL },                { clock, "kernel", "env hypervisor=TCGTCGTCGTCG", NULL },
		{ clock, "memory", "env hypervisor=qemu-tcg", NULL },             { clock, "kernel", NULL, "env accel=tcg" },
		{ clock, "kernel", NULL, "note emulated_clock \"an emulator\"" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof records / sizeof *records; i++) {
		struct kb_result result = result_of(&records[i]);

		assert_int_equal(result.verdict.status, KB_UNVERIFIED);
		assert_true(kb_verdict_has(&result.verdict, KB_CODE_emulated_clock));
		assert_false(result.estimate.known || result.estimate_cycles.known || result.mean.known || result.core_mhz.known);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(times), cmocka_unit_test(instructions), cmocka_unit_test(emulators) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
