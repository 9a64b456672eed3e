/* Memory in huge pages, proven to be. */
#ifndef KB_OS_HUGE_H
#define KB_OS_HUGE_H

#include "types.h"

/* The largest first huge page of the three architectures with 4 KB pages; alignment to more does no harm. */
#define KB_HUGE_PAGE (UINT64_C(2) << 20)

/*
 * Private memory, zeroed and touched, all of it in huge pages: transparent ones, by AnonHugePages of /proc/self/smaps, else reserved
 * ones. NULL with a text where there is none.
 */
void *kb_huge_map(size_t bytes, const char **why);

/* Whether this process gets a huge page now: the smallest real thing is tried and given back. */
bool kb_huge_there(void);

#endif
