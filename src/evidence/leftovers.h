/* Files, sockets, shared memory, queues and semaphores that traced tasks make, and those of them that are still there in the end. */
#ifndef KB_EVIDENCE_LEFTOVERS_H
#define KB_EVIDENCE_LEFTOVERS_H

#include "types.h"

struct kb_task;

struct kb_leftover { char *what; int64_t id; };         /* a path, or the kind of an object that has an ID */

struct kb_leftovers { struct kb_leftover *at; size_t count, room; };

/* When a task enters a call, and when the call was good: what it makes that was not there before. */
void kb_leftovers_entered(struct kb_task *, const uint64_t *arguments);
void kb_leftovers_left(struct kb_leftovers *, const struct kb_task *, int64_t value);

/* What is there still, outside that directory: "/tmp/a and 2 more"; "" if nothing is. */
void kb_leftovers_find(const struct kb_leftovers *, const char *directory, char *text, size_t room);
void kb_leftovers_free(struct kb_leftovers *);

#endif
