/* kbench run: measures, and prints a table or a document. */
#include "cli/run.h"

#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "base/interference.h"
#include "base/plan.h"
#include "base/text.h"
#include "cli/cli.h"
#include "report/text/records.h"
#include "result/json/json.h"
#include "result/summary/kernel.h"
#include "run/engine.h"
#include "workflow/machine.h"

/* Three are needed for a confidence interval; fewer are allowed and their verdict says so. More than this is a typing error:
   a process takes a tenth of a second at least. */
#define PROCESSES_MAX 1000

/* So many groups of 30 tests take a minute at the least. */
#define GROUPS_MAX 10000

/* ---- the command line ------------------------------------------------------------------------------------ */

/* Each number once; the largest is how many collectors are needed. */
static int read_copies(const char *value, void *place, struct kb_failure *failure)
{
	struct kb_workflow_request *request = place;
	bool seen[KB_COPIES_MAX + 1] = { false };

	request->run.copies = 0;
	for (const char *at = value, *end; at; at = *end ? end + 1 : NULL) {
		uint64_t number = 0;

		end = at + strcspn(at, ",");
		if (!kb_span_u64((struct kb_span){ at, (size_t)(end - at) }, &number) || number < 1 || number > KB_COPIES_MAX ||
		    seen[number])
			return kb_refuse_typed(failure, "--parallel '%.40s': must be numbers of copies from 1 to %d, each once, such as 1,2,4",
					       value, KB_COPIES_MAX);
		seen[number] = true;
		request->run.copies = number > request->run.copies ? (unsigned)number : request->run.copies;
	}
	request->parallel = value;
	return 0;
}

/* A list of kinds, each once: a row twice would have one name. */
static int read_kinds(const char *value, void *place, struct kb_failure *failure)
{
	unsigned seen = 0;

	for (const char *at = value, *end; at; at = *end ? end + 1 : NULL) {
		size_t length = strcspn(at, ",");
		enum kb_interference kind = kb_interference_find(at, length);

		end = at + length;
		if (kind == KB_INTERFERENCES || (seen >> kind & 1))
			return kb_refuse_typed(failure, "--interfere '%.40s': must be some of memory, cache, syscalls and spin, each once",
					       value);
		seen |= 1u << kind;
	}
	*(const char **)place = value;
	return 0;
}

static int read_event(const char *value, void *place, struct kb_failure *failure)
{
	return kb_add_event(value, place, failure);
}

void kb_begin_request(const struct kb_command *command, struct kb_workflow_request *request, int argc, char **argv)
{
	request->program = command->program;
	request->argc = argc;
	request->argv = argv;
	request->progress = true;
	request->notes = kb_notes_of(command);
}

#define INTO(kind, ...) KB_OPTION(kind, struct kb_run_request, __VA_ARGS__)

