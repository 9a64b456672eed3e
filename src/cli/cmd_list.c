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
#include "evidence/evidence.h"
#include "result/json/json.h"
#include "run/backend/backend.h"
#include "suite/select.h"

struct request {
	bool json, verbose, names, params;
	enum kb_selection suite;
	struct kb_words excludes;
};

#define INTO(kind, ...) KB_OPTION(kind, struct request, __VA_ARGS__)

static const struct kb_option options[] = {
	{ 0, "json", NULL, "print kbench-list/1", NULL, INTO(FLAG, json) },
	{ 'v', "verbose", NULL, "parameters with their bounds and meaning, and needs", NULL, INTO(FLAG, verbose) },
	{ 0, "names", NULL, "only names, one a line", NULL, INTO(FLAG, names) },
	{ 0, "params", NULL, "only the standard values of parameters, NAME=VALUE, one a line", NULL, INTO(FLAG, params) },
	{ 0, "suite", "quick|standard|full|lmbench", "only benchmarks of this selection", NULL,
	  INTO(CHOICE, suite, .least = KB_SELECT_QUICK) },
	{ 0, "exclude", "PATTERN", "leave these out; may be repeated", NULL, INTO(WORDS, excludes) },
	{ 0 }
};

/* Of the programs in machine code that is not this processor's, and of what runs inside the kernel. */
static struct kb_collectors collectors;

static const struct { unsigned bit; const char *name; } needs[] = {
	{ KB_NEED_ROOT, "root" }, { KB_NEED_TWO_CPUS, "two CPUs" },
};

