/* The measurement of nested pairs, compiled once for each kind of stamp: see overhead_ordered.c and overhead_light.c. */
#ifndef KB_TRACE_NESTED_H
#define KB_TRACE_NESTED_H

#include "trace/log.h"

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
	struct kb_trace_thread saved = kb_trace_thread;
	uint64_t memory[4];

	kb_trace_thread = (struct kb_trace_thread){ .entries = memory, .begins = memory + 2, .room = 2 };
	for (size_t i = 0; i < WARM_UP; i++, kb_trace_thread.used = 0)
		nest();
	for (size_t i = 0; i < count; i++, kb_trace_thread.used = 0) {
		nest();
		inner[i] = memory[0] & KB_TRACE_TICKS_MAX;
		outer[i] = memory[1] & KB_TRACE_TICKS_MAX;
	}
	kb_trace_thread = saved;
}

#endif
