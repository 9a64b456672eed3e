/* A lock of a part of a file, taken and given back. */
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include <kbench_files.h>

static int file = -1;

static int setup(struct kb_run *run)
{
	return kb_scratch_file(run, 4096, &file);
}

static int op(struct kb_run *run, uint64_t n)
{
	for (uint64_t i = 0; i < n; i++) {
		struct flock lock = { .l_type = F_WRLCK, .l_whence = SEEK_SET, .l_len = 100 };

		if (fcntl(file, F_SETLK, &lock))
			return kb_fail(run, errno, "a lock");
		lock.l_type = F_UNLCK;
		if (fcntl(file, F_SETLK, &lock))
			return kb_fail(run, errno, "a lock given back");
	}
	return 0;
}

KB_BENCHMARK(
	.summary = "a lock of a part of a file", .per = "pair",
	.expect = { { KB_SYSCALLS, .per_op = 2, .who = KB_ALL } },
	.setup = setup, .op = op, .base = kb_empty_loop,
);