static const char *const kinds[] = {
	[KB_NUMBER] = "number", [KB_SIZE] = "size", [KB_CHOICE] = "choice", [KB_TEXT] = "text", [KB_IP4] = "address",
	[KB_HOST] = "host",
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

/* What a value may be, as a person would type it: 128..64G. */
static void bound_text(char *text, size_t room, const struct kb_param *param)
{
	void (*put)(struct kb_text *, uint64_t) = param->kind == KB_SIZE ? kb_text_size : kb_text_u64;
	struct kb_text out = kb_text_in(text, room);

	static const char *const words[] = { [KB_TEXT] = "one word", [KB_IP4] = "a.b.c.d", [KB_HOST] = "empty, host, or host:port" };

	if (param->kind > KB_SIZE) {
		kb_text_str(&out, param->kind == KB_CHOICE ? param->choices : words[param->kind]);
		return;
	}
	put(&out, param->min);
	kb_text_str(&out, "..");
	put(&out, param->max);
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
		printf("    lmbench: %s%s%s\n", bench->lmbench, bench->lmbench_with ? ", with " : "", bench->lmbench_with ?: "");
	if (bench->bytes_per_op > 0)
		printf("    moves %" PRIu64 " bytes an operation\n", bench->bytes_per_op);
}

static bool runs_here(const struct kb_bench *bench, char why[256])
{
	return kb_collector_measures(kb_collectors_of(&collectors, bench), false, why);
}

/* Parameters follow the summary, after the name. What does not run here, and why, is printed for a pattern or with --verbose. */
static void print_text(const struct kb_bench *const *benches, bool all, bool verbose)
{
	unsigned left_out = 0;
	char why[256];

	for (const struct kb_bench *bench; (bench = *benches) != NULL; benches++) {
		bool runs = runs_here(bench, why);

		if (!runs && !all && !verbose) {
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
		printf("    and %u that do not run here: kbench list --verbose prints why\n", left_out);
}

/* For the completion and for scripts: stable, nothing but names, and those only that `kbench run` measures as they are. */
static void print_names(const struct kb_bench *const *benches)
{
	char why[256];

	for (; *benches; benches++) {
		if (runs_here(*benches, why))
			puts((*benches)->name);
	}
}

/* All choices, for a sweep may take each; of numbers and sizes only the standard values can be listed. */
static void print_params(const struct kb_bench *const *benches)
{
	for (; *benches; benches++) {
		for (const struct kb_param *param = (*benches)->params; param < (*benches)->params + KB_PARAM_MAX && param->name; param++) {
			const char *list = param->kind == KB_CHOICE ? param->choices : param->values;

			for (size_t length; list && *list; list += length + (list[length] != '\0')) {
				length = strcspn(list, ",;");
				printf("%s=%.*s\n", param->name, (int)length, list);
			}
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
	return json_pack("{s:s, s:s, s:s, s:s?, s:s?, s:s?, s:s, s:s, s:s, s:s?, s:o, s:o, s:o}", "name", bench->name, "suite",
			 suites[bench->suite], "portability", class_words[bench->portability], "assumes", bench->assumes,
			 "lmbench", bench->lmbench, "lmbench_with", bench->lmbench_with, "summary",
			 bench->summary ? bench->summary : "", "per", bench->per ? bench->per : "", "bound",
			 kb_bound_name(bench->bound), "base_does", bench->base_does, "bytes_per_op", kb_json_whole(bench->bytes_per_op), "needs",
			 needed, "params", params);
}

static json_t *to_json(const struct kb_bench *const *benches)
{
	json_t *array = json_array();
	char why[256];

	for (; *benches; benches++) {
		const struct kb_collector *collector = kb_collectors_of(&collectors, *benches);
		json_t *object = bench_json(*benches);

		/* Of another target: which, and why it is not measured here; null: it is. */
		if (collector) {
			json_object_set_new(object, "platform", json_string(collector->backend->name));
			json_object_set_new(object, "unavailable", kb_collector_measures(collector, false, why) ? json_null() : kb_json_string(why));
		}
		json_array_append_new(array, object);
	}
	return json_pack("{s:s, s:o}", "schema", "kbench-list/1", "benchmarks", array);
}

static int by_name(const void *a, const void *b)
{
	return strcmp((*(const struct kb_bench *const *)a)->name, (*(const struct kb_bench *const *)b)->name);
}

/* Patterns are refused with the same words as by `kbench run`. */
static void check_patterns(const struct kb_command *command, const struct kb_bench *const *benches, const char *const *patterns, size_t count)
{
	struct kb_row *rows;
	size_t row_count;
	char error[256];

	if (kb_select(KB_SELECT_FULL, benches, patterns, count, NULL, 0, &rows, &row_count, error))
		kb_die(command, KB_EXIT_USAGE, "%s", error);
	free(rows);
}

static bool means(const char *const *patterns, size_t count, const char *name)
{
	for (size_t i = 0; i < count; i++) {
		if (kb_pattern_match(patterns[i], name))
			return true;
	}
	return false;
}

/* Ours and those of other platforms, ending and in order as kb_benches is: the list is the same everywhere but for reasons. */
static const struct kb_bench **choose(const struct kb_command *command, const struct request *request, const char *const *patterns,
				      size_t pattern_count)
{
	const struct kb_bench **benches = kb_need_memory(command, calloc(kb_bench_count + kb_cross_count() + 1, sizeof *benches));
	const struct kb_words *excludes = &request->excludes;
	size_t count = kb_bench_count, kept = 0;

	memcpy(benches, kb_benches, count * sizeof *benches);
	for (const struct kb_cross_bench *cross = kb_cross_benches(); cross->bench; cross++)
		benches[count++] = cross->bench;
	qsort(benches, count, sizeof *benches, by_name);
	check_patterns(command, benches, patterns, pattern_count);
	check_patterns(command, benches, excludes->at, excludes->count);
	for (size_t i = 0; i < count; i++) {
		const char *name = benches[i]->name;

		if ((pattern_count == 0 || means(patterns, pattern_count, name)) && !means(excludes->at, excludes->count, name) &&
		    (request->suite == KB_SELECTIONS || kb_selection_has(request->suite, benches[i], NULL, 0)))
			benches[kept++] = benches[i];
	}
	benches[kept] = NULL;
	if (kept == 0 && request->suite == KB_SELECTIONS)
		kb_die(command, KB_EXIT_USAGE, "--exclude leaves nothing to list");
	if (kept == 0)
		kb_die(command, KB_EXIT_USAGE, "no benchmark of the suite %s matches the pattern%s", kb_selection_name(request->suite),
		       excludes->count > 0 ? " and is not excluded" : "");
	return benches;
}

static int list_main(const struct kb_command *command, int argc, char **argv)
{
	struct request request = { .suite = KB_SELECTIONS };

	kb_read_options(command, argc, argv, &request);

	const struct kb_bench **benches = choose(command, &request, (const char *const *)argv + optind, (size_t)(argc - optind));

	kb_collectors_find(&collectors, NULL);
	if (request.json)
		kb_print_json(to_json(benches));
	else if (request.names)
		print_names(benches);
	else if (request.params)
		print_params(benches);
	else
		print_text(benches, optind < argc, request.verbose);
	free(benches);
	free(request.excludes.at);
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
		    "  kbench list --suite quick --exclude net\n",
	.exits = "  0 done; 2 usage, unknown benchmark, unwritable output\n",
	.main = list_main,
};