const struct kb_option kb_run_option_table[] = {
	{ 'p', "param", "NAME=VALUE[,VALUE...]", "set a parameter, or sweep it; may be repeated", "the values of 'kbench list'",
	  INTO(WORDS, sets) },
	{ 0, "plugin", "FILE.so", "measure the benchmark of a plug-in; alone without PATTERN", NULL, INTO(WORD, w.plugin) },
	{ 0, "precision", "PERCENT", "stop when every 95 % CI is this narrow", "1%; kanata 2%, of its own CIs", INTO(PERCENT, w.run.precision) },
	{ 0, "budget", "TIME", "stop after this time", "60s; full 600s, lmbench 300s, quick 20s",
	  INTO(TIME, w.run.budget_ns, .least = 10 * KB_MS) },
	{ 0, "processes", "N", "fresh processes for each result", "6", INTO(NUMBER, w.run.processes, .least = 1, .most = PROCESSES_MAX) },
	{ 0, "timeout", "TIME", "time limit of one process", "30s", INTO(TIME, w.run.timeout_ns, .least = 10 * KB_MS) },
	{ 0, "cpus", "LIST", "CPUs to measure on, such as 2,3", "those this process may use", INTO(WORD, w.cpus) },
	{ 0, "clock", "auto|ns", "the CPU's time stamps, or clock_gettime", "auto", INTO(READ, w.run.clock, .read = kb_read_clock_name) },
	{ 0, "seed", "N", "order of processes and samples", "a random one, printed",
	  INTO(NUMBER, w.run.seed, .most = KB_JSON_WHOLE_MAX - 1) },
	{ 0, "store", "FILE", "where the run is kept", "$XDG_DATA_HOME/kbench/kbench.db", INTO(WORD, w.store) },
	{ 0, "no-store", NULL, "keep nothing", NULL, INTO(FLAG, w.no_store) },
	{ 0, "label", "TEXT", "a name for the run, for 'kbench show'", NULL, INTO(LABEL, w.label) },
	{ 0, "strict", NULL, "exit with 3 if 'kbench doctor' finds the machine unfit", NULL, INTO(FLAG, w.strict) },
	{ 0, "json", NULL, "print kbench-result/2 instead of the table", NULL, INTO(FLAG, json) },
	{ 'v', "verbose", NULL, "print all that is known about each result", NULL, INTO(FLAG, verbose) },
	{ 0, "method", "slope|single|paired|kanata", "how to measure", "by the cost of an operation",
	  INTO(CHOICE, w.run.method, .least = KB_METHOD_SLOPE) },
	{ 0, "suite", "quick|standard|full|lmbench", "measure this selection", "standard; with PATTERN all that match",
	  INTO(CHOICE, w.suite, .least = KB_SELECT_QUICK) },
	{ 0, "defaults", NULL, "use only the first value of each parameter that no -p sets", NULL, INTO(FLAG, w.defaults) },
	{ 0, "initial", "N", "kanata: initial test size", "30", INTO(NUMBER, w.run.kanata.initial, .least = 1, .most = KB_TEST_SIZE_MAX) },
	{ 0, "delta", "N", "kanata: by which each group's test size grows", "1",
	  INTO(NUMBER, w.run.kanata.delta, .most = KB_TEST_SIZE_MAX) },
	{ 0, "group-size", "N", "kanata: tests of a group, S", "30",
	  INTO(NUMBER, w.run.kanata.group_size, .least = 2, .most = KB_GROUP_TESTS_MAX) },
	{ 0, "groups", "N", "kanata: number of groups", "5", INTO(NUMBER, w.run.kanata.groups, .least = 1, .most = GROUPS_MAX) },
	{ 0, "skip", "K", "kanata: first tests of a group that do not count", "0",
	  INTO(NUMBER, w.run.kanata.skip, .most = KB_GROUP_TESTS_MAX) },
	{ 0, "confidence", "PERCENT", "kanata: of its confidence intervals", "90%", INTO(PERCENT, w.run.kanata.confidence) },
	{ 0, "parallel", "N[,N...]", "run N copies of each benchmark at the same time, each on its own CPU, and report their sum", NULL,
	  INTO(READ, w, .read = read_copies) },
	{ 0, "interfere", "memory|cache|syscalls|spin[,...]",
	  "measure each benchmark also under interference from another CPU, and print the ratio", NULL,
	  INTO(READ, w.interfere, .read = read_kinds) },
	{ 0, "event", "NAME", "count this hardware event for each result, by its name in libpfm4; up to 4 times", NULL,
	  INTO(READ, w.run, .read = read_event) },
	{ 0, "emulate", NULL, "also run cross-compiled programs in an emulator, which checks them and gives no times", NULL,
	  INTO(FLAG, w.emulate) },
	{ 0, "unit", "ns|us|ms|s|cycles", "print all results in this unit that have it", "the one that fits each",
	  INTO(CHOICE_WORD, unit) },
	{ 0 }
};

/* ---- output ---------------------------------------------------------------------------------------------- */

/* What ended it, as far as its results came; how to repeat it (the seed), where it is kept, and what to do with it. Results whose cost
   must be nothing have no relative precision. */
static void print_end(const struct kb_workflow *w, const struct kb_result *const *results)
{
	const struct kb_run_options *run = &w->run;
	const struct kb_run_outcome *outcome = &w->outcome;
	const char *sign = kb_style_here(false).utf8 ? "\u00b1" : "+-";
	size_t reached = 0, all = 0;

	for (size_t i = 0; i < w->count; i++) {
		all += results[i]->bound != KB_NOTHING;
		reached += kb_verdict_has(&results[i]->verdict, KB_CODE_target_met);
	}
	if (!outcome->clock.ladder_ok && outcome->ladder[0])
		printf("the clock fails its self-test: %s\n", outcome->ladder);
	if (outcome->interrupted)
		printf("stopped by signal %d (%s)", outcome->signal, strsignal(outcome->signal));
	else if (outcome->processes == 0)
		printf("nothing was measured");
	else if (outcome->precision_met)
		printf("precision reached: %zu of %zu results within %s%.4g %%", reached, all, sign, 100 * run->precision);
	else
		printf("time budget (%.4g s) used up: %zu of %zu results reached %s%.4g %%", (double)run->budget_ns / 1e9, reached, all,
		       sign, 100 * run->precision);
	printf("; %u processes in %.1f s, seed %llu\n", outcome->processes, (double)outcome->elapsed_ns / 1e9,
	       (unsigned long long)w->run.seed);
	if (!kb_workflow_kept(w)) {
		printf("not saved%s\n", w->watch.lost ? "" : " (--no-store)");
		return;
	}
	printf("run %s in %s\n", w->id, w->watch.place);
	printf("next: kbench show %s   what stands behind a result    kbench compare last~1 last\n",
	       kb_print_example(results, w->count));
}

