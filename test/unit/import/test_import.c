/* Importers: what the content says it is, and one line with the place for everything that is wrong. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "import/import.h"

static char error[KB_IMPORT_ERROR];
static const struct kb_import_options options = { .confidence = .9 };

/* A copy of exactly that size: a sanitizer sees one byte too many. */
static int read_as(struct kb_import *import, const char *text, size_t length)
{
	char *copy = malloc(length ? length : 1);
	int result;

	assert_non_null(copy);
	memcpy(copy, text, length);
	*import = (struct kb_import){ .count = 0 };
	result = kb_import_text(import, &options, "t.csv", copy, length, error);
	if (result == 0)
		result = kb_import_samples(import, "t.csv", error);
	free(copy);
	return result;
}

static struct kb_import good(const char *text)
{
	struct kb_import import;

	if (read_as(&import, text, strlen(text)))
		fail_msg("%s", error);
	assert_string_equal(error, "");
	return import;
}

/* ---- what it is ------------------------------------------------------------------------------------- */

static void groups(void **state)
{
	struct kb_import import = good("\xef\xbb\xbfs,test_size_30,\"Test size: 31\"\r\n1,100,200\r\n2,101,201\r\n");

	(void)state;
	assert_int_equal(import.form, KB_IMPORT_GROUPS);
	assert_int_equal(import.count, 2);
	assert_string_equal(import.unit, "cycles");
	assert_true(import.series[0].n == 30 && import.series[1].n == 31);
	assert_int_equal(import.series[1].count, 2);
	assert_true(import.series[1].y[1] == 201);
	kb_import_free(&import);
	import = good("S;N=300\n0;5\n1;6\n\n# the end\n");
	assert_true(import.form == KB_IMPORT_GROUPS && import.series[0].n == 300 && import.series[0].count == 2);
	kb_import_free(&import);
}

static void points_and_blocks(void **state)
{
	struct kb_import import = good("n,ticks\n1,10\n2,20\n2,21\n1,11\n4,44\n1,12\n");
	static const uint32_t block[] = { 0, 0, 1, 1, 1, 2 };

	(void)state;
	assert_int_equal(import.form, KB_IMPORT_POINTS);
	assert_int_equal(import.count, 1);
	assert_int_equal(import.series[0].count, 6);
	assert_memory_equal(import.series[0].block, block, sizeof(block));
	assert_true(import.series[0].x[4] == 4 && import.series[0].y[4] == 44);
	kb_import_free(&import);
	import = good("1\t10\n1\t11");
	assert_true(import.form == KB_IMPORT_POINTS && import.series[0].count == 2);
	kb_import_free(&import);
}

static void lists(void **state)
{
	static const char *const texts[] = { "5\n6\n7.5\n", "ticks\n5\n6\n7.5\n", "s,y_printed\n1,5\n2,6\n3,7.5\n" };

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		struct kb_import import = good(texts[i]);

		assert_int_equal(import.form, KB_IMPORT_LIST);
		assert_true(import.count == 1 && import.series[0].count == 3 && import.series[0].n == 1);
		assert_true(import.series[0].y[2] == 7.5);
		kb_import_free(&import);
	}
}

static void lines(void **state)
{
	struct kb_import import = good("platform,x,y\nA,1,2\nB,1,-3\nA,2,4\n");

	(void)state;
	assert_int_equal(import.form, KB_IMPORT_LINES);
	assert_int_equal(import.count, 2);
	assert_string_equal(import.series[0].label, "A");
	assert_true(import.series[0].count == 2 && import.series[1].y[0] == -3);
	kb_import_free(&import);
	import = good("p,slope_printed,intercept_printed,r2_printed\nA,1.50,-2,0.9\n");
	assert_int_equal(import.form, KB_IMPORT_PRINTED);
	assert_string_equal(import.series[0].printed[0], "1.50");
	kb_import_free(&import);
}

#define HEAD "boot\r\nInitial Test size: 30\r\nDelta: 2\r\n" \
	"Number of Tests / Sample size of Accumulated latency: 2\r\nNumber of Groups: 2\r\n"

static void console(void **state)
{
	struct kb_import import =
		good(HEAD "Accumulated latencies (clock cycles):\r\n100  200\r\n101\t201\r\nDone!\r\n");

	(void)state;
	assert_int_equal(import.form, KB_IMPORT_GROUPS);
	assert_true(import.count == 2 && import.series[0].n == 30 && import.series[1].n == 32);
	assert_true(import.series[1].count == 2 && import.series[1].y[1] == 201);
	kb_import_free(&import);
}

static void huge_values(void **state)
{
	struct kb_import import = good("9223372036854775808\n18446744073709551615\n1e99\n");

	(void)state;
	assert_true(import.series[0].y[0] == 9223372036854775808.0);
	kb_import_free(&import);
}

/* ---- what is wrong ---------------------------------------------------------------------------------- */

#define TABLE "Accumulated latencies (clock cycles):\n"

