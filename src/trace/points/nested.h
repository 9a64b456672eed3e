/* The measurement of nested pairs, compiled once for each kind of stamp: see overhead_ordered.c and overhead_light.c. */
#ifndef KB_TRACE_POINTS_NESTED_H
#define KB_TRACE_POINTS_NESTED_H

#include "kbench_trace.h"

#define WARM_UP 64

static uint64_t always; /* a switch: these points log even where the program's are off */

static inline __attribute__((always_inline)) uint64_t since(bool switched)
{
	return switched ? __atomic_load_n(&always, __ATOMIC_RELAXED) : 0;
}

/* The page's four lines; switched: of points that have a switch. */
static inline __attribute__((always_inline)) void nest(bool switched)
{
	kb_trace_start(0, since(switched));
	kb_trace_start(1, since(switched));
	kb_trace_stop(1, since(switched));
	kb_trace_stop(0, since(switched));
}

/* A log of two entries that is emptied after each turn, so that it stays in the cache as a real one's tail does. */
static inline __attribute__((always_inline)) void turn(uint64_t *inner, uint64_t *outer, size_t count, bool switched)
{
	struct kb_trace_thread saved = KB_TRACE_THREAD;
	uint64_t memory[4];

	KB_TRACE_THREAD = (struct kb_trace_thread){ .entries = memory, .begins = memory + 2, .room = 2 };
	for (size_t i = 0; i < WARM_UP; i++, KB_TRACE_THREAD.used = 0)
		nest(switched);
	for (size_t i = 0; i < count; i++, KB_TRACE_THREAD.used = 0) {
		nest(switched);
		inner[i] = memory[0] & KB_TRACE_TICKS_MAX;
		outer[i] = memory[1] & KB_TRACE_TICKS_MAX;
	}
	KB_TRACE_THREAD = saved;
}

/* Points of each kind are code of their own. */
static void nested(uint64_t *inner, uint64_t *outer, size_t count, bool switched)
{
	if (switched)
		turn(inner, outer, count, true);
	else
		turn(inner, outer, count, false);
}

#endif
