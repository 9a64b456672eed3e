/*
 * Says: 4 KB are written to a file and sent to the disk. Hidden: nothing was written, and so there is nothing
 * to send. Two calls are made all the same.
 */
#define _GNU_SOURCE
#include <unistd.h>

#include <kbench_files.h>

#include "liar.h"

#define BYTES 4096

static unsigned char block[BYTES], other[BYTES];
static int file = -1;
static uint64_t blocks, round;

static int setup(struct kb_run *run)
{
	return kb_scratch_file(run, BYTES, &file);
}

static int before(struct kb_run *run, uint64_t n)
{
	(void)run;
	(void)n;
	blocks = kb_blocks(1);
	return 0;
}

static ssize_t put(const struct kb_run *run)
{
	block[0] = (unsigned char)++round;
	if (lie(run, "nothing_written"))
		return lseek(file, 0, SEEK_SET) == 0 ? BYTES : -1;
	if (lie(run, "read_instead"))
		return pread(file, other, BYTES, 0);
	return pwrite(file, block, BYTES, 0);
}

static int op(struct kb_run *run, uint64_t n)
{
	for (uint64_t i = 0; i < n; i++) {
		if (put(run) != BYTES || fdatasync(file))
			return kb_fail(run, errno, "writing to the disk");
	}
	return 0;
}

/* The honest one asks what this thread has given to a device. */
static int check(struct kb_run *run, uint64_t n)
{
	if (!lie(run, "honest"))
		return 0;
	return kb_blocks(1) - blocks >= n * BYTES / 512 ? 0 : kb_fail(run, EPROTO, "less was given to the device");
}

KB_BENCHMARK(
	.summary = "writing 4 KB and sending it to the disk", .per = "block", .bytes_per_op = BYTES,
	.params = { LIE_PARAM("nothing_written,read_instead") },
	.expect = { { KB_SYSCALLS, .per_op = 2, .who = KB_ALL }, { KB_WCHAR, .per_op = BYTES }, { KB_NVCSW, 10, 0, 9.9, KB_SELF, NULL } },
	.setup = setup, .before = before, .op = op, .check = check,
);
