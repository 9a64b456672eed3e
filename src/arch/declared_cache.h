/* A cache for data as the processor itself describes it; what it does not report is 0. */
#ifndef KB_ARCH_DECLARED_CACHE_H
#define KB_ARCH_DECLARED_CACHE_H

#include "types.h"

struct kb_arch_cache {
	uint64_t bytes;
	unsigned ways, line;    /* line: bytes */
	const char *source;     /* which question was answered, "CPUID 4" */
};

/*
 * What one of the 12 bits' counts of a second level is worth (AMD): with 0x80000021 EAX bit 14 they count 32s, as on all processors of
 * family 26 (Zen 5), whose 4096 entries no 12 bits hold. A hypervisor often hands the counts through and not the bit: there the family
 * tells, which is in `signature` as 1 EAX has it.
 */
static inline unsigned kb_arch_tlb_unit(unsigned features, unsigned signature, bool guest)
{
	unsigned family = (signature >> 8 & 15) + (signature >> 20 & 255);

	return features >> 14 & 1 || (guest && (signature >> 8 & 15) == 15 && family == 26) ? 32 : 1;
}

#endif