static void refused(void **state)
{
	static const struct { const char *text, *message; } wrongs[] = {
		{ "", "t.csv: empty: no measurement in it" },
		{ "\n  \n# words\n", "t.csv: empty: no measurement in it" },
		{ "s,test_size_1\n", "t.csv: a header and no measurement" },
		{ "ticks\n", "t.csv: a header and no measurement" },
		{ "ticks\n1\nnan\n", "t.csv:3: 'nan' in column 1 is not a number below 1e100" },
		{ "inf\n", "t.csv:1: 'inf' in column 1 is not a number below 1e100" },
		{ "1\n0x10\n", "t.csv:2: '0x10' in column 1 is not a number below 1e100" },
		{ "1\n1e100\n", "t.csv:2: '1e100' in column 1 is not a number below 1e100" },
		{ "1\n1e999\n", "t.csv:2: '1e999' in column 1 is not a number below 1e100" },
		{ "1\n12a\n", "t.csv:2: '12a' in column 1 is not a number below 1e100" },
		{ "1\n-5\n", "t.csv:2: -5 in column 1: a time cannot be negative" },
		{ "n,ticks\n1,\n", "t.csv:2: column 2 is empty" },
		{ "n,ticks\n0,5\n", "t.csv:2: n = 0: must be a whole number of operations from 1 to 2^53" },
		{ "n,ticks\n1.5,5\n", "t.csv:2: n = 1.5: must be a whole number of operations from 1 to 2^53" },
		{ "a\n\x01\x02\n", "t.csv:2: '\?\?' in column 1 is not a number below 1e100" },
		{ "s,test_size_1,test_size_2\n1,5,6\n2,5\n", "t.csv:3: 2 columns where there should be 3" },
		{ "s,test_size_1,test_size_1\n1,5,6\n", "t.csv:1: two columns with test size 1" },
		{ "s,test_size_1,late\n1,5,6\n", "t.csv:1: the name 'late' of column 3 does not end with a test size" },
		{ "s,test_size_1\n1,5\n3,6\n", "t.csv:3: test 3 where test 2 should stand: a line is missing or twice" },
		{ "s,test_size_1\n1,5\n1,6\n", "t.csv:3: test 1 where test 2 should stand: a line is missing or twice" },
		{ "s,test_size_1\n5,5\n6,6\n", "t.csv:2: test 5 where test 1 should stand: a line is missing or twice" },
		{ "s,test_size_0,test_size_1\n1,5,6\n", "t.csv:1: the name 'test_size_0' of column 2 does not end with a test size" },
		{ "1,2,3\n", "t.csv:1: 3 columns: known are one (values), two (n, ticks), s and one a test size, or a name with x and y" },
		{ "p,x,y\n,1,2\n", "t.csv:2: a point without a name" },
		{ "p,slope_printed,y\nA,1,2\n", "t.csv:1: no column intercept_printed" },
		{ HEAD, "t.csv:5: the log ends before the line 'Accumulated latencies'" },
		{ "Delta: 1\n" TABLE "1\n", "t.csv:2: the table begins without 'Initial Test size:' before it" },
		{ HEAD "Delta: 3\n", "t.csv:6: a second 'Delta:' before the table" },
		{ "Initial Test size: x\n", "t.csv:1: 'Initial Test size:' is followed by 'x', not by a number" },
		{ HEAD TABLE "1 2\nDone!\n", "t.csv:8: 'Done!' after 1 of 2 tests" },
		{ HEAD TABLE "1 2\n", "t.csv:7: 1 tests, the log declares 2" },
		{ HEAD TABLE "1 2\n1 2\n1 2\n", "t.csv:9: 3 tests, the log declares 2" },
		{ HEAD TABLE "1 2 3\n1 2\n", "t.csv:7: 3 values, the log declares 2 groups" },
		{ HEAD TABLE "1 2x\n1 2\n", "t.csv:7: '2x' is not a number of cycles" },
		{ HEAD TABLE "1 2\n1 2\nDone!\nInitial Test size: 1\n", "t.csv:10: the log ends before the line 'Accumulated latencies'" },
	};
	struct kb_import import;

	(void)state;
	for (size_t i = 0; i < sizeof wrongs / sizeof wrongs[0]; i++) {
		assert_int_not_equal(read_as(&import, wrongs[i].text, strlen(wrongs[i].text)), 0);
		assert_string_equal(error, wrongs[i].message);
		kb_import_free(&import);
	}
}

static void binary(void **state)
{
	struct kb_import import;

	(void)state;
	assert_int_not_equal(read_as(&import, "1\n\0002\n", 5), 0);
	assert_string_equal(error, "t.csv: not a text");
	kb_import_free(&import);
}

/* ---- records ---------------------------------------------------------------------------------------- */

static char *golden(size_t *length)
{
	const char *source = getenv("KB_SRC");
	static char text[65536];
	char path[4096];
	FILE *in;

	snprintf(path, sizeof(path), "%s/test/golden/record-1.txt", source ? source : ".");
	in = fopen(path, "r");
	if (!in)
		fail_msg("cannot read %s", path);
	*length = fread(text, 1, sizeof(text) / 2, in);
	fclose(in);
	return text;
}

static void records(void **state)
{
	struct kb_import import;
	size_t length;
	char *text = golden(&length);

	(void)state;
	/* Twice the same, as two processes in one log. */
	memcpy(text + length, text, length);
	if (read_as(&import, text, 2 * length))
		fail_msg("%s", error);
	assert_ptr_equal(import.kind, &kb_import_record);
	assert_int_equal(import.form, KB_IMPORT_RECORDS);
	assert_true(import.run_count == 1 && import.runs[0].count == 2 && import.count == 2);
	assert_true(import.series[0].count > 0 && import.series[0].count == import.series[1].count);
	assert_string_equal(import.series[0].label, import.series[1].label);
	kb_import_free(&import);
	assert_int_not_equal(read_as(&import, text, 2 * length - 120), 0);
	assert_non_null(strstr(error, "t.csv:"));
	kb_import_free(&import);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(groups), cmocka_unit_test(points_and_blocks), cmocka_unit_test(lists), cmocka_unit_test(lines),
		cmocka_unit_test(console), cmocka_unit_test(huge_values), cmocka_unit_test(refused), cmocka_unit_test(binary),
		cmocka_unit_test(records),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
