/* The name of the program that runs. */
#define _GNU_SOURCE
#include <errno.h>
#include <unistd.h>

#include <kbench.h>

static char path[4096];

static int op(struct kb_run *run, uint64_t n)
{
	for (uint64_t i = 0; i < n; i++) {
		if (readlink("/proc/self/exe", path, sizeof path) <= 0)
			return kb_fail(run, errno, "readlink");
	}
	return 0;
}

KB_BENCHMARK(
	.summary = "readlink of /proc/self/exe", .per = "call",
	.expect = { { KB_SYSCALLS, .per_op = 1, .who = KB_ALL } },
	.op = op, .base = kb_empty_loop,
);
