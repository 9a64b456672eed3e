/* For declared.h of architectures whose processors tell a program without privileges nothing of their caches,
   translation caches and clocks. */
#ifndef KB_ARCH_DECLARED_NONE_H
#define KB_ARCH_DECLARED_NONE_H

#include "types.h"
#include "arch/declared_cache.h"

/* Entries for data in pages of 4 KB, or of 2 MB, of level 1 or 2; 0: not reported. */
static inline unsigned kb_arch_tlb_entries(unsigned level, bool huge, const char **source)
{
	(void)level;
	(void)huge;
	(void)source;
	return 0;
}

static inline bool kb_arch_cache(unsigned level, struct kb_arch_cache *cache)
{
	(void)level;
	(void)cache;
	return false;
}

/* MHz of the time stamp counter and of the core's base clock; 0: not reported. */
static inline unsigned kb_arch_tsc_mhz(void)
{
	return 0;
}

static inline unsigned kb_arch_base_mhz(void)
{
	return 0;
}

/* Whether kb_arch_hypervisor() can tell at all. */
static inline bool kb_arch_sees_hypervisor(void)
{
	return false;
}

/* Always false here: it means "not known", not "none". */
static inline bool kb_arch_hypervisor(char name[13])
{
	name[0] = 0;
	return false;
}

#endif
