/*
 * How long a CPU quota stopped the control groups of this process: cgroups(7), version 1 and 2. What cannot be found says nothing:
 * most machines have no quota, and a container may hide the files.
 */
#ifndef KB_EVIDENCE_THROTTLE_H
#define KB_EVIDENCE_THROTTLE_H

#include "types.h"

#define KB_THROTTLE_GROUPS 32u          /* of both versions, from the process's own up to the root */

struct kb_throttle {
	int stat[KB_THROTTLE_GROUPS];   /* descriptors of cpu.stat */
	uint64_t before[KB_THROTTLE_GROUPS];
	unsigned count;
};

/* Finds the groups below `root` ("": this machine); their files stay open. */
void kb_throttle_open(struct kb_throttle *, const char *root);

/* From now on it counts. */
void kb_throttle_start(struct kb_throttle *);

/* Microseconds since then; of several groups above each other the most, for their times overlap. */
uint64_t kb_throttle_us(const struct kb_throttle *);

#endif
