/* A second descriptor for a file. */
#define _GNU_SOURCE
#include <errno.h>
#include <unistd.h>

#include <kbench.h>

static int op(struct kb_run *run, uint64_t n)
{
	for (uint64_t i = 0; i < n; i++) {
		int fd = dup(STDERR_FILENO);

		if (fd < 0 || close(fd))
			return kb_fail(run, errno, "dup or close");
	}
	return 0;
}

KB_BENCHMARK(
	.summary = "dup and close", .per = "pair",
	.expect = { { KB_SYSCALLS, .per_op = 2, .who = KB_ALL } },
	.op = op, .base = kb_empty_loop,
);
