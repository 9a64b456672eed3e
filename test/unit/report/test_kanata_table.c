/* The document's table: byte for byte, and read back by our own importer. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "import/import.h"
#include "report/text/records.h"

/* The upper left corner of its picture 4.1. */
static double n[6] = { 30, 30, 31, 31, 32, 32 };
static double ticks[6] = { 138832, 137993, 141131, 140751, 145625, 146566 };
static uint32_t block[6] = { 1, 1, 2, 2, 3, 3 };

static const char expected[] =
	"Initial Test size: 30\n"
	"Delta: 1\n"
	"Number of Tests / Sample size of Accumulated latency: 2\n"
	"Number of Groups: 3\n"
	"Accumulated latencies (clock cycles): \n"
	"138832 141131 145625 \n"
	"137993 140751 146566 \n"
	"\n"
	"Done!\n";

static bool print(size_t count, enum kb_record_state state, char **text, size_t *length)
{
	struct kb_samples samples = { .state = state, .op = { .n = n, .ticks = ticks, .block = block, .count = count } };
	FILE *out = open_memstream(text, length);
	bool whole = kb_kanata_table(out, &samples);

	fclose(out);
	return whole;
}

static void table_is_the_documents(void **state)
{
	char *text, error[KB_IMPORT_ERROR];
	size_t length;
	struct kb_import import = { .count = 0 };

	(void)state;
	assert_true(print(6, KB_RECORD_WHOLE, &text, &length));
	assert_string_equal(text, expected);
	assert_int_equal(kb_import_text(&import, &(struct kb_import_options){ .confidence = .9 }, "table", text, length, error), 0);
	assert_int_equal(kb_import_samples(&import, "table", error), 0);
	assert_int_equal(import.form, KB_IMPORT_GROUPS);
	assert_int_equal(import.count, 3);
	assert_float_equal(import.series[2].n, 32, 0);
	assert_float_equal(import.series[2].y[1], 146566, 0);
	kb_import_free(&import);
	free(text);
}

static void half_a_table_is_none(void **state)
{
	char *text;
	size_t length;

	(void)state;
	assert_false(print(5, KB_RECORD_WHOLE, &text, &length));
	assert_int_equal(length, 0);
	free(text);
	assert_false(print(6, KB_RECORD_GARBLED, &text, &length));
	free(text);
	assert_false(print(0, KB_RECORD_WHOLE, &text, &length));
	free(text);
	n[4] = n[5] = 40;
	assert_false(print(6, KB_RECORD_WHOLE, &text, &length));
	free(text);
	n[4] = n[5] = 32;
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(table_is_the_documents), cmocka_unit_test(half_a_table_is_none) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
