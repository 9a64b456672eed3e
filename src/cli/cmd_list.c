/*
 * kbench list: what can be measured. It looks at nothing but the descriptors, and for collectors of other platforms and for modules, so that
 * completion may call it.
 */
#include "cli/cli.h"

#include <getopt.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "cli/print.h"
#include "evidence/evidence.h"
#include "result/json/json.h"
#include "run/backend/backend.h"
#include "suite/select.h"
#include "suite/suite.h"

struct request {
	bool json, verbose, names, params;
	enum kb_selection suite;
};

#define INTO(kind, ...) KB_OPTION(kind, struct request, __VA_ARGS__)

static const struct kb_option options[] = {
	{ 0, "json", NULL, "print kbench-list/1", NULL, INTO(FLAG, json) },
	{ 'v', "verbose", NULL, "parameters with their bounds and meaning, and needs", NULL, INTO(FLAG, verbose) },
	{ 0, "names", NULL, "only names, one a line", NULL, INTO(FLAG, names) },
	{ 0, "params", NULL, "only the standard values of parameters, NAME=VALUE, one a line", NULL, INTO(FLAG, params) },
	{ 0, "suite", "quick|standard|full|lmbench", "only benchmarks of this selection", NULL,
	  INTO(CHOICE, suite, .least = KB_SELECT_QUICK) },
	{ 0 }
};

/* Of the programs in machine code that is not this processor's, and of what runs inside the kernel. */
static struct kb_collectors collectors;

static const struct { unsigned bit; const char *name; } needs[] = {
	{ KB_NEED_ROOT, "root" }, { KB_NEED_TWO_CPUS, "two CPUs" },
};

static const char *const kinds[] = {
	[KB_NUMBER] = "number", [KB_SIZE] = "size", [KB_CHOICE] = "choice", [KB_TEXT] = "text", [KB_IP4] = "address",
};

