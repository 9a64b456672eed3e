/* clock_gettime without a system call: the library reads what the kernel has mapped. It must never go back. */
#include <errno.h>
#include <time.h>

#include <kbench.h>

static uint64_t last, forward;

static int op(struct kb_run *run, uint64_t n)
{
	(void)run;
	forward = 0;
	for (uint64_t i = 0; i < n; i++) {
		struct timespec time;

		clock_gettime(CLOCK_MONOTONIC, &time);

		uint64_t now = (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;

		forward += now >= last;
		last = now;
	}
	return 0;
}

static int check(struct kb_run *run, uint64_t n)
{
	return forward == n ? 0 : kb_fail(run, EPROTO, "the clock went back");
}

KB_BENCHMARK(
	.summary = "clock_gettime", .per = "call", .bound = KB_LATENCY,
	.expect = { { KB_SYSCALLS, .per_op = 0, .who = KB_ALL } },
	.op = op, .base = kb_empty_loop, .check = check,
);
