/* What the processor says of its translation caches and clocks: here no program without privileges can ask it. */
#ifndef KB_ARCH_DECLARED_H
#define KB_ARCH_DECLARED_H

#include "types.h"

/* Entries for data in pages of 4 KB, of level 1 or 2; 0: not said. */
static inline unsigned kb_arch_tlb_entries(unsigned level, const char **source)
{
	(void)level;
	(void)source;
	return 0;
}

/* MHz of the time stamp counter and of the core's base clock; 0: not said. */
static inline unsigned kb_arch_tsc_mhz(void)
{
	return 0;
}

static inline unsigned kb_arch_base_mhz(void)
{
	return 0;
}

#endif
