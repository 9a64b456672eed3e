/* kbench show: a run of the store, as `kbench run` printed it. */
#include "cli/cli.h"

#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "cli/print.h"
#include "cli/records.h"
#include "cli/saved.h"
#include "report/json.h"
#include "suite/select.h"

enum { RUNS, STORE, JSON, VERBOSE, PLOT, TABLE };

static const struct kb_option options[] = {
	[RUNS] = { 0, "runs", NULL, "list the runs of the store", NULL },
	[STORE] = { 0, "store", "FILE", "where runs are kept", "$XDG_DATA_HOME/kbench/kbench.db" },
	[JSON] = { 0, "json", NULL, "print kbench-result/1, or kbench-runs/1 with --runs", NULL },
	[VERBOSE] = { 'v', "verbose", NULL, "print all that is known about each row", NULL },
	[PLOT] = { 0, "plot", NULL, "draw run order, histogram and quantiles of each row", NULL },
	[TABLE] = { 0, "table", NULL, "print the table of tests of rows that were measured by method kanata", NULL },
	{ 0 }
};

/* The rows that were asked for, as JSON and as results. */
struct rows {
	const struct kb_command *command;
	const char *run_id;
	char **patterns;
	size_t pattern_count;
	bool *matched;                  /* by pattern */
	size_t seen;                    /* also those that no pattern wanted */
	json_t *json;                   /* array */
	const struct kb_result **results;
	size_t count, room;
};

/* Every pattern is tried, also after a match: each must have matched something in the end. */
static bool wanted(struct rows *rows, const char *row, const char *benchmark)
{
	bool any = rows->pattern_count == 0;

	for (size_t i = 0; i < rows->pattern_count; i++) {
		if (kb_pattern_match(rows->patterns[i], benchmark) || kb_pattern_match(rows->patterns[i], row))
			any = rows->matched[i] = true;
	}
	return any;
}

static _Noreturn void no_memory(const struct kb_command *command)
{
	kb_die(command, KB_EXIT_USAGE, "out of memory");
}

/* Results stay until the table is printed: its widths come from all of them. */
static void keep(struct rows *rows, const struct kb_result *result)
{
	if (rows->count == rows->room) {
		size_t room = rows->room ? 2 * rows->room : 16;
		const struct kb_result **results = realloc(rows->results, room * sizeof *results);

		if (!results)
			no_memory(rows->command);
		rows->results = results;
		rows->room = room;
	}
	rows->results[rows->count++] = result;
}

/* JSON is passed on as it was stored: keys that this version does not know stay in it. */
static int take_row(void *context, const char *row, const char *text)
{
	struct rows *rows = context;
	struct kb_result *result = malloc(sizeof *result);
	json_t *json = json_loads(text, 0, NULL);

	if (!result)
		no_memory(rows->command);
	rows->seen++;
	if (kb_result_from_json(result, json)) {
		kb_die(rows->command, KB_EXIT_USAGE, "the result of '%s' is damaged; 'kbench analyze --rebuild %s' "
		       "makes it again from its records", row, rows->run_id);
	}
	if (wanted(rows, row, result->benchmark)) {
		keep(rows, result);
		json_array_append(rows->json, json);
	} else {
		free(result);
	}
	json_decref(json);
	return 0;
}

/* Nothing to show is an error, never an empty table: a script would take it for success. */
static void take_rows(struct rows *rows, struct kb_store *store)
{
	int result = kb_store_each_summary(store, rows->run_id, take_row, rows);

	kb_saved_check(rows->command, store, result);
	if (rows->seen == 0) {
		kb_die(rows->command, KB_EXIT_USAGE, "run %s has no results yet; 'kbench analyze --rebuild %s' makes "
		       "them from its records", rows->run_id, rows->run_id);
	}
	for (size_t i = 0; i < rows->pattern_count; i++) {
		if (!rows->matched[i]) {
			kb_die(rows->command, KB_EXIT_USAGE, "no run and no row of run %s is called '%.64s' (see "
			       "'kbench show --runs')", rows->run_id, rows->patterns[i]);
		}
	}
}

/* The first word is a run if the store knows it as one, else a row of the last run. Returns the words it took. */
static int find_run(const struct kb_command *command, struct kb_store *store, int words, char **argv, char id[37])
{
	int result = words > 0 ? kb_store_find_run(store, argv[0], id) : -ENOENT;

	if (result == 0)
		return 1;
	/* "last~3" and ids can be no rows; their own message is the better one. */
	if (result != -ENOENT || (words > 0 && strncmp(argv[0], "last", 4) == 0))
		kb_saved_check(command, store, result);
	kb_saved_check(command, store, kb_store_find_run(store, "last", id));
	return 0;
}

