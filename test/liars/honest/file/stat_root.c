/* A look at a directory. */
#define _GNU_SOURCE
#include <errno.h>
#include <sys/stat.h>

#include <kbench.h>

static int op(struct kb_run *run, uint64_t n)
{
	for (uint64_t i = 0; i < n; i++) {
		struct stat status;

		if (stat("/", &status) || !S_ISDIR(status.st_mode))
			return kb_fail(run, errno, "stat of /");
	}
	return 0;
}

KB_BENCHMARK(
	.summary = "stat of the root folder", .per = "call",
	.expect = { { KB_SYSCALLS, .per_op = 1, .who = KB_ALL } },
	.op = op, .base = kb_empty_loop,
);
