/*
 * kbench analyze: statistics of files that were not measured here, and of published tables. All files are read before anything is printed, so
 * that a malformed one costs no half-finished output.
 */
#include "cli/cli.h"

#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "report/text/analysis.h"
#include "result/json/json.h"
#include "study/published.h"
#include "workflow/analyze.h"
#include "workflow/import.h"

enum { METHOD, SKIP, CONFIDENCE, PRECISION, PUBLISHED, JSON, OPTIONS };

struct asked {
	const struct kb_command *command;
	struct kb_analyzed all;
	bool published, json;
	struct kb_style style;
};

/* A confidence of 100 % has no ends, and one below a half excludes nothing. */
static int read_confidence(const char *value, void *place, struct kb_failure *failure)
{
	static const struct kb_option percent = { .name = "confidence", .into = { .type = KB_OPTION_PERCENT } };
	double *confidence = place;
	int code = kb_read_option(&percent, value, place, failure);

	if (!code && (*confidence < .5 || *confidence > .9999))
		code = kb_refuse_typed(failure, "--confidence '%.40s': must be between 50%% and 99.99%%", value);
	return code;
}

static const struct kb_option options[] = {
	[METHOD] = { 0, "method", "kanata|slope|single", "how to read the file", "by its content",
		     KB_OPTION(CHOICE, struct asked, all.method) },
	[SKIP] = { 0, "skip", "K", "leave out the first K tests of each group", "0",
		   KB_OPTION(NUMBER, struct asked, all.skip, .most = UINT32_MAX) },
	[CONFIDENCE] = { 0, "confidence", "PERCENT", "of the confidence intervals", "95%; of tables of groups 90%",
			 KB_OPTION(READ, struct asked, all.options.confidence, .read = read_confidence) },
	[PRECISION] = { 0, "precision", "PERCENT", "half-width that is wanted, of the mean", "2%",
			 KB_OPTION(PERCENT, struct asked, all.options.half_width) },
	[PUBLISHED] = { 0, "published", NULL, "recompute the published tables; exit with 5 if one differs", NULL,
			KB_OPTION(FLAG, struct asked, published) },
	[JSON] = { 0, "json", NULL, "print kbench-analyze/1", NULL, KB_OPTION(FLAG, struct asked, json) },
	{ 0 }
};

/* Which of two things was meant, only the user knows. */
static void check_choice(const struct kb_command *command, uint64_t given)
{
	for (int i = 0; i < PUBLISHED && given >> PUBLISHED & 1; i++) {
		if (given >> i & 1)
			kb_usage(command, "--published and --%s exclude each other", options[i].name);
	}
}

/* ---- a file: printed, or with --json returned ------------------------------------------------------- */

static json_t *show_list(const struct asked *asked, const struct kb_analyzed_file *file, const struct kb_import_series *series)
{
	struct kb_list_analysis list;

	if (kb_list_analyze(&list, series->y, series->count, &asked->all.options))
		kb_no_memory(asked->command);
	if (asked->json)
		return kb_analysis_list_json(&list);
	kb_analysis_print_list(stdout, &list, file->import.unit, &asked->all.options, &asked->style);
	return NULL;
}

static json_t *show_points(const struct asked *asked, const struct kb_analyzed_file *file, const struct kb_import_series *series)
{
	struct kb_points_analysis points;

	if (kb_points_analyze(&points, series, &asked->all.options))
		kb_no_memory(asked->command);
	if (asked->json)
		return kb_analysis_points_json(&points);
	kb_analysis_print_points(stdout, &points, file->import.unit, &asked->all.options, &asked->style);
	return NULL;
}

static json_t *show_groups(const struct asked *asked, const struct kb_analyzed_file *file)
{
	struct kb_across across = kb_across_groups(&file->kanata, &asked->all.options);

	if (asked->json)
		return json_pack("{s:o, s:o}", "groups", kb_analysis_groups_json(&file->kanata), "across", kb_analysis_across_json(&across));
	kb_analysis_print_groups(stdout, &file->kanata, file->import.unit, &asked->all.options, &asked->style);
	kb_analysis_print_across(stdout, &file->kanata, &across, file->import.unit, &asked->all.options, &asked->style);
	return NULL;
}

