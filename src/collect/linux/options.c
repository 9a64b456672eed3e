#define _GNU_SOURCE
#include "collect/linux/options.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collect/linux/describe.h"
#include "evidence/evidence.h"
#include "measure/emulation.h"

extern const struct kb_bench *const kb_benches[]; /* generated from the file names */

static const struct option long_options[] = {
	{ "bench", required_argument, NULL, 'b' },  { "plugin", required_argument, NULL, 'P' },
	{ "param", required_argument, NULL, 'p' },  { "method", required_argument, NULL, 'm' },
	{ "seed", required_argument, NULL, 's' },   { "process", required_argument, NULL, 'l' },
	{ "cpu", required_argument, NULL, 'c' },    { "peer-cpu", required_argument, NULL, 'C' },
	{ "sibling", no_argument, NULL, 'S' },      { "clock", required_argument, NULL, 'k' },
	{ "prove", required_argument, NULL, 'v' },  { "scratch", required_argument, NULL, 'd' },
	{ "interference", required_argument, NULL, 'n' }, { "barrier", required_argument, NULL, 'B' },
	{ "emulated", required_argument, NULL, 'q' },
	{ "guardian", required_argument, NULL, 'g' }, { "event", required_argument, NULL, 'e' },
	{ "describe", no_argument, NULL, 'D' },     { "alone", no_argument, NULL, 'a' },
	{ NULL, 0, NULL, 0 },
};

static int complain(const char *what, const char *about)
{
	fprintf(stderr, "kbench-collect: %s%s (this program is run by kbench)\n", what, about);
	return -EINVAL;
}

/* name:hz:quantum:cost:ladder:counts:insns:ticks. What counts instructions is the architecture's counter, read otherwise. */
static int parse_clock(const char *text, struct kb_clock *clock)
{
	char name[16];
	unsigned long long hz, quantum, cost, insns, ticks;
	unsigned counts;
	int ladder;

	if (sscanf(text, "%15[a-z]:%llu:%llu:%llu:%d:%u:%llu:%llu", name, &hz, &quantum, &cost, &ladder, &counts, &insns, &ticks) != 8 ||
	    kb_clock_named(clock, strcmp(name, KB_CLOCK_ICOUNT) ? name : NULL) || counts > KB_COUNTS_EMULATION)
		return complain("bad clock ", text);
	clock->counts = counts;
	clock->insns = insns;
	clock->ticks = ticks;
	kb_clock_in_instructions(clock);
	clock->hz = hz;
	clock->quantum = quantum;
	clock->cost = cost;
	clock->ladder_ok = ladder;
	return 0;
}

/* descriptor:copies:copy */
static int parse_barrier(const char *text, struct kb_collect_options *options)
{
	if (sscanf(text, "%d:%u:%u", &options->barrier, &options->copies, &options->copy) != 3 || options->copy >= options->copies)
		return complain("bad barrier ", text);
	return 0;
}

static int take_event(const char *text, struct kb_collect_options *options)
{
	if (options->event_count == KB_EVENTS_OPEN_MAX || kb_event_parse(text, &options->events[options->event_count]))
		return complain("bad event ", text);
	options->event_count++;
	return 0;
}

static int find_bench(struct kb_collect_options *options)
{
	char error[256];

	if (options->plugin) {
		if (kb_collect_load(options->plugin, &options->plugin_bench, error))
			return complain(error, "");
		kb_settings_default(&options->settings, &options->plugin_bench);
		return 0;
	}
	for (const struct kb_bench *const *bench = kb_benches; *bench; bench++) {
		if (options->bench && !strcmp((*bench)->name, options->bench)) {
			kb_settings_default(&options->settings, *bench);
			return 0;
		}
	}
	return complain("no such benchmark: ", options->bench ? options->bench : "(none)");
}

static int set_param(struct kb_collect_options *options, const char *pair)
{
	char buffer[256];
	struct kb_text error = kb_text_in(buffer, sizeof buffer);

	return kb_settings_pair(&options->settings, pair, &error) ? complain(buffer, "") : 0;
}

static int take(struct kb_collect_options *options, int letter, const char *text)
{
	switch (letter) {
	case 'b': options->bench = text; return 0;
	case 'P': options->plugin = text; return 0;
	case 'm': options->method = text; return 0;
	case 'd': options->scratch = text; return 0;
	case 's': options->seed = strtoull(text, NULL, 10); return 0;
	case 'l': options->launch = strtoull(text, NULL, 10); return 0;
	case 'c': options->cpu = (unsigned)strtoul(text, NULL, 10); return 0;
	case 'C': options->peer_cpu = (unsigned)strtoul(text, NULL, 10); return 0;
	case 'v': options->prove = strtoull(text, NULL, 10); return 0;
	case 'n': options->interference = text; return 0;
	case 'q': options->emulated = text; return 0;
	case 'g': options->guardian = (int)strtol(text, NULL, 10); return 0;
	case 'B': return parse_barrier(text, options);
	case 'e': return take_event(text, options);
	case 'S': options->maybe_sibling = true; return 0;
	case 'a': options->alone = true; return 0;
	case 'D': options->describe = true; return 0;
	case 'k': return parse_clock(text, &options->clock);
	case 'p': return 0; /* second pass: the benchmark must be known */
	default: return complain("bad option", "");
	}
}

int kb_collect_options(int argc, char **argv, struct kb_collect_options *options)
{
	int letter, error = 0;

	*options = (struct kb_collect_options){ .method = "slope", .scratch = "/var/tmp", .guardian = -1 };
	kb_clock_named(&options->clock, NULL);
	while (!error && (letter = getopt_long(argc, argv, "p:", long_options, NULL)) != -1)
		error = take(options, letter, optarg);
	if (error || options->describe)
		return error ? error : options->plugin ? 0 : complain("--describe needs --plugin", "");
	error = find_bench(options);
	optind = 1;
	while (!error && (letter = getopt_long(argc, argv, "p:", long_options, NULL)) != -1) {
		if (letter == 'p')
			error = set_param(options, optarg);
	}
	return error;
}
