/*
 * Who had the CPUs, from switch to switch: at each switch the time since the last one on that CPU is added to the thread that
 * leaves, in the kernel. At the end a switch of our own on every CPU tells who is there, and gets the rest up to the end. One
 * reset and one finalise are a window; threads, idle and what is not accounted for make up its elapsed time x CPUs.
 */
#ifndef KB_TRACE_ENTRIES_UTIL_H
#define KB_TRACE_ENTRIES_UTIL_H

#include "types.h"
#include "trace/entries/members.h"

#define KB_UTIL_CPUS 4096u
#define KB_UTIL_THREADS 65536u

/* As the program keeps it, by thread id; of idle by KB_UTIL_IDLE | cpu. */
#define KB_UTIL_IDLE 0x80000000u
struct kb_util_use {
	uint64_t ns, switches;
	uint64_t process;               /* its id */
	uint64_t member;                /* 1: of the command */
	char name[16];                  /* the last that it had */
};

struct kb_util_control {
	uint64_t on;
	uint64_t lost_ns;               /* of threads for which there was no room */
};

struct kb_util {
	struct kb_members members;      /* map -1: nobody is followed */
	volatile struct kb_util_control *control;
	int control_map, last_map, use_map, program, link;
	int pid_offset;                 /* of task_struct.pid; below 0: who comes next is not known */
	unsigned possible, online;
	uint64_t start_ns, end_ns;      /* of the window, CLOCK_MONOTONIC */
	uint64_t before_ns;             /* of threads whose counters the reset left as they were */
	bool running, finished;
	unsigned unreached;             /* CPUs that could not be visited at the end */
	const char *failed;             /* the step that ended kb_util_open(), for people */
};

/* What a window had. All in ns. */
struct kb_util_total {
	uint64_t elapsed, capacity;     /* capacity: elapsed x CPUs */
	uint64_t threads, idle, switches;
	uint64_t lost;                  /* of threads that found no room */
	int64_t unaccounted;            /* capacity - threads - idle: lost, or behind the last switch of a CPU */
};

/* 0 or -errno, then `failed` has the step. follow: members can be named. */
int kb_util_open(struct kb_util *, bool follow);
void kb_util_close(struct kb_util *);

/* Clears idle, and all threads if `threads`, and begins a window. */
int kb_util_reset(struct kb_util *, bool threads);
int kb_util_reset_thread(struct kb_util *, uint32_t tid);

/* Ends it: -EINVAL without a reset, and nothing happens. */
int kb_util_finalise(struct kb_util *);

/* The window's; what threads had before it is not in it, provided that none of them was reset while it ran. */
int kb_util_total(const struct kb_util *, struct kb_util_total *total);

/* All zero if it never ran. 0 or -errno. */
int kb_util_of(const struct kb_util *, uint32_t tid, struct kb_util_use *use);

/* One after the other; *key 0 begins, 0 is the end. */
bool kb_util_next(const struct kb_util *, uint32_t *key, struct kb_util_use *use);

/* Whether threads + idle + unaccounted may be believed: what is not accounted for, or counted twice, is below 0.1 %. */
bool kb_util_closes(const struct kb_util_total *total);

#endif
