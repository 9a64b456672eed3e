/* Asking a pipe that has nothing: the answer is EAGAIN, and meant to be. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include <kbench.h>

static int ends[2];

static int setup(struct kb_run *run)
{
	return pipe2(ends, O_NONBLOCK | O_CLOEXEC) ? kb_fail(run, errno, "a pipe") : 0;
}

static int op(struct kb_run *run, uint64_t n)
{
	for (uint64_t i = 0; i < n; i++) {
		char letter;

		if (read(ends[0], &letter, 1) >= 0 || errno != EAGAIN)
			return kb_fail(run, EPROTO, "a pipe that should be empty");
	}
	return 0;
}

KB_BENCHMARK(
	.summary = "read of an empty pipe", .per = "call", .errors = "EAGAIN",
	.expect = { { KB_SYSCALLS, .per_op = 1, .who = KB_ALL } },
	.setup = setup, .op = op, .base = kb_empty_loop,
);
