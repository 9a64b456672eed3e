/* The shortest system call that no library keeps the answer of. */
#define _GNU_SOURCE
#include <errno.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <kbench.h>

static int op(struct kb_run *run, uint64_t n)
{
	for (uint64_t i = 0; i < n; i++) {
		if (syscall(SYS_getppid) < 0)
			return kb_fail(run, errno, "getppid");
	}
	return 0;
}

KB_BENCHMARK(
	.summary = "getppid", .per = "call",
	.expect = { { KB_SYSCALLS, .per_op = 1, .who = KB_ALL } },
	.op = op, .base = kb_empty_loop,
);
