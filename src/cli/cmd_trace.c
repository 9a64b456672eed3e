/* kbench trace: what user trace points (kbench_trace.h) cost, and what their logs say. */
#include "cli/cli.h"

#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "cli/analyze.h"
#include "cli/print.h"
#include "cli/trace.h"
#include "cli/values.h"
#include "trace/log.h"

enum { SAMPLES, JSON };

static const struct kb_option options[] = {
	[SAMPLES] = { 0, "samples", "N", "overhead: pairs of each kind", "740" },
	[JSON] = { 0, "json", NULL, "print kbench-trace/1", NULL },
	{ 0 }
};

#define SAMPLES_MAX 10000000

/* ---- overhead ------------------------------------------------------------------------------------------ */

static void measure(const struct kb_command *command, bool light, size_t count, struct kb_trace_overhead *overhead)
{
	uint64_t *ticks = calloc(2 * count, sizeof *ticks);
	double *values = calloc(2 * count, sizeof *values);

	if (!ticks || !values)
		kb_no_memory(command);
	(light ? kb_trace_nested_light : kb_trace_nested_ordered)(ticks, ticks + count, count);
	for (size_t i = 0; i < 2 * count; i++)
		values[i] = (double)ticks[i];
	if (kb_trace_overhead_of(overhead, values, values + count, count))
		kb_no_memory(command);
	free(ticks);
	free(values);
}

static int overhead(const struct kb_command *command, size_t count, bool json)
{
	struct kb_trace_overhead ordered, light;
	struct kb_trace_kind kinds[] = { { "ordered", &ordered }, { "light", &light }, { 0 } };

	measure(command, false, count, &ordered);
	measure(command, true, count, &light);
	if (json)
		kb_print_json(json_pack("{s:s, s:s, s:o, s:o}", "schema", KB_TRACE_SCHEMA, "clock", KB_ARCH_CLOCK, "ordered",
					kb_trace_overhead_json(&ordered), "light", kb_trace_overhead_json(&light)));
	else
		kb_trace_print_overhead(kinds);
	return KB_EXIT_DONE;
}

/* ---- analyze ------------------------------------------------------------------------------------------- */

static int analyze(const struct kb_command *command, const char *name, bool json)
{
	struct kb_trace_read read;
	char error[160], *text;
	size_t length;
	int result;

	text = kb_analyze_read_text(command, name, &length);
	result = kb_trace_read(&read, text, length, error);
	if (result == -ENOMEM)
		kb_no_memory(command);
	if (result)
		kb_die(command, KB_EXIT_USAGE, "%.200s: %s", name, error);
	if (json)
		kb_print_json(kb_trace_json(name, &read));
	else
		kb_trace_print(name, &read);
	kb_trace_read_free(&read);
	free(text);
	return KB_EXIT_DONE;
}

static int trace_main(const struct kb_command *command, int argc, char **argv)
{
	uint64_t samples = 0;
	const char *value, *verb;
	bool json = false;
	int option;

	while ((option = kb_next_option(command, argc, argv, &value)) >= 0) {
		if (option == JSON)
			json = true;
		else
			samples = kb_value_number(command, "samples", value, 2, SAMPLES_MAX);
	}
	if (optind == argc)
		kb_usage(command, "overhead, or analyze LOG?");
	verb = argv[optind++];
	if (strcmp(verb, "overhead") == 0) {
		kb_no_more(command, argc, argv);
		return overhead(command, samples ? samples : KB_TRACE_NESTED, json);
	}
	if (strcmp(verb, "analyze") != 0)
		kb_usage(command, "'%.60s' is none of overhead and analyze", verb);
	if (samples)
		kb_usage(command, "--samples goes with overhead");
	if (optind == argc)
		kb_usage(command, "analyze which log? kb_trace_dump_file() writes one");
	verb = argv[optind++];
	kb_no_more(command, argc, argv);
	return analyze(command, verb, json);
}

const struct kb_command kb_command_trace = {
	.name = "trace",
	.arguments = "overhead | analyze LOG",
	.summary = "Analyze logs of trace points, and tell what a trace point costs",
	.text = "overhead measures nested pairs of trace points here, with ordered and with light stamps.\n"
		"analyze reads what kb_trace_dump() wrote, and takes the cost of the trace points off: doc/trace.md.\n",
	.options = options,
	.examples = "  kbench trace overhead\n"
		    "  kbench trace overhead --samples 200000\n"
		    "  kbench trace analyze program.log\n"
		    "  kbench trace analyze program.log --json\n",
	.exits = "  0 done; 2 usage, an unreadable or damaged log, unwritable output\n",
	.main = trace_main,
};
