/* See request.h. A value is checked where it is read, so that the message can name the option. */
#include "cli/request.h"

#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "base/units.h"
#include "report/json.h"

enum {
	PARAM, PLUGIN, PRECISION, BUDGET, LAUNCHES, TIMEOUT, CPUS, CLOCK, SEED, STORE, NO_STORE, LABEL, STRICT, JSON,
	VERBOSE
};

const struct kb_option kb_request_options[] = {
	[PARAM] = { 'p', "param", "NAME=VALUE[,VALUE...]", "set a parameter, or sweep it; may be repeated",
		    "the values of 'kbench list'" },
	[PLUGIN] = { 0, "plugin", "FILE.so", "measure the benchmark of a plug-in; alone without PATTERN", NULL },
	[PRECISION] = { 0, "precision", "PERCENT", "stop when every interval is this narrow", "1%" },
	[BUDGET] = { 0, "budget", "TIME", "stop after this time", "60s" },
	[LAUNCHES] = { 0, "launches", "N", "fresh processes a row", "5" },
	[TIMEOUT] = { 0, "timeout", "TIME", "time limit of one launch", "30s" },
	[CPUS] = { 0, "cpus", "LIST", "CPUs to measure on, such as 2,3", "those this process may use" },
	[CLOCK] = { 0, "clock", "auto|ns", "the CPU's time stamps, or clock_gettime", "auto" },
	[SEED] = { 0, "seed", "N", "order of launches and intervals", "a random one, printed" },
	[STORE] = { 0, "store", "FILE", "where the run is kept", "$XDG_DATA_HOME/kbench/kbench.db" },
	[NO_STORE] = { 0, "no-store", NULL, "keep nothing", NULL },
	[LABEL] = { 0, "label", "TEXT", "a name for the run, for 'kbench show'", NULL },
	[STRICT] = { 0, "strict", NULL, "exit with 3 if 'kbench doctor' finds the machine unfit", NULL },
	[JSON] = { 0, "json", NULL, "print kbench-result/1 instead of the table", NULL },
	[VERBOSE] = { 'v', "verbose", NULL, "print all that is known about each row", NULL },
	{ 0 }
};

#define MS 1000000ull
#define S (1000 * MS)

/* The fewest that allow an interval by t with two degrees of freedom is three; one and two give a number with
   a verdict that says so. */
#define LAUNCHES_MAX 1000

static uint64_t duration(const struct kb_command *command, const char *option, const char *value, uint64_t least)
{
	uint64_t ns;

	if (!kb_parse_duration(value, &ns))
		kb_usage(command, "--%s '%.40s': not a time such as 60s, 500ms or 2m", option, value);
	if (ns < least || ns > 7 * 24 * 3600 * S)
		kb_usage(command, "--%s '%.40s': must be between %llums and a week", option, value,
			 (unsigned long long)(least / MS));
	return ns;
}

static uint64_t number(const struct kb_command *command, const char *option, const char *value, uint64_t least,
		       uint64_t most)
{
	uint64_t result;

	if (!kb_span_u64((struct kb_span){ value, strlen(value) }, &result) || result < least || result > most)
		kb_usage(command, "--%s '%.40s': must be a number from %llu to %llu", option, value,
			 (unsigned long long)least, (unsigned long long)most);
	return result;
}

/* "1%", or a fraction such as "0.01". */
static double precision(const struct kb_command *command, const char *value)
{
	char *end;
	double result = strtod(value, &end);

	if (end != value && strcmp(end, "%") == 0)
		result /= 100;
	else if (end == value || *end)
		result = 0;
	/* Written this way round, it refuses NaN, too. */
	if (!(result >= 1e-5 && result <= 1))
		kb_usage(command, "--precision '%.40s': must be between 0.001%% and 100%%", value);
	return result;
}

static const char *clock_of(const struct kb_command *command, const char *value)
{
	if (strcmp(value, "auto") == 0)
		return NULL;
	if (strcmp(value, "ns") != 0)
		kb_usage(command, "--clock '%.40s': must be auto or ns", value);
	return "ns";
}

static void set_flag(struct kb_request *request, int option)
{
	switch (option) {
	case NO_STORE: request->no_store = true; break;
	case STRICT: request->strict = true; break;
	case JSON: request->json = true; break;
	case VERBOSE: request->verbose = true; break;
	}
}

static void set(struct kb_request *request, const struct kb_command *command, int option, const char *value)
{
	struct kb_run_options *run = &request->run;

	switch (option) {
	case PARAM: request->sets[request->set_count++] = value; break;
	case PLUGIN: request->plugin = value; break;
	case PRECISION: run->precision = precision(command, value); break;
	case BUDGET: run->budget_ns = duration(command, "budget", value, 10 * MS); break;
	case LAUNCHES: run->launches = (unsigned)number(command, "launches", value, 1, LAUNCHES_MAX); break;
	case TIMEOUT: run->timeout_ns = duration(command, "timeout", value, 10 * MS); break;
	case CPUS: request->cpus = value; break;
	case CLOCK: run->clock = clock_of(command, value); break;
	case SEED: run->seed = number(command, "seed", value, 0, KB_JSON_WHOLE_MAX - 1); break;
	case STORE: request->store = value; break;
	case LABEL: request->label = value; break;
	default: set_flag(request, option);
	}
}

/* Below 2^32: short enough to be typed again. */
static uint64_t random_seed(void)
{
	uint32_t seed;

	/* Any number will do where the kernel has none: the seed is printed and stored. */
	return getrandom(&seed, sizeof seed, 0) == sizeof seed ? seed : 1;
}

void kb_request_read(struct kb_request *request, const struct kb_command *command, int argc, char **argv)
{
	const char *value;
	int option;

	*request = (struct kb_request){
		.label = "",
		.sets = calloc((size_t)argc, sizeof *request->sets),
		.run = { .precision = 0.01, .budget_ns = 60 * S, .timeout_ns = 30 * S, .launches = 5,
			 .seed = random_seed() },
	};
	if (!request->sets)
		kb_die(command, KB_EXIT_USAGE, "out of memory");
	while ((option = kb_next_option(command, argc, argv, &value)) >= 0)
		set(request, command, option, value);
	if (request->no_store && request->store)
		kb_usage(command, "--store and --no-store exclude each other");
	request->patterns = (const char *const *)argv + optind;
	request->pattern_count = (size_t)(argc - optind);
}