/* A single row was asked for to be looked at closely. */
static void print_rows(const struct rows *rows, const struct kb_saved *saved, bool detail)
{
	const char *started = json_string_value(json_object_get(saved->run, "started"));

	printf("run %s, ", saved->id);
	kb_print_heading(started ? started : "", saved->env);
	kb_print_results(rows->results, rows->count, detail || rows->count == 1);
}

/* The half-width that the run was asked for. */
static double half_width_of(const struct kb_saved *saved)
{
	return json_number_value(json_object_get(json_object_get(saved->run, "settings"), "precision"));
}

/* Below the table, from the records: a result alone has no values to draw. */
static void print_records(const struct rows *rows, struct kb_store *store, const struct kb_saved *saved, const bool *chosen)
{
	for (size_t i = 0; i < rows->count && (chosen[PLOT] || chosen[TABLE]); i++) {
		struct kb_records records;

		kb_records_load(rows->command, store, rows->run_id, rows->results[i], &records);
		if (chosen[PLOT])
			kb_records_plot(rows->results[i], records.texts, records.count);
		if (chosen[TABLE])
			kb_records_tables(rows->command, rows->results[i], records.texts, records.count, half_width_of(saved), true);
		kb_records_free(&records);
	}
}

static void show(const struct kb_command *command, struct kb_store *store, int words, char **argv, const bool *chosen)
{
	struct kb_saved saved;
	char id[37];
	int taken = find_run(command, store, words, argv, id);
	struct rows rows = {
		.command = command, .run_id = id, .patterns = argv + taken, .pattern_count = (size_t)(words - taken),
		.matched = calloc((size_t)words + 1, sizeof(bool)), .json = json_array(),
	};

	if (!rows.matched)
		no_memory(command);
	kb_saved_load(command, store, id, &saved);
	take_rows(&rows, store);
	if (chosen[JSON])
		kb_print_json(kb_result_document(json_incref(saved.run), json_incref(saved.env),
						 json_incref(rows.json)));
	else
		print_rows(&rows, &saved, chosen[VERBOSE]);
	if (!chosen[JSON])
		print_records(&rows, store, &saved, chosen);
	for (size_t i = 0; i < rows.count; i++)
		free((void *)(uintptr_t)rows.results[i]);
	free(rows.results);
	free(rows.matched);
	json_decref(rows.json);
	kb_saved_release(&saved);
}

/* ---- runs ------------------------------------------------------------------------------------------ */

static int print_run(void *context, const struct kb_stored_run *run)
{
	(void)context;
	printf("%-20s  %-36s  %-10s  %-16s  %s\n", run->started, run->id, run->finished[0] ? "finished" : "unfinished",
	       run->env_class, run->label);
	return 0;
}

/* The environment of each would make the list unreadable; `show --json` of one run has it. */
static int append_run(void *context, const struct kb_stored_run *run)
{
	json_array_append_new(context, kb_stored_run_to_json(run));
	return 0;
}

/* Oldest first: what was just measured stands last, above the prompt. */
static void show_runs(const struct kb_command *command, struct kb_store *store, bool json)
{
	if (!json) {
		printf("%-20s  %-36s  %-10s  %-16s  label\n", "started", "run", "state", "class");
		kb_saved_check(command, store, kb_store_each_run(store, print_run, NULL));
		return;
	}

	json_t *array = json_array();

	kb_saved_check(command, store, kb_store_each_run(store, append_run, array));
	kb_print_json(json_pack("{s:s, s:o}", "schema", "kbench-runs/1", "runs", array));
}

static int show_main(const struct kb_command *command, int argc, char **argv)
{
	bool chosen[sizeof options / sizeof options[0]] = { false };
	const char *value, *path = NULL;
	int option;

	while ((option = kb_next_option(command, argc, argv, &value)) >= 0) {
		chosen[option] = true;
		if (option == STORE)
			path = value;
	}
	if (chosen[RUNS])
		kb_no_more(command, argc, argv);

	struct kb_store *store = kb_saved_open(command, path, KB_STORE_READ);

	if (chosen[RUNS])
		show_runs(command, store, chosen[JSON]);
	else
		show(command, store, argc - optind, argv + optind, chosen);
	kb_store_close(store);
	return KB_EXIT_DONE;
}

const struct kb_command kb_command_show = {
	.name = "show",
	.arguments = "[RUN] [PATTERN...]",
	.summary = "Print a run of the store again, with the evidence behind its rows",
	.text = "RUN is 'last' (the default), 'last~2' (the third newest), an id or its unique start, or a label.\n"
		"A pattern is a benchmark, a domain (sys), a shell glob, or a row with its parameters.\n",
	.options = options,
	.examples = "  kbench show\n"
		    "  kbench show last~1 sys.null\n"
		    "  kbench show sys.null --plot\n"
		    "  kbench show --runs\n"
		    "  kbench show --json | jq '.results[] | {benchmark, estimate}'\n",
	.exits = "  0 done; 2 usage, unknown run or row, unreadable store, unwritable output\n",
	.main = show_main,
};