static const char *const classes[] = {
	[KB_PORTABLE] = "portable interface", [KB_ASSUMING] = "portable interface", [KB_PLATFORM] = "platform-specific",
};
static const char *const class_words[] = {
	[KB_PORTABLE] = "portable", [KB_ASSUMING] = "assuming", [KB_PLATFORM] = "platform",
};
static const char *const suites[] = {
	[KB_FULL] = "full", [KB_STANDARD] = "standard", [KB_QUICK] = "quick", [KB_MANUAL] = "manual",
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

	if (param->kind == KB_CHOICE || param->kind == KB_TEXT || param->kind == KB_IP4) {
		kb_text_str(&out, param->kind == KB_CHOICE ? param->choices : param->kind == KB_IP4 ? "a.b.c.d" : "one word");
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
	if (bench->base_does)
		printf("    the cost is beyond an empty loop that %s\n", bench->base_does);
	if (bench->parts > 1)
		printf("    is divided into %u parts at the most where it is long\n", bench->parts);
	if (bench->lmbench)
		printf("    lmbench: %s\n", bench->lmbench);
	if (bench->bytes_per_op > 0)
		printf("    moves %" PRIu64 " bytes an operation\n", bench->bytes_per_op);
}

static bool runs_here(const struct kb_bench *bench, char why[256])
{
	return kb_collector_measures(kb_collectors_of(&collectors, bench), false, why);
}

/* Parameters stand behind the summary, where the eye has already found the name. What does not run here, and why, is for
   those who ask. */
static void print_text(const struct kb_bench *const *at, char **patterns, int count, bool verbose)
{
	const struct kb_bench *bench;
	unsigned left_out = 0;
	char why[256];

	while ((bench = next(&at, patterns, count)) != NULL) {
		bool runs = runs_here(bench, why);

		if (!runs && count == 0 && !verbose) {
			left_out++;
			continue;
		}
		printf("%-18s %-11s %s", bench->name, bench->per ? bench->per : "-",
		       bench->summary ? bench->summary : "");
		for (int i = 0; !verbose && i < KB_PARAM_MAX && bench->params[i].name; i++)
			printf("%s%s=%s", i ? " " : "  [", bench->params[i].name, bench->params[i].values);
		puts(!verbose && bench->params[0].name ? "]" : "");
		if (!runs)
			printf("    not available here: %s\n", why);
		if (verbose)
			print_verbose(bench);
	}
	if (left_out)
		printf("    and %u that do not run here: kbench list --verbose says why\n", left_out);
}

/* For the completion and for scripts: stable, nothing but names, and those only that `kbench run` measures as they are. */
static void print_names(const struct kb_bench *const *at, char **patterns, int count)
{
	const struct kb_bench *bench;
	char why[256];

	while ((bench = next(&at, patterns, count)) != NULL) {
		if (runs_here(bench, why))
			puts(bench->name);
	}
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
	} else if (param->kind == KB_NUMBER || param->kind == KB_SIZE) {
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
	return json_pack("{s:s, s:s, s:s, s:s?, s:s?, s:s, s:s, s:s, s:s?, s:o, s:o, s:o}", "name", bench->name, "suite",
			 suites[bench->suite], "portability", class_words[bench->portability], "assumes", bench->assumes,
			 "lmbench", bench->lmbench, "summary",
			 bench->summary ? bench->summary : "", "per", bench->per ? bench->per : "", "bound",
			 kb_bound_name(bench->bound), "base_does", bench->base_does, "bytes_per_op", kb_json_whole(bench->bytes_per_op), "needs",
			 needed, "params", params);
}

/* Of another platform: which, and why it is not measured here; null: it is. */
static json_t *with_platform(json_t *object, const struct kb_bench *bench)
{
	const struct kb_collector *collector = kb_collectors_of(&collectors, bench);
	char why[256];

	if (!collector)
		return object;
	json_object_set_new(object, "platform", json_string(collector->backend->name));
	json_object_set_new(object, "unavailable", kb_collector_measures(collector, false, why) ? json_null() : kb_json_string(why));
	return object;
}

static json_t *to_json(const struct kb_bench *const *at, char **patterns, int count)
{
	const struct kb_bench *bench;
	json_t *array = json_array();

	while ((bench = next(&at, patterns, count)) != NULL)
		json_array_append_new(array, with_platform(bench_json(bench), bench));
	return json_pack("{s:s, s:o}", "schema", "kbench-list/1", "benchmarks", array);
}

/* The same refusals, with the same words, as `kbench run` gives for its patterns. */
static void check(const struct kb_command *command, const struct kb_bench *const *benches, char **patterns, int count)
{
	struct kb_row *rows;
	size_t row_count;
	char error[256];

	if (kb_select(benches, (const char *const *)patterns, (size_t)count, NULL, 0, &rows, &row_count, error))
		kb_die(command, KB_EXIT_USAGE, "%s", error);
	free(rows);
}

static bool any(const struct kb_bench *const *at, char **patterns, int count)
{
	return next(&at, patterns, count) != NULL;
}

static int by_name(const void *a, const void *b)
{
	return strcmp((*(const struct kb_bench *const *)a)->name, (*(const struct kb_bench *const *)b)->name);
}

/* Ours and those of other platforms, ending and in order as kb_benches is: the list is the same everywhere but for reasons. */
static const struct kb_bench **all_benches(const struct kb_command *command)
{
	const struct kb_bench **all = calloc(kb_bench_count + kb_cross_count() + 1, sizeof *all);

	if (!all)
		kb_no_memory(command);
	for (unsigned i = 0; i < kb_bench_count; i++)
		all[i] = kb_benches[i];
	for (unsigned i = 0; i < kb_cross_count(); i++)
		all[kb_bench_count + i] = kb_cross_benches()[i].bench;
	qsort(all, kb_bench_count + kb_cross_count(), sizeof *all, by_name);
	return all;
}

static void keep_selection(const struct kb_bench **benches, enum kb_selection selection)
{
	unsigned kept = 0;

	for (unsigned i = 0; benches[i]; i++) {
		if (kb_selection_has(selection, benches[i], NULL, 0))
			benches[kept++] = benches[i];
	}
	benches[kept] = NULL;
}

static int list_main(const struct kb_command *command, int argc, char **argv)
{
	struct request request = { .suite = KB_SELECTIONS };

	kb_read_options(command, argc, argv, &request);

	char **patterns = argv + optind;
	int count = argc - optind;

	const struct kb_bench **benches = all_benches(command);

	check(command, benches, patterns, count);
	if (request.suite != KB_SELECTIONS)
		keep_selection(benches, request.suite);
	kb_collectors_find(&collectors, NULL);
	if (!any(benches, patterns, count))
		kb_die(command, KB_EXIT_USAGE, "no benchmark of the suite %s matches the pattern", kb_selection_name(request.suite));
	if (request.json)
		kb_print_json(to_json(benches, patterns, count));
	else if (request.names)
		print_names(benches, patterns, count);
	else if (request.params)
		print_params(benches, patterns, count);
	else
		print_text(benches, patterns, count, request.verbose);
	free(benches);
	return KB_EXIT_DONE;
}

const struct kb_command kb_command_list = {
	.name = "list",
	.arguments = "[PATTERN...]",
	.summary = "List the benchmarks: name, what one operation is called, summary, parameters",
	.text = "A pattern is a name, a domain (sys) or a shell glob ('*.null'). What does not run here, such as programs of other\n"
		"platforms, is listed, with the reason, where a pattern or --verbose asks for it.\n",
	.options = options,
	.examples = "  kbench list\n"
		    "  kbench list --verbose ipc\n"
		    "  kbench list --suite quick\n",
	.exits = "  0 done; 2 usage, unknown benchmark, unwritable output\n",
	.main = list_main,
};
