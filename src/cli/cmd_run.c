/* kbench run: measures, and prints a table or a document. */
#include "cli/run.h"

#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "base/interference.h"
#include "base/plan.h"
#include "base/text.h"
#include "cli/cli.h"
#include "cli/export_format.h"
#include "result/json/json.h"
#include "workflow/machine.h"

/* Three are needed for a confidence interval; fewer are allowed and their verdict says so. More than this is a typing error:
   a process takes a tenth of a second at least. */
#define PROCESSES_MAX 1000

/* So many groups of 30 tests take a minute at the least. */
#define GROUPS_MAX 10000

/* Of what changed against the baseline: smaller differences do not matter. As usual for `kbench compare`. */
#define MARGIN 0.01

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

/* What --fail-on may name: verdicts, and a comparison. */
static int read_fail_on(const char *value, void *place, struct kb_failure *failure)
{
	unsigned *fail_on = place;

	for (const char *at = value, *end; at; at = *end ? end + 1 : NULL) {
		struct kb_span word = { at, strcspn(at, ",") };
		unsigned bit = KB_NOISY;

		end = at + word.length;
		while (bit < KB_STATUSES && !kb_span_is(word, kb_status_name((enum kb_status)bit)))
			bit++;
		if (bit == KB_STATUSES && !kb_span_is(word, "slower"))
			return kb_refuse_typed(failure, "--fail-on '%.40s': must be some of noisy, unverified, invalid, skipped and slower", value);
		*fail_on |= 1u << bit;
	}
	return 0;
}

#define INTO(kind, ...) KB_OPTION(kind, struct kb_run_request, __VA_ARGS__)

#define HOW "how it is measured"
#define PRINTED "what is printed"
#define KEPT "what is kept, and what it is held against"
#define KANATA "method kanata, of the source document"

