/* The measurement of nested pairs, compiled once for each kind of stamp: see overhead_ordered.c and overhead_light.c. */
#ifndef KB_TRACE_POINTS_NESTED_H
#define KB_TRACE_POINTS_NESTED_H

#include "kbench_trace.h"

#define WARM_UP 64

/* The page's four lines. */
static void nest(void)
{
	KB_TRACE_START(0);
	KB_TRACE_START(1);
	KB_TRACE_STOP(1);
	KB_TRACE_STOP(0);
}

/* A log of two entries that is emptied after each turn, so that it stays in the cache as a real one's tail does. */
static void nested(uint64_t *inner, uint64_t *outer, size_t count)
{
	struct kb_trace_thread saved = KB_TRACE_THREAD;
	uint64_t memory[4];

	KB_TRACE_THREAD = (struct kb_trace_thread){ .entries = memory, .begins = memory + 2, .room = 2 };
	for (size_t i = 0; i < WARM_UP; i++, KB_TRACE_THREAD.used = 0)
		nest();
	for (size_t i = 0; i < count; i++, KB_TRACE_THREAD.used = 0) {
		nest();
		inner[i] = memory[0] & KB_TRACE_TICKS_MAX;
		outer[i] = memory[1] & KB_TRACE_TICKS_MAX;
	}
	KB_TRACE_THREAD = saved;
}

#endif
