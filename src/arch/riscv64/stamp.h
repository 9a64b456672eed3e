/*
 * Time stamps of riscv64: rdtime. The counter belongs to the platform and ticks at 1 to 100 MHz. Reading it counts as
 * device input, and a fence orders it against memory (unprivileged specification, chapter Zicsr: CSR access ordering).
 */
#ifndef KB_ARCH_STAMP_H
#define KB_ARCH_STAMP_H

#include "types.h"

#define KB_ARCH_NAME "riscv64"
#define KB_ARCH_CLOCK "rdtime"

/* The first fence waits for what came before, the second keeps the operation's memory accesses behind the reading. */
static inline uint64_t kb_stamp_begin(void)
{
	uint64_t now;

	__asm__ volatile("fence iorw, iorw\n\trdtime %0\n\tfence iorw, iorw" : "=r"(now) : : "memory");
	return now;
}

/* The same on both ends: what the fences cost is a constant that the slope removes. */
static inline uint64_t kb_stamp_end(void)
{
	return kb_stamp_begin();
}

/* Cheap, and the processor may move it past its neighbours. */
static inline uint64_t kb_stamp_light(void)
{
	uint64_t now;

	__asm__ volatile("rdtime %0" : "=r"(now) : : "memory");
	return now;
}

/* In a spinning loop: `pause` of Zihintpause, spelled as the fence that older cores and assemblers take it for. */
static inline void kb_pause(void)
{
	__asm__ volatile(".4byte 0x0100000f" : : : "memory");
}

#endif
