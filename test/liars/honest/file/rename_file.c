/* There and back. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include <kbench.h>
#include <kbench_files.h>

static int setup(struct kb_run *run)
{
	const char *directory = kb_scratch_directory(run);

	if (!directory)
		return -EIO;
	return chdir(directory) || close(open("here", O_CREAT | O_WRONLY | O_CLOEXEC, 0600)) ? kb_fail(run, errno, "a file") : 0;
}

static int op(struct kb_run *run, uint64_t n)
{
	for (uint64_t i = 0; i < n; i++) {
		if (rename("here", "there") || rename("there", "here"))
			return kb_fail(run, errno, "rename");
	}
	return 0;
}

KB_BENCHMARK(
	.summary = "renaming a file and back", .per = "pair",
	.expect = { { KB_SYSCALLS, .per_op = 2, .who = KB_ALL } },
	.setup = setup, .op = op, .base = kb_empty_loop,
);
