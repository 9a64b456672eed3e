/*
 * The proof: how many system calls n operations really make, counted under ptrace in a run of its own. Two runs of
 * the circle, n and 2n, are compared, so that what happens once an interval cancels.
 */
#ifndef KB_EVIDENCE_PROOF_H
#define KB_EVIDENCE_PROOF_H

#include "types.h"

struct kb_proof {
	uint64_t syscalls;      /* of the n further operations, all tasks */
	uint64_t operations;    /* n */
	int status;             /* wait status of the traced child */
};

/* Runs traced() in a child; it must call kb_proof_mark() before and after each of the two circles. 0; -EPERM or
   another -errno if tracing is refused here; -ETIME when the child took longer than limit_ns (it is killed). */
int kb_proof_count(int (*traced)(void *context, uint64_t n), void *context, uint64_t n, uint64_t limit_ns,
                   struct kb_proof *proof);

/* A system call that does not exist: the tracer sees it pass, nobody else makes it. */
void kb_proof_mark(void);

#endif
