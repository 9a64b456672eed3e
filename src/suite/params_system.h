/* What the system says of the parameters: Linux in /sys and /proc, the processor by CPUID. What it does not say is 0. */
#ifndef KB_SUITE_PARAMS_SYSTEM_H
#define KB_SUITE_PARAMS_SYSTEM_H

#include "types.h"
#include "env/source.h"

#define KB_SYSTEM_CACHES 3

struct kb_system_cache {
	uint64_t bytes;
	unsigned ways, line;
	char cpus[64];          /* that share it, as a list */
	unsigned sharers;
};

struct kb_system {
	struct kb_system_cache cache[KB_SYSTEM_CACHES];         /* for data: level 1, 2, 3 */
	unsigned tlb[2];
	const char *tlb_source[2];
	double cpuinfo_mhz, cpufreq_low_mhz, cpufreq_high_mhz, base_mhz, tsc_mhz;
	uint64_t available;     /* bytes of memory that can be had */
	char hypervisor[32];    /* "none", "unknown" or its name */
};

void kb_system_read(const struct kb_source *, unsigned cpu, struct kb_system *);

bool kb_system_is_guest(const struct kb_system *);

/* The last cache, 0 without any. */
uint64_t kb_system_last_cache(const struct kb_system *);

#endif