/* "standard", "quick: sys", "sys ipc.*", "mine.so" */
static void print_selection(const struct kb_workflow_request *request, enum kb_selection selection, char *text, size_t room)
{
	const char *suite = kb_selection_name(selection), *file = request->program ?: request->plugin, *slash = file ? strrchr(file, '/') : NULL;
	struct kb_text title = kb_text_in(text, room);

	if (suite)
		kb_text_str(&title, suite);
	for (size_t i = 0; i < request->pattern_count; i++) {
		kb_text_str(&title, i == 0 && suite ? ": " : i > 0 ? " " : "");
		kb_text_str(&title, request->patterns[i]);
	}
	if (file) {
		kb_text_str(&title, title.used > 0 ? " " : "");
		kb_text_str(&title, slash ? slash + 1 : file);
	}
	if (title.cut)
		snprintf(text, room, "selection");
}

static void print_results(const struct kb_command *command, const struct kb_run_request *request, const struct kb_workflow *w,
			  const struct kb_result *const *results)
{
	struct kb_heading heading = kb_heading_of(NULL, w->env, NULL, NULL);
	char title[80];

	print_selection(&request->w, w->suite, title, sizeof title);
	heading.title = title;
	heading.seconds = (double)w->outcome.elapsed_ns / 1e9;
	kb_print_results(&heading, results, w->count, request->verbose, request->unit);
	for (size_t i = 0; i < w->count; i++) {
		const struct kb_row_state *state = w->rows[i].state;
		struct kb_failure failure;

		struct kb_process_text *texts = state ? kb_kept_unpack(state->texts, state->text_count) : NULL;

		if (texts)
			kb_die_if(command, kb_records_tables(results[i], texts, state->text_count, w->run.kanata.half_width, false, &failure),
				  &failure);
		if (texts && (request->verbose || w->count == 1))
			fputs(kb_kernel_summary(results[i], texts, state->text_count, kb_style_here(false).utf8), stdout);
		kb_kept_release(texts, state ? state->text_count : 0);
	}
	print_end(w, results);
}

int kb_run_measure(const struct kb_command *command, struct kb_run_request *request, uint64_t given, int argc, char **argv)
{
	static struct kb_workflow w;    /* plug-ins and their rows are pointed at until the program ends */
	const struct kb_result **results;
	struct kb_failure failure;
	int code;

	/* An option whose help says that only method kanata has it was meant for it. */
	for (const struct kb_option *option = command->options; option->name; option++, given >>= 1) {
		if ((given & 1) && strncmp(option->summary, "kanata: ", 8) == 0 && request->w.run.method != KB_METHOD_KANATA)
			kb_usage(command, "--%s belongs to --method kanata", option->name);
	}
	request->w.sets = request->sets.at;
	request->w.set_count = request->sets.count;
	kb_begin_request(command, &request->w, argc, argv);
	kb_die_if(command, kb_workflow_measure(&request->w, &w, &failure), &failure);
	results = calloc(w.count, sizeof *results);
	if (!results)
		kb_die(command, KB_EXIT_USAGE, "out of memory; 'kbench show' prints the run");
	for (size_t i = 0; i < w.count; i++)
		results[i] = &w.rows[i].result;
	if (request->json)
		kb_print_run(&w.stored, w.env, results, w.count);
	else
		print_results(command, request, &w, results);
	free(results);
	code = kb_workflow_code(&w, kb_workflow_rows_code(&w));
	kb_workflow_release(&w);
	free(request->sets.at);
	return code;
}

static int run_main(const struct kb_command *command, int argc, char **argv)
{
	struct kb_run_request request = { .w = kb_workflow_defaults() };
	uint64_t given = kb_read_options(command, argc, argv, &request);

	request.w.patterns = (const char *const *)argv + optind;
	request.w.pattern_count = (size_t)(argc - optind);
	return kb_run_measure(command, &request, given, argc, argv);
}

const struct kb_command kb_command_run = {
	.name = "run",
	.arguments = "[PATTERN...]",
	.summary = "Measure benchmarks, print a table and keep the run",
	.text = "A pattern is a name, a domain (sys) or a shell glob ('*.null'); without one, all of the standard suite are measured.\n"
		"Ctrl-C ends the run after the process that is running and keeps what was measured.\n",
	.options = kb_run_option_table,
	.examples = "  kbench run\n"
		    "  kbench run sys 'ipc.*' --budget 20s\n"
		    "  kbench run mem.latency -p size=16K,1M,64M --precision 0.5%\n"
		    "  kbench run ipc.notify --method kanata --initial 300 --groups 1\n"
		    "  kbench run mem.bw_copy --parallel 1,2,4\n"
		    "  kbench run mem.latency --interfere memory,spin\n"
		    "  kbench run --plugin ./mine.so --json\n"
		    "  kbench run 'yamba.*' --emulate\n",
	.exits = "  0 done; 2 usage, bad plug-in, nothing saved, unwritable output; 3 unfit with --strict;\n"
		 "  5 a benchmark failed; 128+n stopped by signal n, after saving.\n"
		 "  Precedence: 2, 128+n, 5, 3.\n",
	.main = run_main,
};
