/* What a program asks about itself. */
#define _GNU_SOURCE
#include <errno.h>
#include <sys/resource.h>

#include <kbench.h>

static struct rusage usage;

static int op(struct kb_run *run, uint64_t n)
{
	for (uint64_t i = 0; i < n; i++) {
		if (getrusage(RUSAGE_SELF, &usage))
			return kb_fail(run, errno, "getrusage");
	}
	return 0;
}

KB_BENCHMARK(
	.summary = "getrusage", .per = "call",
	.expect = { { KB_SYSCALLS, .per_op = 1, .who = KB_ALL } },
	.op = op, .base = kb_empty_loop,
);
