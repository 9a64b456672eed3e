/* See request.h. A value is checked where it is read, so that the message can name the option. */
#include "cli/request.h"

#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "base/interference.h"
#include "base/plan.h"
#include "cli/print.h"
#include "cli/start.h"
#include "cli/values.h"
#include "result/json/json.h"

enum {
	PARAM, PLUGIN, PRECISION, BUDGET, PROCESSES, TIMEOUT, CPUS, CLOCK, SEED, STORE, NO_STORE, LABEL, STRICT, JSON,
	VERBOSE, METHOD, SUITE, DEFAULTS, INITIAL, DELTA, GROUP_SIZE, GROUPS, SKIP, CONFIDENCE, HALF_WIDTH,
	PARALLEL, INTERFERE, EVENT, EMULATE, UNIT
};

const struct kb_option kb_request_options[] = {
	[PARAM] = { 'p', "param", "NAME=VALUE[,VALUE...]", "set a parameter, or sweep it; may be repeated",
		    "the values of 'kbench list'" },
	[PLUGIN] = { 0, "plugin", "FILE.so", "measure the benchmark of a plug-in; alone without PATTERN", NULL },
	[PRECISION] = { 0, "precision", "PERCENT", "stop when every 95 % CI is this narrow", "1%" },
	[BUDGET] = { 0, "budget", "TIME", "stop after this time", "60s; full 600s, lmbench 300s, quick 20s" },
	[PROCESSES] = { 0, "processes", "N", "fresh processes for each result", "6" },
	[TIMEOUT] = { 0, "timeout", "TIME", "time limit of one process", "30s" },
	[CPUS] = { 0, "cpus", "LIST", "CPUs to measure on, such as 2,3", "those this process may use" },
	[CLOCK] = { 0, "clock", "auto|ns", "the CPU's time stamps, or clock_gettime", "auto" },
	[SEED] = { 0, "seed", "N", "order of processes and samples", "a random one, printed" },
	[STORE] = { 0, "store", "FILE", "where the run is kept", "$XDG_DATA_HOME/kbench/kbench.db" },
	[NO_STORE] = { 0, "no-store", NULL, "keep nothing", NULL },
	[LABEL] = { 0, "label", "TEXT", "a name for the run, for 'kbench show'", NULL },
	[STRICT] = { 0, "strict", NULL, "exit with 3 if 'kbench doctor' finds the machine unfit", NULL },
	[JSON] = { 0, "json", NULL, "print kbench-result/2 instead of the table", NULL },
	[VERBOSE] = { 'v', "verbose", NULL, "print all that is known about each result", NULL },
	[METHOD] = { 0, "method", "slope|single|paired|kanata", "how to measure", "by the cost of an operation" },
	[SUITE] = { 0, "suite", "quick|standard|full|lmbench", "measure this selection", "standard; with PATTERN all that match" },
	[DEFAULTS] = { 0, "defaults", NULL, "use only the first value of each parameter that no -p sets", NULL },
	[INITIAL] = { 0, "initial", "N", "kanata: initial test size", "30" },
	[DELTA] = { 0, "delta", "N", "kanata: by which each group's test size grows", "1" },
	[GROUP_SIZE] = { 0, "group-size", "N", "kanata: tests of a group, S", "30" },
	[GROUPS] = { 0, "groups", "N", "kanata: number of groups", "5" },
	[SKIP] = { 0, "skip", "K", "kanata: first tests of a group that do not count", "0" },
	[CONFIDENCE] = { 0, "confidence", "PERCENT", "kanata: of its confidence intervals", "90%" },
	[HALF_WIDTH] = { 0, "half-width", "PERCENT", "kanata: repeat with S' until the confidence intervals are this narrow", "2%" },
	[PARALLEL] = { 0, "parallel", "N[,N...]", "run N copies of each benchmark at the same time, each on its own CPU, and report their sum", NULL },
	[INTERFERE] = { 0, "interfere", "memory|cache|syscalls|spin[,...]",
			"measure each benchmark also under interference from another CPU, and print the ratio", NULL },
	[EVENT] = { 0, "event", "NAME", "count this hardware event for each result, by its name in libpfm4; up to 4 times", NULL },
	[EMULATE] = { 0, "emulate", NULL, "also run cross-compiled programs in an emulator, which checks them and gives no times", NULL },
	[UNIT] = { 0, "unit", "ns|us|ms|s|cycles", "print all results in this unit that have it", "the one that fits each" },
	{ 0 }
};

