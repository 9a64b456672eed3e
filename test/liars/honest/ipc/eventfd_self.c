/* A counter of the kernel, raised and taken. */
#define _GNU_SOURCE
#include <errno.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <kbench.h>

static int fd = -1;

static int setup(struct kb_run *run)
{
	fd = eventfd(0, EFD_CLOEXEC);
	return fd < 0 ? kb_fail(run, errno, "an eventfd") : 0;
}

static int op(struct kb_run *run, uint64_t n)
{
	for (uint64_t i = 0; i < n; i++) {
		uint64_t value = 1 + i % 8, got = 0;

		if (write(fd, &value, sizeof value) != sizeof value || read(fd, &got, sizeof got) != sizeof got || got != value)
			return kb_fail(run, errno, "eventfd");
	}
	return 0;
}

KB_BENCHMARK(
	.summary = "eventfd, written and read", .per = "pair",
	.expect = { { KB_SYSCALLS, .per_op = 2, .who = KB_ALL } },
	.setup = setup, .op = op, .base = kb_empty_loop,
);
