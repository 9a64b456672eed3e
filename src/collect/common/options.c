/* See options.h. */
#define _GNU_SOURCE
#include "collect/common/options.h"

#include <errno.h>
#include <getopt.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/plan.h"
#include "description.h"
#include "io.h"

/* How an argument is kept; parameters wait until the benchmark is known. */
enum form { FLAG, TEXT, LARGE, SMALL, BARRIER, EVENT, PARAM };

#define AT(field) offsetof(struct kb_collect_options, field)

static const struct { const char *name; enum form form; size_t at; } table[] = {
	{ "alone", FLAG, AT(alone) }, { "barrier", BARRIER, 0 }, { "bench", TEXT, AT(bench) }, { "clock", TEXT, AT(clock) },
	{ "cpu", SMALL, AT(cpu) }, { "describe", FLAG, AT(describe) }, { "description", TEXT, AT(description) },
	{ "device", TEXT, AT(device) }, { "emulated", TEXT, AT(emulated) }, { "event", EVENT, 0 }, { "forked", FLAG, AT(forked) },
	{ "guardian", SMALL, AT(guardian) }, { "guest-limit", LARGE, AT(guest_limit) }, { "interference", TEXT, AT(interference) }, { "method", TEXT, AT(method) },
	{ "param", PARAM, 0 }, { "peer-cpu", SMALL, AT(peer_cpu) },
	{ "plugin", TEXT, AT(plugin) }, { "process", LARGE, AT(process) }, { "prove", LARGE, AT(prove) }, { "scratch", TEXT, AT(scratch) },
	{ "seed", LARGE, AT(seed) }, { "sibling", FLAG, AT(maybe_sibling) }, { "unavailable", TEXT, AT(unavailable) },
};

#define OPTIONS (sizeof table / sizeof table[0])
#define FIRST 256               /* number of the first for getopt_long, behind all letters */

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

static int take(struct kb_collect_options *options, int number, const char *text)
{
	if (number == 'p')
		return 0;
	if (number < FIRST)
		return kb_collect_complain("bad option", "");

	void *at = (char *)options + table[number - FIRST].at;

	switch (table[number - FIRST].form) {
	case FLAG: *(bool *)at = true; break;
	case TEXT: *(const char **)at = text; break;
	case LARGE: *(uint64_t *)at = strtoull(text, NULL, 10); break;
	case SMALL: *(int *)at = (int)strtol(text, NULL, 10); break;
	case PARAM: break;
	case BARRIER: /* descriptor:copies:copy */
		if (sscanf(text, "%d:%u:%u", &options->barrier, &options->copies, &options->copy) != 3 || options->copy >= options->copies)
			return kb_collect_complain("bad barrier ", text);
		break;
	case EVENT:
		if (options->event_count == KB_EVENTS_OPEN_MAX || kb_event_parse(text, &options->events[options->event_count]))
			return kb_collect_complain("bad event ", text);
		options->event_count++;
	}
	return 0;
}

int kb_collect_options(int argc, char **argv, kb_collect_find *find, const struct kb_bench *const *list, struct kb_collect_options *options)
{
	struct option names[OPTIONS + 1] = { { .name = NULL } };
	char buffer[256];
	int number, error = 0;

	for (size_t i = 0; i < OPTIONS; i++)
		names[i] = (struct option){ table[i].name, table[i].form != FLAG, NULL, table[i].form == PARAM ? 'p' : FIRST + (int)i };
	*options = (struct kb_collect_options){ .bench = "", .method = "slope", .scratch = "", .device = "/dev/kbench", .guardian = -1 };
	while (!error && (number = getopt_long(argc, argv, "p:", names, NULL)) != -1)
		error = take(options, number, optarg);
	if (error || options->describe)
		return error ? error : options->plugin ? 0 : kb_collect_complain("--describe needs --plugin", "");
	if (find(options, list, buffer))
		return kb_collect_complain(buffer, "");
	optind = 1;
	while (!error && (number = getopt_long(argc, argv, "p:", names, NULL)) != -1) {
		struct kb_text text = kb_text_in(buffer, sizeof buffer);

		if (number == 'p' && kb_settings_pair(&options->settings, optarg, &text))
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
