/* The same by access(). */
#define _GNU_SOURCE
#include <errno.h>
#include <unistd.h>

#include <kbench.h>

static int op(struct kb_run *run, uint64_t n)
{
	for (uint64_t i = 0; i < n; i++) {
		if (access("/dev/no-such-device", F_OK) == 0 || errno != ENOENT)
			return kb_fail(run, EPROTO, "a device that should be missing");
	}
	return 0;
}

KB_BENCHMARK(
	.summary = "access of a missing file", .per = "call", .errors = "ENOENT",
	.expect = { { KB_SYSCALLS, .per_op = 1, .who = KB_ALL } },
	.op = op, .base = kb_empty_loop,
);
