/* Once for each kind of stamps: a turn of empty pairs, and of the two readings in each. */
#include "kbench_trace.h"

#define PAIRS 200u

/* A file for each kind names them otherwise. */
uint64_t pairs(void);
uint64_t readings(void);

uint64_t pairs(void)
{
	uint64_t start = kb_stamp_begin();

	for (unsigned i = 0; i < PAIRS; i++) {
		KB_TRACE_START(0);
		KB_TRACE_STOP(0);
	}
	return kb_stamp_end() - start;
}

uint64_t readings(void)
{
	uint64_t start = kb_stamp_begin();

	for (unsigned i = 0; i < PAIRS; i++) {
		uint64_t one = KB_TRACE_BEGIN_STAMP(), two = KB_TRACE_END_STAMP();

		__asm__ volatile("" : : "r"(one), "r"(two));
	}
	return kb_stamp_end() - start;
}
