/*
 * Controlled interference: another process on another CPU that keeps one resource busy and counts what it did, while a benchmark of user space
 * or of the kernel is measured.
 */
#ifndef KB_COLLECT_COMMON_NEIGHBOUR_H
#define KB_COLLECT_COMMON_NEIGHBOUR_H

#include <sys/types.h>

#include "types.h"

struct kb_neighbour_page;

struct kb_neighbour {
	const char *kind;
	const char *unit;               /* of its work: bytes, calls, adds */
	pid_t pid;                      /* 0: none is running */
	int cpu;
	uint64_t bytes;                 /* its working set; 0: it has none */
	struct kb_neighbour_page *page; /* shared with it */
	uint64_t first_work, began_ns;  /* when the first block that counts began; began_ns 0: not yet */
	uint64_t block_work;            /* before the block in flight */
	uint64_t blocks, idle;          /* that count; in which it did nothing */
	char why[200];                  /* of the last error */
	bool unfit;                     /* it is the machine's: too few CPUs, or too little memory */
};

/* Starts it on another CPU than `own`, which measures, and waits until it is warm: a third one leaves `peer`, the benchmark's partner's, to that
   (equal: there is none). Nothing of the process may be set up before, and it may not be pinned: it takes no copy of anything then. kind "nothing":
   there is none, which is not the same as not being asked. 0 or -errno. */
int kb_neighbour_start(struct kb_neighbour *, const char *kind, unsigned own, unsigned peer);

/* Around each block: what it did in there. */
void kb_neighbour_block_begin(struct kb_neighbour *, bool warm);
void kb_neighbour_block_end(struct kb_neighbour *, bool warm);

/* Ends it, and gives what it did to put(context, word, text) as lines of the record. -errno if that was nothing: the process then measured
   itself alone under the name of two. */
int kb_neighbour_finish(struct kb_neighbour *, int (*put)(void *context, const char *word, const char *text), void *context);

/* Ends it without a word. */
void kb_neighbour_kill(struct kb_neighbour *);

#endif
