/*
 * kbench analyze FILE...: reads all files before it prints anything, so that a malformed one costs no half-finished
 * output; then each by itself, and the groups of all together.
 */
#include "cli/analyze.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/print.h"
#include "import/log.h"
#include "result/json/json.h"

#define FILE_MAX (1ull << 30)   /* bytes; /dev/zero has no end */

void kb_analyze_check(const struct kb_command *command, int result)
{
	if (result == -ENOMEM)
		kb_no_memory(command);
	if (result)
		kb_die(command, KB_EXIT_USAGE, "%s", strerror(-result));
}

/* ---- reading --------------------------------------------------------------------------------------- */

char *kb_analyze_read_text(const struct kb_command *command, const char *name, size_t *length)
{
	FILE *in = fopen(name, "r");
	size_t room = 0, used = 0, got;
	char *text = NULL;

	if (!in)
		kb_die(command, KB_EXIT_USAGE, "cannot read %.200s: %s", name, strerror(errno));
	do {
		if (used + 1 >= room) {
			room = room ? 2 * room : 65536;
			text = realloc(text, room);
			if (!text)
				kb_no_memory(command);
		}
		got = fread(text + used, 1, room - used - 1, in);
		used += got;
		if (used > FILE_MAX)
			kb_die(command, KB_EXIT_USAGE, "%.200s: larger than 1 GiB", name);
	} while (got > 0);
	if (ferror(in))
		kb_die(command, KB_EXIT_USAGE, "cannot read %.200s: %s", name, strerror(errno));
	fclose(in);
	text[used] = '\0';
	*length = used;
	return text;
}

/* All values of a series belong to this n. */
static bool only_n(const struct kb_import_series *series, double n)
{
	if (!series->x)
		return !(fabs(series->n - n) > 0);
	for (size_t i = 0; i < series->count; i++) {
		if (fabs(series->x[i] - n) > 0)
			return false;
	}
	return true;
}

static enum kb_analysis_method usual_method(enum kb_import_kind kind)
{
	switch (kind) {
	case KB_IMPORT_GROUPS: return KB_ANALYSIS_KANATA;
	case KB_IMPORT_POINTS: return KB_ANALYSIS_SLOPE;
	case KB_IMPORT_LIST: return KB_ANALYSIS_SINGLE;
	default: return KB_ANALYSIS_METHODS;
	}
}

/* A method that the content does not fit is refused, not bent to fit. */
static void choose_method(const struct kb_analyzed *files, struct kb_analyzed_file *file)
{
	const struct kb_analyze_request *request = files->request;
	const struct kb_import *import = &file->import;
	bool fixed = import->kind == KB_IMPORT_LINES || import->kind == KB_IMPORT_PRINTED;

	file->method = request->method < KB_ANALYSIS_METHODS ? request->method : usual_method(import->kind);
	if (fixed && (request->method < KB_ANALYSIS_METHODS || request->tuned))
		kb_die(request->command, KB_EXIT_USAGE, "%.200s: %s take no --%s", file->name,
		       kb_import_words[import->kind], request->tuned ? request->tuned : "method");
	if (file->method == KB_ANALYSIS_METHODS && request->tuned)
		kb_die(request->command, KB_EXIT_USAGE,
			"%.200s: a record is analyzed as 'kbench run' does it; --%s needs "
			"--method",
			file->name, request->tuned);
	for (size_t i = 0; file->method == KB_ANALYSIS_SINGLE && i < import->count; i++) {
		if (!only_n(&import->series[i], 1))
			kb_die(request->command, KB_EXIT_USAGE,
			       "%.200s: method single takes one operation a value, and there "
			       "are values of more", file->name);
	}
	if (file->method == KB_ANALYSIS_SLOPE && import->kind == KB_IMPORT_LIST)
		kb_die(request->command, KB_EXIT_USAGE,
		       "%.200s: method slope takes values of several n, and a list does not "
		       "have them", file->name);
}

static void take_groups(struct kb_analyzed *files, struct kb_analyzed_file *file)
{
	const struct kb_analyze_request *request = files->request;
	int result = kb_kanata_add(&files->kanata, &file->import, &request->options);

	if (result == -E2BIG)
		kb_die(request->command, KB_EXIT_USAGE, "%.200s: more than %d groups", file->name, KB_GROUPS_MAX);
	kb_analyze_check(request->command, result);
	file->group_count = files->kanata.count - file->first_group;
}

