/*
 * What the system reports of the parameters: Linux in /sys and /proc, the processor by CPUID, hwloc. What it does not report is 0.
 * hwloc is asked about this machine only, not about one that is made of files.
 */
#ifndef KB_SUITE_PARAMS_SYSTEM_H
#define KB_SUITE_PARAMS_SYSTEM_H

#include "types.h"
#include "arch/declared_cache.h"
#include "env/source.h"
#include "env/topology.h"

/* ---- how much memory a sweep may use: what is free, what the control group leaves, what this process may map. Bytes ---- */

#define KB_NO_LIMIT UINT64_MAX

struct kb_limits {
	uint64_t available;     /* MemAvailable; KB_NO_LIMIT: not reported */
	uint64_t group;         /* left below the lowest limit of the control groups, caches that can be dropped included */
	uint64_t address;       /* RLIMIT_AS and RLIMIT_DATA, the lower */
	uint64_t locked;        /* RLIMIT_MEMLOCK: sweeps lock nothing; printed because huge or pinned memory may need it */
};

void kb_limits_read(const struct kb_fact_source *, struct kb_limits *);

/* The lowest of the first three, and its name. KB_NO_LIMIT, "": there is none. */
uint64_t kb_limits_lowest(const struct kb_limits *, const char **name);

/* The largest working set of a sweep that wants so much: a quarter of the lowest at most, as partners and huge pages need more
   than the set, and what the system drops to make room are other programs' files. */
uint64_t kb_limits_bound(const struct kb_limits *, uint64_t wanted);

/* "MemAvailable: 23552 MB, control group: no limit, ..." */
void kb_limits_text(const struct kb_limits *, char *text, size_t room);

/* ---- what the system reports ----------------------------------------------------------------------------- */

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
