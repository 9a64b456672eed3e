/* Lists of CPUs as people type them and as the kernel prints them: "0,2-3". */
#ifndef KB_ENV_CPULIST_H
#define KB_ENV_CPULIST_H

#include "types.h"

#define KB_CPULIST_MAX 8192     /* the largest NR_CPUS that the kernel offers on any of our architectures */

/* Numbers in the order of the text; how many, or -EINVAL: empty, not a list, backwards, or more than `room`. */
int kb_cpulist_parse(const char *text, unsigned *cpus, size_t room);

/* Whether a list names this CPU; false if it is no list. */
bool kb_cpulist_has(const char *text, unsigned cpu);

/* How many CPUs a list names; -EINVAL as above. */
int kb_cpulist_count(const char *text);

#endif
