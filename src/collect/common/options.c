/* See options.h. */
#define _GNU_SOURCE
#include "collect/common/options.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "description.h"
#include "io.h"

/* '-': kbench says it to every collector, and this one has no use for it. */
static const struct option long_options[] = {
	{ "bench", required_argument, NULL, 'b' },  { "param", required_argument, NULL, 'p' },
	{ "method", required_argument, NULL, 'm' }, { "seed", required_argument, NULL, 's' },
	{ "process", required_argument, NULL, 'l' }, { "cpu", required_argument, NULL, 'c' },
	{ "device", required_argument, NULL, 'D' }, { "lacks", required_argument, NULL, 'L' },
	{ "description", required_argument, NULL, 'P' },
	{ "interference", required_argument, NULL, 'n' }, { "barrier", required_argument, NULL, 'n' },
	{ "peer-cpu", required_argument, NULL, '-' }, { "sibling", no_argument, NULL, '-' },
	{ "clock", required_argument, NULL, '-' },  { "scratch", required_argument, NULL, 'S' },
	{ "emulated", required_argument, NULL, '-' }, /* their own machine says it: a kernel looks itself, and seL4 has one of its own */
	{ "guardian", required_argument, NULL, '-' }, { "event", required_argument, NULL, '-' },
	{ NULL, 0, NULL, 0 },
};

static int complain(const char *what, const char *about)
{
	char text[200];

	fprintf(stderr, "%s: %s%s (this program is run by kbench)\n", program_invocation_short_name, what,
		kb_visible_copy(text, sizeof text, about));
	return -EINVAL;
}

static int find_bench(struct kb_world_options *options, const struct kb_bench *const *bench, const char *name)
{
	for (; *bench; bench++) {
		if (!strcmp((*bench)->name, name)) {
			kb_settings_default(&options->settings, *bench);
			return 0;
		}
	}
	return complain("no such benchmark: ", name[0] ? name : "(none)");
}

/* A benchmark of the user's own, which kbench has looked over. */
static int find_own(struct kb_world_options *options, const char *path, const char *name)
{
	static struct kb_described own;
	char error[256];
	size_t length;
	char *text = kb_read_whole(path, &length);
	int wrong = kb_description_read((struct kb_span){ text ? text : "", length }, &own, error);

	free(text);
	if (wrong)
		return complain(error, "");
	if (!own.bench.name || strcmp(own.bench.name, name))
		return complain("no such benchmark in the description: ", name);
	kb_settings_default(&options->settings, &own.bench);
	return 0;
}

static int set_param(struct kb_world_options *options, const char *pair)
{
	char buffer[256];
	struct kb_text error = kb_text_in(buffer, sizeof buffer);

	return kb_settings_pair(&options->settings, pair, &error) ? complain(buffer, "") : 0;
}

static int take(struct kb_world_options *options, const char **bench, int letter, const char *text)
{
	switch (letter) {
	case 'b': *bench = text; return 0;
	case 'm': options->method = text; return 0;
	case 'D': options->device = text; return 0;
	case 'L': options->lacks = text; return 0;
	case 'S': options->scratch = text; return 0;
	case 'P': options->description = text; return 0;
	case 's': options->seed = strtoull(text, NULL, 10); return 0;
	case 'l': options->launch = strtoull(text, NULL, 10); return 0;
	case 'c': options->cpu = (unsigned)strtoul(text, NULL, 10); return 0;
	case 'n': options->copies = true; return 0;
	case 'p': case '-': return 0;   /* parameters: in a second pass, when the benchmark is known */
	default: return complain("bad option", "");
	}
}

int kb_world_options(int argc, char **argv, const struct kb_bench *const *benches, struct kb_world_options *options)
{
	const char *bench = "";
	int letter, error = 0;

	*options = (struct kb_world_options){ .method = "slope", .device = "/dev/kbench", .lacks = "", .scratch = "" };
	while (!error && (letter = getopt_long(argc, argv, "p:", long_options, NULL)) != -1)
		error = take(options, &bench, letter, optarg);
	if (!error)
		error = options->description ? find_own(options, options->description, bench) : find_bench(options, benches, bench);
	optind = 1;
	while (!error && (letter = getopt_long(argc, argv, "p:", long_options, NULL)) != -1) {
		if (letter == 'p')
			error = set_param(options, optarg);
	}
	return error;
}
