/* How much memory a sweep may use: what is free, what the control group leaves, what this process may map. Bytes. */
#ifndef KB_SUITE_PARAMS_LIMITS_H
#define KB_SUITE_PARAMS_LIMITS_H

#include "types.h"
#include "env/source.h"

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

#endif
