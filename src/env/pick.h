/* The choice of CPUs among candidates whose cores are known or not; apart from the machine, so that tests can ask. */
#ifndef KB_ENV_PICK_H
#define KB_ENV_PICK_H

#include "env/env.h"
#include "env/source.h"

struct kb_candidate {
	unsigned cpu;
	int core;               /* of the topology; -1: not known */
	bool isolated;
};

/*
 * ordered: the first candidate measures, as the user said. hidden: a hypervisor lies between, so that what the topology
 * calls two cores may be two threads of one. count is at least 1.
 */
void kb_cpus_pick(const struct kb_candidate *candidates, size_t count, bool ordered, bool hidden, struct kb_cpus *cpus);

/* kb_cpus_choose() with the isolated CPUs and the hypervisor as `source` tells them. */
int kb_cpus_choose_on(const struct kb_fact_source *source, const char *list, struct kb_cpus *cpus);

/* Fills in each candidate's core from hwloc; leaves -1 where hwloc does not know. Takes tens of milliseconds. */
void kb_cores_find(struct kb_candidate *candidates, size_t count);

#endif
