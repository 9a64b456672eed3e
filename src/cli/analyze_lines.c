/* kbench analyze FILE: straight lines through few points, as published figures have them. */
#include "cli/analyze.h"

#include <stdio.h>

#include "result/json/json.h"
#include "study/published.h"

static json_t *printed_json(const struct kb_printed_line *p)
{
	static const char *const words[] = {
		[KB_PRINT_SAME] = "same", [KB_PRINT_ROUNDED] = "only_of_unrounded_points", [KB_PRINT_WRONG] = "wrong"
	};
	json_t *array = json_array();

	for (int i = 0; i < 3; i++)
		json_array_append_new(array, json_pack("{s:s, s:s, s:s}", "name", kb_printed_names[i], "printed",
		                                       p->printed[i], "is", words[p->verdict[i]]));
	return array;
}

static json_t *show_line(const struct kb_analyzed *files, const char *label, const double *x, const double *y,
	size_t count, const char *const *printed)
{
	struct kb_regression line = kb_regress(x, y, count);
	struct kb_printed_line p = { 0 };

	if (printed)
		p = kb_printed_line(x, y, count, printed);
	if (files->request->json)
		return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o}", "label", kb_json_string(label), "points",
		                 kb_json_whole(count), "slope", line.known ? kb_json_real(line.slope) : json_null(),
		                 "intercept", line.known ? kb_json_real(line.intercept) : json_null(), "r2",
		                 line.known ? kb_json_real(line.r2) : json_null(), "printed",
		                 printed ? printed_json(&p) : json_null());
	if (line.known)
		printf("  %-20s %2zu points  y = %.6f x %+.6f  R^2 = %.7f%s\n", label, count, line.slope,
		       line.intercept,
		       line.r2, count < 4 ? "  (one degree of freedom or none: R^2 proves nothing)" : "");
	else
		printf("  %-20s %2zu points  no line: it takes two different x\n", label, count);
	if (printed)
		kb_printed_line_print(stdout, label, &p, &files->look);
	return NULL;
}

/* Printed coefficients are judged by the published points of that name; others have no points here. */
static json_t *show_printed(const struct kb_analyzed *files, const struct kb_import_series *series)
{
	const struct kb_published_line *known = kb_published_line_find(series->label, NULL, NULL, 0);
	const char *printed[3] = { series->printed[0], series->printed[1], series->printed[2] };

	if (known)
		return show_line(files, series->label, known->x, known->y, KB_PUBLISHED_POINTS, printed);
	if (files->request->json)
		return json_pack("{s:o, s:n}", "label", kb_json_string(series->label), "points");
	printf("  %-20s no points of that name are known\n", series->label);
	return NULL;
}

json_t *kb_analyze_show_lines(const struct kb_analyzed *files, const struct kb_analyzed_file *file)
{
	json_t *array = json_array();

	for (size_t i = 0; i < file->import.count; i++) {
		const struct kb_import_series *series = &file->import.series[i];
		const struct kb_published_line *known;
		json_t *line;

		if (file->import.kind == KB_IMPORT_PRINTED) {
			line = show_printed(files, series);
		} else {
			known = kb_published_line_find(series->label, series->x, series->y, series->count);
			line = show_line(files, series->label, series->x, series->y, series->count,
			                 known ? known->printed : NULL);
		}
		if (line)
			json_array_append_new(array, line);
	}
	return array;
}

