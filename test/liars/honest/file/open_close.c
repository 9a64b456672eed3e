/* A path of two names. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include <kbench.h>

static int op(struct kb_run *run, uint64_t n)
{
	for (uint64_t i = 0; i < n; i++) {
		int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);

		if (fd < 0 || close(fd))
			return kb_fail(run, errno, "open or close of /dev/null");
	}
	return 0;
}

KB_BENCHMARK(
	.summary = "open and close", .per = "pair",
	.expect = { { KB_SYSCALLS, .per_op = 2, .who = KB_ALL } },
	.op = op, .base = kb_empty_loop,
);
