/* Around each critical section of many programs. */
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>

#include <kbench.h>

static sigset_t some, old;

static int setup(struct kb_run *run)
{
	(void)run;
	sigemptyset(&some);
	sigaddset(&some, SIGUSR1);
	return 0;
}

static int op(struct kb_run *run, uint64_t n)
{
	for (uint64_t i = 0; i < n; i++) {
		if (sigprocmask(SIG_BLOCK, &some, &old) || sigprocmask(SIG_SETMASK, &old, NULL))
			return kb_fail(run, errno, "sigprocmask");
	}
	return 0;
}

KB_BENCHMARK(
	.summary = "blocking a signal and allowing it", .per = "pair",
	.expect = { { KB_SYSCALLS, .per_op = 2, .who = KB_ALL } },
	.setup = setup, .op = op, .base = kb_empty_loop,
);
