/* What kbench builds and can build again, below $XDG_CACHE_HOME/kbench: how much it is, and what of it cannot be used any more. */
#ifndef KB_WORKFLOW_RUNS_CACHE_H
#define KB_WORKFLOW_RUNS_CACHE_H

#include "types.h"
#include "workflow/exit.h"

#define KB_CACHES 3

struct kb_cache_size {
	const char *name;               /* of the directory */
	const char *stale_when;         /* what makes an entry stale, for people */
	int64_t bytes, stale_bytes;     /* of all, of those that are stale */
	unsigned entries, stale;
};

/* Sizes of all caches; removes what is stale, unless dry. What cannot be looked at or removed is noted, and stays. */
void kb_caches_tidy(bool dry, const struct kb_notes *, struct kb_cache_size sizes[KB_CACHES]);

#endif
