/* kbench list: what can be measured. It looks at nothing but the descriptors, so that completion may call it. */
#include "cli/cli.h"

#include <getopt.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "cli/print.h"
#include "cli/values.h"
#include "evidence/evidence.h"
#include "report/json.h"
#include "suite/select.h"
#include "suite/suite.h"

enum { JSON, VERBOSE, NAMES, PARAMS, SUITE, OPTIONS };

static const struct kb_option options[] = {
	[JSON] = { 0, "json", NULL, "print kbench-list/1", NULL },
	[VERBOSE] = { 'v', "verbose", NULL, "parameters with their bounds and meaning, and needs", NULL },
	[NAMES] = { 0, "names", NULL, "only names, one a line", NULL },
	[PARAMS] = { 0, "params", NULL, "only the standard values of parameters, NAME=VALUE, one a line", NULL },
	[SUITE] = { 0, "suite", "quick|standard|full|lmbench", "only benchmarks of this selection", NULL },
	{ 0 }
};

static const struct { unsigned bit; const char *name; } needs[] = {
	{ KB_NEED_ROOT, "root" }, { KB_NEED_TWO_CPUS, "two CPUs" },
};

static const char *const kinds[] = {
	[KB_NUMBER] = "number", [KB_SIZE] = "size", [KB_CHOICE] = "choice", [KB_TEXT] = "text",
};

static const char *const classes[] = {
	[KB_PORTABLE] = "portable interface", [KB_ASSUMING] = "portable interface", [KB_PLATFORM] = "platform-specific",
};
static const char *const class_words[] = {
	[KB_PORTABLE] = "portable", [KB_ASSUMING] = "assuming", [KB_PLATFORM] = "platform",
};
static const char *const suites[] = {
	[KB_FULL] = "full", [KB_STANDARD] = "standard", [KB_QUICK] = "quick", [KB_ASKED] = "asked",
};

/* Benchmarks that were asked for, one after the other; each command line word was checked before. */
static const struct kb_bench *next(const struct kb_bench *const **at, char **patterns, int count)
{
	for (; **at; (*at)++) {
		bool wanted = count == 0;

		for (int i = 0; i < count; i++)
			wanted |= kb_pattern_match(patterns[i], (**at)->name);
		if (wanted)
			return *(*at)++;
	}
	return NULL;
}

/* What a value may be, as a person would type it: 128..64G. */
static void bound_text(char *text, size_t room, const struct kb_param *param)
{
	struct kb_text out = kb_text_in(text, room);

	if (param->kind == KB_CHOICE || param->kind == KB_TEXT) {
		kb_text_str(&out, param->kind == KB_CHOICE ? param->choices : "one word");
		return;
	}
	if (param->kind == KB_SIZE)
		kb_text_size(&out, param->min);
	else
		kb_text_u64(&out, param->min);
	kb_text_str(&out, "..");
	if (param->kind == KB_SIZE)
		kb_text_size(&out, param->max);
	else
		kb_text_u64(&out, param->max);
}

/* What a user must know before choosing a value, or wondering why a row is skipped. */
static void print_verbose(const struct kb_bench *bench)
{
	for (int i = 0; i < KB_PARAM_MAX && bench->params[i].name; i++) {
		char bound[500];

		bound_text(bound, sizeof bound, &bench->params[i]);
		printf("    %s=%s  %s (%s: %s)\n", bench->params[i].name, bench->params[i].values,
		       bench->params[i].summary ? bench->params[i].summary : "", kinds[bench->params[i].kind], bound);
	}
	for (size_t i = 0; i < sizeof needs / sizeof needs[0]; i++) {
		if (bench->needs & needs[i].bit)
			printf("    needs %s\n", needs[i].name);
	}
	printf("    %s%s%s\n", classes[bench->portability], bench->assumes ? ", assuming: " : "",
	       bench->assumes ? bench->assumes : "");
	if (bench->lmbench)
		printf("    lmbench: %s\n", bench->lmbench);
	if (bench->bytes_per_op > 0)
		printf("    moves %" PRIu64 " bytes an operation\n", bench->bytes_per_op);
}

/* Parameters stand behind the summary, where the eye has already found the name. */
static void print_text(const struct kb_bench *const *at, char **patterns, int count, bool verbose)
{
	const struct kb_bench *bench;

	while ((bench = next(&at, patterns, count)) != NULL) {
		printf("%-18s %-11s %s", bench->name, bench->per ? bench->per : "-",
		       bench->summary ? bench->summary : "");
		for (int i = 0; !verbose && i < KB_PARAM_MAX && bench->params[i].name; i++)
			printf("%s%s=%s", i ? " " : "  [", bench->params[i].name, bench->params[i].values);
		puts(!verbose && bench->params[0].name ? "]" : "");
		if (verbose)
			print_verbose(bench);
	}
}

/* For the completion and for scripts: stable, nothing but names. */
static void print_names(const struct kb_bench *const *at, char **patterns, int count)
{
	const struct kb_bench *bench;

	while ((bench = next(&at, patterns, count)) != NULL)
		puts(bench->name);
}

/* Splits at commas. prefix: "name=" before each. */
static void print_values(const char *name, const char *list)
{
	while (list && *list) {
		size_t length = strcspn(list, ",;");

		printf("%s=%.*s\n", name, (int)length, list);
		list += length + (list[length] != '\0');
	}
}

