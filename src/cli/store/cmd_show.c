/* kbench show: a run of the store, as `kbench run` printed it. */
#include "cli/cli.h"

#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "cli/store/chosen.h"
#include "cli/store/saved.h"
#include "report/text/comparison.h"
#include "report/text/records.h"
#include "report/text/table.h"
#include "result/json/environment.h"
#include "result/json/json.h"
#include "result/summary/kernel.h"
#include "run/place.h"
#include "store/document.h"
#include "workflow/records.h"
#include "workflow/runs/alike.h"
#include "workflow/runs/mix.h"

/* What the command line asks for besides runs and results. */
struct wanted {
	bool json, verbose, plot, table;
	const char *path, *unit, *weights;
};

#define INTO(kind, ...) KB_OPTION(kind, struct wanted, __VA_ARGS__)

static const struct kb_option options[] = {
	{ 0, "store", "FILE", "where runs are kept", "$XDG_DATA_HOME/kbench/kbench.db", INTO(WORD, path) },
	{ 0, "json", NULL, "print kbench-result/2, or kbench-runs/1 with --runs", NULL, INTO(FLAG, json) },
	{ 'v', "verbose", NULL, "print all that is known about each result", NULL, INTO(FLAG, verbose) },
	{ 0, "plot", NULL, "draw run order, histogram and quantiles of each result", NULL, INTO(FLAG, plot) },
	{ 0, "table", NULL, "print the table of tests of results that were measured by method kanata", NULL, INTO(FLAG, table) },
	{ 0, "unit", "ns|us|ms|s|cycles", "print all results in this unit that have it", "the one that fits each",
	  INTO(CHOICE_WORD, unit) },
	{ 0, "weights", "PATTERN=N,...|@FILE", "also what a mix takes that does each of these so often: 'sys.null=1000,ipc=20'", NULL,
	  INTO(WORD, weights) },
	{ 0 }
};

/* Of what was not measured on the machine that the run's environment is of; such results stand together. */
static void print_environments(const struct kb_chosen *rows, const char *host, const struct kb_style *style)
{
	char words[KB_ENVIRONMENT_WORDS], line[KB_ENVIRONMENT_WORDS + 160];
	const char *before = host;

	for (size_t i = 0; i < rows->count; i++) {
		const struct kb_environment *e = &rows->results[i]->environment;

		if (e->id[0] && strcmp(e->id, host) != 0 && strcmp(e->id, before) != 0) {
			snprintf(line, sizeof line, "%.64s: environment ID %s, %s", rows->results[i]->benchmark, e->id, kb_environment_words(words, e));
			kb_print_wrapped(stdout, style, 0, line);
		}
		before = e->id;
	}
}

/* So much of an id, the milliseconds, names a run. */
#define ID_START 13

static void print_end(const struct kb_chosen *rows, const struct kb_saved *saved)
{
	const char *label = kb_json_string_of(saved->run, "label"), *id = kb_json_env_id(saved->env);
	struct kb_style style = kb_style_here(false);
	char line[4 * KB_LABEL_MAX + 100], place[KB_PLACE_LINE];

	snprintf(line, sizeof line, "run %s%s%s%s, environment ID %s", saved->id, label[0] ? " (" : "", label, label[0] ? ")" : "",
		 id ? id : "unknown");
	kb_make_visible(line, '?'); /* where it was cut */
	kb_print_wrapped(stdout, &style, 0, line);
	if (kb_place_line(json_object_get(saved->run, "settings"), false, place)[0])
		kb_print_wrapped(stdout, &style, 0, place);
	print_environments(rows, id ? id : "", &style);
	if (rows->count > 1)
		printf("next: kbench show %.*s %s   what stands behind a result\n", ID_START, saved->id,
		       kb_print_example(rows->results, rows->count));
}

/* A single row was asked for to be looked at closely. */
static void print_rows(const struct kb_chosen *rows, const struct kb_saved *saved, const struct wanted *wanted)
{
	const char *started = kb_json_string_of(saved->run, "started");
	char title[64];
	struct kb_heading heading = kb_heading_of(title, saved->env, started, kb_json_string_of(saved->run, "finished"));

	snprintf(title, sizeof title, "%.10s %.5s UTC", started, strlen(started) > 11 ? started + 11 : "");
	kb_print_results(&heading, rows->results, rows->count, wanted->verbose || rows->count == 1, wanted->unit);
	print_end(rows, saved);
}

