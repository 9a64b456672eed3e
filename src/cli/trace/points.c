/*
 * kbench trace overhead: what user trace points (kbench_trace.h) cost here. kbench trace analyze: the times of a log of them, and what a
 * kernel of seL4 logged.
 */
#include "cli/trace/trace.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>

#include "cli/cli.h"
#include "import/import.h"
#include "result/result.h"
#include "trace/points/log.h"

#define SAMPLES_MAX 10000000

struct request {
	uint64_t samples;
	const char *name;
	bool json;
	struct pair { bool known; unsigned outer, inner; } nested;
};

#define INTO(kind, ...) KB_OPTION(kind, struct request, __VA_ARGS__)

/* ---- overhead ---------------------------------------------------------------------------------------------- */

static const struct kb_option overhead_options[] = {
	{ 0, "samples", "N", "pairs of each kind", "740", INTO(NUMBER, samples, .least = 2, .most = SAMPLES_MAX) },
	{ 0, "json", NULL, "print kbench-trace/1", NULL, INTO(FLAG, json) },
	{ 0 }
};

static void measure(const struct kb_command *command, bool light, size_t count, struct kb_trace_overhead *overhead)
{
	uint64_t *ticks = kb_need_memory(command, calloc(2 * count, sizeof *ticks));
	double *values = kb_need_memory(command, calloc(2 * count, sizeof *values));

	(light ? kb_trace_nested_light : kb_trace_nested_ordered)(ticks, ticks + count, count, false);
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
	.options = overhead_options,
	.examples = "  kbench trace overhead\n"
		    "  kbench trace overhead --samples 200000\n",
	.exits = "  0 done; 2 usage, unwritable output\n",
	.main = overhead_main,
};

/* ---- analyze ----------------------------------------------------------------------------------------------- */

static int read_pair(const char *value, void *place, struct kb_failure *failure)
{
	struct pair *pair = place;
	int end = -1;

	pair->known = sscanf(value, "%3u,%3u%n", &pair->outer, &pair->inner, &end) == 2 && !value[end] && pair->outer != pair->inner &&
		      pair->outer < KB_TRACE_READ_KEYS && pair->inner < KB_TRACE_READ_KEYS;
	return pair->known ? 0 : kb_refuse_typed(failure, "--nested %.40s: two keys below %u, as in 0,1", value, KB_TRACE_READ_KEYS);
}

static const struct kb_option analyze_options[] = {
	{ 0, "nested", "OUTER,INNER", "trace points of seL4: the keys of the pair that tells the cost", NULL,
	  INTO(READ, nested, .read = read_pair) },
	{ 0, "json", NULL, "print kbench-trace/1, of seL4's entries kbench-trace-sel4/1", NULL, INTO(FLAG, json) },
	{ 0 }
};

static int analyze_main(const struct kb_command *command, int argc, char **argv)
{
	struct request request = { .name = NULL };
	struct kb_trace_read read;
	struct kb_sel4_log log;
	char error[KB_IMPORT_ERROR] = "", *text;
	size_t length;
	int result, code = KB_EXIT_DONE;

	kb_read_options(command, argc, argv, &request);
	if (optind == argc)
		kb_usage(command, "which log? kb_trace_dump_file() writes one");
	request.name = argv[optind++];
	kb_no_more(command, argc, argv);
	result = kb_import_load(request.name, NULL, &text, &length, error);
	if (result == -ENOMEM)
		kb_no_memory(command);
	if (result)
		kb_die(command, KB_EXIT_USAGE, "%s", error);
	result = kb_sel4_log_read(&log, text, length, error);
	if (result == 0 && !log.points) {
		if (request.json)
			kb_print_json(kb_trace_sel4_json(request.name, &log));
		else
			kb_trace_print_sel4(request.name, &log);
		code = kb_trace_sel4_credible(&log) ? KB_EXIT_DONE : KB_EXIT_FAILED;
	} else {
		/* Trace points of seL4 become a log of our own, and that is read on. */
		if (result == 0 && !request.nested.known)
			kb_die(command, KB_EXIT_USAGE, "%.200s: trace points of seL4; which keys are the empty pair and the one around it? "
			       "--nested OUTER,INNER", request.name);
		if (result == 0) {
			free(text);
			text = kb_sel4_points_text(&log, request.nested.outer, request.nested.inner, &length, error);
		}
		if (text && (result == 0 || result == -ENOENT))
			result = kb_trace_read(&read, text, length, error);
		if (result == -ENOMEM)
			kb_no_memory(command);
		if (result || !text)
			kb_die(command, KB_EXIT_USAGE, "%.200s: %s", request.name, error);
		if (request.json)
			kb_print_json(kb_trace_json(request.name, &read));
		else
			kb_trace_print(request.name, &read);
		kb_trace_read_free(&read);
	}
	kb_sel4_log_free(&log);
	free(text);
	return code;
}

const struct kb_command kb_trace_analyze_verb = {
	.name = "trace analyze",
	.arguments = "LOG",
	.summary = "Print the times of a log of trace points, with the cost of the points subtracted",
	.text = "LOG is what kb_trace_dump() wrote: doc/trace.md. Or the console of a root server on a kernel of seL4 that tracks its\n"
		"entries, has trace points, or counts utilisation.\n",
	.options = analyze_options,
	.examples = "  kbench trace analyze program.log\n"
		    "  kbench trace analyze program.log --json\n"
		    "  kbench trace analyze --nested 0,1 console.log\n",
	.exits = "  0 done; 2 usage, an unreadable or damaged log, unwritable output; 5 shares of a CPU above 100 %, or of no time\n",
	.main = analyze_main,
};
