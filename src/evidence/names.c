/* Names of the record's words for counters, parties and bounds. */
#include "evidence/evidence.h"
#include "record_format.h"

#include <stdio.h>
#include <string.h>

static const char *const counter_names[KB_COUNTERS] = {
	[KB_NO_COUNTER] = "none",
	[KB_MINFLT] = "minflt", [KB_MAJFLT] = "majflt", [KB_NVCSW] = "nvcsw", [KB_NIVCSW] = "nivcsw", [KB_SWITCHES] = "switches",
	[KB_SW_FAULTS] = "sw_faults", [KB_SW_SWITCHES] = "sw_switches", [KB_SW_MIGRATIONS] = "sw_migrations",
	[KB_SYSCR] = "syscr", [KB_SYSCW] = "syscw", [KB_RCHAR] = "rchar", [KB_WCHAR] = "wchar",
	[KB_SYSCALLS] = "syscalls", [KB_SEEN] = "seen", [KB_ABSENT] = "absent", [KB_SEGMENTS] = "segments",
};

static const char *const who_names[] = { [KB_SELF] = "self", [KB_PEER] = "peer", [KB_ALL] = "all" };

static const char *const bound_names[] = {
	[KB_KERNEL] = "kernel", [KB_LATENCY] = "latency", [KB_ISSUE] = "issue", [KB_MEMORY] = "memory", [KB_NOTHING] = "nothing",
};

const char *kb_counter_name(enum kb_counter counter)
{
	return (unsigned)counter < KB_COUNTERS ? counter_names[counter] : "?";
}

const char *kb_who_name(enum kb_who who)
{
	return (unsigned)who <= KB_ALL ? who_names[who] : "?";
}

void kb_expect_format(char *line, size_t room, const struct kb_expect *expect)
{
	kb_format(line, room, "%s per_op=%.9g per_sample=%.9g tolerance=%.9g who=%s", kb_counter_name(expect->counter),
	         expect->per_op, expect->per_sample, expect->tolerance, kb_who_name(expect->who));
}

const char *kb_bound_name(enum kb_bound bound)
{
	return (unsigned)bound <= KB_NOTHING ? bound_names[bound] : "?";
}

enum kb_bound kb_bound_find(const char *name)
{
	for (unsigned i = 0; i <= KB_NOTHING; i++) {
		if (!strcmp(bound_names[i], name))
			return (enum kb_bound)i;
	}
	return KB_KERNEL;
}