/* Below the table, from the records: a result alone has no values to draw. */
static void print_records(const struct kb_command *command, const struct kb_chosen *rows, struct kb_store *store,
			  const struct kb_saved *saved, const struct wanted *wanted)
{
	bool detail = wanted->verbose || rows->count == 1;
	/* That the run was asked for. */
	double half_width = json_number_value(json_object_get(json_object_get(saved->run, "settings"), "precision"));

	for (size_t i = 0; i < rows->count; i++) {
		struct kb_failure failure;
		struct kb_records records;
		bool order = detail && kb_kernel_has_summary(rows->results[i]);

		if (!wanted->plot && !wanted->table && !order)
			continue;
		kb_saved_check(command, store, kb_records_load(&records, store, rows->run_id, rows->results[i]));
		if (records.count == 0 && (wanted->plot || wanted->table)) {
			char row[KB_ROW_NAME];

			kb_row_name(row, rows->results[i]);
			kb_complain(command, "'%s' has no records in this store, of which plots and tables are made", row);
			continue;
		}
		if (wanted->plot)
			kb_records_plot(rows->results[i], records.texts, records.count);
		if (wanted->table)
			kb_die_if(command, kb_records_tables(rows->results[i], records.texts, records.count, half_width, true, &failure),
				  &failure);
		if (order)
			fputs(kb_kernel_summary(rows->results[i], records.texts, records.count, kb_style_here(false).utf8), stdout);
		kb_records_free(&records);
	}
}

static bool damaged;            /* something is left out, which is told */

/* What `kbench ab` found of a row stays with its run. */
static void add_comparisons(const struct kb_command *command, struct kb_store *store, struct kb_chosen *rows)
{
	for (size_t i = 0; i < rows->count; i++) {
		const struct kb_result *result = rows->results[i];
		char row[KB_ROW_NAME], *text;

		kb_row_name(row, result);
		int error = kb_store_get_comparison(store, rows->run_id, row, &text);
		json_t *comparison = text ? json_loads(text, 0, NULL) : NULL;

		if (error == -EUCLEAN)
			kb_complain(command, "%s", kb_store_error(store));
		else if (text && !comparison)
			kb_complain(command, "what 'kbench ab' found of '%s' is damaged in the store and left out", row);
		else
			kb_saved_check(command, store, error);
		damaged |= error == -EUCLEAN;
		if (comparison)
			json_object_set_new(json_array_get(rows->json, i), "comparison", comparison);
		free(text);
	}
}

static json_t *document_of(const struct kb_command *command, struct kb_store *store, struct kb_chosen *rows,
			   const struct kb_saved *saved)
{
	add_comparisons(command, store, rows);

	json_t *document = kb_result_document(json_incref(saved->run), json_incref(saved->env), json_incref(rows->json));

	kb_variants_add(document, rows->results, rows->count);
	return document;
}

/* ---- side by side ----------------------------------------------------------------------------------- */

static void print_two(const struct kb_chosen *runs, const struct kb_saved *saved, unsigned count)
{
	static const char *const letters[KB_RUNS_MAX] = { "A", "B", "C", "D", "E", "F", "G", "H" };
	struct kb_run_column columns[KB_RUNS_MAX];
	struct kb_style style = kb_style_here(false);

	for (unsigned i = 0; i < count; i++) {
		columns[i] = (struct kb_run_column){ letters[i], runs[i].results, runs[i].count };
		printf("%s: run %s, ", letters[i], saved[i].id);
		kb_print_heading(kb_json_string_of(saved[i].run, "started"), saved[i].env);
	}
	kb_runs_print(stdout, columns, count, &style);
	printf("\n%s is the larger half-width of the 95 %% CI; 'kbench compare' tells whether two differ\n", style.utf8 ? "\u00b1" : "+-");
}

