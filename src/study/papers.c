/* See papers.h. */
#include "study/papers.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "result/json/json.h"
#include "study/published.h"
#include "study/yamba_paper.h"

/* ---- the document of method kanata --------------------------------------------------------------------------- */

static json_t *group_json(const struct kb_published_group *group)
{
	json_t *tests = json_array();

	for (unsigned i = 0; i < KB_PUBLISHED_TESTS; i++)
		json_array_append_new(tests, json_integer((json_int_t)group->a[i]));
	return json_pack("{s:s, s:s, s:I, s:o}", "table", group->table, "group", group->name, "n", (json_int_t)group->n, "a", tests);
}

static json_t *kanata_json(void)
{
	json_t *groups = json_array(), *statistics = json_array();

	for (unsigned i = 0; i < KB_PUBLISHED_GROUPS; i++)
		json_array_append_new(groups, group_json(&kb_published_groups[i]));
	for (unsigned i = 0; i < KB_PUBLISHED_STATISTICS; i++) {
		const struct kb_published_statistic *s = &kb_published_statistics[i];

		json_array_append_new(statistics, json_pack("{s:s, s:s, s:s, s:s}", "table", s->table, "group", s->group, "name", s->name,
							    "printed", s->printed));
	}
	return json_pack("{s:s, s:o, s:o}", "unit", "cycles", "groups", groups, "statistics", statistics);
}

/* ---- the Yamba paper: page faults ----------------------------------------------------------------------------- */

static bool is_fault(const struct kb_result *result)
{
	return strncmp(result->benchmark, "yamba.pagefault_", strlen("yamba.pagefault_")) == 0;
}

/* A stored result as a line of the paper's experiment. */
static struct kb_paper_row row_of(const struct kb_result *result)
{
	struct kb_paper_row row = { .part = KB_PAPER_LINE, .cost = result->estimate, .status = result->verdict.status, .page_ins = NAN };

	kb_row_name_of(row.name, result->benchmark, result->params);
	for (unsigned i = 0; i < result->covariate_count; i++) {
		if (strcmp(result->covariates[i].name, "page_ins") == 0)
			row.page_ins = result->covariates[i].median;
	}
	return row;
}

static json_t *figure_8_json(void)
{
	json_t *lines = json_array();

	for (unsigned i = 0; i < KB_PUBLISHED_LINES; i++) {
		const struct kb_published_line *line = &kb_published_lines[i];
		struct kb_printed_line printed = kb_printed_line(line->x, line->y, KB_PUBLISHED_POINTS, line->printed);
		json_t *json = kb_printed_line_json(line->platform, KB_PUBLISHED_POINTS, &printed);

		json_object_set_new(json, "x", json_pack("[f, f, f]", line->x[0], line->x[1], line->x[2]));
		json_object_set_new(json, "y", json_pack("[f, f, f]", line->y[0], line->y[1], line->y[2]));
		json_array_append_new(lines, json);
	}
	return lines;
}

static json_t *yamba_json(const struct kb_result *const *results, size_t count)
{
	struct kb_paper paper = { .count = 0 };
	double x[KB_PAPER_ROWS], y[KB_PAPER_ROWS];
	json_t *points = json_array(), *published = kb_paper_published_json();

	for (size_t i = 0; i < count && paper.count < KB_PAPER_ROWS; i++) {
		if (is_fault(results[i]))
			paper.rows[paper.count++] = row_of(results[i]);
	}
	count = kb_paper_points(&paper, x, y);
	for (size_t i = 0; i < count; i++)
		json_array_append_new(points, json_pack("{s:f, s:f}", "page_ins", x[i], "us", y[i]));
	json_object_set_new(published, "figure_8", figure_8_json());
	return json_pack("{s:o, s:o, s:o}", "points", points, "line", kb_paper_line_json(&paper), "published", published);
}

json_t *kb_papers_json(const struct kb_result *const *results, size_t count)
{
	bool kanata = false, yamba = false;

	for (size_t i = 0; i < count; i++) {
		kanata |= results[i]->method == KB_METHOD_KANATA;
		yamba |= is_fault(results[i]);
	}
	if (!kanata && !yamba)
		return NULL;
	return json_pack("{s:o, s:o}", "kanata", kanata ? kanata_json() : json_null(), "yamba", yamba ? yamba_json(results, count) : json_null());
}
