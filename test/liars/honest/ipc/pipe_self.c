/* A byte through a pipe to oneself. */
#define _GNU_SOURCE
#include <errno.h>
#include <unistd.h>

#include <kbench.h>

static int ends[2];

static int setup(struct kb_run *run)
{
	return pipe(ends) ? kb_fail(run, errno, "a pipe") : 0;
}

static int op(struct kb_run *run, uint64_t n)
{
	for (uint64_t i = 0; i < n; i++) {
		char letter = (char)i;

		if (write(ends[1], &letter, 1) != 1 || read(ends[0], &letter, 1) != 1 || letter != (char)i)
			return kb_fail(run, errno, "a byte through the pipe");
	}
	return 0;
}

KB_BENCHMARK(
	.summary = "a byte through a pipe of one's own", .per = "byte",
	.expect = { { KB_SYSCALLS, .per_op = 2, .who = KB_ALL } },
	.setup = setup, .op = op, .base = kb_empty_loop,
);
