/* A cache for data as the processor itself describes it; what it does not report is 0. */
#ifndef KB_ARCH_DECLARED_CACHE_H
#define KB_ARCH_DECLARED_CACHE_H

#include "types.h"

struct kb_arch_cache {
	uint64_t bytes;
	unsigned ways, line;    /* line: bytes */
	const char *source;     /* which question was answered, "CPUID 4" */
};

#endif
