/* See variants.h. */
#define _GNU_SOURCE
#include "cli/variants.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "env/cpulist.h"
#include "env/env.h"
#include "run/variants.h"

/* A number of copies and a kind of neighbour stand once in their list (request.c), so there are never more. */
struct values { const char *at[KB_COPIES_MAX]; size_t count; };

/* The text stays with the request: rows point into it. */
static void split(const struct kb_command *command, struct kb_request *request, const char *list, struct values *values)
{
	char *rest = request->variants = strdup(list);

	if (!rest)
		kb_no_memory(command);
	for (char *word; (word = strsep(&rest, ","));)
		values->at[values->count++] = word;
}

static void vary(const struct kb_command *command, const char *name, const struct values *values, struct kb_row **rows,
		 size_t *count)
{
	int error = kb_variants_rows(rows, count, name, values->at, values->count);

	if (error)
		kb_die(command, KB_EXIT_USAGE, error == -ENOMEM ? "out of memory" : "the name of a row is too long for a variant");
}

static void interfere(const struct kb_command *command, struct kb_request *request, struct kb_row **rows, size_t *count)
{
	struct values values = { .at = { "nothing" }, .count = 1 };

	split(command, request, request->interfere, &values);
	vary(command, KB_VARIANT_INTERFERENCE, &values, rows, count);
	for (size_t i = 0; i < *count; i++)
		(*rows)[i].interference = values.at[i % values.count];
}

/* The two that would be taken anyhow, then the rest of the user's list or of the affinity mask. */
static void take_cpus(const struct kb_command *command, struct kb_request *request)
{
	static unsigned cpus[KB_CPULIST_MAX + 2], all[KB_CPULIST_MAX];
	const struct kb_cpus *chosen = &request->run.cpus;
	unsigned count = 0, found = kb_cpus_list(request->cpus, all, KB_CPULIST_MAX);

	cpus[count++] = chosen->measure;
	if (chosen->two)
		cpus[count++] = chosen->other;
	for (unsigned i = 0; i < found; i++) {
		if (all[i] != chosen->measure && (!chosen->two || all[i] != chosen->other))
			cpus[count++] = all[i];
	}
	request->run.copy_cpus = cpus;
	request->run.copy_cpu_count = count;
	if (request->run.copies > count)
		kb_complain(command, "%u copies on %u CPU%s: those of one CPU take turns and cannot be side by side", request->run.copies,
			    count, count == 1 ? "" : "s");
}

static void parallel(const struct kb_command *command, struct kb_request *request, struct kb_row **rows, size_t *count)
{
	struct values values = { .count = 0 };

	take_cpus(command, request);
	split(command, request, request->parallel, &values);
	vary(command, KB_VARIANT_COPIES, &values, rows, count);
	for (size_t i = 0; i < *count; i++)
		(*rows)[i].copies = (unsigned)strtoul(values.at[i % values.count], NULL, 10);
}

void kb_variants_ask(const struct kb_command *command, struct kb_request *request, struct kb_row **rows, size_t *count)
{
	if (request->interfere)
		interfere(command, request, rows, count);
	if (request->parallel)
		parallel(command, request, rows, count);
}
