/* Reads of a file in the page cache, and writes, which stay there. */
#define _GNU_SOURCE
#include <errno.h>
#include <unistd.h>

#include <kbench.h>
#include <kbench_files.h>

#define BYTES 4096
#define BLOCKS 16

static char block[BYTES];
static int file = -1;
static bool writes;

static int setup(struct kb_run *run)
{
	writes = kb_param_is(run, "call", "pwrite");
	return kb_scratch_file(run, BYTES * BLOCKS, &file);
}

static int op(struct kb_run *run, uint64_t n)
{
	for (uint64_t i = 0; i < n; i++) {
		off_t at = (off_t)(i % BLOCKS * BYTES);

		if ((writes ? pwrite(file, block, BYTES, at) : pread(file, block, BYTES, at)) != BYTES)
			return kb_fail(run, errno, writes ? "pwrite" : "pread");
	}
	return 0;
}

KB_BENCHMARK(
	.summary = "pread or pwrite of 4 KB", .per = "call", .bytes_per_op = BYTES,
	.params = { { "call", "the system call", KB_CHOICE, "pread", .choices = "pread,pwrite" } },
	.expect = { { KB_SYSCALLS, .per_op = 1, .who = KB_ALL } },
	.setup = setup, .op = op, .base = kb_empty_loop,
);
