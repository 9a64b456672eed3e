/*
 * kbench yamba paper: the experiments of the paper that Yamba comes from, here and as printed. Nothing is stored: the benchmarks are
 * ordinary ones, which kbench run measures, too.
 */
#include "cli/yamba/yamba.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/run.h"
#include "report/text/plot.h"
#include "result/json/json.h"
#include "study/yamba_paper.h"
#include "suite/select.h"
#include "workflow/workflow.h"

#define PROCESSES_MAX 100

struct request {
	struct kb_workflow_request w;
	bool json, drop_caches;
};

#define INTO(kind, ...) KB_OPTION(kind, struct request, __VA_ARGS__)

static const struct kb_option options[] = {
	{ 0, "budget", "TIME", "stop measuring after this time", "120s", INTO(TIME, w.run.budget_ns, .least = KB_S) },
	{ 0, "processes", "N", "fresh processes for each result", "4", INTO(NUMBER, w.run.processes, .least = 1, .most = PROCESSES_MAX) },
	{ 0, "drop-caches", NULL, "evict by drop_caches, as the paper did; needs root, and the whole machine pays", NULL,
	  INTO(FLAG, drop_caches) },
	{ 0, "cpus", "LIST", "CPUs to measure on, such as 2,3", "those this process may use", INTO(WORD, w.cpus) },
	{ 0, "seed", "N", "order of processes and samples", "a random one, printed",
	  INTO(NUMBER, w.run.seed, .most = KB_JSON_WHOLE_MAX / 2) },
	{ 0, "json", NULL, "print kbench-yamba-paper/1", NULL, INTO(FLAG, json) },
	{ 0 }
};

struct job {
	struct request request;
	struct kb_workflow w;
	struct kb_paper paper;
};

/* What the whole machine would pay for is refused early, not in the middle of a benchmark. */
static void start(struct job *job, const struct kb_command *command, int argc, char **argv)
{
	struct kb_workflow_request *w = &job->request.w;
	const char *directory = getenv("TMPDIR");
	struct kb_failure failure;

	*w = kb_workflow_defaults();
	/* A precision that every result has: so many processes, and no more. */
	w->run = (struct kb_run_options){ .budget_ns = 120 * KB_S, .timeout_ns = 60 * KB_S, .processes = 4, .precision = 1e9, .seed = w->run.seed };
	kb_begin_request(command, w, argc, argv);
	kb_read_options(command, argc, argv, &job->request);
	kb_no_more(command, argc, argv);
	if (job->request.drop_caches && geteuid() != 0)
		kb_usage(command, "--drop-caches needs root; without it only the benchmark's own file is evicted");
	kb_die_if(command, kb_workflow_prepare(w, &job->w, &failure), &failure);
	kb_paper_start(&job->paper, directory && directory[0] ? directory : "/var/tmp");
	job->paper.drop_caches = job->request.drop_caches;
}

static void print(const struct job *job)
{
	struct kb_style style = kb_style_here(false);

	kb_print_heading(job->w.started, job->w.env);
	kb_paper_print(stdout, &job->paper, &style, kb_plot_width(stdout));
	printf("\nconfidence intervals: 95 %%; variation: standard deviation over mean of the passes\n%u processes, seed %llu%s\n",
	       job->paper.processes, (unsigned long long)job->w.run.seed, job->paper.signal ? ", stopped by a signal" : "");
}

static int paper_main(const struct kb_command *command, int argc, char **argv)
{
	struct job *job = kb_need_memory(command, calloc(1, sizeof *job));
	struct kb_run_observer observer;
	int code = KB_EXIT_DONE;

	start(job, command, argc, argv);
	observer = kb_watch_observer(&job->w.watch);

	bool done = kb_paper_measure(&job->paper, kb_benches, &job->w.run, &observer);

	kb_watch_close(&job->w.watch, job->w.started);
	if (!done) {
		kb_complain(command, "nothing could be measured: %s", job->paper.error[0] ? job->paper.error : "the budget is too small");
		code = KB_EXIT_FAILED;
	} else if (job->request.json) {
		kb_print_measured(KB_PAPER_SCHEMA, &job->w, kb_paper_json(&job->paper));
	} else {
		print(job);
	}
	if (job->paper.signal)
		code = KB_EXIT_SIGNAL + job->paper.signal;
	kb_workflow_release(&job->w);
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
