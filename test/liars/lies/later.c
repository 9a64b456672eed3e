/*
 * Says: n system calls in an operation each. Hidden: that is so while somebody looks (in the pilot, in the first samples, in
 * every second one), and half as many afterwards.
 */
#define _GNU_SOURCE
#include <sys/syscall.h>
#include <unistd.h>

#include "liar.h"

static uint64_t samples, began_ns;
static bool based;

static int setup(struct kb_run *run)
{
	(void)run;
	began_ns = wall_ns();
	return 0;
}

static uint64_t turns(const struct kb_run *run, uint64_t n)
{
	uint64_t aged = samples < 1000 ? samples : 1000;

	samples++;
	if (lie(run, "after_20_samples"))
		return samples > 20 ? n / 2 : n;
	if (lie(run, "after_20_ms"))
		return wall_ns() - began_ns > 20000000 ? n / 2 : n;
	if (lie(run, "after_the_pilot"))        /* no empty loop is measured in the pilot */
		return based ? n / 2 : n;
	if (lie(run, "every_other"))
		return samples & 1 ? n / 2 : n;
	return lie(run, "ever_less") ? n - n * aged / 2000 : n;
}

static int op(struct kb_run *run, uint64_t n)
{
	for (uint64_t i = turns(run, n); i > 0; i--) {
		if (syscall(SYS_getppid) < 0)
			return kb_fail(run, errno, "getppid");
	}
	return 0;
}

static int base(struct kb_run *run, uint64_t n)
{
	based = true;
	return kb_empty_loop(run, n);
}

KB_BENCHMARK(
	.summary = "a system call, as long as somebody looks", .per = "call",
	.params = { LIE_PARAM("after_20_samples,after_20_ms,after_the_pilot,every_other,ever_less") },
	.expect = { { KB_SYSCALLS, .per_op = 1, .who = KB_ALL } },
	.setup = setup, .op = op, .base = base,
);
