/* Which CPUs may be used: the user's list, the affinity mask, the isolated ones. The choice is made in pick.c. */
#define _GNU_SOURCE
#include "env/env.h"

#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "env/cpulist.h"
#include "env/pick.h"

#define MASK_BYTES CPU_ALLOC_SIZE(KB_CPULIST_MAX)

struct allowed {
	const struct kb_fact_source *source;
	cpu_set_t *mask;
	char isolated[KB_SOURCE_LINE];  /* "" if there are none */
};

/* Whether the kernel lets this thread onto the CPU. Goes there for a moment and comes back. */
static bool can_go(const struct allowed *allowed, unsigned cpu)
{
	cpu_set_t *one = CPU_ALLOC(KB_CPULIST_MAX);

	if (!one)
		return false;
	CPU_ZERO_S(MASK_BYTES, one);
	CPU_SET_S(cpu, MASK_BYTES, one);
	bool went = !sched_setaffinity(0, MASK_BYTES, one);

	if (went)
		sched_setaffinity(0, MASK_BYTES, allowed->mask);
	CPU_FREE(one);
	return went;
}

/* Candidates from the user's list, in his order. How many, or -errno. */
static int from_list(const struct allowed *allowed, const char *list, struct kb_candidate *candidates)
{
	unsigned *cpus = calloc(KB_CPULIST_MAX, sizeof(*cpus));

	if (!cpus)
		return -ENOMEM;
	int count = kb_cpulist_parse(list, cpus, KB_CPULIST_MAX);

	for (int i = 0; i < count; i++) {
		/* isolcpus= takes CPUs out of everybody's mask: naming one is the only way to use it, and is meant. */
		if (!CPU_ISSET_S(cpus[i], MASK_BYTES, allowed->mask) &&
		    !(kb_cpulist_has(allowed->isolated, cpus[i]) && can_go(allowed, cpus[i]))) {
			count = -ENODEV;
			break;
		}
		candidates[i].cpu = cpus[i];
	}
	free(cpus);
	return count;
}

static int from_mask(const struct allowed *allowed, struct kb_candidate *candidates)
{
	int count = 0;

	for (unsigned cpu = 0; cpu < KB_CPULIST_MAX; cpu++) {
		if (CPU_ISSET_S(cpu, MASK_BYTES, allowed->mask))
			candidates[count++].cpu = cpu;
	}
	return count;
}

static bool below_hypervisor(const struct kb_fact_source *source)
{
	struct kb_answers answers = { 0 };
	char name[KB_SOURCE_NAME];

	kb_answers_ask_hypervisor(&answers);
	kb_hypervisor_name(source, &answers, name, sizeof(name));
	return strcmp(name, "none") && strcmp(name, "unknown");
}

static int choose(const struct allowed *allowed, const char *list, struct kb_candidate *candidates,
		  struct kb_cpus *cpus)
{
	int count = list ? from_list(allowed, list, candidates) : from_mask(allowed, candidates);

	if (count <= 0)
		return count ? count : -ENODEV;
	/* hwloc's discovery is worth its time only if there is a choice. */
	if (count > 1)
		kb_cores_find(candidates, (size_t)count);
	for (int i = 0; i < count; i++)
		candidates[i].isolated = kb_cpulist_has(allowed->isolated, candidates[i].cpu);
	kb_cpus_pick(candidates, (size_t)count, list, below_hypervisor(allowed->source), cpus);
	return 0;
}

int kb_cpus_choose_on(const struct kb_fact_source *source, const char *list, struct kb_cpus *cpus)
{
	struct allowed allowed = { .source = source, .mask = CPU_ALLOC(KB_CPULIST_MAX) };
	struct kb_candidate *candidates = calloc(KB_CPULIST_MAX, sizeof(*candidates));
	int result = -ENOMEM;

	if (allowed.mask && candidates) {
		CPU_ZERO_S(MASK_BYTES, allowed.mask);
		kb_source_line(source, "/sys/devices/system/cpu/isolated", allowed.isolated,
			       sizeof(allowed.isolated));
		result = sched_getaffinity(0, MASK_BYTES, allowed.mask)
			 ? -errno : choose(&allowed, list, candidates, cpus);
	}
	free(candidates);
	if (allowed.mask)
		CPU_FREE(allowed.mask);
	return result;
}

int kb_cpus_choose(const char *list, struct kb_cpus *cpus)
{
	const struct kb_fact_source machine = { .root = "" };

	return kb_cpus_choose_on(&machine, list, cpus);
}

unsigned kb_cpus_list(const char *list, unsigned *cpus, unsigned room)
{
	cpu_set_t *mask = CPU_ALLOC(KB_CPULIST_MAX);
	unsigned count = 0;

	if (list) {
		int parsed = kb_cpulist_parse(list, cpus, room);

		count = parsed > 0 ? (unsigned)parsed : 0;
	} else if (mask && !sched_getaffinity(0, MASK_BYTES, mask)) {
		for (unsigned cpu = 0; cpu < KB_CPULIST_MAX && count < room; cpu++) {
			if (CPU_ISSET_S(cpu, MASK_BYTES, mask))
				cpus[count++] = cpu;
		}
	}
	CPU_FREE(mask);
	return count;
}
