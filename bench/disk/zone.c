/*
 * disk.zone: how fast a rotating disk streams, by the place: outer tracks hold more than inner ones. What has no tracks has
 * no zones. It reads a raw device, never writes, and must be asked for.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include <kbench_files.h>

#define PIECE (1u << 20)

static unsigned char *buffer;
static off_t first, next, end;
static uint64_t blocks;
static int disk;

/* A hundredth of the disk from the place on, then from there again. */
static int setup(struct kb_run *run)
{
	char rotational[8] = "";
	int error = kb_device_open(run, kb_param_text(run, "device"), &disk);

	if (error)
		return error;
	kb_device_of(disk, "queue/rotational", rotational, sizeof rotational);
	if (rotational[0] != '1')
		return kb_skip(run, "the device does not rotate, so it has no zones");

	off_t pieces = lseek(disk, 0, SEEK_END) / PIECE;

	if (pieces < 200 || posix_memalign((void **)&buffer, 65536, PIECE))
		return kb_fail(run, EINVAL, "the device has %lld MB", (long long)pieces);
	next = first = pieces * (off_t)kb_param_number(run, "place") / 100 * PIECE;
	end = first + pieces / 100 * PIECE;
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
		if (pread(disk, buffer, PIECE, next) != PIECE)
			return kb_fail(run, errno, "reading the device at %lld", (long long)next);
		next = next + 2 * (off_t)PIECE <= end ? next + PIECE : first;
	}
	return 0;
}

static int check(struct kb_run *run, uint64_t n)
{
	uint64_t moved = (kb_blocks(0) - blocks) * 512;

	return moved == n * PIECE ? 0 : kb_fail(run, EPROTO, "the device was read for %llu bytes, not %llu",
	                                        (unsigned long long)moved, (unsigned long long)(n * PIECE));
}

KB_BENCHMARK(
	.summary = "reading a raw rotating disk in order, by the place", .per = "piece", .bytes_per_op = PIECE, .max_n = 16,
	.suite = KB_MANUAL, .portability = KB_ASSUMING, .lmbench = "disk", .assumes = "the device has no memory of these blocks",
	.params = {
		{ "device", "its path; below: the one below the scratch directory", KB_TEXT, "below", 0, 0, NULL },
		{ "place", "percent of the disk before it", KB_NUMBER, "0,50,98", 0, 98, NULL },
	},
	.expect = { { KB_SYSCALLS, .per_op = 1, .who = KB_ALL }, { KB_NVCSW, 10, 0, 10, KB_SELF, NULL } },
	.setup = setup, .before = before, .op = op, .check = check,
);