/* Three are needed for a confidence interval; fewer are allowed and their verdict says so. More than this is a typing error:
   a process takes a tenth of a second at least. */
#define PROCESSES_MAX 1000

/* So many groups of 30 tests take a minute at the least. */
#define GROUPS_MAX 10000

static enum kb_method method_of(const struct kb_command *command, const char *value)
{
	enum kb_method method = kb_method_find(value);

	if (method >= KB_METHOD_SLOPE && method <= KB_METHOD_KANATA)
		return method;
	kb_usage(command, "--method '%.40s': must be slope, single, paired or kanata", value);
}

/* Each number once; the largest is how many collectors are needed. */
static void copies_of(struct kb_request *request, const struct kb_command *command, const char *value)
{
	bool seen[KB_COPIES_MAX + 1] = { false };

	request->run.copies = 0;
	for (const char *at = value, *end; at; at = *end ? end + 1 : NULL) {
		uint64_t number = 0;

		end = at + strcspn(at, ",");
		if (!kb_span_u64((struct kb_span){ at, (size_t)(end - at) }, &number) || number < 1 || number > KB_COPIES_MAX ||
		    seen[number])
			kb_usage(command, "--parallel '%.40s': must be numbers of copies from 1 to %d, each once, such as 1,2,4", value,
				 KB_COPIES_MAX);
		seen[number] = true;
		request->run.copies = number > request->run.copies ? (unsigned)number : request->run.copies;
	}
	request->parallel = value;
}

/* A list of kinds, each once: a row twice would have one name. */
static const char *kinds_of(const struct kb_command *command, const char *value)
{
	unsigned seen = 0;

	for (const char *at = value, *end; at; at = *end ? end + 1 : NULL) {
		size_t length = strcspn(at, ",");
		enum kb_interference kind = kb_interference_find(at, length);

		end = at + length;
		if (kind == KB_INTERFERENCES || (seen >> kind & 1))
			kb_usage(command, "--interfere '%.40s': must be some of memory, cache, syscalls and spin, each once", value);
		seen |= 1u << kind;
	}
	return value;
}

/* Those of method kanata. */
static void set_kanata(struct kb_request *request, const struct kb_command *command, int option, const char *value)
{
	struct kb_kanata_options *kanata = &request->run.kanata;

	request->kanata = kb_request_options[option].name;
	switch (option) {
	case INITIAL: kanata->initial = kb_value_number(command, "initial", value, 1, KB_TEST_SIZE_MAX); break;
	case DELTA: kanata->delta = kb_value_number(command, "delta", value, 0, KB_TEST_SIZE_MAX); break;
	case GROUP_SIZE:
		kanata->group_size = (unsigned)kb_value_number(command, "group-size", value, 2, KB_GROUP_TESTS_MAX);
		break;
	case GROUPS: kanata->groups = (unsigned)kb_value_number(command, "groups", value, 1, GROUPS_MAX); break;
	case SKIP: kanata->skip = (unsigned)kb_value_number(command, "skip", value, 0, KB_GROUP_TESTS_MAX); break;
	case CONFIDENCE: kanata->confidence = kb_value_percent(command, "confidence", value); break;
	case HALF_WIDTH: kanata->half_width = kb_value_percent(command, "half-width", value); break;
	}
}

/* What makes sense only together. The document's criterion takes the place of --precision. */
static void check_method(struct kb_request *request, const struct kb_command *command)
{
	struct kb_kanata_options *kanata = &request->run.kanata;
	bool is_kanata = request->run.method == KB_METHOD_KANATA;

	if (request->kanata && !is_kanata)
		kb_usage(command, "--%s belongs to --method kanata", request->kanata);
	if (kanata->group_size + kanata->skip > KB_GROUP_TESTS_MAX)
		kb_usage(command, "--group-size and --skip: together at most %d tests", KB_GROUP_TESTS_MAX);
	if (kanata->confidence >= 1)
		kb_usage(command, "--confidence '100%%': must be below 100%%");
	if (request->parallel && is_kanata)
		kb_usage(command, "--parallel and --method kanata exclude each other: its tests run without a pause between them");
	if (request->emulate && (is_kanata || request->parallel || request->interfere))
		kb_usage(command, "--emulate and --%s exclude each other: an emulator gives no times to compare",
			 is_kanata ? "method kanata" : request->parallel ? "parallel" : "interfere");
	if (request->parallel && request->interfere)
		kb_usage(command, "--parallel and --interfere exclude each other: the copies already interfere with each other");
	if (is_kanata)
		request->run.precision = kanata->half_width;
}

