/* A file to /dev/null without a copy of one's own. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <sys/sendfile.h>
#include <unistd.h>

#include <kbench.h>
#include <kbench_files.h>

#define BYTES 65536

static int file = -1, null = -1;

static int setup(struct kb_run *run)
{
	null = open("/dev/null", O_WRONLY | O_CLOEXEC);
	return null < 0 ? kb_fail(run, errno, "open of /dev/null") : kb_scratch_file(run, BYTES, &file);
}

static int op(struct kb_run *run, uint64_t n)
{
	for (uint64_t i = 0; i < n; i++) {
		off_t at = 0;

		if (sendfile(null, file, &at, BYTES) != BYTES)
			return kb_fail(run, errno, "sendfile");
	}
	return 0;
}

KB_BENCHMARK(
	.summary = "sendfile of 64 KB to /dev/null", .per = "call",
	.expect = { { KB_SYSCALLS, .per_op = 1, .who = KB_ALL } },
	.setup = setup, .op = op, .base = kb_empty_loop,
);
