/*
 * The proof: what n operations really do, seen under ptrace in a process of its own: the system calls they make, which of them fail, how
 * many bytes these move, and what files and objects are left. Two samples, n and 2n, are compared, so that what happens once a sample
 * cancels; the empty loop is looked at in the same way.
 */
#ifndef KB_EVIDENCE_PROOF_H
#define KB_EVIDENCE_PROOF_H

#include "types.h"
#include "base/record.h"

enum kb_proof_part { KB_PROOF_APART, KB_PROOF_OP, KB_PROOF_OP_TWICE, KB_PROOF_BASE, KB_PROOF_BASE_TWICE, KB_PROOF_PARTS };

struct kb_calls {
	uint64_t made;          /* system calls of all tasks */
	uint64_t own;           /* of the task that runs the operation */
	uint64_t failed;        /* by the task that runs the operation, with an error that nobody declared; programs that did not start */
	uint64_t transfers;     /* calls that move bytes between memory and a file, a pipe, a socket */
	uint64_t bytes;         /* that they say they moved */
	uint64_t changes;       /* of the CPUs that a task may run on, made once a sample */
	uint64_t tasks;         /* that it started, made once a sample */
};

struct kb_proof {
	struct kb_calls op, base;       /* of the n further operations, or turns */
	uint64_t operations;            /* n */
	bool counts_bytes;              /* no call was seen that moves bytes and does not say how many */
	char error[24], call[24];       /* names of an error that nobody declared, and of the call that failed with it; "": none did */
	char left[160];                 /* a file or object that was made and is still there; "": none */
	int status;                     /* wait status of the traced child */
};

struct kb_proof_request {
	int (*traced)(void *context, uint64_t n);       /* runs in a child, marks its samples */
	void *context;
	uint64_t n;                     /* asked for; the child may do with fewer: it says how many when it marks them */
	uint64_t limit_ns;
	const char *errors;             /* that calls may return: "ENOENT,EAGAIN"; NULL: none */
	const char *scratch;            /* directory in which files may be left; NULL: nowhere */
	unsigned cpu;                   /* on which the child sets up */
};

/* 0; -EPERM or another -errno if tracing is refused here; -ETIME when the child took too long (it is killed). */
int kb_proof_make(const struct kb_proof_request *, struct kb_proof *);

/* In the child, right before and right after a part (then: KB_PROOF_APART). n counts for KB_PROOF_OP. A system call that does not
   exist: the tracer sees it pass, nobody else makes it. */
void kb_proof_mark(enum kb_proof_part, uint64_t n);

/* The record's `proof` line, and back: false, if it is none. */
void kb_proof_write(const struct kb_proof *, struct kb_record_writer *);
bool kb_proof_read(struct kb_span rest, struct kb_proof *);

/* The process that is traced now; 0: none. For a signal handler. */
extern volatile int kb_proof_child;

#endif
