/* The JSON of kernel entries: read back by a JSON library, times to the nanosecond, names that would break it. */
#include "report/json/chrome_trace.h"

#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <jansson.h>

static const char *text_of(const json_t *event, const char *key)
{
	return json_string_value(json_object_get(event, key));
}

static json_t *written(void)
{
	struct kb_entry call = { .kind = KB_ENTRY_SYSCALL, .number = 39, .start_ns = 1000005, .duration_ns = 1077, .lasted = true,
				 .result = -2, .process = 10, .thread = 11, .cpu = 1 };
	struct kb_entry fault = { .kind = KB_ENTRY_FAULT_USER, .number = 6, .start_ns = 999000, .process = 10, .thread = 11 };
	struct kb_chrome_trace trace;
	char *bytes = NULL;
	size_t length = 0;
	FILE *out = open_memstream(&bytes, &length);
	json_t *json;

	kb_chrome_begin(&trace, out, 1000000);
	kb_chrome_add(&trace, &call, "getpid");
	kb_chrome_add(&trace, &fault, "write user 0x6");
	kb_chrome_process(&trace, 10, "a \"b\" \\ \n\xff");
	kb_chrome_end(&trace, 3);
	fclose(out);
	json = json_loadb(bytes, length, 0, NULL);
	free(bytes);
	return json;
}

static void test_events(void **state)
{
	json_t *json = written(), *events = json_object_get(json, "traceEvents"), *call = json_array_get(events, 0);
	json_t *fault = json_array_get(events, 1), *process = json_array_get(events, 2);

	(void)state;
	assert_non_null(json);
	assert_int_equal(json_array_size(events), 3);
	assert_string_equal(text_of(call, "name"), "getpid");
	assert_string_equal(text_of(call, "ph"), "X");
	assert_true(fabs(json_number_value(json_object_get(call, "ts")) - 0.005) < 1e-9);
	assert_true(fabs(json_number_value(json_object_get(call, "dur")) - 1.077) < 1e-9);
	assert_int_equal(json_integer_value(json_object_get(call, "tid")), 11);
	assert_int_equal(json_integer_value(json_object_get(json_object_get(call, "args"), "result")), -2);
	assert_string_equal(text_of(fault, "ph"), "i");
	assert_string_equal(text_of(fault, "s"), "t");
	/* It began before the trace did. */
	assert_true(fabs(json_number_value(json_object_get(fault, "ts"))) < 1e-9);
	assert_string_equal(text_of(json_object_get(process, "args"), "name"), "a \"b\" \\ ??");
	assert_string_equal(text_of(json_object_get(json, "otherData"), "lost"), "3");
	json_decref(json);
}

/* No entry at all is JSON, too. */
static void test_empty(void **state)
{
	struct kb_chrome_trace trace;
	char *bytes = NULL;
	size_t length = 0;
	FILE *out = open_memstream(&bytes, &length);
	json_t *json;

	(void)state;
	kb_chrome_begin(&trace, out, 0);
	kb_chrome_end(&trace, 0);
	fclose(out);
	json = json_loadb(bytes, length, 0, NULL);
	assert_int_equal(json_array_size(json_object_get(json, "traceEvents")), 0);
	json_decref(json);
	free(bytes);
}

/* Idle is thread 0 on every CPU: interrupts of two that overlap stand on two tracks, and neither is a real thread's. */
static void test_idle(void **state)
{
	const struct kb_entry ticks[] = {
		{ .kind = KB_ENTRY_VECTOR, .number = 236, .start_ns = 100, .duration_ns = 50, .lasted = true, .cpu = 0 },
		{ .kind = KB_ENTRY_VECTOR, .number = 236, .start_ns = 120, .duration_ns = 50, .lasted = true, .cpu = 1 },
		{ .kind = KB_ENTRY_VECTOR, .number = 236, .start_ns = 200, .duration_ns = 50, .lasted = true, .cpu = 1 },
	};
	struct kb_chrome_trace trace;
	char *bytes = NULL;
	size_t length = 0;
	FILE *out = open_memstream(&bytes, &length);
	json_int_t tracks[5];
	json_t *json, *events;

	(void)state;
	kb_chrome_begin(&trace, out, 0);
	for (size_t i = 0; i < 3; i++)
		kb_chrome_add(&trace, &ticks[i], "local_timer 236");
	kb_chrome_end(&trace, 0);
	fclose(out);
	json = json_loadb(bytes, length, 0, NULL);
	events = json_object_get(json, "traceEvents");
	assert_int_equal(json_array_size(events), 5);
	for (size_t i = 0; i < 5; i++)
		tracks[i] = json_integer_value(json_object_get(json_array_get(events, i), "tid"));
	assert_true(tracks[0] == tracks[1] && tracks[2] == tracks[3] && tracks[3] == tracks[4] && tracks[1] != tracks[3]);
	assert_true(tracks[1] > 1 << 22 && tracks[3] > 1 << 22);
	assert_string_equal(json_string_value(json_object_get(json_array_get(events, 2), "name")), "thread_name");
	json_decref(json);
	free(bytes);
}

/* Also where the stream's buffer was full long before the end. */
static void test_full_disk(void **state)
{
	const struct kb_entry entry = { .kind = KB_ENTRY_SYSCALL, .number = 39, .start_ns = 1, .duration_ns = 1, .lasted = true };

	(void)state;
	for (int events = 1; events <= 1000; events *= 10) {
		struct kb_chrome_trace trace;
		FILE *out = fopen("/dev/full", "w");

		assert_non_null(out);
		kb_chrome_begin(&trace, out, 0);
		for (int i = 0; i < events; i++)
			kb_chrome_add(&trace, &entry, "getpid");
		assert_int_equal(kb_chrome_end(&trace, 0), -ENOSPC);
		fclose(out);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_events), cmocka_unit_test(test_empty), cmocka_unit_test(test_idle),
		cmocka_unit_test(test_full_disk),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