/* All choices, for a sweep may take each; of numbers and sizes only the standard values can be listed. */
static void print_params(const struct kb_bench *const *at, char **patterns, int count)
{
	const struct kb_bench *bench;

	while ((bench = next(&at, patterns, count)) != NULL) {
		for (int i = 0; i < KB_PARAM_MAX && bench->params[i].name; i++) {
			const struct kb_param *param = &bench->params[i];

			print_values(param->name, param->kind == KB_CHOICE ? param->choices : param->values);
		}
	}
}

/* ---- JSON ------------------------------------------------------------------------------------------ */

/* A comma separated list as an array. */
static json_t *list_json(const char *list)
{
	json_t *array = json_array();

	while (list && *list) {
		size_t length = strcspn(list, ",;");

		json_array_append_new(array, json_stringn(list, length));
		list += length + (list[length] != '\0');
	}
	return array;
}

/* Bounds are numbers in bytes, values are text as -p takes them. */
static json_t *param_json(const struct kb_param *param)
{
	json_t *object = json_pack("{s:s, s:s, s:s, s:o}", "name", param->name, "summary",
				   param->summary ? param->summary : "", "kind", kinds[param->kind], "values",
				   list_json(param->values));

	if (param->kind == KB_CHOICE) {
		json_object_set_new(object, "choices", list_json(param->choices));
	} else if (param->kind != KB_TEXT) {
		json_object_set_new(object, "min", kb_json_whole(param->min));
		json_object_set_new(object, "max", kb_json_whole(param->max));
	}
	return object;
}

static json_t *bench_json(const struct kb_bench *bench)
{
	json_t *params = json_array(), *needed = json_array();

	for (int i = 0; i < KB_PARAM_MAX && bench->params[i].name; i++)
		json_array_append_new(params, param_json(&bench->params[i]));
	for (size_t i = 0; i < sizeof needs / sizeof needs[0]; i++) {
		if (bench->needs & needs[i].bit)
			json_array_append_new(needed, json_string(needs[i].name));
	}
	return json_pack("{s:s, s:s, s:s, s:s?, s:s?, s:s, s:s, s:s, s:o, s:o, s:o}", "name", bench->name, "suite",
			 suites[bench->suite], "portability", class_words[bench->portability], "assumes", bench->assumes,
			 "lmbench", bench->lmbench, "summary",
			 bench->summary ? bench->summary : "", "per", bench->per ? bench->per : "", "bound",
			 kb_bound_name(bench->bound), "bytes_per_op", kb_json_whole(bench->bytes_per_op), "needs",
			 needed, "params", params);
}

static json_t *to_json(const struct kb_bench *const *at, char **patterns, int count)
{
	const struct kb_bench *bench;
	json_t *array = json_array();

	while ((bench = next(&at, patterns, count)) != NULL)
		json_array_append_new(array, bench_json(bench));
	return json_pack("{s:s, s:o}", "schema", "kbench-list/1", "benchmarks", array);
}

/* The same refusals, with the same words, as `kbench run` gives for its patterns. */
static void check(const struct kb_command *command, char **patterns, int count)
{
	struct kb_row *rows;
	size_t row_count;
	char error[256];

	if (kb_select(kb_benches, (const char *const *)patterns, (size_t)count, NULL, 0, &rows, &row_count, error))
		kb_die(command, KB_EXIT_USAGE, "%s", error);
	free(rows);
}

/* Null-terminated, as kb_benches is. */
static const struct kb_bench **benches_of(const char *suite, enum kb_selection selection)
{
	const struct kb_bench **some = calloc(kb_bench_count + 1, sizeof *some);

	for (unsigned i = 0, count = 0; some && i < kb_bench_count; i++) {
		if (!suite || kb_selection_has(selection, kb_benches[i], NULL, 0))
			some[count++] = kb_benches[i];
	}
	return some;
}

static int list_main(const struct kb_command *command, int argc, char **argv)
{
	bool chosen[OPTIONS] = { false };
	const char *value, *suite = NULL;
	int option;

	while ((option = kb_next_option(command, argc, argv, &value)) >= 0) {
		chosen[option] = true;
		if (option == SUITE)
			suite = value;
	}

	char **patterns = argv + optind;
	int count = argc - optind;

	check(command, patterns, count);

	const struct kb_bench **benches = benches_of(suite, suite ? kb_value_suite(command, suite) : KB_SELECT_NAMED);

	if (!benches)
		kb_die(command, KB_EXIT_USAGE, "out of memory");
	if (chosen[JSON])
		kb_print_json(to_json(benches, patterns, count));
	else if (chosen[NAMES])
		print_names(benches, patterns, count);
	else if (chosen[PARAMS])
		print_params(benches, patterns, count);
	else
		print_text(benches, patterns, count, chosen[VERBOSE]);
	free(benches);
	return KB_EXIT_DONE;
}

const struct kb_command kb_command_list = {
	.name = "list",
	.arguments = "[PATTERN...]",
	.summary = "List the benchmarks: name, what one operation is called, summary, parameters",
	.text = "A pattern is a name, a domain (sys) or a shell glob ('*.null').\n",
	.options = options,
	.examples = "  kbench list\n"
		    "  kbench list --verbose ipc\n"
		    "  kbench list --suite quick\n",
	.exits = "  0 done; 2 usage, unknown benchmark, unwritable output\n",
	.main = list_main,
};
