/*
 * Which threads belong to a command: the one that was named, and all that it and they make. Kept in the kernel, at fork,
 * exec and the end, so that no thread of a child runs before it is known. Key: thread id as the kernel's first PID namespace
 * has it.
 */
#ifndef KB_TRACE_ENTRIES_MEMBERS_H
#define KB_TRACE_ENTRIES_MEMBERS_H

#include "types.h"

#define KB_MEMBERS_MAX 65536u   /* threads at one time, with those that ended and were not waited for */
#define KB_MEMBERS_UNFOLLOWED UINT32_MAX        /* no thread: its value counts those that found no room */

struct kb_members {
	int map;                /* tid -> 1; -1: none */
	int links[3], programs[3];
};

#define KB_MEMBERS_NONE (struct kb_members){ .map = -1, .links = { -1, -1, -1 }, .programs = { -1, -1, -1 } }

/* Whether thread ids are here what the kernel's programs see. In another PID namespace they are somebody else's. */
bool kb_members_ids_agree(void);

/* room: for so many threads. 0 or -errno. -ENOENT: the kernel does not describe its types (no BTF) or has no such tracepoints;
   -ENOTSUP: thread ids here do not agree. */
int kb_members_open(struct kb_members *, unsigned room);
int kb_members_add(struct kb_members *, uint32_t tid);

/* Threads that belong to the command and found no room: nothing of them and of their children is seen. */
uint64_t kb_members_unfollowed(const struct kb_members *);
void kb_members_close(struct kb_members *);

/* What an error of opening means, here and in what needs members. Static text. */
const char *kb_members_why(int error);

#endif
