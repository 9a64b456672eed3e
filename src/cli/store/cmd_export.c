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

struct job {
	const struct kb_command *command;
	const struct kb_export_format *format;
	struct kb_store *store;
	struct kb_saved saved;
	struct kb_chosen chosen;
	struct kb_exported *rows;     /* one a chosen result */
	struct kb_records *records;     /* the same; empty where the format needs none */
};

static void load(struct job *job, int words, char **argv)
{
	kb_chosen_load(job->command, job->store, words, argv, &job->chosen);
	kb_saved_load(job->command, job->store, job->chosen.run_id, &job->saved);
	job->rows = kb_need_memory(job->command, calloc(job->chosen.count, sizeof *job->rows));
	job->records = kb_need_memory(job->command, calloc(job->chosen.count, sizeof *job->records));
	for (size_t i = 0; i < job->chosen.count; i++) {
		if (job->format->records)
			kb_saved_check(job->command, job->store, kb_records_load(&job->records[i], job->store, job->chosen.run_id,
				       job->chosen.results[i]));
		job->rows[i] = (struct kb_exported){
			.result = job->chosen.results[i], .texts = job->records[i].texts,
			.text_count = job->records[i].count,
		};
	}
}

static void release(struct job *job)
{
	for (size_t i = 0; i < job->chosen.count; i++)
		kb_records_free(&job->records[i]);
	free(job->records);
	free(job->rows);
	kb_chosen_free(&job->chosen);
	kb_saved_release(&job->saved);
	kb_store_close(job->store);
}

/* ---- output ---------------------------------------------------------------------------------------- */

/* What is left out is reported: one line, with the first rows by name. */
static void complain_left_out(const struct job *job)
{
	char text[400] = "";
	size_t used = 0, count = 0;

	for (size_t i = 0; i < job->chosen.count; i++) {
		const char *why = job->format->refuses ? job->format->refuses(&job->rows[i]) : NULL;
		char name[KB_EXPORT_NAME];

		if (!why)
			continue;
		kb_export_name(name, job->rows[i].result, ' ');
		if (used < sizeof text)
			used += (size_t)snprintf(text + used, sizeof text - used, "%s%s (%s)", count ? ", " : "", name, why);
		count++;
	}
	if (count > 0)
		kb_complain(job->command, "%zu of %zu results left out: %s%s", count, job->chosen.count, text,
			    used >= sizeof text ? "..." : "");
}

static void print(const struct job *job, const char *path)
{
	struct kb_export all = {
		.run = job->saved.run, .env = job->saved.env, .rows = job->rows, .count = job->chosen.count,
	};
	struct kb_output output;
	int error = kb_export_write(kb_output_begin(job->command, &output), job->format, &all);

	if (error == -ENODATA) {
		kb_die(job->command, KB_EXIT_USAGE, "nothing to export as %s: the first of %zu results is left out because of "
		       "'%s'", job->format->name, all.count, job->format->refuses(&all.rows[0]));
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
	.arguments = "--format FORMAT [RUN] [PATTERN...]",
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
		"  lmbench                lmbench's one-page summary, in its units and columns\n"
		"Each loses something: doc/result.md lists what. A result without a number is left out and named on standard\n"
		"error; csv-wide, junit, markdown and openmetrics tell its verdict.\n",
	.options = options,
	.examples = "  kbench export --format csv -o run.csv\n"
		    "  kbench export last~1 'ipc.*' --format google-benchmark >old.json\n",
	.exits = "  0 done; 2 usage, unknown run or result, nothing to export, unreadable store, unwritable output\n",
	.main = export_main,
};
