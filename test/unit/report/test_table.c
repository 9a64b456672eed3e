/* The table as people see it, byte for byte, and the rules that hold for every table. */
#include "report/table.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "report/figure.h"
#include "unit/report/fixed.h"

static char *table(const struct kb_result *results, size_t count, struct kb_look look)
{
	const struct kb_result *pointers[16];
	/* static: gcc takes what fclose stores there for the address of a dead variable. */
	static char *text;
	static size_t length;
	FILE *out = open_memstream(&text, &length);

	for (size_t i = 0; i < count; i++)
		pointers[i] = &results[i];
	kb_table_print(out, pointers, count, &look);
	kb_table_count(out, pointers, count);
	fclose(out);
	return text;
}

static void ascii(void **state)
{
	const struct kb_result results[] = { fixed_pipe(), fixed_add(), fixed_crash() };
	char *text = table(results, 3, (struct kb_look){ 0 });

	(void)state;
	assert_string_equal(text,
"benchmark                                    typical              quiet    p50    p99  unit           verdict\n"
"ipc.pipe_latency placement=same-cpu    2.412 +-0.015      2.391 +-0.011  2.510  2.710  us/round-trip  ok\n"
"cpu.op_latency op=add                0.2438 +-0.0003  0.24360 +-0.00010      -      -  ns/add         noisy\n"
"                                     1.0002 +-0.0012    1.0000 +-0.0004                cycles\n"
"    noisy: launches with a disturbed sentinel were left out (1 of 5)\n"
"plugin.broken                                      -                  -      -      -                 invalid\n"
"    invalid: the collector crashed (signal 11 in op)\n"
"3 rows: 1 ok, 1 noisy, 1 invalid\n");
	free(text);
}

/* The same columns on the screen, whatever the sign takes in bytes. */
static void utf8(void **state)
{
	const struct kb_result results[] = { fixed_pipe(), fixed_add(), fixed_crash() };
	char *text = table(results, 3, (struct kb_look){ .utf8 = true });
	const char *ok = strstr(text, "ok\n"), *noisy = strstr(text, "noisy\n"), *line = strchr(text, '\n') + 1;
	char first[200], second[200];

	(void)state;
	assert_non_null(strstr(text, "2.412 \u00b10.015"));
	snprintf(first, sizeof first, "%.*s", (int)(ok - line), line);
	line = strchr(line, '\n') + 1;
	snprintf(second, sizeof second, "%.*s", (int)(noisy - line), line);
	assert_int_equal(kb_figure_width(first), kb_figure_width(second));
	free(text);
}

static void notes_on_request(void **state)
{
	const struct kb_result result = fixed_add();
	char *without = table(&result, 1, (struct kb_look){ 0 });
	char *with = table(&result, 1, (struct kb_look){ .notes = true });

	(void)state;
	assert_null(strstr(without, "note: "));
	assert_non_null(strstr(with, "note: no warm-up seen"));
	assert_non_null(strstr(with, "a neighbour on the core"));
	assert_true(strstr(with, "noisy: ") < strstr(with, "note: "));
	free(with);
	free(without);
}

static void long_words_wrap(void **state)
{
	struct kb_result result = fixed_crash();
	char *detail = result.verdict.reasons[0].detail;

	(void)state;
	for (size_t i = 0; i + 8 < sizeof result.verdict.reasons[0].detail; i += 7)
		memcpy(detail + i, "twelve ", 8);

	char *text = table(&result, 1, (struct kb_look){ .width = 60 });
	char *line = strstr(text, "    invalid:");
	size_t words = 0;

	assert_non_null(line);
	for (const char *at = text; (at = strstr(at, "twelve")) != NULL; at++)
		words++;
	assert_int_equal(words, 28);
	for (; line && *line && strncmp(line, "1 row", 5) != 0; line = strchr(line, '\n') + 1)
		assert_true(strcspn(line, "\n") <= 60);
	free(text);
}

/* The interval of a rate is that of the time, turned over. */
static void rates(void **state)
{
	struct kb_result result = fixed_pipe();

	(void)state;
	result.bytes_per_op = 65536;
	result.typical = (struct kb_estimate){ 65536, 32768, 131072, true, true };
	result.quiet.known = false;

	char *text = table(&result, 1, (struct kb_look){ 0 });

	assert_non_null(strstr(text, "1.0 +-1.0"));
	assert_non_null(strstr(text, "GB/s\n"));
	free(text);
}

static void long_name(void **state)
{
	struct kb_result result = fixed_pipe();

	(void)state;
	snprintf(result.params, sizeof result.params, "placement=same-cpu size=64K another=parameter");

	char *text = table(&result, 1, (struct kb_look){ 0 });

	assert_non_null(strstr(text, "ipc.pipe_latency placement=same-cpu size=64K another=parameter\n  "));
	free(text);
}

/* One row in all detail; nothing that is unknown may look like a number. */
static void detail(void **state)
{
	const struct kb_result results[] = { fixed_pipe(), fixed_add(), fixed_crash() };
	const char *const expected[][4] = {
		{ "typical    2.41225 [2.39750, 2.42700] us", "syscalls of all: cannot be read here, expected 4",
		  "nvcsw of all: 2, expected 2 +-0.01 per operation: holds", "flags      gap 3\n" },
		{ "1.00020 [0.999000, 1.00140] cycles", "4103.00 [4100.00, 4106.00] MHz",
		  "machine code with hash 9a3f01c2",
		  "4 used, 5 planned, 1 left out" },
		{ "method none, clock tsc", "0 used, 5 planned, 1 failed", "0 used", "intervals" },
	};

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		char *text = NULL;
		size_t length;
		FILE *out = open_memstream(&text, &length);

		kb_detail_print(out, &results[i], &(struct kb_look){ 0 });
		fclose(out);
		for (size_t j = 0; j < 4; j++) {
			if (!strstr(text, expected[i][j]))
				fail_msg("'%s' is not in:\n%s", expected[i][j], text);
		}
		assert_null(strstr(text, "nan"));
		free(text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ascii), cmocka_unit_test(utf8), cmocka_unit_test(notes_on_request),
		cmocka_unit_test(long_words_wrap), cmocka_unit_test(rates), cmocka_unit_test(long_name),
		cmocka_unit_test(detail),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
