/* kbench params: what this machine's caches, clocks and lines are by timing, next to what the system reports. */
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "base/nearest.h"
#include "cli/cli.h"
#include "cli/run.h"
#include "report/model/params.h"
#include "report/text/plot.h"
#include "result/json/json.h"
#include "suite/select.h"
#include "workflow/workflow.h"

struct request {
	struct kb_workflow_request w;
	bool json, verbose;
};

#define INTO(kind, ...) KB_OPTION(kind, struct request, __VA_ARGS__)

static const struct kb_option options[] = {
	{ 0, "budget", "TIME", "for all of them", "90s for the values, 15s for a picture, 30s for ring", INTO(TIME, w.run.budget_ns, .least = KB_S) },
	{ 0, "cpus", "LIST", "CPUs to measure on, such as 2,3", "those this process may use", INTO(WORD, w.cpus) },
	{ 0, "seed", "N", "order of processes and of memory", "a random one, printed",
	  INTO(NUMBER, w.run.seed, .most = KB_JSON_WHOLE_MAX / 2) },
	{ 0, "json", NULL, "print kbench-params/1", NULL, INTO(FLAG, json) },
	{ 'v', "verbose", NULL, "print how sure each value is, and what the mhz method divides", NULL, INTO(FLAG, verbose) },
	{ 0 }
};

struct job {
	struct request request;
	struct kb_workflow w;
	struct kb_prober prober;
	struct kb_system system;
	struct kb_params params;
};

/* Before anything is measured: a name that is mistyped would cost the time of all before it. */
static void check_name(const struct kb_command *command, const char *name)
{
	struct kb_nearest nearest = { .typed = name };

	for (const struct kb_params_finder *parameter = kb_parameters; parameter->name; parameter++) {
		if (strcmp(parameter->name, name) == 0)
			return;
		kb_nearest_offer(&nearest, parameter->name);
	}
	kb_usage(command, "no parameter '%.64s'%s%s%s", name, nearest.best ? ", did you mean " : "", nearest.best ?: "", nearest.best ? "?" : "");
}

/* Nothing is stored: points of a search are no results, and their rows have one process. */
static void find(struct job *job, const struct kb_command *command, char **names)
{
	static const struct kb_fact_source machine = { "" };
	struct kb_prober *prober = &job->prober;
	struct kb_run_observer observer;
	struct kb_failure failure;

	kb_die_if(command, kb_workflow_prepare(&job->request.w, &job->w, &failure), &failure);
	kb_warn_emulated(command);
	observer = kb_watch_observer(&job->w.watch);
	prober->run = job->w.run;
	prober->run.budget_ns = job->request.w.run.budget_ns;
	prober->cpu_count = kb_cpus_list(job->request.w.cpus, prober->cpus, KB_PROBER_CPUS_MAX);
	prober->benches = kb_benches;
	prober->observer = &observer;
	kb_system_read(&machine, prober->run.cpus.measure, &job->system);
	kb_parameters_find(names, prober, &job->system, &job->params);
	kb_watch_close(&job->w.watch, job->w.started);
}

static void print(const struct job *job)
{
	struct kb_style style = kb_style_here(job->request.verbose);

	kb_print_heading(job->w.started, job->w.env);
	kb_params_print(stdout, &job->params, &style);
	if (job->request.verbose)
		kb_mhz_print(stdout, &job->params.mhz, &style);
	for (unsigned i = 0; i < job->params.picture_count; i++) {
		fputc('\n', stdout);
		kb_picture_print(stdout, &job->params.pictures[i], kb_plot_width(stdout), style.utf8);
	}
	printf("\nranges: from the last point that fits to the first that does not\n%u processes, seed %llu%s\n", job->prober.processes,
	       (unsigned long long)job->w.run.seed, job->prober.signal ? ", stopped by a signal" : "");
}

static int params_main(const struct kb_command *command, int argc, char **argv)
{
	struct job *job = kb_need_memory(command, calloc(1, sizeof *job));
	int code = KB_EXIT_DONE;

	job->request.w = kb_workflow_defaults();
	job->request.w.run = (struct kb_run_options){ .timeout_ns = 30 * KB_S, .seed = job->request.w.run.seed };
	kb_begin_request(command, &job->request.w, argc, argv);
	kb_read_options(command, argc, argv, &job->request);
	for (int i = optind; i < argc; i++)
		check_name(command, argv[i]);
	find(job, command, argv + optind);
	if (job->request.json)
		kb_print_measured(KB_PARAMS_SCHEMA, &job->w, kb_params_to_json(&job->params));
	else
		print(job);
	if (job->prober.signal)
		code = KB_EXIT_SIGNAL + job->prober.signal;
	else if (!job->prober.processes)
		code = KB_EXIT_FAILED;
	kb_system_end(&job->system);
	kb_workflow_release(&job->w);
	free(job);
	return code;
}

const struct kb_command kb_command_params = {
	.name = "params",
	.arguments = "[NAME...]",
	.summary = "Infer clocks, caches, lines and translation from timing",
	.text = "Each value is compared with what the system reports: agree, disagree, unverified or not inferable, with the reason.\n"
		"NAME is clock, cache, line, assoc, tlb, tlb_huge, page_walk, memory, core or sharing, or a picture: latency and\n"
		"bandwidth, over size and stride, or ring, switches over processes and working set. Without a name all are measured.\n"
		"A size lies between the last point that fits and the first that does not. Nothing is stored.\n",
	.options = options,
	.examples = "  kbench params\n"
		    "  kbench params line cache --budget 20s\n"
		    "  kbench params latency bandwidth ring\n"
		    "  kbench params clock -v\n"
		    "  kbench params clock --json\n",
	.exits = "  0 done, also where something is not inferable; 2 usage, unwritable output; 5 nothing could be measured;\n"
		 "  128+n stopped by signal n, after printing what was found.\n",
	.main = params_main,
};
