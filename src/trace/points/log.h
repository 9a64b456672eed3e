/* The logs of a process's threads, behind kbench_trace.h. What lies here and in dump.c is libkbench: libc and base only. */
#ifndef KB_TRACE_POINTS_LOG_H
#define KB_TRACE_POINTS_LOG_H

#include "kbench_trace.h"

#include <pthread.h>
#include <stdbool.h>

/* One thread's log, kept until kb_trace_release(): the thread may be gone when it is written. */
struct kb_trace_log {
	struct kb_trace_log *next;
	struct kb_trace_thread state;   /* as it was when the log ended */
	uint64_t tid;
	bool light, switched, ended;
	void *memory;                   /* of ours; NULL: the caller's */
	size_t bytes;
};

struct kb_trace_logs {
	pthread_mutex_t lock;
	struct kb_trace_log *first, **last;     /* in order of their begin */
	uint64_t wall_ns, ticks;                /* two clocks at the first begin: their rate is told from the dump */
};
extern struct kb_trace_logs kb_trace_logs;

/* Reads both clocks, if none has been read since the process began. The lock is held. */
void kb_trace_start_clocks(void);

/* Nested pairs: inner[i] and outer[i] in ticks, after some that warm up. It uses the calling thread's state, and puts it back.
   switched: of points that have a switch. */
#define KB_TRACE_NESTED 740     /* as many as the source document's table has */
void kb_trace_nested_ordered(uint64_t *inner, uint64_t *outer, size_t count, bool switched);
void kb_trace_nested_light(uint64_t *inner, uint64_t *outer, size_t count, bool switched);

#endif
