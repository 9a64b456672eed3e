/* Tasks that are traced: of each the system call that it is in. */
#ifndef KB_EVIDENCE_TASKS_H
#define KB_EVIDENCE_TASKS_H

#include <sys/types.h>

#include "types.h"
#include "evidence/proof.h"

#define KB_NO_CALL UINT64_MAX

struct kb_task {
	pid_t pid;
	uint64_t number;                /* of the call that it is in, or KB_NO_CALL */
	int file;                       /* its first argument, for calls that take a descriptor there */
	enum kb_proof_part part;        /* in which it entered the call */
	int exec_error;                 /* of the last program that did not start; 0: none, or one did start behind it */
	enum kb_proof_part exec_part;
	char makes[512];                /* the path, or a word for the kind, of what the call makes; "": nothing that could be left */
};

struct kb_tasks { struct kb_task *at; size_t count, room; };

/* One that is not known yet begins here. NULL: out of memory. */
struct kb_task *kb_task_of(struct kb_tasks *, pid_t);
void kb_task_forget(struct kb_tasks *, pid_t);
void kb_tasks_free(struct kb_tasks *);

#endif
