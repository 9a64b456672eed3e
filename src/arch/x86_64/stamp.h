/*
 * Time stamps of x86-64: the time stamp counter and what keeps it in order (Intel SDM volume 2, RDTSC and RDTSCP).
 * The counter must run at a constant rate (constant_tsc, nonstop_tsc); where it does not, the ticks mean nothing.
 */
#ifndef KB_ARCH_STAMP_H
#define KB_ARCH_STAMP_H

#include "types.h"

#define KB_ARCH_NAME "x86_64"
#define KB_ARCH_CLOCK "tsc"

/* The first fence waits for what came before, the second keeps the operation behind the reading. */
static inline uint64_t kb_stamp_begin(void)
{
	uint32_t low, high;

	__asm__ volatile("lfence\n\trdtsc\n\tlfence" : "=a"(low), "=d"(high) : : "memory");
	return (uint64_t)high << 32 | low;
}

/* rdtscp itself waits until all that came before has executed; the fence keeps what follows out of the sample. */
static inline uint64_t kb_stamp_end(void)
{
	uint32_t low, high;

	__asm__ volatile("rdtscp\n\tlfence" : "=a"(low), "=d"(high) : : "ecx", "memory");
	return (uint64_t)high << 32 | low;
}

/* Cheap, and the processor may move it past its neighbours. */
static inline uint64_t kb_stamp_light(void)
{
	uint32_t low, high;

	__asm__ volatile("rdtsc" : "=a"(low), "=d"(high) : : "memory");
	return (uint64_t)high << 32 | low;
}

/* In a spinning loop: leaves the core to a sibling thread. */
static inline void kb_pause(void)
{
	__asm__ volatile("pause" : : : "memory");
}

#endif
