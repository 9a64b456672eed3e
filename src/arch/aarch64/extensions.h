/*
 * Instructions that not every aarch64 has, as the identification registers tell. Linux lets user space read them (the
 * kernel answers, HWCAP_CPUID); so do kernels of their own.
 */
#ifndef KB_ARCH_EXTENSIONS_H
#define KB_ARCH_EXTENSIONS_H

#include "types.h"

enum { KB_HAS_LSE = 1 };

/* ID_AA64ISAR0_EL1, bits 23 to 20: 2 and more are the atomic instructions of ARMv8.1 (Arm ARM, D19). */
static inline bool kb_arch_has(unsigned feature)
{
	uint64_t isar0;

	if (!feature)
		return true;
	__asm__("mrs %0, id_aa64isar0_el1" : "=r"(isar0));
	return (isar0 >> 20 & 15) >= 2;
}

/* The line leaves all caches up to the point where all observers see the same; Linux lets programs do so. False: there is no way. */
static inline bool kb_flush_line(const void *line)
{
	__asm__ volatile("dc civac, %0\n	dsb sy" : : "r"(line) : "memory");
	return true;
}

#endif