const struct kb_option kb_run_option_table[] = {
	{ 'p', "param", "NAME=VALUE[,VALUE...]", "set a parameter, or sweep it; may be repeated", "the values of 'kbench list'",
	  INTO(WORDS, sets) },
	{ 0, "suite", "quick|standard|full|lmbench", "measure this selection", "standard; with PATTERN all that match",
	  INTO(CHOICE, w.suite, .least = KB_SELECT_QUICK) },
	{ 0, "exclude", "PATTERN", "leave out benchmarks, or results such as 'mem.latency size=64M*'; may be repeated", NULL,
	  INTO(WORDS, excludes) },
	{ 0, "defaults", NULL, "use only the first value of each parameter that no -p sets", NULL, INTO(FLAG, w.defaults) },
	{ 0, "plugin", "FILE.so", "measure the benchmark of a plug-in; alone without PATTERN", NULL, INTO(WORD, w.plugin) },
	{ 0, "budget", "TIME", "stop after this time", "60s; full and lmbench 600s, quick 20s",
	  INTO(TIME, w.run.budget_ns, .least = 10 * KB_MS) },
	{ 0, "precision", "PERCENT", "stop when every 95 % CI is this narrow", "1%; kanata 2%, of its own CIs",
	  INTO(PERCENT, w.run.precision) },
	{ 0, "dry-run", NULL, "print what would be measured and how long, and measure nothing", NULL, INTO(FLAG, dry_run) },

	{ 0, "processes", "N", "fresh processes for each result", "6",
	  INTO(NUMBER, w.run.processes, .least = 1, .most = PROCESSES_MAX, .group = HOW) },
	{ 0, "timeout", "TIME", "time limit of one process", "30s", INTO(TIME, w.run.timeout_ns, .least = 10 * KB_MS, .group = HOW) },
	{ 0, "cpus", "LIST", "CPUs to measure on, such as 2,3", "those this process may use", INTO(WORD, w.cpus, .group = HOW) },
	{ 0, "clock", "auto|ns", "the CPU's time stamps, or clock_gettime", "auto",
	  INTO(READ, w.run.clock, .read = kb_read_clock_name, .group = HOW) },
	{ 0, "seed", "N", "order of processes and samples", "a random one, printed",
	  INTO(NUMBER, w.run.seed, .most = KB_JSON_WHOLE_MAX - 1, .group = HOW) },
	{ 0, "method", "slope|single|paired|kanata", "how to measure", "by the cost of an operation",
	  INTO(CHOICE, w.run.method, .least = KB_METHOD_SLOPE, .group = HOW) },
	{ 0, "parallel", "N[,N...]", "run N copies of each benchmark at the same time, each on its own CPU, and report their sum", NULL,
	  INTO(READ, w, .read = read_copies, .group = HOW) },
	{ 0, "interfere", "memory|cache|syscalls|spin[,...]",
	  "measure each benchmark also under interference from another CPU, and print the ratio", NULL,
	  INTO(READ, w.interfere, .read = read_kinds, .group = HOW) },
	{ 0, "event", "NAME", "count this hardware event for each result, by its name in libpfm4; up to 4 times", NULL,
	  INTO(READ, w.run, .read = read_event, .group = HOW) },
	{ 0, "emulate", NULL, "also run cross-compiled programs in an emulator, which checks them and gives no times", NULL,
	  INTO(FLAG, w.emulate, .group = HOW) },

	{ 'v', "verbose", NULL, "print all that is known about each result", NULL, INTO(FLAG, verbose, .group = PRINTED) },
	{ 0, "quiet", NULL, "print only the results: no heading, notes, counts or progress", NULL, INTO(FLAG, quiet, .group = PRINTED) },
	{ 0, "sort", "name|cost|ci|verdict", "one list: by name, or the dearest, widest CI or worst verdict first", "by domain",
	  INTO(CHOICE, order, .least = KB_TABLE_NAME, .group = PRINTED) },
	{ 0, "unit", "ns|us|ms|s|cycles", "print all results in this unit that have it", "the one that fits each",
	  INTO(CHOICE_WORD, unit, .group = PRINTED) },
	{ 0, "json", NULL, "print kbench-result/2 instead of the table", NULL, INTO(FLAG, json, .group = PRINTED) },
	{ 0, "format", "FORMAT", "print it in this format of 'kbench export' instead: lmbench, csv, markdown ...", NULL,
	  INTO(READ, format, .read = kb_read_export_format, .group = PRINTED) },

	{ 0, "label", "TEXT", "a name for the run, for 'kbench show'", NULL, INTO(LABEL, w.label, .group = KEPT) },
	{ 0, "store", "FILE", "where the run is kept", "$XDG_DATA_HOME/kbench/kbench.db", INTO(WORD, w.store, .group = KEPT) },
	{ 0, "no-store", NULL, "keep nothing", NULL, INTO(FLAG, w.no_store, .group = KEPT) },
	{ 0, "baseline", "RUN", "print what changed against this run", "the last one like it on this machine",
	  INTO(WORD, baseline, .group = KEPT) },
	{ 0, "fail-on", "VERDICT[,...]", "exit with 5 if one is noisy, unverified or skipped, with 1 if slower", "invalid",
	  INTO(READ, fail_on, .read = read_fail_on, .group = KEPT) },
	{ 0, "strict", NULL, "exit with 3 if 'kbench doctor' finds the machine unfit", NULL, INTO(FLAG, w.strict, .group = KEPT) },

	{ 0, "initial", "N", "initial test size", "30", INTO(NUMBER, w.run.kanata.initial, .least = 1, .most = KB_TEST_SIZE_MAX, .group = KANATA) },
	{ 0, "delta", "N", "by which each group's test size grows", "1",
	  INTO(NUMBER, w.run.kanata.delta, .most = KB_TEST_SIZE_MAX, .group = KANATA) },
	{ 0, "group-size", "N", "tests of a group, S", "30",
	  INTO(NUMBER, w.run.kanata.group_size, .least = 2, .most = KB_GROUP_TESTS_MAX, .group = KANATA) },
	{ 0, "groups", "N", "number of groups", "5", INTO(NUMBER, w.run.kanata.groups, .least = 1, .most = GROUPS_MAX, .group = KANATA) },
	{ 0, "skip", "K", "first tests of a group that do not count", "0",
	  INTO(NUMBER, w.run.kanata.skip, .most = KB_GROUP_TESTS_MAX, .group = KANATA) },
	{ 0, "confidence", "PERCENT", "of its confidence intervals, which --precision is about", "90%",
	  INTO(PERCENT, w.run.kanata.confidence, .group = KANATA) },
	{ 0 }
};

/* ---- measuring --------------------------------------------------------------------------------------------- */

/* What makes sense only together, as far as it is about what is printed. */
static void check_options(const struct kb_command *command, const struct kb_run_request *request, uint64_t given)
{
	/* An option of the group of method kanata was meant for it. */
	for (const struct kb_option *option = command->options; option->name; option++, given >>= 1) {
		if ((given & 1) && option->into.group && strcmp(option->into.group, KANATA) == 0 && request->w.run.method != KB_METHOD_KANATA)
			kb_usage(command, "--%s belongs to --method kanata", option->name);
	}
	if (request->quiet && request->verbose)
		kb_usage(command, "--quiet and --verbose exclude each other");
	if (request->w.no_store && (request->baseline || request->fail_on >> KB_FAIL_ON_SLOWER & 1))
		kb_usage(command, "%s and --no-store exclude each other: only a run that is kept can be compared",
			 request->baseline ? "--baseline" : "--fail-on slower");
	if (request->dry_run && (request->json || request->format))
		kb_usage(command, "--dry-run and --%s exclude each other: nothing is measured", request->json ? "json" : "format");
	if (request->json && request->format)
		kb_usage(command, "--json and --format exclude each other");
	kb_check_export_format(command, request->format);
}

static bool is_given(const struct kb_command *command, uint64_t given, const char *name)
{
	unsigned i = 0;

	while (command->options[i].name && strcmp(command->options[i].name, name) != 0)
		i++;
	return command->options[i].name && (given >> i & 1);
}

