/* Nobody else is there to run. */
#define _GNU_SOURCE
#include <errno.h>
#include <sched.h>

#include <kbench.h>

static int op(struct kb_run *run, uint64_t n)
{
	for (uint64_t i = 0; i < n; i++) {
		if (sched_yield())
			return kb_fail(run, errno, "sched_yield");
	}
	return 0;
}

KB_BENCHMARK(
	.summary = "sched_yield", .per = "call",
	.expect = { { KB_SYSCALLS, .per_op = 1, .who = KB_ALL } },
	.op = op, .base = kb_empty_loop,
);
