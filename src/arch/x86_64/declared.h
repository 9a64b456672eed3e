/*
 * What the processor says of its translation caches and clocks: CPUID leaves 0x15, 0x16 and 0x18 (Intel, Software Developer's
 * Manual 2A), 0x80000005 and 0x80000006 (AMD, Programmer's Manual 3, E.4). A hypervisor may say what it likes here.
 */
#ifndef KB_ARCH_DECLARED_H
#define KB_ARCH_DECLARED_H

#include <cpuid.h>

#include "types.h"

/* A leaf that this vendor defines at this number: Intel's end, AMD's begin at 0x80000000. */
static inline bool kb_arch_leaf(unsigned leaf, unsigned subleaf, unsigned word[4])
{
	unsigned base = leaf & 0x80000000u;

	if (__get_cpuid_max(base, NULL) < leaf)
		return false;
	__cpuid_count(leaf, subleaf, word[0], word[1], word[2], word[3]);
	return true;
}

/* Entries for data in pages of 4 KB, of level 1 or 2; 0: not said. */
static inline unsigned kb_arch_tlb_entries(unsigned level, const char **source)
{
	unsigned word[4], subleaf = 0, last = 0;

	if (kb_arch_leaf(0x18, 0, word) && word[0] < 64) {
		for (last = word[0]; subleaf <= last && kb_arch_leaf(0x18, subleaf, word); subleaf++) {
			unsigned type = word[3] & 31, at = word[3] >> 5 & 7;

			/* Data, unified or loads only, and 4 KB pages among its sizes. */
			if (at == level && (type == 1 || type == 3 || type == 4) && word[1] & 1) {
				*source = "CPUID 0x18";
				return (word[1] >> 16) * word[2];
			}
		}
	}
	if (level == 1 && kb_arch_leaf(0x80000005, 0, word) && word[1] >> 16 & 255) {
		*source = "CPUID 0x80000005";
		return word[1] >> 16 & 255;
	}
	if (level == 2 && kb_arch_leaf(0x80000006, 0, word) && word[1] >> 16 & 4095) {
		*source = "CPUID 0x80000006";
		return word[1] >> 16 & 4095;
	}
	return 0;
}

/* MHz of the time stamp counter and of the core's base clock; 0: not said. */
static inline unsigned kb_arch_tsc_mhz(void)
{
	unsigned word[4];

	if (!kb_arch_leaf(0x15, 0, word) || !word[0] || !word[1] || !word[2])
		return 0;
	return (unsigned)((uint64_t)word[2] * word[1] / word[0] / 1000000);
}

static inline unsigned kb_arch_base_mhz(void)
{
	unsigned word[4];

	return kb_arch_leaf(0x16, 0, word) ? word[0] & 0xffff : 0;
}

#endif