static json_t *show_points_line(const struct asked *asked, const char *label, const double *x, const double *y, size_t count,
				const char *const *printed)
{
	struct kb_printed_line p = kb_printed_line(x, y, count, printed);

	if (asked->json)
		return kb_printed_line_json(label, count, &p);
	if (p.line.known)
		printf("  %-20s %2zu points  y = %.6f x %+.6f  R^2 = %.7f%s\n", label, count, p.line.slope, p.line.intercept, p.line.r2,
		       count < 4 ? "  (one degree of freedom or none: R^2 proves nothing)" : "");
	else
		printf("  %-20s %2zu points  no line: it takes two different x\n", label, count);
	kb_printed_line_print(stdout, label, &p, &asked->style);
	return NULL;
}

/* Printed coefficients are judged by the published points of that name; others have no points here. */
static json_t *show_line(const struct asked *asked, const struct kb_analyzed_file *file, const struct kb_import_series *series)
{
	const char *label = series->label, *printed[3] = { series->printed[0], series->printed[1], series->printed[2] };
	const struct kb_published_line *known = kb_published_line_find(label, series->x, series->y, series->count);

	if (file->import.form == KB_IMPORT_LINES)
		return show_points_line(asked, label, series->x, series->y, series->count, known ? known->printed : NULL);
	if (known)
		return show_points_line(asked, label, known->x, known->y, KB_PUBLISHED_POINTS, printed);
	if (asked->json)
		return json_pack("{s:o, s:n}", "label", kb_json_string(label), "points");
	printf("  %-20s no points of that name are known\n", label);
	return NULL;
}

/* Rows as `kbench run` makes them, of all processes of one benchmark with one set of parameters. */
static void show_record(const struct asked *asked, const struct kb_analyzed_file *file, json_t *parts)
{
	for (size_t r = 0; r < file->import.run_count; r++) {
		struct kb_imported_run run = { .count = 0 };

		if (kb_imported_summarise(&run, &file->import.runs[r], NULL))
			kb_no_memory(asked->command);
		for (size_t i = 0; i < run.count && asked->json; i++)
			json_array_append_new(parts, kb_result_to_json(&run.results[i]));
		if (!asked->json) {
			putchar('\n');
			kb_print_results(NULL, run.listed, run.count, true, NULL);
		}
		kb_imported_run_release(&run);
	}
}

static json_t *show_file(const struct asked *asked, const struct kb_analyzed_file *file)
{
	const struct kb_import *import = &file->import;
	bool lines = kb_analyzed_is_lines(file), recorded = file->method == KB_ANALYSIS_METHODS && !lines;
	const char *method = lines ? "least squares" : recorded ? "as recorded" : kb_analysis_methods[file->method];
	json_t *parts = json_array();

	if (!asked->json && file != asked->all.files)
		putchar('\n');
	if (!asked->json && import->form == KB_IMPORT_GROUPS)
		printf("%s: table of %zu group%s of %zu tests\n", kb_shown(file->name).text, file->groups, file->groups == 1 ? "" : "s",
		       file->tests);
	else if (!asked->json)
		printf("%s: %s\n", kb_shown(file->name).text, kb_import_form_names[import->form]);
	if (recorded)
		show_record(asked, file, parts);
	else if (file->method == KB_ANALYSIS_KANATA)
		json_array_append_new(parts, show_groups(asked, file));
	for (size_t i = 0; i < import->count && !recorded && file->method != KB_ANALYSIS_KANATA; i++) {
		if (!asked->json && !lines && import->series[i].label[0])
			printf("\n  %s\n", import->series[i].label);
		json_array_append_new(parts, (lines ? show_line : file->method == KB_ANALYSIS_SINGLE ? show_list : show_points)(
					     asked, file, &import->series[i]));
	}
	return json_pack("{s:o, s:s, s:s, s:s, s:o}", "file", kb_json_string(file->name), "kind", kb_import_form_names[import->form], "method",
			 method, "unit", import->unit, "parts", parts);
}

