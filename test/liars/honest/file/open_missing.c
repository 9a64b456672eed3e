/* What a program pays that looks for a file along a path: most tries fail, and they are meant to. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>

#include <kbench.h>

static int op(struct kb_run *run, uint64_t n)
{
	for (uint64_t i = 0; i < n; i++) {
		if (open("/there/is/no/such/file", O_RDONLY | O_CLOEXEC) >= 0 || errno != ENOENT)
			return kb_fail(run, EPROTO, "a file that should be missing");
	}
	return 0;
}

KB_BENCHMARK(
	.summary = "open of a missing file", .per = "call", .errors = "ENOENT",
	.expect = { { KB_SYSCALLS, .per_op = 1, .who = KB_ALL } },
	.op = op, .base = kb_empty_loop,
);
