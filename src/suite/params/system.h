/*
 * What the system reports of the parameters: Linux in /sys and /proc, the processor by CPUID, hwloc. What it does not report is 0.
 * hwloc is asked about this machine only, not about one that is made of files.
 */
#ifndef KB_SUITE_PARAMS_SYSTEM_H
#define KB_SUITE_PARAMS_SYSTEM_H

#include "types.h"
#include "arch/declared_cache.h"
#include "env/topology.h"
#include "suite/params/limits.h"

#define KB_SYSTEM_CACHES 3

struct kb_system_cache {
	uint64_t bytes;
	unsigned ways, line;
	char cpus[KB_CPUS_TEXT]; /* that share it, as a list; "": not reported, or longer */
};

struct kb_system {
	struct kb_system_cache cache[KB_SYSTEM_CACHES];         /* for data: level 1, 2, 3; by sysfs */
	struct kb_arch_cache processor[KB_SYSTEM_CACHES];       /* the same by the processor itself */
	struct kb_topology_cache topology[KB_SYSTEM_CACHES];    /* and by hwloc */
	struct kb_topology *hwloc;              /* NULL: not there; kb_system_end() closes it */
	unsigned tlb[2], huge_tlb[2];           /* entries for data, pages of 4 KB and of 2 MB */
	const char *tlb_source[2], *huge_tlb_source[2];
	double cpuinfo_mhz, cpufreq_low_mhz, cpufreq_high_mhz, base_mhz, tsc_mhz;
	struct kb_limits limits;
	char hypervisor[32];    /* "none", "unknown" or its name */
};

void kb_system_read(const struct kb_fact_source *, unsigned cpu, struct kb_system *);
void kb_system_end(struct kb_system *);

bool kb_system_is_guest(const struct kb_system *);

/* The last cache, 0 without any. */
uint64_t kb_system_last_cache(const struct kb_system *);

#endif
