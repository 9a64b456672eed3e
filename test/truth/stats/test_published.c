/*
 * The published tables: every printed statistic, every cell, the regressions (T-PUB-1 to T-PUB-3), from the CSV files
 * of the source and from the copy that is compiled in, which must be the same. T-PUB-4 is the option that runs this
 * with an installed program: test/integration/exchange/analyze.sh.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "import/import.h"
#include "stats/series/kanata.h"
#include "study/published.h"
#include "truth/truth.h"

static void compiled_in(void **state)
{
	struct kb_published_check check = kb_published_check();

	(void)state;
	truth_row("T-PUB-1", "printed statistics reproduced", 76, 0, check.statistics);
	truth_row("T-PUB-2", "printed cells of Y reproduced", 90, 0, check.cells);
	truth_row("T-PUB-3", "regressions as computed independently", 4, 0, check.lines);
	assert_true(check.ok);
	assert_string_equal(check.difference, "");
}

/* ---- from the files --------------------------------------------------------------------------------- */

static char *read_table(const char *name, size_t *length)
{
	const char *source = getenv("KB_SRC");
	static char text[65536];
	char path[4096];
	FILE *in;

	snprintf(path, sizeof(path), "%s/test/data/%s", source ? source : ".", name);
	in = fopen(path, "r");
	if (!in)
		fail_msg("cannot read %s", path);
	*length = fread(text, 1, sizeof(text), in);
	fclose(in);
	return text;
}

static void import(const char *name, struct kb_import *import)
{
	const struct kb_import_options options = { .confidence = .9 };
	char error[KB_IMPORT_ERROR];
	size_t length;
	char *text = read_table(name, &length);

	*import = (struct kb_import){ .count = 0 };
	if (kb_import_text(import, &options, name, text, length, error))
		fail_msg("%s", error);
}

/* Table, file, first of its groups in the compiled copy; -1: not in it. */
static const struct { const char *file; int first; size_t count; } tables[] = {
	{ "table_3_4.csv", 0, 5 }, { "table_3_5.csv", 5, 5 }, { "table_a21_run1.csv", 10, 1 },
	{ "table_a21_run2.csv", 11, 1 }, { "table_a21_run3.csv", 12, 1 }, { "pic_4_1.csv", -1, 5 },
};

static void files_and_copy_are_the_same(void **state)
{
	(void)state;
	for (size_t t = 0; t < sizeof(tables) / sizeof(*tables); t++) {
		struct kb_import table;

		import(tables[t].file, &table);
		assert_int_equal(table.form, KB_IMPORT_GROUPS);
		assert_int_equal(table.count, tables[t].count);
		for (size_t g = 0; tables[t].first >= 0 && g < table.count; g++) {
			const struct kb_published_group *copy = &kb_published_groups[(size_t)tables[t].first + g];

			assert_int_equal(table.series[g].count, KB_PUBLISHED_TESTS);
			assert_true(table.series[g].n == copy->n);
			assert_memory_equal(table.series[g].y, copy->a, sizeof(copy->a));
		}
		kb_import_free(&table);
	}
}

/* Picture 4.1 has no printed statistics; these were computed with independent code. */
static void picture_4_1(void **state)
{
	static const double mean[] = { 137225.60, 141773.33, 146168.47, 150901.63, 155629.23 };
	static const double sd[] = { 827.85, 797.47, 685.02, 675.37, 979.58 };
	struct kb_import table;
	double scratch[30];

	(void)state;
	import("pic_4_1.csv", &table);
	for (size_t g = 0; g < 5; g++) {
		struct kb_kanata k = kb_kanata_group(table.series[g].n, table.series[g].y, 30, .9, .02, scratch);
		char what[40];

		snprintf(what, sizeof(what), "picture 4.1, N = %.0f, mean", k.n);
		truth_row("T-PUB-1", what, mean[g], .0051, k.a.mean);
		snprintf(what, sizeof(what), "picture 4.1, N = %.0f, sd", k.n);
		truth_row("T-PUB-1", what, sd[g], .0051, k.a.sd);
	}
	kb_import_free(&table);
}

/* ---- figure 8 --------------------------------------------------------------------------------------- */

static void judged(const char *platform, enum kb_print slope, enum kb_print intercept, enum kb_print r2)
{
	const struct kb_published_line *line = kb_published_line_find(platform, NULL, NULL, 0);
	struct kb_printed_line p;

	assert_non_null(line);
	p = kb_printed_line(line->x, line->y, KB_PUBLISHED_POINTS, line->printed);
	assert_int_equal(p.verdict[0], slope);
	assert_int_equal(p.verdict[1], intercept);
	assert_int_equal(p.verdict[2], r2);
}

/* Moving the points within their rounding explains every difference but one: an intercept that lost a digit. */
static void figure_8(void **state)
{
	const struct kb_published_line *line = kb_published_line_find("C1_Darwin", NULL, NULL, 0);
	struct kb_regression darwin = kb_regress(line->x, line->y, KB_PUBLISHED_POINTS);

	(void)state;
	judged("C1_Linux", KB_PRINT_SAME, KB_PRINT_SAME, KB_PRINT_SAME);
	judged("C2_Linux", KB_PRINT_SAME, KB_PRINT_SAME, KB_PRINT_SAME);
	judged("C1_Darwin", KB_PRINT_ROUNDED, KB_PRINT_WRONG, KB_PRINT_ROUNDED);
	judged("C2_Darwin", KB_PRINT_ROUNDED, KB_PRINT_ROUNDED, KB_PRINT_ROUNDED);
	/* R 4.2.2, lm. */
	truth_row("T-PUB-3", "C1_Darwin slope", 2681.26184016743, 1e-9, darwin.slope);
	truth_row("T-PUB-3", "C1_Darwin intercept", -20204.3366832029, 1e-8, darwin.intercept);
	truth_row("T-PUB-3", "C1_Darwin R^2", .999981536697558, 1e-12, darwin.r2);
	assert_null(kb_published_line_find("C3_Darwin", NULL, NULL, 0));
	assert_null(kb_published_line_find("C2_Darwin", line->x, line->y, KB_PUBLISHED_POINTS));
	assert_ptr_equal(kb_published_line_find("C1_Darwin", line->x, line->y, KB_PUBLISHED_POINTS), line);
}

static void a_text_is_the_same_or_not(void **state)
{
	char text[32];

	(void)state;
	assert_true(kb_published_same(20758.536, "20758.54", text));
	assert_false(kb_published_same(20758.546, "20758.54", text));
	assert_string_equal(text, "20758.55");
	assert_true(kb_published_same(2685.4, "2685", text));
	assert_false(kb_published_same(NAN, "1.00", text));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(compiled_in), cmocka_unit_test(files_and_copy_are_the_same),
		cmocka_unit_test(picture_4_1),
		cmocka_unit_test(figure_8), cmocka_unit_test(a_text_is_the_same_or_not),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
