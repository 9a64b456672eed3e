/* Waiting for a word that has changed already: EAGAIN, as it is meant to be. */
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
		if (syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 1, NULL, NULL, 0) == 0 || errno != EAGAIN)
			return kb_fail(run, EPROTO, "a futex that should not wait");
	}
	return 0;
}

KB_BENCHMARK(
	.summary = "futex wait on a changed word", .per = "call", .errors = "EAGAIN",
	.expect = { { KB_SYSCALLS, .per_op = 1, .who = KB_ALL } },
	.op = op, .base = kb_empty_loop,
);
