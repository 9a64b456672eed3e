/* Waking where nobody sleeps: a lock that was thought contended. */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <kbench.h>

static uint32_t word;

static int op(struct kb_run *run, uint64_t n)
{
	for (uint64_t i = 0; i < n; i++) {
		if (syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0) != 0)
			return kb_fail(run, errno, "futex wake");
	}
	return 0;
}

KB_BENCHMARK(
	.summary = "futex wake without sleepers", .per = "call",
	.expect = { { KB_SYSCALLS, .per_op = 1, .who = KB_ALL } },
	.op = op, .base = kb_empty_loop,
);
