/* See variants.h. */
#define _GNU_SOURCE
#include "cli/variants.h"

#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "env/cpulist.h"
#include "run/variants.h"

#define VALUES_MAX 64           /* of one option */

struct values { const char *at[VALUES_MAX]; size_t count; };

static void add(const struct kb_command *command, const char *option, struct values *values, const char *value)
{
	if (values->count == VALUES_MAX)
		kb_usage(command, "--%s: more than %d values", option, VALUES_MAX - 1);
	values->at[values->count++] = value;
}

/* The text stays with the request: rows point into it. */
static void split(const struct kb_command *command, struct kb_request *request, const char *option, const char *list,
		  struct values *values)
{
	char *rest = request->variants = strdup(list);

	if (!rest)
		kb_die(command, KB_EXIT_USAGE, "out of memory");
	for (char *word; (word = strsep(&rest, ","));)
		add(command, option, values, word);
}

static void vary(const struct kb_command *command, const char *name, const struct values *values, struct kb_row **rows,
		 size_t *count)
{
	int error = kb_variants_rows(rows, count, name, values->at, values->count);

	if (error)
		kb_die(command, KB_EXIT_USAGE, error == -ENOMEM ? "out of memory" : "the name of a row is too long for a variant");
}

static void beside(const struct kb_command *command, struct kb_request *request, struct kb_row **rows, size_t *count)
{
	struct values values = { .count = 0 };

	add(command, "interfere", &values, "nothing");
	split(command, request, "interfere", request->interfere, &values);
	vary(command, KB_VARIANT_BESIDE, &values, rows, count);
	for (size_t i = 0; i < *count; i++)
		(*rows)[i].beside = values.at[i % values.count];
}

/* The two that would be taken anyhow, then the rest of the user's list or of the affinity mask. */
static void take_cpus(const struct kb_command *command, struct kb_request *request)
{
	static unsigned cpus[KB_CPULIST_MAX + 2], all[KB_CPULIST_MAX];
	const struct kb_cpus *chosen = &request->run.cpus;
	unsigned count = 0;
	int found = 0;
	cpu_set_t mask;

	cpus[count++] = chosen->measure;
	if (chosen->two)
		cpus[count++] = chosen->other;
	if (request->cpus)
		found = kb_cpulist_parse(request->cpus, all, KB_CPULIST_MAX);
	else if (sched_getaffinity(0, sizeof mask, &mask) == 0)
		for (unsigned cpu = 0; cpu < CPU_SETSIZE; cpu++) {
			if (CPU_ISSET(cpu, &mask))
				all[found++] = cpu;
		}
	for (int i = 0; i < found; i++) {
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
	split(command, request, "parallel", request->parallel, &values);
	vary(command, KB_VARIANT_COPIES, &values, rows, count);
	for (size_t i = 0; i < *count; i++)
		(*rows)[i].copies = (unsigned)strtoul(values.at[i % values.count], NULL, 10);
}

void kb_variants_ask(const struct kb_command *command, struct kb_request *request, struct kb_row **rows, size_t *count)
{
	if (request->interfere)
		beside(command, request, rows, count);
	if (request->parallel)
		parallel(command, request, rows, count);
}
