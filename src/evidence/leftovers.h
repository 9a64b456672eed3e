/* Tasks that are traced, each with the system call that it is in, and what they make: files, sockets, shared memory, queues and semaphores of which
   some are still there in the end. */
#ifndef KB_EVIDENCE_LEFTOVERS_H
#define KB_EVIDENCE_LEFTOVERS_H

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

struct kb_tasks { struct kb_task *at; size_t count; };

/* One that is not known yet begins here. NULL: out of memory. */
struct kb_task *kb_task_of(struct kb_tasks *, pid_t);
void kb_task_forget(struct kb_tasks *, pid_t);
void kb_tasks_free(struct kb_tasks *);

struct kb_leftover { char *what; int64_t id; };         /* a path, or the kind of an object that has an ID */

struct kb_leftovers { struct kb_leftover *at; size_t count; };

/* When a task enters a call, and when the call was good: what it makes that was not there before. */
void kb_leftovers_entered(struct kb_task *, const uint64_t *arguments);
void kb_leftovers_left(struct kb_leftovers *, const struct kb_task *, int64_t value);

/* What is there still, outside that directory: "/tmp/a and 2 more"; "" if nothing is. */
void kb_leftovers_find(const struct kb_leftovers *, const char *directory, char *text, size_t room);
void kb_leftovers_free(struct kb_leftovers *);

#endif
