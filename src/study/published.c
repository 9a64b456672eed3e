/* See published.h. */
#include "study/published.h"

#include <math.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "report/text/style.h"
#include "result/json/json.h"
#include "stats/series/kanata.h"

#define CONFIDENCE 0.90         /* appendix 2 of the document */
#define HALF_WIDTH 0.02
#define ROUNDING 0.005          /* the points of figure 8 have two decimals */
#define POINTS_MAX 1000         /* moving each point of more would take long and tell nothing */

const char *const kb_printed_names[3] = { "slope", "intercept", "R^2" };

bool kb_published_same(double value, const char *printed, char *text)
{
	const char *point = strchr(printed, '.');
	int decimals = point ? (int)strlen(point + 1) : 0;

	snprintf(text, 32, "%.*f", decimals, value);
	return strcmp(text, printed) == 0;
}

/* ---- the document's statistics --------------------------------------------------------------------- */

static const struct { const char *name; size_t offset; } statistics[] = {
	{ "mean_A", offsetof(struct kb_kanata, a.mean) }, { "var_A", offsetof(struct kb_kanata, a.variance) },
	{ "sd_A", offsetof(struct kb_kanata, a.sd) }, { "cv_pct", offsetof(struct kb_kanata, a.cv_percent) },
	{ "mean_A_over_N", offsetof(struct kb_kanata, y.mean) }, { "mean_Y", offsetof(struct kb_kanata, y.mean) },
	{ "var_Y", offsetof(struct kb_kanata, y.variance) }, { "sd_Y", offsetof(struct kb_kanata, y.sd) },
	{ "cv_Y_pct", offsetof(struct kb_kanata, y.cv_percent) }, { "c1", offsetof(struct kb_kanata, low) },
	{ "c2", offsetof(struct kb_kanata, high) }, { "ci_halfwidth_pct", offsetof(struct kb_kanata, half_percent) },
	{ "var_P", offsetof(struct kb_kanata, p.variance) }, { "sd_P", offsetof(struct kb_kanata, p.sd) },
	{ "cv_P_pct", offsetof(struct kb_kanata, p.cv_percent) },
};

