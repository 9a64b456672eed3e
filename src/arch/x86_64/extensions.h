/*
 * Instructions that not every x86-64 has, as CPUID and XGETBV tell (Intel SDM volume 1, chapters 14 and 15: the processor
 * must have them, and the system must save their registers).
 */
#ifndef KB_ARCH_EXTENSIONS_H
#define KB_ARCH_EXTENSIONS_H

#include <cpuid.h>

#include "types.h"

enum { KB_HAS_FMA = 1, KB_HAS_AVX512 };

static inline bool kb_saves_registers(uint32_t which)
{
	uint32_t low, high;

	__asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
	return (low & which) == which;
}

/* Leaf 1 ECX: bit 12 FMA, 27 OSXSAVE, 28 AVX; leaf 7 EBX: bit 16 AVX512F. XCR0: 0x06 SSE and AVX, 0xe0 AVX-512. */
static inline bool kb_arch_has(unsigned feature)
{
	uint32_t a, b, c = 0, d;

	if (!feature)
		return true;
	if (!__get_cpuid(1, &a, &b, &c, &d) || !(c >> 12 & c >> 27 & c >> 28 & 1) || !kb_saves_registers(0x06))
		return false;
	if (feature == KB_HAS_FMA)
		return true;
	return __get_cpuid_count(7, 0, &a, &b, &c, &d) && (b >> 16 & 1) && kb_saves_registers(0xe6);
}

/* The line leaves all caches; clflush is as old as SSE2, and any program may use it. False: there is no way. */
static inline bool kb_flush_line(const void *line)
{
	__asm__ volatile("clflush %0\n	mfence" : : "m"(*(const volatile char *)line) : "memory");
	return true;
}

#endif
