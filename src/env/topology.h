/* What hwloc says of this machine: caches, and how near two CPUs are. It says nothing where it describes another machine. */
#ifndef KB_ENV_TOPOLOGY_H
#define KB_ENV_TOPOLOGY_H

#include "types.h"

/* The nearest that two CPUs have in common. */
enum kb_kin { KB_KIN_CORE, KB_KIN_L2, KB_KIN_L3, KB_KIN_NUMA, KB_KIN_PACKAGE, KB_KIN_MACHINE, KB_KIN_UNKNOWN, KB_KINS };

#define KB_CPUS_TEXT 512        /* every second one of 256 CPUs */

struct kb_topology_cache {
	uint64_t bytes;
	unsigned ways, line;    /* 0: not said; line in bytes */
	char cpus[KB_CPUS_TEXT]; /* that share it, as a list; "": longer */
};

struct kb_topology;

/* NULL: no word. Takes tens of milliseconds. Closing NULL is nothing. */
struct kb_topology *kb_topology_open(void);
void kb_topology_close(struct kb_topology *);

/* The cache for data of that CPU at level 1 to 3; false: none is known. */
bool kb_topology_cache(const struct kb_topology *, unsigned cpu, unsigned level, struct kb_topology_cache *);

enum kb_kin kb_topology_kin(const struct kb_topology *, unsigned a, unsigned b);

/* "one core", "one L2" ... "one machine". */
const char *kb_kin_name(enum kb_kin);

#endif