static void take_request(const struct kb_command *command, struct kb_run_request *request, uint64_t given, int argc, char **argv)
{
	request->w.run.processes_given = is_given(command, given, "processes");
	request->w.sets = request->sets.at;
	request->w.set_count = request->sets.count;
	request->w.excludes = request->excludes.at;
	request->w.exclude_count = request->excludes.count;
	kb_begin_request(command, &request->w, argc, argv);
	if (request->quiet) {
		request->w.progress = false;
		request->w.errors = request->w.notes;
		request->w.notes = (struct kb_notes){ NULL, NULL };
	}
}

/* Before anything is measured: a gate that has nothing to judge by must not pass, nor take a minute to say so. */
static void find_baseline(const struct kb_command *command, const struct kb_run_request *request, const struct kb_workflow *w,
			  struct kb_baseline *baseline)
{
	struct kb_failure failure;

	kb_die_if(command, kb_baseline_find(&request->w, w, request->baseline, baseline, &failure), &failure);
	if (!baseline->id[0] && !request->dry_run && (request->fail_on >> KB_FAIL_ON_SLOWER & 1))
		kb_die(command, KB_EXIT_USAGE, "--fail-on slower: no older run of this machine has these results; measure one first, or name one "
		       "with --baseline");
}

static void print_table(const struct kb_run_request *request, const struct kb_workflow *w, const struct kb_result *const *results,
			const struct kb_baseline *baseline)
{
	struct kb_heading heading = kb_heading_of(NULL, w->env, NULL, NULL);
	struct kb_table_options options = { .unit = request->unit, .order = request->order, .changes = baseline->rows,
					    .detail = request->verbose, .quiet = request->quiet };
	char title[KB_SELECTION_ROOM];

	heading.title = kb_run_selection(&request->w, w->suite, title);
	heading.seconds = (double)w->outcome.elapsed_ns / 1e9;
	kb_print_table(&heading, results, w->count, &options);
}

/* The results, and the code of what is wrong with them. */
static int print_run(const struct kb_command *command, const struct kb_run_request *request, const struct kb_workflow *w,
		     const struct kb_baseline *baseline)
{
	const struct kb_result **results = calloc(w->count, sizeof *results);
	int code;

	if (!results)
		kb_die(command, KB_EXIT_USAGE, "out of memory; 'kbench show' prints the run");
	for (size_t i = 0; i < w->count; i++)
		results[i] = &w->rows[i].result;
	if (request->format) {
		kb_print_as(command, request->format, &w->stored, w->env, results, w->count);
	} else if (request->json) {
		kb_print_run(&w->stored, w->env, results, w->count);
	} else {
		print_table(request, w, results, baseline);
		kb_run_print_end(command, request, w, results, baseline);
	}
	code = kb_run_fail(command, request->fail_on, w, baseline);
	free(results);
	return code;
}

static int measure(const struct kb_command *command, const struct kb_run_request *request, struct kb_workflow *w, struct kb_baseline *baseline)
{
	struct kb_failure failure;
	int code, compared = 0;

	kb_die_if(command, kb_workflow_execute(&request->w, w, &failure), &failure);
	if (baseline->id[0] && kb_workflow_kept(w))
		compared = kb_baseline_compare(&request->w, w, MARGIN, baseline, &failure);
	code = print_run(command, request, w, baseline);
	/* What nobody asked to be compared may be incomparable. */
	if (compared && (request->baseline || request->fail_on >> KB_FAIL_ON_SLOWER & 1)) {
		kb_complain(command, "%s", failure.text);
		code = kb_worse_exit(code, compared);
	} else if (compared) {
		kb_note(&request->w.notes, "%s", failure.text);
	}
	return kb_workflow_code(w, kb_worse_exit(code, kb_workflow_rows_code(w)));
}

int kb_run_measure(const struct kb_command *command, struct kb_run_request *request, uint64_t given, int argc, char **argv)
{
	static struct kb_workflow w;    /* plug-ins and their rows are pointed at until the program ends */
	struct kb_baseline baseline;
	struct kb_failure failure;
	int code = KB_EXIT_DONE;

	check_options(command, request, given);
	take_request(command, request, given, argc, argv);
	kb_die_if(command, kb_workflow_plan(&request->w, &w, &failure), &failure);
	find_baseline(command, request, &w, &baseline);
	if (request->dry_run)
		kb_run_print_plan(request, &w, &baseline);
	else
		code = measure(command, request, &w, &baseline);
	kb_baseline_release(&baseline);
	kb_workflow_release(&w);
	free(request->sets.at);
	free(request->excludes.at);
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
		    "  kbench run 'yamba.*' --emulate\n"
		    "  kbench run --exclude net --exclude disk --dry-run\n"
		    "  kbench run sys --baseline before --fail-on slower,unverified --quiet\n",
	.exits = "  0 done; 1 a result is slower than the baseline, with --fail-on slower;\n"
		 "  2 usage, bad plug-in, nothing saved, unwritable output, nothing to compare with; 3 unfit with --strict;\n"
		 "  5 a benchmark failed, or a verdict of --fail-on; 128+n stopped by signal n, after saving.\n"
		 "  Precedence: 2, 128+n, 5, 3, 1.\n",
	.main = run_main,
};
