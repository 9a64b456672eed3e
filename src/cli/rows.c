/* See rows.h. */
#include "cli/rows.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "huge.h"
#include "run/backend/kernel.h"
#include "suite/cross.h"
#include "suite/pages.h"
#include "suite/select.h"

#define YAMBA "yamba."

/* Up to the dot, with it. */
static bool is_of_domain(const char *name, const char *of)
{
	size_t length = strcspn(of, ".") + 1;

	return !strncmp(name, of, length);
}

static bool is_domain_of_ours(const char *name)
{
	bool ours = false;

	for (unsigned i = 0; i < kb_bench_count && !ours; i++)
		ours = is_of_domain(name, kb_benches[i]->name);
	for (const struct kb_cross_bench *cross = kb_cross_benches(); cross->bench && !ours; cross++)
		ours = is_of_domain(name, cross->bench->name);
	return ours;
}

/* A Yamba program that was changed goes before ours with its name. Any other would stand in tables, stores and comparisons as what it is
   not. */
static void check_name(const struct kb_command *command, const struct kb_rows_request *request)
{
	const char *name = request->plugin->name;

	if (strncmp(name, YAMBA, strlen(YAMBA)) && is_domain_of_ours(name))
		kb_die(command, KB_EXIT_USAGE, "%.200s: the name '%.64s' is among those of benchmarks that come with kbench; give yours another .name, or none: "
		       "its file then names it", request->plugin_file, name);
}

/* Ours, those of other platforms that run here, the plug-in, and the null pointer at the end. */
static const struct kb_bench **benches_with(const struct kb_command *command, const struct kb_rows_request *request)
{
	const struct kb_bench **benches = calloc(kb_bench_count + kb_cross_count() + 2, sizeof *benches);
	unsigned count = kb_bench_count;
	char error[320];

	if (!benches)
		kb_no_memory(command);
	if (request->plugin)
		check_name(command, request);
	memcpy(benches, kb_benches, kb_bench_count * sizeof *benches);
	if (request->collectors && kb_cross_select(request->collectors, request->emulate, request->patterns, request->pattern_count, benches,
						   &count, error))
		kb_die(command, KB_EXIT_USAGE, "%s", error);
	for (unsigned i = 0; request->plugin && i < count; i++) {
		if (strcmp(benches[i]->name, request->plugin->name))
			continue;
		benches[i] = request->plugin;
		return benches;
	}
	benches[count] = request->plugin;
	return benches;
}

/* Raw devices and swap are never measured by a pattern that only happens to match them. One that matches nothing else would
   be left out without a word. */
static void check_pattern(const struct kb_command *command, const char *pattern, const struct kb_bench *const *benches)
{
	char names[200] = "";
	size_t used = 0;

	for (; *benches; benches++) {
		const char *name = (*benches)->name;

		if (!kb_pattern_match(pattern, name))
			continue;
		if ((*benches)->suite != KB_MANUAL || strcmp(pattern, name) == 0)
			return;
		if (used < sizeof names)
			used += (size_t)snprintf(names + used, sizeof names - used, "%s%s", used ? ", " : "", name);
	}
	kb_die(command, KB_EXIT_USAGE, "'%.64s': these run only when they are given by their whole names: %s", pattern, names);
}

/* Why one of the kernel's that may have been meant is not there; NULL: none was, or all are. */
static const char *refused(const char *const *patterns, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (!strncmp(patterns[i], KB_KERNEL, strlen(KB_KERNEL)))
			return kb_kernel_own_refused();
	}
	return NULL;
}

static bool typed_pages(const struct kb_rows_request *request)
{
	bool typed = false;

	for (size_t i = 0; i < request->set_count; i++)
		typed |= !strncmp(request->sets[i], "pages=", strlen("pages="));
	return typed;
}

/* A row's name says which pages it is of. Who asks for huge ones gets them, or the reason why not. */
static void settle_pages(const struct kb_command *command, const struct kb_rows_request *request, struct kb_row *rows, size_t count)
{
	if (typed_pages(request) || kb_huge_there())
		return;
	size_t made = kb_pages_small(rows, count);

	if (made > 0)
		fprintf(stderr, "kbench %s: no huge pages can be had here: rows of memory are of small pages (%zu)\n", command->name, made);
}

void kb_rows_select(const struct kb_command *command, const struct kb_rows_request *request, struct kb_row **rows, size_t *count)
{
	const struct kb_bench **benches = benches_with(command, request);
	const char *const *patterns = request->patterns;
	size_t pattern_count = request->pattern_count;
	char error[256];

	/* A plug-in is what its author wants to see, not a hundred others. */
	if (request->plugin && pattern_count == 0) {
		patterns = &request->plugin->name;
		pattern_count = 1;
	}
	if (kb_select(benches, patterns, pattern_count, request->sets, request->set_count, rows, count, error))
		kb_die(command, KB_EXIT_USAGE, "%s", refused(patterns, pattern_count) ?: error);
	for (size_t i = 0; i < pattern_count; i++)
		check_pattern(command, patterns[i], benches);
	free(benches);
	for (size_t i = 0; request->collectors && i < *count; i++)
		(*rows)[i].collector = kb_collectors_of(request->collectors, (*rows)[i].settings.bench);
	*count = kb_selection_keep(request->suite, request->reach, patterns, pattern_count, *rows, *count);
	settle_pages(command, request, *rows, *count);
	if (*count == 0)
		kb_die(command, KB_EXIT_USAGE, "no benchmark of this suite matches the pattern; see 'kbench list --suite %s'",
		       kb_selection_name(request->suite) ?: "full");
}
