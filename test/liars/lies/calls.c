/*
 * Says: n system calls (getppid) in an operation each, and claims just that. Hidden: another number of them, found by a
 * claim that is counted once, at 50 and 100 operations, or not found where these two are treated as they should be.
 */
#define _GNU_SOURCE
#include <sys/syscall.h>
#include <unistd.h>

#include "liar.h"

#define MOST 100000u

static uint64_t turns(const struct kb_run *run, uint64_t n)
{
	if (lie(run, "none"))
		return 0;
	if (lie(run, "half"))
		return n / 2;
	if (lie(run, "third"))
		return n / 3;
	if (lie(run, "twice"))
		return 2 * n;
	if (lie(run, "constant"))
		return 64;
	if (lie(run, "square"))
		return n < 316 ? n * n : MOST;
	if (lie(run, "knows_the_proof"))
		return n == 50 || n == 100 || n == 1 ? n : n / 2;
	if (lie(run, "stops_at_100"))
		return n < 100 ? n : 100;
	if (lie(run, "half_beyond_100"))
		return n <= 100 ? n : 100 + (n - 100) / 2;
	return n;
}

static int op(struct kb_run *run, uint64_t n)
{
	for (uint64_t i = turns(run, n); i > 0; i--) {
		if (syscall(SYS_getppid) < 0)
			return kb_fail(run, errno, "getppid");
	}
	return 0;
}

KB_BENCHMARK(
	.summary = "a system call, so many times as asked, or not", .per = "call",
	.params = { LIE_PARAM("none,half,third,twice,constant,square,knows_the_proof,stops_at_100,half_beyond_100") },
	.expect = { { KB_SYSCALLS, .per_op = 1, .who = KB_ALL } },
	.op = op, .base = kb_empty_loop,
);
