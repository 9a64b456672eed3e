/* kbench report: stored runs as one page for a browser, which needs no network. */
#include "cli/cli.h"

#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analysis/occasions.h"
#include "cli/files.h"
#include "cli/store/chosen.h"
#include "cli/store/saved.h"
#include "report/html/document.h"
#include "report/html/template.h"
#include "study/papers.h"
#include "workflow/machine.h"
#include "workflow/runs/compare.h"

struct request {
	const char *output, *store;
	struct kb_words pair;
	const char *const *compare;     /* base and new of the last one; NULL: none */
	bool json;
};

#define INTO(kind, ...) KB_OPTION(kind, struct request, __VA_ARGS__)

static const struct kb_option options[] = {
	{ 'o', "output", "FILE", "write it there, whole or not at all", "standard output", INTO(WORD, output) },
	{ 0, "compare", "BASE NEW", "also the comparison of two runs", NULL, INTO(WORDS, pair, .words = 2) },
	{ 0, "store", "FILE", "where runs are kept", "$XDG_DATA_HOME/kbench/kbench.db", INTO(WORD, store) },
	{ 0, "json", NULL, "only the document of the page: kbench-report/1", NULL, INTO(FLAG, json) },
	{ 0 }
};

struct job {
	const struct kb_command *command;
	struct kb_store *store;
	struct kb_chosen chosen[KB_RUNS_MAX];
	struct kb_saved saved[KB_RUNS_MAX];
	struct kb_page_run runs[KB_RUNS_MAX];
	struct kb_page page;
};

static bool is_run(struct job *job, const char *word)
{
	char id[37];

	return word && kb_store_find_run(job->store, word, id) == 0;
}

/* Returns how many of the words were runs. argv ends with NULL, as main's does. */
static int load(struct job *job, int words, char **argv)
{
	unsigned count = kb_chosen_load_runs(job->command, job->store, words, argv, job->chosen, KB_RUNS_MAX);
	int taken = (int)count;

	if (count < 2) {
		kb_chosen_load(job->command, job->store, words, argv, &job->chosen[0]);
		taken = is_run(job, argv[0]);
		count = 1;
	}
	for (unsigned i = 0; i < count; i++) {
		const struct kb_chosen *chosen = &job->chosen[i];
		struct kb_saved *saved = &job->saved[i];

		kb_saved_load(job->command, job->store, chosen->run_id, saved);
		job->runs[i] = (struct kb_page_run){ saved->id, saved->run, saved->env, chosen->json, chosen->results, chosen->count };
	}
	job->page.runs = job->runs;
	job->page.run_count = count;
	return taken;
}

/* Of two machines, too: the comparison decides nothing of them and says why. */
static void compare(struct job *job, const char *const *runs, int patterns, char **argv)
{
	const struct kb_compare_request request = {
		.runs = { runs[0], runs[1] }, .patterns = (const char *const *)argv, .pattern_count = (size_t)patterns, .margin = 0.01,
		.any_env = true, .any_config = true,
	};
	struct kb_compared compared;
	struct kb_failure failure;

	kb_die_if(job->command, kb_compare_runs(job->store, &request, &compared, &failure), &failure);
	if (compared.count == 0)
		kb_die(job->command, KB_EXIT_USAGE, "nothing to compare: runs %s and %s have no result in common", compared.side[0].saved.id,
		       compared.side[1].saved.id);
	job->page.comparison = kb_compared_to_json(&compared, kb_gate_exit(compared.rows, compared.count, false));
	job->page.floor = kb_occasion_middle(compared.rows, compared.count);
	kb_compared_release(&compared);
}

/* Without RUN it is NEW of the comparison, or the last one. Patterns are for results and comparison. */
static void gather(struct job *job, const struct request *request, int words, char **argv)
{
	bool insert = request->compare && !is_run(job, argv[0]);
	char id[37], **all = kb_need_memory(job->command, calloc((size_t)words + 2, sizeof *all));
	int taken;

	if (insert)
		kb_saved_check(job->command, job->store, kb_store_find_run(job->store, request->compare[1], id));
	all[0] = insert ? (char *)(uintptr_t)request->compare[1] : NULL;
	memcpy(all + insert, argv, (size_t)words * sizeof *all);
	taken = load(job, words + insert, all);
	job->page.papers = kb_papers_json(job->runs[0].results, job->runs[0].count);
	if (request->compare)
		compare(job, request->compare, words + insert - taken, all + taken);
	free(all);
}

static void release(struct job *job)
{
	for (unsigned i = 0; i < job->page.run_count; i++) {
		kb_chosen_free(&job->chosen[i]);
		kb_saved_release(&job->saved[i]);
	}
	kb_store_close(job->store);
}

/* One line, of a page that was written to a file: what it is, and how much of the samples it shows. */
static void print_end(const struct job *job, const char *path, size_t length)
{
	const struct kb_page_counts *counts = &job->page.counts;

	if (path && strcmp(path, "-") != 0)
		printf("%s: %llu KB, %llu result%s, %llu of %llu samples\n", kb_shown(path).text, (unsigned long long)(length + 999) / 1000,
		       (unsigned long long)counts->results, counts->results == 1 ? "" : "s", (unsigned long long)counts->kept,
		       (unsigned long long)counts->samples);
}

static void write_page(struct job *job, const struct request *request)
{
	struct kb_output output;
	char made[21];
	json_t *document;
	FILE *memory = kb_output_begin(job->command, &output);

	kb_date_now(made);
	job->page.tool = "kbench " KB_VERSION;
	job->page.made = made;
	job->page.taken = request->json ? 0 : strlen(kb_page_template);
	kb_saved_check(job->command, job->store, kb_page_document(&job->page, job->store, &document));

	int error = request->json ? kb_page_print_json(memory, document) : kb_page_print(memory, kb_page_template, document);

	json_decref(document);
	if (error)
		kb_no_memory(job->command);
	kb_output_put(job->command, request->output, &output);
	print_end(job, request->output, output.length);
}

static int report_main(const struct kb_command *command, int argc, char **argv)
{
	struct request request = { .store = NULL };
	struct job job = { .command = command };

	kb_read_options(command, argc, argv, &request);
	request.compare = request.pair.count > 0 ? request.pair.at + request.pair.count - 2 : NULL;
	if (!request.json && (!request.output || strcmp(request.output, "-") == 0) && isatty(STDOUT_FILENO))
		kb_usage(command, "a page is for a browser: -o FILE.html writes it there");
	job.store = kb_saved_open(command, request.store, KB_STORE_READ);
	gather(&job, &request, argc - optind, argv + optind);
	write_page(&job, &request);
	release(&job);
	return KB_EXIT_DONE;
}

const struct kb_command kb_command_report = {
	.name = "report",
	.arguments = "[RUN...] [PATTERN...]",
	.summary = "Write a page for a browser: results, evidence, samples, comparison and history",
	.text = "RUN and patterns are those of 'kbench show'; without RUN it is the last one, or NEW of --compare. The page is one\n"
		"file that needs no network. It has as many samples as fit: how many of how many is printed, and stands in it.\n",
	.options = options,
	.examples = "  kbench report -o report.html\n"
		    "  kbench report last 'ipc.*' -o ipc.html\n"
		    "  kbench report --compare last~1 last -o change.html\n"
		    "  kbench report --json | jq '.runs[].samples[0].processes[0] | {n, y}'\n",
	.exits = "  0 done; 2 usage, unknown run or result, unreadable store, unwritable output\n",
	.main = report_main,
};
