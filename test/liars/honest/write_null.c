/* A write that is thrown away. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include <kbench.h>

static int null = -1;
static char text[64];

static int setup(struct kb_run *run)
{
	null = open("/dev/null", O_WRONLY | O_CLOEXEC);
	return null < 0 ? kb_fail(run, errno, "open of /dev/null") : 0;
}

static int op(struct kb_run *run, uint64_t n)
{
	for (uint64_t i = 0; i < n; i++) {
		if (write(null, text, sizeof text) != sizeof text)
			return kb_fail(run, errno, "write to /dev/null");
	}
	return 0;
}

KB_BENCHMARK(
	.summary = "write to /dev/null", .per = "call", .bytes_per_op = sizeof text,
	.expect = { { KB_SYSCALLS, .per_op = 1, .who = KB_ALL } },
	.setup = setup, .op = op, .base = kb_empty_loop,
);