/* The groups of all files, if there are several with groups; cycles of one machine and ticks of another must not become one line. */
static json_t *show_together(const struct asked *asked)
{
	const char *unit = NULL;
	size_t with_groups = 0;
	bool one_unit = true;

	for (size_t i = 0; i < asked->all.count; i++) {
		const struct kb_analyzed_file *file = &asked->all.files[i];

		if (file->kanata.count == 0)
			continue;
		with_groups++;
		one_unit &= !unit || strcmp(unit, file->import.unit) == 0;
		unit = file->import.unit;
	}
	if (with_groups < 2 || !one_unit)
		return json_null();

	struct kb_across across = kb_across_groups(&asked->all.kanata, &asked->all.options);

	if (asked->json)
		return kb_analysis_across_json(&across);
	printf("\nAll %zu files together\n", with_groups);
	kb_analysis_print_across(stdout, &asked->all.kanata, &across, unit, &asked->all.options, &asked->style);
	return json_null();
}

static int analyze_files(struct asked *asked, char **names, size_t count)
{
	json_t *files = json_array(), *document;
	struct kb_failure failure;

	kb_die_if(asked->command, kb_analyze_files(&asked->all, names, count, &failure), &failure);
	for (size_t i = 0; i < count; i++)
		json_array_append_new(files, show_file(asked, &asked->all.files[i]));
	document = json_pack("{s:s, s:o, s:o, s:o, s:o, s:o}", "schema", "kbench-analyze/1", "confidence",
			     kb_json_real(asked->all.options.confidence), "half_width", kb_json_real(asked->all.options.half_width), "skip",
			     kb_json_whole(asked->all.skip), "files", files, "together", show_together(asked));
	if (asked->json)
		kb_print_json(document);
	else
		json_decref(document);
	kb_analyzed_release(&asked->all);
	return KB_EXIT_DONE;
}

/* ---- the command ------------------------------------------------------------------------------------ */

static int published(const struct asked *asked)
{
	struct kb_published_check check = kb_published_check();

	if (asked->json)
		kb_print_json(json_pack("{s:s, s:o}", "schema", "kbench-analyze/1", "published", kb_published_json(&check)));
	else
		kb_published_print(stdout, &check, &asked->style);
	return check.ok ? KB_EXIT_DONE : KB_EXIT_FAILED;
}

static int analyze_main(const struct kb_command *command, int argc, char **argv)
{
	struct asked asked = {
		.command = command, .style = kb_style_here(true),
		.all = { .method = KB_ANALYSIS_METHODS, .options = { .half_width = .02 } },
	};
	uint64_t given = kb_read_options(command, argc, argv, &asked);

	check_choice(command, given);
	if (asked.published) {
		kb_no_more(command, argc, argv);
		return published(&asked);
	}
	if (optind == argc)
		kb_usage(command, "nothing to do without --published or a FILE");
	for (int i = SKIP; i <= PRECISION; i++)
		asked.all.tuned = given & 1 << i ? options[i].name : asked.all.tuned;
	return analyze_files(&asked, argv + optind, (size_t)(argc - optind));
}

const struct kb_command kb_command_analyze = {
	.name = "analyze",
	.arguments = "[FILE...]",
	.summary = "Print the statistics of measurements from a file, without storing them",
	.text = "FILE is a table or console output of the KBench application (s, one column a test size), CSV with "
		"one\n"
		"column of values or with n and ticks, CSV with names, x and y, or a record; the content decides.\n"
		"Several files are also analyzed together.\n",
	.options = options,
	.examples = "  kbench analyze console.log\n"
		    "  kbench analyze small.csv large.csv --skip 2 --confidence 95%\n"
		    "  kbench analyze --published\n",
	.exits = "  0 done; 2 usage, unreadable or malformed file, unwritable output; 5 a published table differs\n",
	.main = analyze_main,
};
