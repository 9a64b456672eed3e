/* Parameters as text, as JSON and as pictures. */
#define _GNU_SOURCE
#include "report/model/params.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct kb_params *example(void)
{
	struct kb_params *params = calloc(1, sizeof *params);
	struct kb_inferred *size, *none;
	struct kb_picture *picture;

	assert_non_null(params);
	size = kb_params_add(params, "cache", KB_UNIT_BYTES, "L%dd size", 1);
	size->value = kb_inferred_between(32 << 10, 48 << 10, 0);
	kb_inferred_system(size, 48 << 10, 48 << 10, "sysfs");
	kb_inferred_judge(size, 0);
	none = kb_params_add(params, "tlb", KB_UNIT_COUNT, "L2");
	kb_inferred_is(none, KB_MATCH_NOT, "no step after %d pages", 16384);
	picture = kb_params_picture(params, "size", true, "latency");
	picture->count = 2;
	for (int i = 0; i < 14; i++) {
		kb_curve_add(&picture->curves[0], 4096 << i, i < 4 ? 1.2 : 80);
		kb_curve_add(&picture->curves[1], 4096 << i, i < 4 ? 1.2 : 8);
	}
	snprintf(picture->labels[0], sizeof picture->labels[0], "stride 64");
	return params;
}

static void text(void **state)
{
	struct kb_params *params = example();
	struct kb_style look = { .utf8 = false, .width = 80 };
	char *out;
	size_t length;
	FILE *file = open_memstream(&out, &length);

	(void)state;
	kb_params_print(file, params, &look);
	fclose(file);
	assert_non_null(strstr(out, "32K .. 48KB"));
	assert_non_null(strstr(out, "agree  (48KB by sysfs)"));
	assert_non_null(strstr(out, "not inferable"));
	assert_non_null(strstr(out, "    no step after 16384 pages\n"));
	free(out);
	free(params);
}

/* Columns of the widest line: bytes that begin a character. */
static unsigned columns(const char *line)
{
	unsigned widest = 0, width = 0;

	for (; *line; line++) {
		if (*line == '\n')
			width = 0;
		else
			width += (*line & 0xc0) != 0x80;
		widest = width > widest ? width : widest;
	}
	return widest;
}

static unsigned count(const char *text_of, const char *sign)
{
	unsigned times = 0;

	for (; (text_of = strstr(text_of, sign)); text_of += strlen(sign))
		times++;
	return times;
}

static void pictures(void **state)
{
	struct kb_params *params = example();

	(void)state;
	for (unsigned width = 60; width <= 200; width += 35) {
		for (int utf8 = 0; utf8 <= 1; utf8++) {
			char *out;
			size_t length;
			FILE *file = open_memstream(&out, &length);

			kb_picture_print(file, &params->pictures[0], width, utf8);
			fclose(file);
			assert_int_equal(columns(out), width);
			/* Each point of the first curve and one in the legend; what it covers of the second is not seen. */
			assert_int_equal(count(out, utf8 ? "●" : "o"), 15);
			assert_int_equal(count(out, utf8 ? "○" : "+"), 11 + !utf8);
			assert_non_null(strstr(out, " 4K"));
			assert_non_null(strstr(out, "16M"));
			free(out);
		}
	}
	free(params);
}

static void json(void **state)
{
	struct kb_params *params = example();
	json_t *object = kb_params_to_json(params), *first, *second;

	(void)state;
	first = json_array_get(json_object_get(object, "inferred"), 0);
	second = json_array_get(json_object_get(object, "inferred"), 1);
	assert_string_equal(json_string_value(json_object_get(first, "match")), "agree");
	assert_float_equal(json_real_value(json_object_get(json_object_get(first, "inferred"), "high")), 49152, 0);
	assert_true(json_is_null(json_object_get(json_object_get(first, "inferred"), "value")));
	assert_string_equal(json_string_value(json_object_get(json_object_get(first, "system"), "source")), "sysfs");
	assert_true(json_is_null(json_object_get(second, "inferred")));
	assert_true(json_is_null(json_object_get(second, "system")));
	assert_int_equal(json_array_size(json_object_get(object, "curves")), 2);
	json_decref(object);
	free(params);
}

