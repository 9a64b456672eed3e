/* What the system tells of memory and of the caches before it. */
#ifndef KB_OS_CACHES_H
#define KB_OS_CACHES_H

#include "types.h"

#define KB_CACHES_MAX 16u
#define KB_CACHE_WORD 32

/* A line of what is told of a CPU's cache: "size" is "48K"; false: there is no such cache. */
bool kb_cpu_cache(int cpu, unsigned index, const char *name, char text[KB_CACHE_WORD]);

/* In bytes; 0: there is no such cache, or nothing is told. kb_cpu_last_cache: of the largest. */
uint64_t kb_cpu_cache_size(int cpu, unsigned index);
uint64_t kb_cpu_last_cache(int cpu);

/* Bytes that can be had before the machine, or a control group of this process, is out of memory. Touching more would make the
   system kill processes, not necessarily this one. */
uint64_t kb_memory_left(void);

#endif
