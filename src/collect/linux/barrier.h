/* The line on which copies of one result stand before each sample, in memory that all of them share. */
#ifndef KB_COLLECT_LINUX_BARRIER_H
#define KB_COLLECT_LINUX_BARRIER_H

#include "types.h"

#define KB_BARRIER_PLACE 128u           /* bytes of one copy: two lines, as processors fetch them in pairs */

/* One copy's place; it alone writes it, but for `gone`, which also the parent may set. */
struct kb_barrier_place {
	uint64_t round;                 /* it stands on this line */
	uint32_t gone;                  /* it will come to none any more, and did not end well */
	int32_t pid;                    /* to find out that it died; 0: it has not come yet */
} __attribute__((aligned(KB_BARRIER_PLACE)));

struct kb_barrier {
	struct kb_barrier_place *places;        /* NULL: there is no barrier */
	unsigned copies, copy;          /* copy from 0 */
	uint64_t round;
	uint64_t limit_ns;              /* that the others may be late */
};

/* Maps the memory of `descriptor`, zero at the start. 0 or -errno. */
int kb_barrier_open(struct kb_barrier *, int descriptor, unsigned copies, unsigned copy);

/* Returns when all copies have called it as often; they then go on within some 200 ns if each has a CPU. 0, -ECANCELED:
   another copy is gone, -ETIME: it did not come. context: the barrier. */
int kb_barrier_wait(void *context);

/* This copy failed: no copy may wait for it. */
void kb_barrier_leave(struct kb_barrier *);

#endif