/* A point that is missing is a mark below its place, and the legend tells which, and why; so does the JSON. */
static void gaps(void **state)
{
	struct kb_params *params = example();
	struct kb_picture *picture = &params->pictures[0];
	static const double wanted[] = { 4096, 12288, 40960, 4096 << 13 };
	char *out;
	size_t length;
	FILE *file = open_memstream(&out, &length);

	(void)state;
	kb_picture_gaps(picture, 0, wanted, 4, "the budget ended");
	kb_picture_gaps(picture, 1, wanted, 1, "");
	kb_picture_print(file, picture, 80, false);
	fclose(file);
	assert_int_equal(count(out, "?"), 3);
	assert_non_null(strstr(out, "o stride 64   ? at 12K, 40K: the budget ended\n"));
	assert_null(strstr(out, "others ran"));
	free(out);

	json_t *object = kb_params_to_json(params), *curve = json_array_get(json_object_get(object, "curves"), 0);

	assert_float_equal(json_number_value(json_array_get(json_object_get(curve, "missing"), 1)), 40960, 0);
	assert_string_equal(json_string_value(json_object_get(curve, "missing_why")), "the budget ended");
	assert_true(json_is_null(json_object_get(json_array_get(json_object_get(object, "curves"), 1), "missing_why")));
	json_decref(object);
	free(params);
}

/* 4096 bytes in 2 ns are 2048 GB/s: the picture is of rates, and upside down. */
static void rates(void **state)
{
	struct kb_params *params = calloc(1, sizeof *params);
	struct kb_picture *picture;
	char *out;
	size_t length;
	FILE *file = open_memstream(&out, &length);

	(void)state;
	assert_non_null(params);
	picture = kb_params_picture(params, "size", true, "bandwidth");
	picture->count = 1;
	picture->rate = true;
	picture->bytes = 4096;
	kb_curve_add(&picture->curves[0], 4096, 2);
	kb_curve_add(&picture->curves[0], 8192, 512);
	kb_picture_print(file, picture, 80, false);
	fclose(file);
	assert_non_null(strstr(out, "bandwidth\n"));
	assert_non_null(strstr(out, " 2.05e+03"));
	assert_non_null(strstr(out, "        8|"));
	assert_true(strstr(out, "2.05e+03") < strstr(out, "        8|"));
	free(out);
	free(params);
}

/* Times of 1, 2 and 4 cycles of half a nanosecond, the rest 3: each i has its line, the first is the best. */
static void mhz_table(void **state)
{
	struct kb_params *params = example();
	struct kb_mhz_table *table = &params->mhz;
	struct kb_style look = { .utf8 = false, .width = 100 };
	char *out;
	size_t length;
	FILE *file = open_memstream(&out, &length);

	(void)state;
	kb_mhz_print(file, table, &look);
	fflush(file);
	assert_int_equal(length, 0);
	*table = (struct kb_mhz_table){ .known = true, .mhz = 2000, .i = 1 };
	for (unsigned j = 0; j < KB_MHZ_EXPRESSIONS; j++) {
		table->ns[j] = j < 3 ? 0.5 * (1 << j) : 1.5;
		table->again[j] = table->ns[j] + 0.01;
	}
	for (unsigned i = 1; i <= KB_MHZ_LINES; i++)
		assert_true(kb_mhz_line(table->ns, KB_MHZ_EXPRESSIONS, KB_MHZ_LECTURE, i, &table->lines[i - 1]));
	table->lines[4].i = 0;
	kb_mhz_print(file, table, &look);
	fclose(file);
	assert_non_null(strstr(out, "at the core clock of 2000 MHz\n"));
	assert_non_null(strstr(out, "  p = *p                      0.5000  0.5100  1\n"));
	assert_non_null(strstr(out, "  a ^= a+a+a                  2.0000  2.0100  4\n"));
	assert_non_null(strstr(out, "  1, the best     0.50000      2000.0     0"));
	assert_non_null(strstr(out, "  2               0.25000      4000.0     0"));
	assert_null(strstr(out, "\n  5 "));
	free(out);

	json_t *object = kb_params_to_json(params), *mhz = json_object_get(object, "mhz");

	assert_int_equal(json_array_size(json_object_get(mhz, "expressions")), KB_MHZ_EXPRESSIONS);
	assert_int_equal(json_integer_value(json_object_get(mhz, "i")), 1);
	assert_float_equal(json_number_value(json_object_get(json_array_get(json_object_get(mhz, "lines"), 0), "period_ns")), 0.5, 1e-12);
	assert_true(json_is_null(json_object_get(json_array_get(json_object_get(mhz, "lines"), 4), "period_ns")));
	json_decref(object);
	free(params);
}