static void show_two(const struct kb_command *command, struct kb_store *store, struct kb_chosen *runs, unsigned count,
			bool json)
{
	struct kb_saved saved[KB_RUNS_MAX];
	json_t *documents = json_array();

	for (unsigned i = 0; i < count; i++) {
		kb_saved_load(command, store, runs[i].run_id, &saved[i]);
		if (json)
			json_array_append_new(documents, document_of(command, store, &runs[i], &saved[i]));
	}
	if (json)
		kb_print_json(json_pack("{s:s, s:O}", "schema", "kbench-alongside/1", "runs", documents));
	else
		print_two(runs, saved, count);
	json_decref(documents);
	for (unsigned i = 0; i < count; i++) {
		kb_chosen_free(&runs[i]);
		kb_saved_release(&saved[i]);
	}
}

/* Of the rows that were chosen; nothing without weights. */
static struct kb_mix_cost mix_of(const struct kb_command *command, const struct kb_chosen *rows, const char *weights)
{
	struct kb_mix_cost mix = { .count = 0 };
	struct kb_failure failure;

	if (weights)
		kb_die_if(command, kb_mix_of_results(weights, rows->results, rows->count, &mix, &failure), &failure);
	return mix;
}

static void print_mix(const struct kb_mix_cost *mix)
{
	struct kb_style style = kb_style_here(false);

	if (mix->count > 0)
		kb_mix_print(stdout, mix, &style);
}

static void show_one(const struct kb_command *command, struct kb_store *store, int words, char **argv, const struct wanted *wanted)
{
	struct kb_saved saved;
	struct kb_chosen rows;
	struct kb_mix_cost mix;

	kb_chosen_load(command, store, words, argv, &rows);
	kb_saved_load(command, store, rows.run_id, &saved);
	mix = mix_of(command, &rows, wanted->weights);
	if (wanted->json) {
		json_t *document = document_of(command, store, &rows, &saved);

		if (mix.count > 0)
			json_object_set_new(document, "mix", kb_mix_to_json(&mix));
		kb_print_json(document);
	} else {
		print_rows(&rows, &saved, wanted);
		print_records(command, &rows, store, &saved, wanted);
		print_mix(&mix);
	}
	kb_mix_release(&mix);
	kb_chosen_free(&rows);
	kb_saved_release(&saved);
}

static void show(const struct kb_command *command, struct kb_store *store, int words, char **argv, const struct wanted *wanted)
{
	struct kb_chosen runs[KB_RUNS_MAX];
	unsigned count = kb_chosen_load_runs(command, store, words, argv, runs, KB_RUNS_MAX);

	if (count < 2)
		show_one(command, store, words, argv, wanted);
	else if (wanted->verbose || wanted->plot || wanted->table || wanted->unit || wanted->weights)
		kb_usage(command, "--verbose, --plot, --table, --unit and --weights are for one run");
	else
		show_two(command, store, runs, count, wanted->json);
}

static int show_main(const struct kb_command *command, int argc, char **argv)
{
	struct wanted wanted = { .path = NULL };

	kb_read_options(command, argc, argv, &wanted);

	struct kb_store *store = kb_saved_open(command, wanted.path, KB_STORE_READ);

	show(command, store, argc - optind, argv + optind, &wanted);
	kb_store_close(store);
	return damaged ? KB_EXIT_USAGE : KB_EXIT_DONE;
}

const struct kb_command kb_command_show = {
	.name = "show",
	.arguments = "[RUN...] [PATTERN...]",
	.summary = "Print a run of the store again, with the evidence behind its results",
	.text = "RUN is 'last' (the default), 'last~2' (the third last), an id or its unique start, or a label: see 'kbench runs'.\n"
		"Several runs, of one machine or many, are shown side by side, at most eight.\n"
		"A pattern is a benchmark, a domain (sys), a shell glob, or a name as the table prints it ('mem.latency 64M').\n",
	.options = options,
	.examples = "  kbench show\n"
		    "  kbench show last~1 sys.null\n"
		    "  kbench show sys.null --plot\n"
		    "  kbench show last~1 last sys\n"
		    "  kbench show --weights 'sys.null=1000,ipc.pipe_latency one-process=20'\n"
		    "  kbench show --json | jq '.results[] | {benchmark, estimate}'\n",
	.exits = "  0 done; 2 usage, unknown run or result, unreadable or damaged store, unwritable output\n",
	.main = show_main,
};
