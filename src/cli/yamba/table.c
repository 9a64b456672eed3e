/*
 * kbench yamba table: all forms of a file of templates, as one program in Yamba whose results are an ordinary run, and the table that they make
 * alongside what is documented.
 */
#include <fnmatch.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "cli/files.h"
#include "cli/run.h"
#include "cli/yamba/forms.h"
#include "result/json/json.h"

struct request {
	struct kb_workflow_request w;
	struct kb_words only;
	const char *known, *csv, *page;
	bool json, list;
};

#define INTO(kind, ...) KB_OPTION(kind, struct request, __VA_ARGS__)

static const struct kb_option options[] = {
	{ 0, "only", "PATTERN", "these forms, such as 'add_*' or '*_m64'; may be repeated", NULL, INTO(WORDS, only) },
	{ 0, "list", NULL, "print what would be measured, and measure nothing", NULL, INTO(FLAG, list) },
	{ 0, "known", "FILE", "documented values", "those that come with the templates", INTO(WORD, known) },
	{ 0, "json", NULL, "print " KB_FORMS_SCHEMA, NULL, INTO(FLAG, json) },
	{ 0, "csv", "FILE", "also write a line for each value", NULL, INTO(WORD, csv) },
	{ 0, "page", "FILE", "also write a page for a browser", NULL, INTO(WORD, page) },
	{ 0, "budget", "TIME", "stop measuring after this time", "15m", INTO(TIME, w.run.budget_ns, .least = KB_S) },
	{ 0, "processes", "N", "fresh processes for each value", "6", INTO(NUMBER, w.run.processes, .least = 1, .most = 1000) },
	{ 0, "cpus", "LIST", "CPUs to measure on, such as 2,3", "those this process may use", INTO(WORD, w.cpus) },
	{ 0, "seed", "N", "order of processes and samples", "a random one, printed", INTO(NUMBER, w.run.seed, .most = KB_JSON_WHOLE_MAX / 2) },
	{ 0, "label", "TEXT", "a name for the run, for 'kbench show'", NULL, INTO(LABEL, w.label) },
	{ 0, "store", "FILE", "where the run is kept", "$XDG_DATA_HOME/kbench/kbench.db", INTO(WORD, w.store) },
	{ 0, "no-store", NULL, "keep nothing", NULL, INTO(FLAG, w.no_store) },
	{ 0 }
};

static bool is_wanted(const struct request *request, const struct kb_form *form)
{
	bool wanted = request->only.count == 0;

	for (size_t i = 0; i < request->only.count; i++)
		wanted |= fnmatch(request->only.at[i], form->name, 0) == 0;
	return wanted;
}

/* The names of what is measured, with commas; the caller frees it. */
static char *wanted_names(const struct kb_forms_job *job, const struct request *request)
{
	struct kb_output names;
	FILE *out = kb_output_begin(job->command, &names);
	size_t count = 0;

	for (const struct kb_form_measure *measure = job->forms.measures; measure; measure = measure->next)
		if (is_wanted(request, measure->form))
			fprintf(out, "%s%s", count++ ? "," : "", measure->name);
	kb_output_end(job->command, &names);
	if (count == 0)
		kb_usage(job->command, "no form of this processor matches --only '%.100s'; --list prints them all", request->only.at[0]);
	return names.text;
}

static void list(const struct kb_forms_job *job, const struct request *request)
{
	for (const struct kb_form_measure *measure = job->forms.measures; measure; measure = measure->next)
		if (is_wanted(request, measure->form))
			printf("%s\n", measure->name);
}

/* ---- the table ----------------------------------------------------------------------------------- */

static void write_files(struct kb_forms_job *job, const struct request *request, const struct kb_form_table *table)
{
	struct kb_output output;

	if (request->csv) {
		kb_form_table_csv(kb_output_begin(job->command, &output), table);
		kb_output_put(job->command, request->csv, &output);
	}
	if (request->page) {
		kb_form_table_page(kb_output_begin(job->command, &output), table, kb_forms_job_machine(job));
		kb_output_put(job->command, request->page, &output);
	}
}

static void print(struct kb_forms_job *job, const struct request *request)
{
	const struct kb_result **results = kb_need_memory(job->command, calloc(job->forms.measure_count + 1, sizeof *results));
	struct kb_style style = kb_style_here(false);
	struct kb_form_table table;
	size_t next = 0;

	for (const struct kb_form_measure *measure = job->forms.measures; measure; measure = measure->next)
		if (is_wanted(request, measure->form))
			results[measure->number] = kb_forms_job_result(job, measure->name, &next);
	kb_form_table_make(&table, &job->forms, results, &job->known);
	write_files(job, request, &table);
	if (request->json) {
		kb_print_measured(KB_FORMS_SCHEMA, &job->w, kb_form_table_json(&table));
	} else {
		kb_print_heading(job->w.started, job->w.env);
		kb_form_table_print(stdout, &table, &style);
		kb_forms_job_print_end(job);
	}
	free(results);
}

static int measure(struct kb_forms_job *job, struct request *request, int argc, char **argv)
{
	char *names = wanted_names(job, request);
	int code;

	kb_output_check(job->command, request->csv);
	kb_output_check(job->command, request->page);
	kb_forms_job_measure(job, &request->w, names, argc, argv);
	print(job, request);
	code = kb_forms_job_code(job);
	kb_workflow_release(&job->w);
	free(names);
	return code;
}

static int table_main(const struct kb_command *command, int argc, char **argv)
{
	static struct kb_forms_job job;
	struct request request = { .w = kb_forms_request() };
	const char *file;
	int code = KB_EXIT_DONE;

	kb_read_options(command, argc, argv, &request);
	file = optind < argc ? argv[optind++] : NULL;
	kb_no_more(command, argc, argv);
	kb_forms_job_read(&job, command, file, request.known);
	if (request.list)
		list(&job, &request);
	else
		code = measure(&job, &request, argc, argv);
	kb_arena_free(&job.arena);
	return code;
}

const struct kb_command kb_command_yamba_table = {
	.name = "yamba table",
	.arguments = "[FILE.forms]",
	.summary = "Measure latency and throughput of all forms of instructions, alongside what is documented",
	.text = "A file of templates states how instructions and operands are written; without one it is that of this machine's architecture\n"
		"(bench/yamba/forms_x86_64.forms, which tells how to write one). Latency is from one operand to another, throughput the\n"
		"cycles for one of many that wait for nothing.\n",
	.options = options,
	.examples = "  kbench yamba table --only 'add_*' --only 'lea_*'\n"
		    "  kbench yamba table --list | head\n"
		    "  kbench yamba table --csv table.csv --page table.html\n"
		    "  kbench yamba table mine.forms --known mine.known --json >table.json\n",
	.exits = "  0 done; 2 usage, a template that cannot be read or assembled; 5 a result is invalid; 128+n stopped by signal n\n",
	.main = table_main,
};