/* Sources that differ are all printed; those that agree are one list. */
static void sources(void **state)
{
	struct kb_params *params = example();
	struct kb_style look = { .utf8 = false, .width = 80 };
	struct kb_inferred *size = &params->inferred[0];
	char *out;
	size_t length;

	(void)state;
	for (int differ = 0; differ <= 1; differ++) {
		FILE *file = open_memstream(&out, &length);

		kb_inferred_claim(size, differ ? 64 << 10 : 48 << 10, differ ? "hwloc" : "CPUID 4");
		kb_params_print(file, params, &look);
		fclose(file);
		assert_non_null(strstr(out, "agree  (48KB by sysfs, CPUID 4)"));
		assert_int_equal(strstr(out, "sources differ: 48KB by sysfs, 48KB by CPUID 4, 64KB by hwloc") != NULL, differ);
		free(out);
	}
	json_t *object = kb_params_to_json(params), *first = json_array_get(json_object_get(object, "inferred"), 0);

	assert_int_equal(json_array_size(json_object_get(json_object_get(first, "system"), "claims")), 3);
	json_decref(object);
	free(params);
}

/* Lines with their names, in their column and behind the points; letters instead of marked points. */
static void marks(void **state)
{
	struct kb_params *params = example();
	struct kb_picture *picture = &params->pictures[0];
	char *out;
	size_t length;
	FILE *file = open_memstream(&out, &length);

	(void)state;
	kb_picture_mark(picture, -1, 40000, "L1d");
	kb_picture_mark(picture, -1, 4096.0 * 1048576, "far");        /* right of the picture */
	kb_picture_mark(picture, 0, 8192, "7");
	kb_picture_print(file, picture, 80, false);
	fclose(file);
	const char *name = strstr(out, "L1d"), *line = strstr(out, "|");

	assert_non_null(name);
	assert_null(strstr(out, "far"));
	for (int row = 0; row < 3; row++, line = strchr(line + 1, '|')) {
		const char *start = line;

		while (start[-1] != '\n')
			start--;
		assert_int_equal(strchr(start, ':') - start, name - strchr(out, '\n') - 1);
	}
	assert_non_null(strstr(out, "7 "));
	assert_int_equal(count(out, "o"), 14); /* one of 14 points is a letter; the legend has one */
	free(out);
	free(params);
}

/* Nothing to draw, one point, more entries than there is room for. */
static void edges(void **state)
{
	struct kb_params *params = calloc(1, sizeof *params);
	char *out;
	size_t length;
	FILE *file = open_memstream(&out, &length);
	struct kb_picture *picture;

	(void)state;
	assert_non_null(params);
	picture = kb_params_picture(params, "size", true, "nothing");
	kb_picture_print(file, picture, 80, false);
	picture->count = 1;
	kb_curve_add(&picture->curves[0], 4096, 1);
	kb_picture_print(file, picture, 80, false);
	fclose(file);
	assert_int_equal(length, 0);
	for (int i = 0; i < 100; i++)
		kb_params_add(params, "cache", KB_UNIT_NS, "%d", i);
	assert_int_equal(params->count, KB_INFERRED_MAX);
	assert_string_equal(params->inferred[KB_INFERRED_MAX - 1].name, "99");
	free(out);
	free(params);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(text), cmocka_unit_test(pictures), cmocka_unit_test(json), cmocka_unit_test(gaps), cmocka_unit_test(rates), cmocka_unit_test(mhz_table), cmocka_unit_test(sources), cmocka_unit_test(marks), cmocka_unit_test(edges),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
