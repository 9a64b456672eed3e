/* A lock that nobody else wants: no system call. */
#include "semaphore.h"
#include "timed_loop.h"

KB_SEL4_ABOUT(
	.summary = "take and give back a lock that nobody else wants", .per = "pair", .portability = KB_PLATFORM,
	.assumes = "no kernel entry", .bound = KB_LATENCY, .params = { KB_SEL4_FPU },
);

static struct kb_semaphore lock = { .value = 1 };

KB_SEL4_LOW(low, (void)root, kb_semaphore_take(&lock); kb_semaphore_give(&lock), (void)0)

KB_SEL4_TIMED_LOOP(.entries = 0, .switches = 0, KB_SEL4_LOOPS(low));
