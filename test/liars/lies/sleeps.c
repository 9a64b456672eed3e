/*
 * Says: it computes, limited by a chain of additions, and costs so many core cycles. Hidden: most of the time the thread does not
 * run at all, or is in the kernel.
 */
#define _GNU_SOURCE
#include <poll.h>
#include <sched.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "liar.h"

static uint64_t sum;

/* A child that computes for us. */
static int wait_for_child(struct kb_run *run)
{
	pid_t child = fork();

	if (child == 0) {
		kb_keep(chain(0, 100 * TURN));
		_exit(0);
	}
	return child < 0 || waitpid(child, NULL, 0) != child ? kb_fail(run, errno, "a child") : 0;
}

static int rest(struct kb_run *run)
{
	struct timespec deadline = { 0, 100000 };

	if (lie(run, "sleeps"))
		sleep_ns(1000);
	if (lie(run, "polls"))
		poll(NULL, 0, 1);
	if (lie(run, "waits_for_time"))
		ppoll(NULL, 0, &deadline, NULL);
	if (lie(run, "yields"))
		sched_yield();
	if (lie(run, "calls"))
		syscall(SYS_getppid);
	return lie(run, "child") ? wait_for_child(run) : 0;
}

static int op(struct kb_run *run, uint64_t n)
{
	bool honest = lie(run, "honest");
	int error = 0;

	sum = 0;
	for (uint64_t i = 0; i < n && !error; i++) {
		sum = chain(sum, TURN);
		error = honest ? 0 : rest(run);
	}
	return error;
}

static int check(struct kb_run *run, uint64_t n)
{
	return sum == n * TURN * STEP ? 0 : kb_fail(run, EILSEQ, "the sum is wrong");
}

KB_BENCHMARK(
	.summary = "a chain of additions, with rests", .per = "chain", .bound = KB_LATENCY,
	.params = { LIE_PARAM("sleeps,polls,waits_for_time,yields,calls,child") },
	.op = op, .base = kb_empty_loop, .check = check,
);
