/*
 * Pictures, as files in test/golden: plot-WIDTH-CHARSET.txt. KB_GOLDEN=write makes them anew; look at them before they are
 * committed.
 */
#define _GNU_SOURCE
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/rng.h"
#include "report/text/plot.h"
#include "stats/stats.h"
#include "unit/report/fixed.h"

#define N 1000
#define STEP_AT 400

static double values[N];

/* Whole numbers only, so that no rounding of a library can move a dot: a level of 2600 to 2699, 120 more from STEP_AT
   on, and now and then 3000 on top. */
static void make_values(void)
{
	struct kb_rng rng;

	kb_rng_seed(&rng, 5);
	for (size_t i = 0; i < N; i++)
		values[i] = 2600 + (double)kb_rng_below(&rng, 100) + (i >= STEP_AT ? 120 : 0) + (kb_rng_below(&rng, 97) ? 0 : 3000);
}

static void draw(FILE *out, unsigned width, bool utf8)
{
	static const double few[] = { 3, 1, 2 }, same[] = { 5, 5, 5 };
	static const size_t marks[] = { STEP_AT }, second[] = { 1 };

	make_values();
	fputs("histogram\n", out);
	kb_plot_histogram(out, values, N, width, utf8);
	fputs("series\n", out);
	kb_plot_series(out, values, N, marks, 1, width, utf8);
	fputs("quantiles\n", out);
	kb_plot_quantiles(out, values, N, utf8);
	fputs("few\n", out);
	kb_plot_histogram(out, few, 3, width, utf8);
	kb_plot_series(out, few, 3, second, 1, width, utf8);
	fputs("same\n", out);
	kb_plot_histogram(out, same, 3, width, utf8);
	kb_plot_series(out, same, 3, NULL, 0, width, utf8);
}

/* Values with their numbers draw the same as all of them one by one. */
static void counted_values_draw_the_same(void **state)
{
	char *text[2];
	size_t bytes[2], used = 0;
	double distinct[N];
	uint64_t counts[N];

	(void)state;
	make_values();
	kb_sort(values, N);
	for (size_t i = 0; i < N; i++) {
		if (used == 0 || values[i] > distinct[used - 1]) {
			distinct[used] = values[i];
			counts[used++] = 0;
		}
		counts[used - 1]++;
	}
	for (int i = 0; i < 2; i++) {
		FILE *out = open_memstream(&text[i], &bytes[i]);

		if (i == 0)
			kb_plot_histogram(out, values, N, 80, true);
		else
			kb_plot_counts(out, distinct, counts, used, 0, 80, true);
		fclose(out);
	}
	assert_string_equal(text[0], text[1]);
	free(text[0]);
	free(text[1]);
}

/* ---- golden -------------------------------------------------------------------------------------- */

static char *read_file(const char *path)
{
	FILE *file = fopen(path, "r");
	char *text = NULL;
	size_t room = 0;

	if (!file)
		fail_msg("%s is missing", path);
	if (getdelim(&text, &room, '\0', file) < 0)
		fail_msg("%s is empty", path);
	fclose(file);
	return text;
}

static void golden(unsigned width, bool utf8)
{
	const char *directory = getenv("KB_SRC"), *mode = getenv("KB_GOLDEN");
	char path[512], *text;
	size_t length;
	FILE *out = open_memstream(&text, &length);

	draw(out, width, utf8);
	fclose(out);
	assert_int_equal(fixed_widest(text), width);
	assert_int_equal(fixed_is_ascii(text), !utf8);
	assert_null(strstr(text, " \n"));
	snprintf(path, sizeof path, "%s/test/golden/plot-%u-%s.txt", directory ? directory : ".", width, utf8 ? "utf8" : "ascii");
	if (mode && !strcmp(mode, "write")) {
		out = fopen(path, "w");
		assert_non_null(out);
		fputs(text, out);
		fclose(out);
	}

	char *want = read_file(path);

	assert_string_equal(text, want);
	free(want);
	free(text);
}

static void ascii_80(void **state) { (void)state; golden(80, false); }
static void ascii_120(void **state) { (void)state; golden(120, false); }
static void utf8_80(void **state) { (void)state; golden(80, true); }
static void utf8_120(void **state) { (void)state; golden(120, true); }

/* ---- what no picture shows ----------------------------------------------------------------------- */

static char *hostile(const double *y, size_t n, unsigned width)
{
	static const size_t marks[] = { 0, 1, 2, 1000000 };
	char *text;
	size_t length;
	FILE *out = open_memstream(&text, &length);

	kb_plot_histogram(out, y, n, width, false);
	kb_plot_series(out, y, n, marks, 4, width, false);
	kb_plot_quantiles(out, y, n, false);
	fclose(out);
	return text;
}

static void values_of_every_kind(void **state)
{
	static const double bad[] = { NAN, INFINITY, -INFINITY }, huge[] = { 1.7e308, -1.7e308, 0, NAN }, tiny[] = { 1e-9, 2e-9, 3e-9 };
	static const double big[] = { 9223372036854775808.0, 9223372036854775808.0, 1 };
	char *text;

	(void)state;
	text = hostile(bad, 3, 80);
	assert_string_equal(text, "no values to draw\nno values to draw\nno values to draw\n");
	free(text);
	text = hostile(bad, 0, 80);
	assert_string_equal(text, "no values to draw\nno values to draw\nno values to draw\n");
	free(text);
	const struct { const double *y; size_t n; } sets[] = { { huge, 4 }, { tiny, 3 }, { big, 3 }, { huge, 1 } };

	for (size_t i = 0; i < sizeof sets / sizeof *sets; i++) {
		text = hostile(sets[i].y, sets[i].n, 80);
		assert_true(fixed_widest(text) <= 80);
		assert_null(strstr(text, "nan"));
		assert_null(strstr(text, "inf"));
		free(text);
	}
}

/* What is in the bins is what was given. */
static void nothing_is_lost(void **state)
{
	char *text, *line;
	size_t length, sum = 0;
	FILE *out = open_memstream(&text, &length);

	(void)state;
	make_values();
	kb_plot_histogram(out, values, N, 80, false);
	fclose(out);
	for (line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
		const char *count = strrchr(line, ' ');

		sum += strchr(line, '|') && count ? strtoul(count, NULL, 10) : 0;
	}
	assert_int_equal(sum, N);
	free(text);
}

static void width_is_the_terminals(void **state)
{
	(void)state;
	setenv("COLUMNS", "97", 1);
	assert_int_equal(kb_plot_width(stdout), 97);
	setenv("COLUMNS", "3", 1);
	assert_int_equal(kb_plot_width(stdout), 60);
	setenv("COLUMNS", "99999999999999999999", 1);
	assert_int_equal(kb_plot_width(stdout), 200);
	setenv("COLUMNS", "wide", 1);
	FILE *file = tmpfile();

	assert_int_equal(kb_plot_width(file), 80);
	fclose(file);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ascii_80), cmocka_unit_test(ascii_120), cmocka_unit_test(utf8_80), cmocka_unit_test(utf8_120),
		cmocka_unit_test(values_of_every_kind), cmocka_unit_test(nothing_is_lost), cmocka_unit_test(counted_values_draw_the_same),
		cmocka_unit_test(width_is_the_terminals),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