/* Before anything is printed: every group must have values, and more of them than are to be left out. */
static void check_values(const struct kb_analyzed *files, const struct kb_analyzed_file *file)
{
	const struct kb_analyze_request *request = files->request;
	size_t values = 0;
	double n;
	int result;

	if (file->method == KB_ANALYSIS_METHODS)
		return;
	for (size_t i = 0; i < file->import.count; i++)
		values += file->import.series[i].count;
	if (values == 0)
		kb_die(request->command, KB_EXIT_USAGE, "%.200s: it has no samples of the operation", file->name);
	result = kb_analysis_skip_fits(&file->import, request->options.skip, &n);
	if (result == -EINVAL)
		kb_die(request->command, KB_EXIT_USAGE, "%.200s: --skip %zu leaves nothing of the group with N = %.0f",
		       file->name, request->options.skip, n);
	kb_analyze_check(request->command, result);
}

static void load(struct kb_analyzed *files, struct kb_analyzed_file *file)
{
	char error[KB_IMPORT_ERROR];
	int result;

	file->text = kb_analyze_read_text(files->request->command, file->name, &file->length);
	file->length = kb_log_clean(file->text, file->length);
	file->text[file->length] = '\0';
	result = kb_import_text(&file->import, file->name, file->text, file->length, error);
	if (result == -EINVAL)
		kb_die(files->request->command, KB_EXIT_USAGE, "%s", error);
	kb_analyze_check(files->request->command, result);
	choose_method(files, file);
	check_values(files, file);
	file->first_group = files->kanata.count;
	if (file->method == KB_ANALYSIS_KANATA)
		take_groups(files, file);
}

/* ---- all ------------------------------------------------------------------------------------------- */

static void print_title(const struct kb_analyzed_file *file)
{
	size_t values = 0, count = file->import.count;

	for (size_t i = 0; i < count; i++)
		values += file->import.series[i].count;
	if (file->import.kind == KB_IMPORT_GROUPS)
		printf("%s: table of %zu group%s of %zu tests\n", kb_shown(file->name).text, count, count == 1 ? "" : "s",
			values / count);
	else
		printf("%s: %s\n", kb_shown(file->name).text, kb_import_words[file->import.kind]);
}

static void show_file(const struct kb_analyzed *files, const struct kb_analyzed_file *file, bool first, json_t *array)
{
	bool json = files->request->json;
	json_t *parts;

	if (!json) {
		if (!first)
			putchar('\n');
		print_title(file);
	}
	parts = kb_analyze_show(files, file);
	if (json)
		json_array_append_new(array, json_pack("{s:o, s:s, s:s, s:s, s:o}", "file", kb_json_string(file->name),
		                                       "kind",
		                                       kb_import_words[file->import.kind], "method",
		                                       kb_analyze_method_name(file), "unit", file->import.unit, "parts",
		                                       parts));
}

/* Cycles of one machine and ticks of another must not become one line. */
static bool one_unit(const struct kb_analyzed *files)
{
	const char *unit = NULL;

	for (size_t i = 0; i < files->count; i++) {
		const struct kb_analyzed_file *file = &files->files[i];

		if (file->group_count == 0)
			continue;
		if (unit && strcmp(unit, file->import.unit) != 0)
			return false;
		unit = file->import.unit;
	}
	return unit != NULL;
}

static json_t *show_together(const struct kb_analyzed *files)
{
	size_t with_groups = 0;

	for (size_t i = 0; i < files->count; i++)
		with_groups += files->files[i].group_count > 0;
	if (with_groups < 2 || !one_unit(files))
		return json_null();
	if (!files->request->json)
		printf("\nAll %zu files together\n", with_groups);
	return kb_analyze_show_across(files);
}

static void release(struct kb_analyzed *files)
{
	for (size_t i = 0; i < files->count; i++) {
		kb_import_free(&files->files[i].import);
		free(files->files[i].text);
	}
	free(files->files);
	kb_kanata_free(&files->kanata);
}

int kb_analyze_files(const struct kb_analyze_request *request)
{
	struct kb_analyzed files = { .request = request, .look = kb_style_here(true) };
	json_t *array = json_array(), *together;

	files.files = calloc(request->file_count, sizeof *files.files);
	if (!files.files)
		kb_no_memory(request->command);
	for (; files.count < request->file_count; files.count++) {
		files.files[files.count].name = request->files[files.count];
		load(&files, &files.files[files.count]);
	}
	for (size_t i = 0; i < files.count; i++)
		show_file(&files, &files.files[i], i == 0, array);
	together = show_together(&files);
	if (request->json)
		kb_print_json(json_pack("{s:s, s:o, s:o, s:o, s:O, s:O}", "schema", "kbench-analyze/1", "confidence",
		                        kb_json_real(request->options.confidence), "half_width",
		                        kb_json_real(request->options.half_width), "skip",
		                        kb_json_whole(request->options.skip), "files", array, "together", together));
	json_decref(array);
	json_decref(together);
	release(&files);
	return KB_EXIT_DONE;
}
