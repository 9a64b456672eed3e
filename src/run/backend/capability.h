/*
 * What this kernel lets us do, found out by doing the smallest real thing of each kind and undoing it: no version and no
 * configuration tells. For `kbench doctor kernel`.
 */
#ifndef KB_RUN_BACKEND_CAPABILITY_H
#define KB_RUN_BACKEND_CAPABILITY_H

#include "types.h"

struct kb_capability {
	const char *name;       /* "fentry" */
	const char *what;       /* was tried: "a BPF program at the start of vfs_read" */
	int error;              /* errno, positive; 0: it works */
	char why[240];          /* what the answer means; of what works at most a remark */
	const char *remedy;     /* what to do, or what does the same; "" if nothing is wrong */
};

#define KB_CAPABILITIES_MAX 32

/* Tries all. Takes some milliseconds, leaves nothing behind; file systems that are not mounted are mounted where only this
   process sees them, from then on until it ends. How many there are. */
size_t kb_capabilities(struct kb_capability capabilities[KB_CAPABILITIES_MAX]);

#endif
