/* A file that lives shortly. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include <kbench.h>
#include <kbench_files.h>

static int setup(struct kb_run *run)
{
	const char *directory = kb_scratch_directory(run);

	return !directory ? -EIO : chdir(directory) ? kb_fail(run, errno, "chdir") : 0;
}

static int op(struct kb_run *run, uint64_t n)
{
	for (uint64_t i = 0; i < n; i++) {
		int fd = open("short-lived", O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0600);

		if (fd < 0 || close(fd) || unlink("short-lived"))
			return kb_fail(run, errno, "a file");
	}
	return 0;
}

KB_BENCHMARK(
	.summary = "making and removing an empty file", .per = "file",
	.expect = { { KB_SYSCALLS, .per_op = 3, .who = KB_ALL } },
	.setup = setup, .op = op, .base = kb_empty_loop,
);
