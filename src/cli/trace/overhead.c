/* kbench trace overhead: what user trace points (kbench_trace.h) cost here. */
#include "cli/trace/trace.h"

#include <getopt.h>
#include <stdlib.h>

#include "cli/cli.h"
#include "result/result.h"
#include "trace/points/log.h"

#define SAMPLES_MAX 10000000

struct request { uint64_t samples; bool json; };

#define INTO(kind, ...) KB_OPTION(kind, struct request, __VA_ARGS__)

static const struct kb_option options[] = {
	{ 0, "samples", "N", "pairs of each kind", "740", INTO(NUMBER, samples, .least = 2, .most = SAMPLES_MAX) },
	{ 0, "json", NULL, "print kbench-trace/1", NULL, INTO(FLAG, json) },
	{ 0 }
};

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

static int overhead_main(const struct kb_command *command, int argc, char **argv)
{
	struct request request = { .samples = KB_TRACE_NESTED };
	struct kb_trace_overhead ordered, light;
	struct kb_trace_kind kinds[] = { { "ordered", &ordered }, { "light", &light }, { 0 } };

	kb_read_options(command, argc, argv, &request);
	kb_no_more(command, argc, argv);
	measure(command, false, request.samples, &ordered);
	measure(command, true, request.samples, &light);
	if (request.json)
		kb_print_json(json_pack("{s:s, s:s, s:o, s:o}", "schema", KB_TRACE_SCHEMA, "clock", KB_ARCH_CLOCK, "ordered",
					kb_trace_overhead_json(&ordered), "light", kb_trace_overhead_json(&light)));
	else
		kb_trace_print_overhead(kinds, kb_tick_unit(KB_ARCH_CLOCK));
	return KB_EXIT_DONE;
}

const struct kb_command kb_trace_overhead_verb = {
	.name = "trace overhead",
	.arguments = "",
	.summary = "Measure nested pairs of trace points here, with ordered and with light stamps",
	.options = options,
	.examples = "  kbench trace overhead\n"
		    "  kbench trace overhead --samples 200000\n",
	.exits = "  0 done; 2 usage, unwritable output\n",
	.main = overhead_main,
};