/* Options without a value. */
static void set_flag(struct kb_request *request, int option)
{
	switch (option) {
	case NO_STORE: request->no_store = true; break;
	case STRICT: request->strict = true; break;
	case JSON: request->json = true; break;
	case VERBOSE: request->verbose = true; break;
	case DEFAULTS: request->defaults = true; break;
	case EMULATE: request->emulate = true; break;
	}
}

/* One case an option. The last of several wins, but for -p, which adds. */
static void set(struct kb_request *request, const struct kb_command *command, int option, const char *value)
{
	struct kb_run_options *run = &request->run;

	switch (option) {
	case PARAM: request->sets[request->set_count++] = value; break;
	case PLUGIN: request->plugin = value; break;
	case PRECISION: run->precision = kb_value_percent(command, "precision", value); break;
	case BUDGET: run->budget_ns = kb_value_time(command, "budget", value, 10 * KB_MS); break;
	case PROCESSES: run->launches = (unsigned)kb_value_number(command, "processes", value, 1, PROCESSES_MAX); break;
	case TIMEOUT: run->timeout_ns = kb_value_time(command, "timeout", value, 10 * KB_MS); break;
	case CPUS: request->cpus = value; break;
	case CLOCK: run->clock = kb_value_clock(command, value); break;
	case SEED: run->seed = kb_value_number(command, "seed", value, 0, KB_JSON_WHOLE_MAX - 1); break;
	case STORE: request->store = value; break;
	case LABEL: request->label = kb_value_label(command, value); break;
	case METHOD: run->method = method_of(command, value); break;
	case SUITE: request->suite = kb_value_suite(command, value); break;
	case PARALLEL: copies_of(request, command, value); break;
	case INTERFERE: request->interfere = kinds_of(command, value); break;
	case EVENT: kb_start_event(command, value, run); break;
	case UNIT: request->unit = kb_print_unit(command, value); break;
	case NO_STORE: case STRICT: case JSON: case VERBOSE: case DEFAULTS: case EMULATE: set_flag(request, option); break;
	default: set_kanata(request, command, option, value);
	}
}

/* What a selection may take on two cores unless somebody says otherwise. */
static const uint64_t budgets[KB_SELECTIONS] = {
	[KB_SELECT_QUICK] = 20 * KB_S, [KB_SELECT_STANDARD] = 60 * KB_S, [KB_SELECT_FULL] = 600 * KB_S,
	[KB_SELECT_LMBENCH] = 300 * KB_S, [KB_SELECT_NAMED] = 60 * KB_S,
};

void kb_request_read(struct kb_request *request, const struct kb_command *command, int argc, char **argv)
{
	const char *value;
	int option;

	*request = (struct kb_request){
		.label = "", .suite = KB_SELECTIONS,
		.sets = calloc((size_t)argc, sizeof *request->sets),
		.run = { .precision = 0.01, .timeout_ns = 30 * KB_S, .launches = 6,
			 .seed = kb_start_seed(), .kanata = { 30, 1, 30, 5, 0, 0.90, 0.02 } },
	};
	if (!request->sets)
		kb_no_memory(command);
	while ((option = kb_next_option(command, argc, argv, &value)) >= 0)
		set(request, command, option, value);
	/* Which of both was meant, only the user knows; a guess would lose a run or litter a file. */
	if (request->no_store && request->store)
		kb_usage(command, "--store and --no-store exclude each other");
	check_method(request, command);
	request->patterns = (const char *const *)argv + optind;
	request->pattern_count = (size_t)(argc - optind);
	if (request->suite == KB_SELECTIONS)
		request->suite = request->pattern_count || request->plugin ? KB_SELECT_NAMED : KB_SELECT_STANDARD;
	if (request->run.budget_ns == 0)
		request->run.budget_ns = budgets[request->suite];
}
