/* Bytes that the kernel makes. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include <kbench.h>

static int zero = -1;
static char text[4096];

static int setup(struct kb_run *run)
{
	zero = open("/dev/zero", O_RDONLY | O_CLOEXEC);
	return zero < 0 ? kb_fail(run, errno, "open of /dev/zero") : 0;
}

static int op(struct kb_run *run, uint64_t n)
{
	for (uint64_t i = 0; i < n; i++) {
		if (read(zero, text, sizeof text) != sizeof text)
			return kb_fail(run, errno, "read of /dev/zero");
	}
	return 0;
}

KB_BENCHMARK(
	.summary = "read of 4 KB of /dev/zero", .per = "call", .bytes_per_op = sizeof text,
	.expect = { { KB_SYSCALLS, .per_op = 1, .who = KB_ALL } },
	.setup = setup, .op = op, .base = kb_empty_loop,
);
