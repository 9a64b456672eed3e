/* kbench analyze FILE: what is printed, or put into JSON, about one file. */
#include "cli/analyze.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/print.h"
#include "result/json/json.h"
#include "result/summary/summary.h"

#define PRECISION 0.01 /* that kb_summarise holds a record of unknown wishes against, as `run` does by default */

static json_t *show_list(
	const struct kb_analyzed *files, const struct kb_analyzed_file *file, const struct kb_import_series *series)
{
	struct kb_list_analysis list;

	kb_analyze_check(files->request->command,
	                 kb_list_analyze(&list, series->y, series->count, &files->request->options));
	if (files->request->json)
		return kb_analysis_list_json(&list);
	kb_analysis_print_list(stdout, &list, file->import.unit, &files->request->options, &files->look);
	return NULL;
}

static json_t *show_points(
	const struct kb_analyzed *files, const struct kb_analyzed_file *file, const struct kb_import_series *series)
{
	struct kb_points_analysis points;

	kb_analyze_check(files->request->command, kb_points_analyze(&points, series, &files->request->options));
	if (files->request->json)
		return kb_analysis_points_json(&points);
	kb_analysis_print_points(stdout, &points, file->import.unit, &files->request->options, &files->look);
	return NULL;
}

/* A table as points: the s-th tests of all groups are block s. The groups ran one after the other, so such a block is
   not a pass over the grid; it still tells rows apart. */
static json_t *show_table_as_points(const struct kb_analyzed *files, const struct kb_analyzed_file *file)
{
	const struct kb_import *import = &file->import;
	struct kb_import_series all = { 0 };
	size_t columns = import->count, room = columns * import->series[0].count;
	json_t *json, *part;

	all.x = calloc(room, sizeof *all.x);
	all.y = calloc(room, sizeof *all.y);
	all.block = calloc(room, sizeof *all.block);
	if (!all.x || !all.y || !all.block)
		kb_no_memory(files->request->command);
	for (; all.count < room; all.count++) {
		const struct kb_import_series *column = &import->series[all.count % columns];

		all.x[all.count] = column->n;
		all.y[all.count] = column->y[all.count / columns];
		all.block[all.count] = (uint32_t)(all.count / columns);
	}
	json = files->request->json ? json_array() : NULL;
	part = show_points(files, file, &all);
	if (json)
		json_array_append_new(json, part);
	free(all.x);
	free(all.y);
	free(all.block);
	return json;
}

static json_t *show_groups(const struct kb_analyzed *files, const struct kb_analyzed_file *file)
{
	const struct kb_analysis_options *options = &files->request->options;
	struct kb_kanata_analysis part = { files->kanata.groups + file->first_group, file->group_count, 0 };
	struct kb_across across = kb_across_groups(&part, 0, options);

	if (files->request->json)
		return json_pack("[{s:o, s:o}]", "groups", kb_analysis_groups_json(&part, 0, part.count), "across",
		                 kb_analysis_across_json(&across));
	kb_analysis_print_groups(stdout, &part, 0, part.count, file->import.unit, options, &files->look);
	kb_analysis_print_across(stdout, &part, 0, &across, file->import.unit, options, &files->look);
	return NULL;
}

json_t *kb_analyze_show_across(const struct kb_analyzed *files)
{
	const struct kb_analysis_options *options = &files->request->options;
	struct kb_across across = kb_across_groups(&files->kanata, 0, options);
	const char *unit = "";

	if (files->request->json)
		return kb_analysis_across_json(&across);
	for (size_t i = 0; i < files->count; i++) {
		if (files->files[i].group_count > 0)
			unit = files->files[i].import.unit;
	}
	kb_analysis_print_across(stdout, &files->kanata, 0, &across, unit, options, &files->look);
	return json_null();
}

static json_t *show_series(const struct kb_analyzed *files, const struct kb_analyzed_file *file)
{
	json_t *array = json_array();

	for (size_t i = 0; i < file->import.count; i++) {
		const struct kb_import_series *series = &file->import.series[i];
		json_t *json;

		if (!files->request->json && series->label[0])
			printf("\n  %s\n", series->label);
		json = file->method == KB_ANALYSIS_SINGLE ? show_list(files, file, series)
							  : show_points(files, file, series);
		if (json)
			json_array_append_new(array, json);
	}
	return array;
}

/* Rows of a record as `kbench run` makes them; every record of one benchmark with one set of parameters is a launch. */
static json_t *show_record(const struct kb_analyzed *files, const struct kb_analyzed_file *file)
{
	const struct kb_import *import = &file->import;
	struct kb_launch_text *launches = calloc(import->launch_count, sizeof *launches);
	struct kb_result *results = calloc(import->launch_count, sizeof *results);
	const struct kb_result **rows = calloc(import->launch_count, sizeof *rows);
	json_t *array = json_array();
	size_t count = 0;

	if (!launches || !results || !rows)
		kb_no_memory(files->request->command);
	for (size_t i = 0; i < import->count; i++) {
		size_t same = 0;

		for (size_t k = 0; k < import->count; k++) {
			if (strcmp(import->series[k].label, import->series[i].label) != 0)
				continue;
			if (k < i)
				break;
			launches[same] = import->launches[k];
			launches[same].launch = (unsigned)same + 1;
			same++;
		}
		if (same == 0)
			continue;
		kb_summarise(launches, same, &(struct kb_summary_rules){ .planned = (unsigned)same, .precision = PRECISION }, &results[count]);
		rows[count] = &results[count];
		json_array_append_new(array, kb_result_to_json(&results[count++]));
	}
	if (!files->request->json) {
		putchar('\n');
		kb_print_results(NULL, rows, count, &(struct kb_print_how){ .detail = true });
	}
	free(launches);
	free(results);
	free(rows);
	return array;
}

const char *kb_analyze_method_name(const struct kb_analyzed_file *file)
{
	if (file->method < KB_ANALYSIS_METHODS)
		return kb_analysis_methods[file->method];
	return file->import.kind == KB_IMPORT_RECORD ? "as recorded" : "least squares";
}

static json_t *show(const struct kb_analyzed *files, const struct kb_analyzed_file *file)
{
	if (file->import.kind == KB_IMPORT_LINES || file->import.kind == KB_IMPORT_PRINTED)
		return kb_analyze_show_lines(files, file);
	if (file->method == KB_ANALYSIS_METHODS)
		return show_record(files, file);
	if (file->method == KB_ANALYSIS_KANATA)
		return show_groups(files, file);
	if (file->method == KB_ANALYSIS_SLOPE && file->import.kind == KB_IMPORT_GROUPS)
		return show_table_as_points(files, file);
	return show_series(files, file);
}

/* What was printed leaves nothing for JSON, and the other way round. */
json_t *kb_analyze_show(const struct kb_analyzed *files, const struct kb_analyzed_file *file)
{
	json_t *parts = show(files, file);

	if (files->request->json)
		return parts;
	json_decref(parts);
	return NULL;
}
