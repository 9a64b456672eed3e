/* Reads of a file in the page cache. */
#define _GNU_SOURCE
#include <errno.h>
#include <unistd.h>

#include <kbench.h>
#include <kbench_files.h>

#define BYTES 4096
#define BLOCKS 16

static char block[BYTES];
static int file = -1;

static int setup(struct kb_run *run)
{
	return kb_scratch_file(run, BYTES * BLOCKS, &file);
}

static int op(struct kb_run *run, uint64_t n)
{
	for (uint64_t i = 0; i < n; i++) {
		if (pread(file, block, BYTES, (off_t)(i % BLOCKS * BYTES)) != BYTES)
			return kb_fail(run, errno, "pread");
	}
	return 0;
}

KB_BENCHMARK(
	.summary = "pread of 4 KB", .per = "call", .bytes_per_op = BYTES,
	.expect = { { KB_SYSCALLS, .per_op = 1, .who = KB_ALL } },
	.setup = setup, .op = op, .base = kb_empty_loop,
);
