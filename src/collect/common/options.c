/* See options.h. */
#define _GNU_SOURCE
#include "collect/common/options.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/plan.h"
#include "description.h"
#include "io.h"

static const struct option long_options[] = {
	{ "alone", no_argument, NULL, 'a' },              { "barrier", required_argument, NULL, 'B' },
	{ "bench", required_argument, NULL, 'b' },        { "clock", required_argument, NULL, 'k' },
	{ "cpu", required_argument, NULL, 'c' },          { "describe", no_argument, NULL, 'D' },
	{ "description", required_argument, NULL, 't' },  { "device", required_argument, NULL, 'i' },
	{ "emulated", required_argument, NULL, 'q' },     { "event", required_argument, NULL, 'e' },
	{ "forked", no_argument, NULL, 'f' },
	{ "guardian", required_argument, NULL, 'g' },     { "interference", required_argument, NULL, 'n' },
	{ "lacks", required_argument, NULL, 'L' },        { "method", required_argument, NULL, 'm' },
	{ "param", required_argument, NULL, 'p' },        { "peer-cpu", required_argument, NULL, 'C' },
	{ "plugin", required_argument, NULL, 'P' },       { "process", required_argument, NULL, 'l' },
	{ "prove", required_argument, NULL, 'v' },        { "scratch", required_argument, NULL, 'd' },
	{ "seed", required_argument, NULL, 's' },         { "sibling", no_argument, NULL, 'S' },
	{ NULL, 0, NULL, 0 },
};

int kb_collect_complain(const char *what, const char *about)
{
	char text[300];

	fprintf(stderr, "%s: %s%s (this program is run by kbench)\n", program_invocation_short_name, what,
		kb_visible_copy(text, sizeof text, about));
	return -EINVAL;
}

int kb_collect_find_listed(struct kb_collect_options *options, const struct kb_bench *const *list, char error[256])
{
	for (; *list; list++) {
		if (!strcmp((*list)->name, options->bench)) {
			kb_settings_default(&options->settings, *list);
			return 0;
		}
	}
	snprintf(error, 256, "no such benchmark: %.200s", options->bench[0] ? options->bench : "(none)");
	return -EINVAL;
}

int kb_collect_find_described(struct kb_collect_options *options, const struct kb_bench *const *list, char error[256])
{
	static struct kb_described described;
	size_t length;

	if (!options->description)
		return kb_collect_find_listed(options, list, error);
	char *text = kb_read_whole(options->description, &length);
	int wrong = kb_description_read((struct kb_span){ text ? text : "", length }, &described, error);

	free(text);
	if (wrong)
		return wrong;
	return kb_collect_find_listed(options, (const struct kb_bench *const[]){ described.bench.name ? &described.bench : NULL, NULL }, error);
}

static int take(struct kb_collect_options *options, int letter, const char *text)
{
	switch (letter) {
	case 'b': options->bench = text; return 0;
	case 'P': options->plugin = text; return 0;
	case 't': options->description = text; return 0;
	case 'm': options->method = text; return 0;
	case 'd': options->scratch = text; return 0;
	case 'k': options->clock = text; return 0;
	case 'n': options->interference = text; return 0;
	case 'q': options->emulated = text; return 0;
	case 'i': options->device = text; return 0;
	case 'L': options->unavailable = text; return 0;
	case 's': options->seed = strtoull(text, NULL, 10); return 0;
	case 'l': options->process = strtoull(text, NULL, 10); return 0;
	case 'v': options->prove = strtoull(text, NULL, 10); return 0;
	case 'c': options->cpu = (unsigned)strtoul(text, NULL, 10); return 0;
	case 'C': options->peer_cpu = (unsigned)strtoul(text, NULL, 10); return 0;
	case 'g': options->guardian = (int)strtol(text, NULL, 10); return 0;
	case 'S': options->maybe_sibling = true; return 0;
	case 'a': options->alone = true; return 0;
	case 'D': options->describe = true; return 0;
	case 'f': options->forked = true; return 0;
	case 'p': return 0; /* second pass: the benchmark must be known */
	case 'B': /* descriptor:copies:copy */
		if (sscanf(text, "%d:%u:%u", &options->barrier, &options->copies, &options->copy) != 3 || options->copy >= options->copies)
			return kb_collect_complain("bad barrier ", text);
		return 0;
	case 'e':
		if (options->event_count == KB_EVENTS_OPEN_MAX || kb_event_parse(text, &options->events[options->event_count]))
			return kb_collect_complain("bad event ", text);
		options->event_count++;
		return 0;
	default: return kb_collect_complain("bad option", "");
	}
}

int kb_collect_options(int argc, char **argv, kb_collect_find *find, const struct kb_bench *const *list, struct kb_collect_options *options)
{
	char buffer[256];
	int letter, error = 0;

	*options = (struct kb_collect_options){ .bench = "", .method = "slope", .scratch = "", .device = "/dev/kbench", .guardian = -1 };
	while (!error && (letter = getopt_long(argc, argv, "p:", long_options, NULL)) != -1)
		error = take(options, letter, optarg);
	if (error || options->describe)
		return error ? error : options->plugin ? 0 : kb_collect_complain("--describe needs --plugin", "");
	if (find(options, list, buffer))
		return kb_collect_complain(buffer, "");
	optind = 1;
	while (!error && (letter = getopt_long(argc, argv, "p:", long_options, NULL)) != -1) {
		struct kb_text text = kb_text_in(buffer, sizeof buffer);

		if (letter == 'p' && kb_settings_pair(&options->settings, optarg, &text))
			error = kb_collect_complain(buffer, "");
	}
	return error;
}

/* ---- the plan ---------------------------------------------------------------------------------------------- */

int kb_plan_line(int fd, struct kb_span *line)
{
	static char buffer[4 * KB_PLAN_LINE_MAX];
	static size_t start, end;
	const char *newline;

	while (!(newline = memchr(buffer + start, '\n', end - start))) {
		memmove(buffer, buffer + start, end - start);
		end -= start;
		start = 0;
		if (end == sizeof buffer)
			return -EINVAL;
		ssize_t got = read(fd, buffer + end, sizeof buffer - end);

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return got < 0 ? -errno : 0;
		end += (size_t)got;
	}
	*line = (struct kb_span){ buffer + start, (size_t)(newline - buffer) - start };
	start = (size_t)(newline - buffer) + 1;
	return 1;
}
