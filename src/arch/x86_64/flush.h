/* The line leaves all caches; clflush is as old as SSE2, and any program may use it. False: there is no way. */
#ifndef KB_ARCH_FLUSH_H
#define KB_ARCH_FLUSH_H

#include "types.h"

static inline bool kb_flush_line(const void *line)
{
	__asm__ volatile("clflush %0\n	mfence" : : "m"(*(const volatile char *)line) : "memory");
	return true;
}

#endif
