/*
 * kbench ab: measures two sides in turn and decides. Two runs are kept, side B last, so that `kbench compare last~1 last` says it
 * again.
 */
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/run.h"
#include "report/text/comparison.h"
#include "result/json/comparison.h"
#include "result/json/json.h"
#include "store/document.h"
#include "workflow/ab.h"

enum { A, B };

struct request {
	struct kb_workflow_request w;
	const char *sides[2];
	struct kb_words sets;           /* -p */
	struct kb_words excludes;
	double margin;
	bool gate, json, verbose;
};

#define INTO(kind, ...) KB_OPTION(kind, struct request, __VA_ARGS__)

static const struct kb_option options[] = {
	{ 0, "a", "SIDE", "side A, the base", "kbench-collect as it is", INTO(WORD, sides[A]) },
	{ 0, "b", "SIDE", "side B, the new one", NULL, INTO(WORD, sides[B]) },
	{ 'p', "param", "NAME=VALUE[,VALUE...]", "set a parameter, or sweep it; may be repeated", "the values of 'kbench list'",
	  INTO(WORDS, sets) },
	{ 0, "exclude", "PATTERN", "leave out benchmarks, or results such as 'mem.latency size=64M*'; may be repeated", NULL,
	  INTO(WORDS, excludes) },
	{ 0, "margin", "PERCENT", "smaller differences do not matter", "1%", INTO(MARGIN, margin) },
	{ 0, "gate", NULL, "exit with 1 if a result is slower, with 4 if one is not settled", NULL, INTO(FLAG, gate) },
	{ 0, "budget", "TIME", "stop after this time", "60s", INTO(TIME, w.run.budget_ns, .least = 10 * KB_MS) },
	{ 0, "processes", "N", "pairs of fresh processes for each result, at least; 12 can be decided by", "12",
	  INTO(NUMBER, w.run.processes, .least = 1, .most = KB_PAIRS_MOST) },
	{ 0, "timeout", "TIME", "time limit of one process", "30s", INTO(TIME, w.run.timeout_ns, .least = 10 * KB_MS) },
	{ 0, "cpus", "LIST", "CPUs to measure on, such as 2,3", "those this process may use", INTO(WORD, w.cpus) },
	{ 0, "clock", "auto|ns", "the CPU's time stamps, or clock_gettime", "auto", INTO(READ, w.run.clock, .read = kb_read_clock_name) },
	{ 0, "seed", "N", "order of processes and blocks", "a random one, printed",
	  INTO(NUMBER, w.run.seed, .most = KB_JSON_WHOLE_MAX - 1) },
	{ 0, "store", "FILE", "where the runs are kept", "$XDG_DATA_HOME/kbench/kbench.db", INTO(WORD, w.store) },
	{ 0, "no-store", NULL, "keep nothing", NULL, INTO(FLAG, w.no_store) },
	{ 0, "label", "TEXT", "a name: the runs are called TEXT-a and TEXT-b", "ab", INTO(LABEL, w.label) },
	{ 0, "strict", NULL, "exit with 3 if 'kbench doctor' finds the machine unfit", NULL, INTO(FLAG, w.strict) },
	{ 0, "json", NULL, "print kbench-compare/2 instead of the table", NULL, INTO(FLAG, json) },
	{ 'v', "verbose", NULL, "print p values, variances, and notes", NULL, INTO(FLAG, verbose) },
	{ 0 }
};

struct job {
	struct request request;
	struct kb_ab_workflow ab;
};

static void read_options(const struct kb_command *command, struct request *request, int argc, char **argv)
{
	*request = (struct request){ .w = kb_workflow_defaults(), .sides = { "", NULL }, .margin = 0.01 };
	request->w.label = "ab";
	request->w.run.processes = KB_PAIRS_FEWEST;
	kb_read_options(command, argc, argv, request);
	if (!request->sides[B])
		kb_usage(command, "--b is needed: what is to be compared with side A?");
	request->w.patterns = (const char *const *)argv + optind;
	request->w.pattern_count = (size_t)(argc - optind);
	request->w.sets = request->sets.at;
	request->w.set_count = request->sets.count;
	request->w.excludes = request->excludes.at;
	request->w.exclude_count = request->excludes.count;
	request->w.run.precision = kb_margin_ln(request->margin);
	kb_begin_request(command, &request->w, argc, argv);
}

