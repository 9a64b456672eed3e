/*
 * What of the memory that a benchmark claims to work in its operations touch: the accessed bits of the processor, as the kernel tells
 * them. A working set of 64 MiB whose loads stay within a page is found out, and so are many addresses of a few pages, and memory that
 * was never written, which is the one page of zeros.
 */
#ifndef KB_EVIDENCE_WORKING_SET_H
#define KB_EVIDENCE_WORKING_SET_H

#include "types.h"

#define KB_WORKING_SET_RANGES 8
#define KB_WORKING_SET_SHARE 0.9        /* of what is claimed must be touched */

/* Names of its evidence in the record. */
#define KB_WORKING_SET "working_set"    /* bytes that the operations touch; one number a process */
#define KB_HUGE_BYTES "huge_bytes"      /* on huge pages, that operations which claim small faults bring */

struct kb_working_set {
	struct { uintptr_t from, to; } ranges[KB_WORKING_SET_RANGES];   /* whole pages; none: all memory of the process */
	unsigned count;
	uint64_t bytes;                 /* claimed of all of them together; 0: nothing is */
};

/* So many bytes from memory on are worked in, of which `touched` are (a line a page: fewer than all). 0, -EINVAL or -E2BIG. */
int kb_working_set_claim(struct kb_working_set *, const volatile void *memory, size_t bytes, uint64_t touched);

/* Forgets what was touched so far. 0 or -errno: this kernel, or this container, does not let it. */
int kb_working_set_begin(const struct kb_working_set *);

/* Bytes of the ranges that were touched since, at most as many as memory lies behind their addresses; `sharers`: processes that may
   have a share of it. 0 or -errno. */
int kb_working_set_seen(const struct kb_working_set *, unsigned sharers, uint64_t *bytes);

/* Bytes that this process has on huge pages, of any kind. 0 or -errno. */
int kb_huge_bytes(uint64_t *bytes);

#endif
