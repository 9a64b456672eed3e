/* The Yamba paper's tables: what was printed agrees with itself, the line is through proven rows only, every cell says its state. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "study/published.h"
#include "study/yamba_paper.h"

/* Figures 5 to 7 have the points of figure 8, platform by platform, in the order of scales. */
static void published_agrees(void **state)
{
	(void)state;
	for (int line = 0; line < KB_PUBLISHED_LINES; line++) {
		const struct kb_published_line *points = &kb_published_lines[line];
		unsigned seen = 0;

		for (int i = 0; i < KB_PAPER_PLATFORMS * KB_PAPER_SCALES; i++) {
			const struct kb_paper_figure *figure = &kb_paper_figures[i];

			if (strcmp(figure->platform, points->platform) != 0)
				continue;
			assert_true(figure->page_ins == points->x[seen] && figure->latency_us == points->y[seen]);
			assert_int_equal(figure->scale, 16 << seen);
			seen++;
		}
		assert_int_equal(seen, KB_PUBLISHED_POINTS);
	}
	for (int i = 0; i < KB_PAPER_PLATFORMS; i++) {
		/* Pages in per fault over one less than all accesses that fault: the file was large, so the product is near 1. */
		assert_true(fabs(kb_paper_lmbench[i].faults * kb_paper_lmbench[i].page_ins - 1) < 0.02);
		assert_string_equal(kb_paper_lmbench[i].platform, kb_paper_figures[i].platform);
	}
}

static void add(struct kb_paper *paper, enum kb_paper_part part, unsigned window, double us, enum kb_status status)
{
	struct kb_paper_row *row = &paper->rows[paper->count++];

	*row = (struct kb_paper_row){ .part = part, .window = window, .scale = part == KB_PAPER_PRINTED ? 16 : 0, .raw = us * 1e3,
	                              .variation = 0.01, .passes = 31, .faults = 1, .page_ins = window, .resident = 0, .status = status };
	row->cost = (struct kb_estimate){ us * 1e3, us * 990, us * 1010, true, true };
	snprintf(row->name, sizeof row->name, "row %u", paper->count);
	if (status != KB_OK)
		snprintf(row->why, sizeof row->why, "a reason: %u", window);
}

/* y = 100 + 4 x, and two rows that must not be on it. */
static struct kb_paper make(void)
{
	struct kb_paper paper = { .device = "vda", .window_now = 2048, .page_bytes = 4096, .root = true };

	add(&paper, KB_PAPER_ORIGINAL, 0, 0.4, KB_INVALID);
	paper.rows[0].resident = 8192;
	add(&paper, KB_PAPER_FIXED, 0, 11, KB_OK);
	add(&paper, KB_PAPER_PRINTED, 32, 150, KB_NOISY);
	for (unsigned window = 1; window <= 256; window *= 2)
		add(&paper, KB_PAPER_LINE, window, 100 + 4.0 * window, KB_OK);
	add(&paper, KB_PAPER_LINE, 512, 1, KB_INVALID);
	add(&paper, KB_PAPER_LINE, 1024, 1, KB_OK);
	paper.rows[paper.count - 1].cost.known = false;
	paper.rows[paper.count - 1].passes = 0;
	return paper;
}

static void line_of_proven_rows(void **state)
{
	struct kb_paper paper = make();
	struct kb_paper_lines lines;

	(void)state;
	assert_true(kb_paper_fit(&paper, &lines));
	assert_int_equal(lines.points, 9);
	assert_int_equal(lines.plain.df, 7);
	assert_true(fabs(lines.plain.line.slope - 4) < 1e-9 && fabs(lines.plain.line.intercept - 100) < 1e-9);
	assert_true(fabs(lines.relative.line.slope - 4) < 1e-9 && lines.relative.line.r2 > 1 - 1e-9);
	paper.count = 5;
	assert_false(kb_paper_fit(&paper, &lines));
}

static char *text_of(const struct kb_paper *paper, bool utf8)
{
	struct kb_style look = { .utf8 = utf8, .width = 100 };
	char *text = NULL;
	size_t length;
	FILE *out = open_memstream(&text, &length);

	assert_non_null(out);
	kb_paper_print(out, paper, &look, 80);
	fclose(out);
	return text;
}

static size_t longest(const char *text)
{
	size_t most = 0;

	for (const char *end; (end = strchr(text, '\n')); text = end + 1) {
		if ((size_t)(end - text) > most)
			most = (size_t)(end - text);
	}
	return most;
}

static void text_says_it(void **state)
{
	static const char *const words[] = {
		"files on vda, pages of 4096 bytes, read-ahead 2048 pages", "8192 pages are still in memory, it evicts nothing", "invalid, ok",
		"398.9608 us", "9955.01 us", "4 us/page [4 to 4], 100 us [100 to 100], R^2 = 1.00000, df = 7", "C1_Darwin: 2685 us/page, -2025.2 us",
		"invalid: a reason: 512", "Figure 9",
	};
	struct kb_paper paper = make();
	char *text = text_of(&paper, false);

	(void)state;
	for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
		if (!strstr(text, words[i]))
			fail_msg("no '%s' in:\n%s", words[i], text);
	}
	assert_null(strstr(text, "Section 2.1"));
	assert_null(strstr(text, "nan"));
	assert_true(longest(text) <= 120);
	for (const char *at = text; *at; at++)
		assert_true((unsigned char)*at < 128);
	free(text);
	paper = (struct kb_paper){ .device = "" };
	text = text_of(&paper, true);
	assert_true(strstr(text, "no one block device") != NULL);
	free(text);
}

static void json_is_whole(void **state)
{
	struct kb_paper paper = make();
	json_t *document, *rows, *row;

	(void)state;
	paper.rows[0].page_ins = NAN;
	document = kb_paper_json(&paper);
	assert_non_null(document);
	rows = json_object_get(document, "rows");
	assert_int_equal(json_array_size(rows), paper.count);
	row = json_array_get(rows, 0);
	assert_string_equal(json_string_value(json_object_get(row, "part")), "original");
	assert_true(json_is_null(json_object_get(row, "page_ins_per_fault")));
	assert_string_equal(json_string_value(json_object_get(row, "status")), "invalid");
	row = json_array_get(rows, paper.count - 1);
	assert_true(json_is_null(json_object_get(json_object_get(row, "cost_ns"), "value")));
	assert_int_equal(json_integer_value(json_object_get(json_object_get(document, "line"), "points")), 9);
	assert_int_equal(json_array_size(json_object_get(json_object_get(document, "published"), "figures_4_7")), 12);
	json_decref(document);
	paper.count = 0;
	document = kb_paper_json(&paper);
	assert_true(json_is_null(json_object_get(document, "line")));
	json_decref(document);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(published_agrees), cmocka_unit_test(line_of_proven_rows), cmocka_unit_test(text_says_it),
		cmocka_unit_test(json_is_whole),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
