/*
 * Time stamps of aarch64: the virtual counter. Its readings may be taken early, so barriers stand around them (Arm ARM,
 * "The Generic Timer": CNTVCT_EL0 can be read speculatively). It often runs at 25 MHz or less: see the clock's quantum.
 */
#ifndef KB_ARCH_STAMP_H
#define KB_ARCH_STAMP_H

#include "types.h"

#define KB_ARCH_NAME "aarch64"
#define KB_ARCH_CLOCK "cntvct"

/* The first barrier waits for what came before, the second keeps the operation behind the reading. */
static inline uint64_t kb_stamp_begin(void)
{
	uint64_t now;

	__asm__ volatile("isb\n\tmrs %0, cntvct_el0\n\tisb" : "=r"(now) : : "memory");
	return now;
}

/* isb alone does not wait for memory: a load that nobody waited for would fall out of the sample. */
static inline uint64_t kb_stamp_end(void)
{
	uint64_t now;

	__asm__ volatile("dsb ish\n\tisb\n\tmrs %0, cntvct_el0\n\tisb" : "=r"(now) : : "memory");
	return now;
}

/* Cheap, and the processor may move it past its neighbours. */
static inline uint64_t kb_stamp_light(void)
{
	uint64_t now;

	__asm__ volatile("mrs %0, cntvct_el0" : "=r"(now) : : "memory");
	return now;
}

/* In a spinning loop: leaves the core to a sibling thread. */
static inline void kb_pause(void)
{
	__asm__ volatile("yield" : : : "memory");
}

#endif
