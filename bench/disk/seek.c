/*
 * disk.seek: a block is read from a random place of a whole disk, past all memory of the kernel. On a rotating disk the arm
 * moves across `span` percent of it; others have no arm, and still answer differently to places far apart. It reads a raw
 * device, never writes, and must be asked for.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include <kbench_files.h>

#define BLOCK 4096u

static unsigned char *buffer;
static uint64_t random_state, places, blocks;
static int disk;

static int setup(struct kb_run *run)
{
	off_t bytes;
	int error = kb_device_open(run, kb_param_text(run, "device"), &disk);

	if (error)
		return error;
	bytes = lseek(disk, 0, SEEK_END);
	if (bytes < (off_t)BLOCK * 100 || posix_memalign((void **)&buffer, 65536, BLOCK))
		return kb_fail(run, EINVAL, "the device has %lld bytes", (long long)bytes);
	places = (uint64_t)bytes / BLOCK / 100 * kb_param_number(run, "span");
	random_state = run->seed;
	return 0;
}

static int before(struct kb_run *run, uint64_t n)
{
	(void)run;
	(void)n;
	blocks = kb_blocks(0);
	return 0;
}

static int op(struct kb_run *run, uint64_t n)
{
	for (uint64_t i = 0; i < n; i++) {
		random_state = random_state * 6364136223846793005u + 1442695040888963407u;      /* Knuth's MMIX generator */
		uint64_t place = (random_state >> 24) % places;

		if (pread(disk, buffer, BLOCK, (off_t)(place * BLOCK)) != BLOCK)
			return kb_fail(run, errno, "reading block %llu of the device", (unsigned long long)place);
	}
	return 0;
}

/* What this thread made the device read; a drive may answer from a memory of its own. */
static int check(struct kb_run *run, uint64_t n)
{
	uint64_t moved = (kb_blocks(0) - blocks) * 512;

	return moved == n * BLOCK ? 0 : kb_fail(run, EPROTO, "the device was read for %llu bytes, not %llu",
	                                        (unsigned long long)moved, (unsigned long long)(n * BLOCK));
}

KB_BENCHMARK(
	.summary = "reading a block of a raw disk at random places", .per = "seek", .max_n = 64,
	.suite = KB_MANUAL, .portability = KB_ASSUMING, .lmbench = "seek, flushdisk", .assumes = "the device has no memory of these blocks",
	.params = {
		{ "device", "its path; below: the one below the scratch directory", KB_TEXT, "below", 0, 0, NULL },
		{ "span", "percent of the disk", KB_NUMBER, "1,100", 1, 100, NULL },
	},
	.expect = { { KB_SYSCALLS, .per_op = 1, .who = KB_ALL }, { KB_NVCSW, 1, 0, 1, KB_SELF, NULL } },
	.setup = setup, .before = before, .op = op, .check = check,
);
