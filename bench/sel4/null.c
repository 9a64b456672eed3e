/* A system call that does nothing: entry and exit of the kernel. Only kernels that are configured for benchmarks have it. */
#include "timed_loop.h"

KB_SEL4_ABOUT(
	.summary = "system call that does nothing (KERNEL_BENCHMARK other than none)", .per = "call", .portability = KB_PLATFORM,
	.assumes = "one kernel entry and no switch", .bound = KB_KERNEL, .suite = KB_STANDARD,
	.params = { KB_SEL4_PLAIN },
);

KB_SEL4_LOW(low, (void)root, seL4_BenchmarkNullSyscall(), (void)0)

KB_SEL4_TIMED_LOOP(.entries = 1, .switches = 0, .needs = KB_NEED_NULL_CALL, KB_SEL4_LOOPS(low));
