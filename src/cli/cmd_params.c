/* kbench params: what this machine's caches, clocks and lines are by timing, beside what the system says of them. */
#include "cli/cli.h"

#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/emulated.h"
#include "cli/floor.h"
#include "cli/print.h"
#include "cli/stamp.h"
#include "cli/start.h"
#include "cli/values.h"
#include "cli/watch.h"
#include "report/text/params.h"
#include "report/text/plot.h"
#include "result/json/json.h"
#include "suite/nearest.h"
#include "suite/select.h"

enum { BUDGET, CPUS, SEED, JSON, VERBOSE };

static const struct kb_option options[] = {
	[BUDGET] = { 0, "budget", "TIME", "for each parameter", "10s" },
	[CPUS] = { 0, "cpus", "LIST", "CPUs to measure on, such as 2,3", "those this process may use" },
	[SEED] = { 0, "seed", "N", "order of processes and of memory", "a random one, printed" },
	[JSON] = { 0, "json", NULL, "print kbench-params/1", NULL },
	[VERBOSE] = { 'v', "verbose", NULL, "print how sure each value is", NULL },
	{ 0 }
};

struct job {
	const struct kb_command *command;
	struct kb_prober prober;
	struct kb_watch watch;
	struct kb_run_observer observer;
	struct kb_system system;
	struct kb_params params;
	char collector[PATH_MAX], started[21];
	char *env_text;
	json_t *env;
	const char *cpus;
	uint64_t seed;
	bool json, verbose;
};

static void read_options(struct job *job, int argc, char **argv)
{
	struct kb_run_options *run = &job->prober.run;
	const char *value;
	int option;

	*run = (struct kb_run_options){
		.budget_ns = 10 * KB_S, .timeout_ns = 30 * KB_S, .seed = kb_start_seed(),
	};
	while ((option = kb_next_option(job->command, argc, argv, &value)) >= 0) {
		switch (option) {
		case BUDGET: run->budget_ns = kb_value_time(job->command, "budget", value, KB_S); break;
		case CPUS: job->cpus = value; break;
		case SEED: run->seed = kb_value_number(job->command, "seed", value, 0, KB_JSON_WHOLE_MAX / 2); break;
		case JSON: job->json = true; break;
		case VERBOSE: job->verbose = true; break;
		}
	}
	job->seed = run->seed;
}

/* Before anything is measured: a name that is mistyped would cost the time of all before it. */
static void check_names(const struct kb_command *command, char **names)
{
	for (; *names; names++) {
		struct kb_nearest nearest = { .typed = *names };
		bool known = false;

		for (const struct kb_parameter *parameter = kb_parameters; parameter->name; parameter++) {
			known = known || strcmp(parameter->name, *names) == 0;
			kb_nearest_offer(&nearest, parameter->name);
		}
		if (!known && nearest.best)
			kb_usage(command, "no parameter '%.64s', did you mean %s?", *names, nearest.best);
		if (!known)
			kb_usage(command, "no parameter '%.64s'", *names);
	}
}

static bool wanted(const char *name, char **names)
{
	if (!*names)
		return true;
	while (*names && strcmp(name, *names) != 0)
		names++;
	return *names != NULL;
}

static void start(struct job *job)
{
	static const struct kb_source machine = { "" };
	struct kb_prober *prober = &job->prober;

	kb_start_cpus(job->command, job->cpus, &prober->run.cpus);
	prober->cpu_count = kb_cpus_list(job->cpus, prober->cpus, KB_PROBER_CPUS_MAX);
	kb_start_collector(job->command, job->collector);
	kb_start_look(job->command, false, &job->env, &job->env_text);
	kb_floor_start(job->env, NULL, &prober->run);
	kb_system_read(&machine, prober->run.cpus.measure, &job->system);
	kb_stamp_now(job->started);
	if (kb_stamp_id(prober->run.id))
		kb_die(job->command, KB_EXIT_USAGE, "no random numbers for the run's id");
	/* Nothing is stored: points of a search are no results, and their rows have one launch. */
	job->watch = (struct kb_watch){ .command = job->command, .terminal = isatty(STDERR_FILENO) };
	job->observer = kb_watch_observer(&job->watch);
	prober->benches = kb_benches;
	prober->run.collector = job->collector;
	prober->observer = &job->observer;
	kb_start_signals();
}

static void print(const struct job *job)
{
	struct kb_style look = kb_style_here(job->verbose);

	kb_print_heading(job->started, job->env);
	kb_params_print(stdout, &job->params, &look);
	for (unsigned i = 0; i < job->params.picture_count; i++) {
		fputc('\n', stdout);
		kb_picture_print(stdout, &job->params.pictures[i], kb_plot_width(stdout), look.utf8);
	}
	printf("\nranges: from the last point that fits to the first that does not\n%u processes, seed %llu%s\n", job->prober.launches,
	       (unsigned long long)job->seed, job->prober.signal ? ", stopped by a signal" : "");
}

static void print_document(const struct job *job)
{
	json_t *inferred = kb_params_to_json(&job->params);
	json_t *document = json_pack("{s:s, s:s, s:o, s:O}", "schema", KB_PARAMS_SCHEMA, "started", job->started,
				     "seed", kb_json_whole(job->seed), "env", job->env);

	json_object_update(document, inferred);
	json_decref(inferred);
	kb_print_json(document);
}

static int params_main(const struct kb_command *command, int argc, char **argv)
{
	struct job *job = calloc(1, sizeof *job);

	if (!job)
		kb_die(command, KB_EXIT_USAGE, "out of memory");
	job->command = command;
	read_options(job, argc, argv);
	check_names(command, argv + optind);
	start(job);
	kb_warn_emulated(command);
	for (const struct kb_parameter *parameter = kb_parameters; parameter->name && !job->prober.signal; parameter++) {
		if (wanted(parameter->name, argv + optind))
			kb_parameter_find(parameter, &job->prober, &job->system, &job->params);
	}
	kb_watch_close(&job->watch, job->started);
	if (job->json)
		print_document(job);
	else
		print(job);

	int code = job->prober.signal ? KB_EXIT_SIGNAL + job->prober.signal : job->prober.launches ? KB_EXIT_DONE : KB_EXIT_FAILED;

	kb_system_end(&job->system);
	json_decref(job->env);
	free(job->env_text);
	free(job);
	return code;
}

const struct kb_command kb_command_params = {
	.name = "params",
	.arguments = "[NAME...]",
	.summary = "Infer clocks, caches, lines and translation from timing",
	.text = "Beside each value stands what the system says: agree, disagree, unverified or not inferable, with the reason.\n"
		"NAME is clock, cache, line, assoc, tlb, tlb_huge, page_walk, memory, core or sharing, or a picture: latency, over size\n"
		"and stride, or ring, switches over processes and working set. Without a name all are measured.\n"
		"A size lies between the last point that fits and the first that does not. Nothing is stored.\n",
	.options = options,
	.examples = "  kbench params\n"
		    "  kbench params line cache --budget 20s\n"
		    "  kbench params latency ring\n"
		    "  kbench params clock --json\n",
	.exits = "  0 done, also where something is not inferable; 2 usage, unwritable output; 5 nothing could be measured;\n"
		 "  128+n stopped by signal n, after printing what was found.\n",
	.main = params_main,
};
