/* See paper.h. Nothing is stored: the benchmarks are ordinary ones, which kbench run measures for itself. */
#include "cli/floor.h"
#include "cli/yamba/paper.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/print.h"
#include "cli/stamp.h"
#include "cli/start.h"
#include "cli/values.h"
#include "cli/watch.h"
#include "report/text/plot.h"
#include "result/json/json.h"
#include "study/yamba_paper.h"
#include "suite/select.h"

enum { BUDGET, PROCESSES, DROP_CACHES, CPUS, SEED, JSON };

static const struct kb_option options[] = {
	[BUDGET] = { 0, "budget", "TIME", "stop measuring after this time", "120s" },
	[PROCESSES] = { 0, "processes", "N", "fresh processes for each result", "4" },
	[DROP_CACHES] = { 0, "drop-caches", NULL, "evict by drop_caches, as the paper did; needs root, and the whole machine pays", NULL },
	[CPUS] = { 0, "cpus", "LIST", "CPUs to measure on, such as 2,3", "those this process may use" },
	[SEED] = { 0, "seed", "N", "order of processes and samples", "a random one, printed" },
	[JSON] = { 0, "json", NULL, "print kbench-yamba-paper/1", NULL },
	{ 0 }
};

#define PROCESSES_MAX 100

struct job {
	const struct kb_command *command;
	struct kb_run_options run;
	struct kb_watch watch;
	struct kb_paper paper;
	char collector[PATH_MAX], started[21];
	char *env_text;
	json_t *env;
	const char *cpus;
	uint64_t seed;
	bool json, drop_caches;
};

static void read_options(struct job *job, int argc, char **argv)
{
	const struct kb_command *command = job->command;
	struct kb_run_options *run = &job->run;
	const char *value;
	int option;

	/* A precision that every result has: so many processes, and no more. */
	*run = (struct kb_run_options){
		.budget_ns = 120 * KB_S, .timeout_ns = 60 * KB_S, .launches = 4, .precision = 1e9, .seed = kb_start_seed(),
	};
	while ((option = kb_next_option(command, argc, argv, &value)) >= 0) {
		switch (option) {
		case BUDGET: run->budget_ns = kb_value_time(command, "budget", value, KB_S); break;
		case PROCESSES: run->launches = (unsigned)kb_value_number(command, "processes", value, 1, PROCESSES_MAX); break;
		case DROP_CACHES: job->drop_caches = true; break;
		case CPUS: job->cpus = value; break;
		case SEED: run->seed = kb_value_number(command, "seed", value, 0, KB_JSON_WHOLE_MAX / 2); break;
		case JSON: job->json = true; break;
		}
	}
	job->seed = run->seed;
	kb_no_more(command, argc, argv);
}

/* What the whole machine would pay for is refused early, not in the middle of a benchmark. */
static void start(struct job *job)
{
	const char *folder = getenv("TMPDIR");

	if (job->drop_caches && geteuid() != 0)
		kb_usage(job->command, "--drop-caches needs root; without it only the benchmark's own file is evicted");
	kb_start_cpus(job->command, job->cpus, &job->run.cpus);
	kb_start_collector(job->command, job->collector);
	kb_start_look(job->command, false, &job->env, &job->env_text);
	kb_floor_start(job->env, NULL, &job->run);
	kb_stamp_now(job->started);
	if (kb_stamp_id(job->run.id))
		kb_die(job->command, KB_EXIT_USAGE, "no random numbers for the run's id");
	job->run.collector = job->collector;
	job->watch = (struct kb_watch){ .command = job->command, .terminal = isatty(STDERR_FILENO) };
	kb_paper_start(&job->paper, folder && folder[0] ? folder : "/var/tmp");
	job->paper.drop_caches = job->drop_caches;
	kb_start_signals();
}

static void print(const struct job *job)
{
	struct kb_style style = kb_style_here(false);

	if (job->json) {
		json_t *document = json_pack("{s:s, s:s, s:o, s:O}", "schema", KB_PAPER_SCHEMA, "started", job->started, "seed",
					     kb_json_whole(job->seed), "env", job->env), *paper = kb_paper_json(&job->paper);

		json_object_update(document, paper);
		json_decref(paper);
		kb_print_json(document);
		return;
	}
	kb_print_heading(job->started, job->env);
	kb_paper_print(stdout, &job->paper, &style, kb_plot_width(stdout));
	printf("\nconfidence intervals: 95 %%; variation: standard deviation over mean of the passes\n%u processes, seed %llu%s\n",
	       job->paper.launches, (unsigned long long)job->seed, job->paper.signal ? ", stopped by a signal" : "");
}

static int paper_main(const struct kb_command *command, int argc, char **argv)
{
	struct job *job = calloc(1, sizeof *job);
	struct kb_run_observer observer;
	int code = KB_EXIT_DONE;

	if (!job)
		kb_no_memory(command);
	job->command = command;
	read_options(job, argc, argv);
	start(job);
	observer = kb_watch_observer(&job->watch);

	bool done = kb_paper_measure(&job->paper, kb_benches, &job->run, &observer);

	kb_watch_close(&job->watch, job->started);
	if (!done) {
		kb_complain(command, "nothing could be measured: %s", job->paper.error[0] ? job->paper.error : "the budget is too small");
		code = KB_EXIT_FAILED;
	} else {
		print(job);
	}
	if (job->paper.signal)
		code = KB_EXIT_SIGNAL + job->paper.signal;
	json_decref(job->env);
	free(job->env_text);
	free(job);
	return code;
}

const struct kb_command kb_command_yamba_paper = {
	.name = "yamba paper",
	.arguments = "",
	.summary = "Measure what the Yamba paper measured, and print it alongside the paper's tables",
	.text = "Tables 1 and 2, figures 4 to 9 and section 2.1 of \"Adaptable Platform-Dependent Micro-Benchmarks\". Windows of\n"
		"other sizes than the device's set its read-ahead, which needs root; it gets its value back whatever happens.\n"
		"Files lie in TMPDIR, else in /var/tmp, which must be on a device. Nothing is stored.\n",
	.options = options,
	.examples = "  kbench yamba paper\n"
		    "  sudo kbench yamba paper --budget 5m\n"
		    "  kbench yamba paper --json >paper.json\n",
	.exits = "  0 done; 2 usage, unwritable output; 5 nothing could be measured; 128+n stopped by signal n, after printing\n",
	.main = paper_main,
};