/* ---- output ---------------------------------------------------------------------------------------------- */

static void print(const struct job *job)
{
	const struct kb_run_outcome *outcome = &job->ab.outcome;
	const struct kb_workflow *a = &job->ab.side[A].w;
	const char *const *sides = job->request.sides;
	struct kb_style style = kb_style_here(job->request.verbose);

	kb_print_heading(a->started, a->env);
	printf("base  %s\n", kb_shown(sides[A][0] ? sides[A] : a->collector).text);
	printf("new   %s\n\n", kb_shown(sides[B]).text);
	kb_comparison_print(stdout, job->ab.rows, job->ab.count, &style);
	fputc('\n', stdout);
	kb_comparison_count(stdout, job->ab.rows, job->ab.count);
	printf("%u processes in %.1f s, seed %llu", outcome->processes, (double)outcome->elapsed_ns / 1e9,
	       (unsigned long long)job->request.w.run.seed);
	if (outcome->interrupted)
		printf(", stopped by signal %d (%s)\n", outcome->signal, strsignal(outcome->signal));
	else
		printf("%s\n", outcome->precision_met ? "" : ", the budget ended before every result was decided");
	if (kb_ab_kept(&job->ab))
		printf("runs %s (a) and %s (b) in %s\n", a->id, job->ab.side[B].w.id, a->watch.place);
	else
		printf("not saved%s\n", a->watch.lost || job->ab.side[B].w.watch.lost ? "" : " (--no-store)");
}

static int ab_main(const struct kb_command *command, int argc, char **argv)
{
	/* Static: plug-ins and their rows are pointed at until the program ends. */
	static struct job job;
	struct kb_ab_workflow *ab = &job.ab;
	struct kb_failure failure;
	int code;

	read_options(command, &job.request, argc, argv);

	struct kb_ab_request request = { &job.request.w, { job.request.sides[A], job.request.sides[B] }, job.request.w.run.precision };

	kb_die_if(command, kb_ab_measure(&request, ab, &failure), &failure);
	code = kb_gate_exit(ab->rows, ab->count, job.request.gate);
	code = kb_workflow_code(&ab->side[B].w, kb_workflow_code(&ab->side[A].w, code));
	if (job.request.json)
		kb_print_json(kb_comparisons_to_json(kb_stored_run_to_json(&ab->side[A].w.stored), kb_stored_run_to_json(&ab->side[B].w.stored),
						     ab->rows, ab->count, json_array(), json_array(), code));
	else
		print(&job);
	kb_ab_release(ab);
	free(job.request.sets.at);
	free(job.request.excludes.at);
	return code;
}

const struct kb_command kb_command_ab = {
	.name = "ab",
	.arguments = "--b SIDE [PATTERN...]",
	.summary = "Measure two sides in turn and compare them",
	.text = "SIDE is NAME=VALUE words for the collector's environment, the path of another kbench or kbench-collect,\n"
		"or of a plug-in FILE.so; several of these in one word, separated by blanks. Both sides run on the same CPU, block by\n"
		"block in turn, in pairs of fresh processes, until they are told apart, are equivalent, or time is up. Equal\n"
		"sides are told apart three times in a thousand at the most, however noisy the machine is. 'finds' is the\n"
		"smallest difference that would have been found four times in five.\n"
		"Benchmarks inside the kernel and on seL4 cannot take turns: measure each side by 'kbench run --label NAME', then\n"
		"'kbench compare NAME NAME'.\n",
	.options = options,
	.examples = "  kbench ab --a ./old.so --b ./new.so\n"
		    "  kbench ab --b LD_BIND_NOW=1 sys --margin 2% --gate\n"
		    "  kbench ab --b ../new/build/kbench-collect 'ipc.*' --budget 30s --json\n",
	.exits = "  0 done; 1 a result is slower, with --gate; 2 usage, bad plug-in, nothing saved, unwritable output;\n"
		 "  3 unfit with --strict; 4 a result is not settled, with --gate; 5 a benchmark failed;\n"
		 "  128+n stopped by signal n, after saving. Precedence: 2, 128+n, 5, 3, 1, 4.\n",
	.main = ab_main,
};
