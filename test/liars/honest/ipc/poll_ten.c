/* Ten descriptors, none ready. */
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <unistd.h>

#include <kbench.h>

#define COUNT 10

static struct pollfd fds[COUNT];

static int setup(struct kb_run *run)
{
	for (int i = 0; i < COUNT; i++) {
		int ends[2];

		if (pipe(ends))
			return kb_fail(run, errno, "a pipe");
		fds[i] = (struct pollfd){ .fd = ends[0], .events = POLLIN };
	}
	return 0;
}

static int op(struct kb_run *run, uint64_t n)
{
	for (uint64_t i = 0; i < n; i++) {
		if (poll(fds, COUNT, 0) != 0)
			return kb_fail(run, errno, "poll");
	}
	return 0;
}

KB_BENCHMARK(
	.summary = "poll of ten empty pipes", .per = "call",
	.expect = { { KB_SYSCALLS, .per_op = 1, .who = KB_ALL } },
	.setup = setup, .op = op, .base = kb_empty_loop,
);
