/* Parts of the injector (inject.c). */
#ifndef KB_TEST_INJECT_H
#define KB_TEST_INJECT_H

#include <linux/types.h>
#include <stdbool.h>
#include <sys/types.h>

/* Whether this call of that process may change a file whose path begins so. */
bool changes_below(pid_t pid, const char *call, const __u64 arguments[], const char *below);

/* The first half of a write or pwrite64 in the process's place, through its own open file, whose offset moves. What was written, or -errno. */
long write_half(pid_t pid, const __u64 arguments[], bool at_offset);

#endif
