/* A timer that is set far into the future. */
#define _GNU_SOURCE
#include <errno.h>
#include <sys/timerfd.h>

#include <kbench.h>

static int timer = -1;

static int setup(struct kb_run *run)
{
	timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC);
	return timer < 0 ? kb_fail(run, errno, "a timer") : 0;
}

static int op(struct kb_run *run, uint64_t n)
{
	for (uint64_t i = 0; i < n; i++) {
		struct itimerspec when = { .it_value = { 1000 + (time_t)(i % 10), 0 } };

		if (timerfd_settime(timer, 0, &when, NULL))
			return kb_fail(run, errno, "timerfd_settime");
	}
	return 0;
}

KB_BENCHMARK(
	.summary = "timerfd_settime", .per = "call",
	.expect = { { KB_SYSCALLS, .per_op = 1, .who = KB_ALL } },
	.setup = setup, .op = op, .base = kb_empty_loop,
);
