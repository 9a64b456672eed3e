/*
 * kbench export: rows of a stored run in the form of another tool. All of it is made in memory first: an error leaves no
 * half of a file, and a pipe gets all or nothing.
 */
#include "cli/cli.h"

#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "cli/export_format.h"
#include "cli/files.h"
#include "cli/store/chosen.h"
#include "cli/store/saved.h"
#include "report/export/export.h"
#include "workflow/records.h"

struct request {
	const struct kb_export_format *format;
	const char *output, *store;
};

#define INTO(kind, ...) KB_OPTION(kind, struct request, __VA_ARGS__)

static const struct kb_option options[] = {
	{ 0, "format", "FORMAT", "one of those above", NULL, INTO(READ, format, .read = kb_read_export_format) },
	{ 'o', "output", "FILE", "write it there, whole or not at all", "standard output", INTO(WORD, output) },
	{ 0, "store", "FILE", "where runs are kept", "$XDG_DATA_HOME/kbench/kbench.db", INTO(WORD, store) },
	{ 0 }
};

/* One run, as far as it was chosen. */
struct part {
	struct kb_saved saved;
	struct kb_chosen chosen;
	struct kb_exported *rows;     /* one a chosen result */
	struct kb_records *records;     /* the same; empty where the format needs none */
};

#define RUNS_MAX (1 + KB_EXPORT_FURTHER)

struct job {
	const struct kb_command *command;
	const struct kb_export_format *format;
	struct kb_store *store;
	struct part parts[RUNS_MAX];
	unsigned count;
};

static void load_part(struct job *job, struct part *part, const struct kb_chosen *chosen)
{
	part->chosen = *chosen;
	kb_saved_load(job->command, job->store, chosen->run_id, &part->saved);
	part->rows = kb_need_memory(job->command, calloc(chosen->count + 1, sizeof *part->rows));
	part->records = kb_need_memory(job->command, calloc(chosen->count + 1, sizeof *part->records));
	for (size_t i = 0; i < chosen->count; i++) {
		if (job->format->records)
			kb_saved_check(job->command, job->store, kb_records_load(&part->records[i], job->store, chosen->run_id, chosen->results[i]));
		part->rows[i] = (struct kb_exported){
			.result = chosen->results[i], .texts = part->records[i].texts, .text_count = part->records[i].count,
		};
	}
}

static void load(struct job *job, int words, char **argv)
{
	struct kb_chosen chosen[RUNS_MAX];

	job->count = job->format->page ? kb_chosen_load_runs(job->command, job->store, words, argv, chosen, RUNS_MAX) : 0;
	if (job->count < 2) {
		job->count = 1;
		kb_chosen_load(job->command, job->store, words, argv, &chosen[0]);
	}
	for (unsigned i = 0; i < job->count; i++)
		load_part(job, &job->parts[i], &chosen[i]);
}

static void release(struct job *job)
{
	for (unsigned k = 0; k < job->count; k++) {
		struct part *part = &job->parts[k];

		for (size_t i = 0; i < part->chosen.count; i++)
			kb_records_free(&part->records[i]);
		free(part->records);
		free(part->rows);
		kb_chosen_free(&part->chosen);
		kb_saved_release(&part->saved);
	}
	kb_store_close(job->store);
}

/* ---- output ---------------------------------------------------------------------------------------- */

/* What is left out is reported: one line, with the first rows by name. */
static void complain_left_out(const struct job *job)
{
	const struct part *part = &job->parts[0];
	char text[400] = "";
	size_t used = 0, count = 0;

	for (size_t i = 0; i < part->chosen.count && !job->format->page; i++) {
		const char *why = job->format->refuses ? job->format->refuses(&part->rows[i]) : NULL;
		char name[KB_EXPORT_NAME];

		if (!why)
			continue;
		kb_export_name(name, part->rows[i].result, ' ');
		if (used < sizeof text)
			used += (size_t)snprintf(text + used, sizeof text - used, "%s%s (%s)", count ? ", " : "", name, why);
		count++;
	}
	if (count > 0)
		kb_complain(job->command, "%zu of %zu results left out: %s%s", count, part->chosen.count, text,
			    used >= sizeof text ? "..." : "");
}

static void print(const struct job *job, const char *path)
{
	struct kb_export runs[RUNS_MAX], *all = &runs[0];
	struct kb_output output;
	int error;

	for (unsigned i = 0; i < job->count; i++) {
		const struct part *part = &job->parts[i];

		runs[i] = (struct kb_export){ .run = part->saved.run, .env = part->saved.env, .rows = part->rows, .count = part->chosen.count };
	}
	all->further = &runs[1];
	all->further_count = job->count - 1;
	error = kb_export_write(kb_output_begin(job->command, &output), job->format, all);

	if (error == -ENODATA) {
		kb_die(job->command, KB_EXIT_USAGE, "nothing to export as %s: the first of %zu results is left out because of "
		       "'%s'", job->format->name, all->count, job->format->refuses(&all->rows[0]));
	}
	if (error)
		kb_die(job->command, KB_EXIT_USAGE, "cannot export as %s: %s", job->format->name, strerror(-error));
	kb_output_put(job->command, path, &output);
	complain_left_out(job);
}

static int export_main(const struct kb_command *command, int argc, char **argv)
{
	struct request request = { .format = NULL };
	struct job job = { .command = command };

	kb_read_options(command, argc, argv, &request);
	if (!request.format)
		kb_usage(command, "--format FORMAT is missing");
	job.format = request.format;
	job.store = kb_saved_open(command, request.store, KB_STORE_READ);
	load(&job, argc - optind, argv + optind);
	print(&job, request.output);
	release(&job);
	return KB_EXIT_DONE;
}

const struct kb_command kb_command_export = {
	.name = "export",
	.arguments = "--format FORMAT [RUN...] [PATTERN...]",
	.summary = "Write results of a stored run in the format of another tool",
	.text = "RUN and patterns are those of 'kbench show'. FORMAT is one of\n"
		"  google-benchmark       JSON of Google Benchmark, an entry a process: for its compare.py\n"
		"  google-benchmark-rows  the same with one entry a benchmark: for readers that plot every entry\n"
		"  bencher                Bencher Metric Format, with confidence intervals\n"
		"  benchfmt               text of Go's benchmarks, a line a process: for benchstat\n"
		"  openmetrics            gauges for Prometheus\n"
		"  github-action          array of github-action-benchmark, customSmallerIsBetter\n"
		"  junit                  XML for build servers\n"
		"  csv                    one number a line, with its unit\n"
		"  csv-wide               one result a line, parameters as columns\n"
		"  markdown               a table for a pull request\n"
		"  hdr                    HdrHistogram log V2 of single operations\n"
		"  chrome-trace           the run on a time axis, for Perfetto and Chrome's viewer\n"
		"  sel4bench              the JSON of sel4bench, an entry a benchmark\n"
		"  sel4bench-results      a line of its history; names of times end with _ns\n"
		"  lmbench                lmbench's one-page summary, in its units and columns; a line of each for several runs\n"
		"Each loses something: doc/result.md lists what. A result without a number is left out and named on standard\n"
		"error; csv-wide, junit, markdown and openmetrics tell its verdict.\n",
	.options = options,
	.examples = "  kbench export --format csv -o run.csv\n"
		    "  kbench export last~1 'ipc.*' --format google-benchmark >old.json\n"
		    "  kbench export --format lmbench mine theirs      two runs, one of them imported\n",
	.exits = "  0 done; 2 usage, unknown run or result, nothing to export, unreadable store, unwritable output\n",
	.main = export_main,
};