static void differs(struct kb_published_check *check, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The first difference is kept: it tells enough, and others often follow from it. */
static void differs(struct kb_published_check *check, const char *format, ...)
{
	va_list arguments;

	if (check->difference[0])
		return;
	va_start(arguments, format);
	vsnprintf(check->difference, sizeof check->difference, format, arguments);
	va_end(arguments);
}

static void check_statistics(struct kb_published_check *check)
{
	for (size_t i = 0; i < KB_PUBLISHED_STATISTICS; i++) {
		const struct kb_published_statistic *s = &kb_published_statistics[i];
		const struct kb_published_group *group = kb_published_groups;
		double scratch[KB_PUBLISHED_TESTS], value = NAN;
		char text[32];

		/* Tables A.2.1 to A.2.3 are about the same groups. */
		while (strncmp(s->table, group->table, strlen(group->table)) != 0 || strcmp(s->group, group->name) != 0)
			group++;

		struct kb_kanata k = kb_kanata_group(group->n, group->a, KB_PUBLISHED_TESTS, CONFIDENCE, HALF_WIDTH, scratch);

		for (size_t n = 0; n < sizeof statistics / sizeof statistics[0]; n++) {
			if (strcmp(statistics[n].name, s->name) == 0)
				memcpy(&value, (const char *)&k + statistics[n].offset, sizeof value);
		}
		if (kb_published_same(value, s->printed, text))
			check->statistics++;
		else
			differs(check, "table %s %s: %s is printed as %s, computed %s", s->table, s->group, s->name,
			        s->printed, text);
	}
}

static void check_cells(struct kb_published_check *check)
{
	for (size_t run = 0; run < KB_PUBLISHED_RUNS; run++) {
		const struct kb_published_group *group =
			&kb_published_groups[KB_PUBLISHED_GROUPS - KB_PUBLISHED_RUNS + run];

		for (size_t i = 0; i < KB_PUBLISHED_TESTS; i++) {
			const char *printed = kb_published_cells[run][i];
			char text[32];

			if (kb_published_same(group->a[i] / group->n, printed, text))
				check->cells++;
			else
				differs(check, "table A.2.2 %s test %zu is printed as %s, computed %s", group->name,
				        i + 1,
				        printed, text);
		}
	}
}

/* ---- figure 8 -------------------------------------------------------------------------------------- */

static double value_of(const struct kb_regression *r, int which)
{
	return which == 0 ? r->slope : which == 1 ? r->intercept : r->r2;
}

static enum kb_print judge(double value, double reach, const char *printed)
{
	const char *point = strchr(printed, '.');
	/* Half of the last printed digit, by which the printed number itself may be off. */
	double rounding = 0.5 * pow(10, point ? -(double)strlen(point + 1) : 0);
	char text[32];

	if (kb_published_same(value, printed, text))
		return KB_PRINT_SAME;
	return fabs(strtod(printed, NULL) - value) <= reach + rounding ? KB_PRINT_ROUNDED : KB_PRINT_WRONG;
}

struct kb_printed_line kb_printed_line(const double *x, const double *y, size_t count, const char *const *printed)
{
	struct kb_printed_line result = { .line = kb_regress(x, y, count) };
	double scratch[2 * POINTS_MAX];

	if (count <= POINTS_MAX)
		result.reach = kb_regress_reach(x, y, count, ROUNDING, ROUNDING, scratch);
	for (int i = 0; i < 3 && printed; i++) {
		result.printed[i] = printed[i];
		result.verdict[i] = judge(value_of(&result.line, i), value_of(&result.reach, i),
		                          printed[i]);
	}
	return result;
}

const struct kb_published_line *kb_published_line_find(const char *platform, const double *x, const double *y,
                                                       size_t count)
{
	for (size_t i = 0; i < KB_PUBLISHED_LINES; i++) {
		const struct kb_published_line *line = &kb_published_lines[i];

		if (strcmp(line->platform, platform) != 0)
			continue;
		if (!x || (count == KB_PUBLISHED_POINTS && memcmp(line->x, x, sizeof line->x) == 0 &&
		           memcmp(line->y, y, sizeof line->y) == 0))
			return line;
	}
	return NULL;
}

struct kb_published_check kb_published_check(void)
{
	struct kb_published_check check = { 0 };

	check_statistics(&check);
	check_cells(&check);
	/* All three numbers of a line as printed, or all three as computed independently. */
	for (size_t i = 0; i < KB_PUBLISHED_LINES; i++) {
		const struct kb_published_line *line = &kb_published_lines[i];
		struct kb_regression r = kb_regress(line->x, line->y, KB_PUBLISHED_POINTS);
		int same = 0;
		char text[32];

		while (same < 3 && kb_published_same(value_of(&r, same), line->computed[same], text))
			same++;
		check.lines += same == 3;
		if (same < 3)
			differs(&check, "figure 8 %s: %s should be %s, computed %s", line->platform, kb_printed_names[same],
				line->computed[same], text);
	}
	check.ok = check.statistics == KB_PUBLISHED_STATISTICS && check.lines == KB_PUBLISHED_LINES &&
	           check.cells == KB_PUBLISHED_RUNS * KB_PUBLISHED_TESTS;
	return check;
}

/* ---- in words -------------------------------------------------------------------------------------- */

void kb_printed_line_print(FILE *out, const char *label, const struct kb_printed_line *p, const struct kb_style *style)
{
	for (int i = 0; i < 3; i++) {
		double value = value_of(&p->line, i), reach = value_of(&p->reach, i);
		char text[400];

		if (p->verdict[i] == KB_PRINT_SAME)
			continue;
		snprintf(text, sizeof text, "%s %s: printed %s, the points give %.7g: %s (%.7g to %.7g)", label,
		         kb_printed_names[i], p->printed[i], value, p->verdict[i] == KB_PRINT_WRONG ?
		         "cannot be right, whatever the points were before they were rounded" :
		         "cannot be right for the points as printed; unrounded ones may give it", value - reach,
		         i == 2 ? fmin(1, value + reach) : value + reach);
		kb_print_wrapped(out, style, 4, text);
	}
}

json_t *kb_printed_line_json(const char *label, size_t count, const struct kb_printed_line *p)
{
	static const char *const words[] = {
		[KB_PRINT_SAME] = "same", [KB_PRINT_ROUNDED] = "only_of_unrounded_points", [KB_PRINT_WRONG] = "wrong"
	};
	json_t *printed = p->printed[0] ? json_array() : json_null();
	bool known = p->line.known;

	for (int i = 0; i < 3 && p->printed[0]; i++)
		json_array_append_new(printed, json_pack("{s:s, s:s, s:s}", "name", kb_printed_names[i], "printed", p->printed[i], "is",
							 words[p->verdict[i]]));
	return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o}", "label", kb_json_string(label), "points", kb_json_whole(count), "slope",
			 kb_json_real(known ? p->line.slope : NAN), "intercept", kb_json_real(known ? p->line.intercept : NAN), "r2",
			 kb_json_real(known ? p->line.r2 : NAN), "printed", printed);
}

void kb_published_print(FILE *out, const struct kb_published_check *check, const struct kb_style *style)
{
	struct kb_printed_line lines[KB_PUBLISHED_LINES];

	fprintf(out, "T-PUB-1  %u/%u statistics of tables 3.4, 3.5, A.2.1, A.2.2 and A.2.3 as printed\n",
	        check->statistics, KB_PUBLISHED_STATISTICS);
	fprintf(out, "T-PUB-2  %u/%u cells of Y of table A.2.2 as printed\n", check->cells,
	        KB_PUBLISHED_RUNS * KB_PUBLISHED_TESTS);
	fprintf(out, "T-PUB-3  %u/%u regressions of figure 8 as computed independently; as printed:", check->lines,
	        KB_PUBLISHED_LINES);
	for (size_t i = 0; i < KB_PUBLISHED_LINES; i++) {
		const struct kb_published_line *line = &kb_published_lines[i];

		lines[i] = kb_printed_line(line->x, line->y, KB_PUBLISHED_POINTS, line->printed);
		if (!lines[i].verdict[0] && !lines[i].verdict[1] && !lines[i].verdict[2])
			fprintf(out, " %s", line->platform);
	}
	fputc('\n', out);
	for (size_t i = 0; i < KB_PUBLISHED_LINES; i++)
		kb_printed_line_print(out, kb_published_lines[i].platform, &lines[i], style);
	if (!check->ok)
		fprintf(out, "differs: %s\n", check->difference);
}

json_t *kb_published_json(const struct kb_published_check *check)
{
	return json_pack("{s:b, s:o, s:o, s:o, s:o}", "ok", check->ok, "statistics", kb_json_whole(check->statistics),
	                 "cells", kb_json_whole(check->cells), "lines", kb_json_whole(check->lines), "difference",
	                 check->difference[0] ? kb_json_string(check->difference) : json_null());
}
