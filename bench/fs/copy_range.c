/*
 * fs.copy_range: a block goes from one file to another without passing the program. Both are in memory. A file system that
 * only notes that two files share a block is quick here, and rightly so; no device is read.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <kbench_files.h>

#define FILE_BYTES (1u << 20)

static uint64_t *buffer, *back, size, position, blocks;
static int from, to;

/* The files differ: a block that was copied tells by what it holds, its own offset. */
static int setup(struct kb_run *run)
{
	int error = kb_scratch_file_on(run, kb_param_text(run, "on"), &from);

	if (error)
		return error;
	buffer = kb_map_small(run, FILE_BYTES, MAP_PRIVATE | MAP_ANONYMOUS, -1);
	back = buffer ? kb_map_small(run, FILE_BYTES, MAP_PRIVATE | MAP_ANONYMOUS, -1) : NULL;
	if (!back)
		return -ENOMEM;
	size = kb_param_number(run, "size");
	run->bytes_per_op = size;
	to = open("copy", O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (to < 0 || write(to, buffer, FILE_BYTES) != FILE_BYTES)
		return kb_fail(run, errno, "writing the second file");
	for (uint64_t i = 0; i < FILE_BYTES / 8; i++)
		buffer[i] = i * 8 + 1;
	if (write(from, buffer, FILE_BYTES) != FILE_BYTES || fsync(from) || fsync(to))
		return kb_fail(run, errno, "writing the files to their disk");
	return 0;
}

static int before(struct kb_run *run, uint64_t n)
{
	memset(back, 0, size);
	blocks = kb_blocks(0);
	position = (position / size + n) % (FILE_BYTES / size) * size;
	return pwrite(to, back, size, (off_t)position) == (ssize_t)size ? 0 : kb_fail(run, errno, "clearing a block");
}

static int op(struct kb_run *run, uint64_t n)
{
	for (uint64_t i = 0; i < n; i++) {
		off_t in = (off_t)position, out = (off_t)position;

		if (copy_file_range(from, &in, to, &out, size, 0) != (ssize_t)size)
			return kb_fail(run, errno, "copying %llu bytes", (unsigned long long)size);
	}
	return 0;
}

static int check(struct kb_run *run, uint64_t n)
{
	(void)n;
	if (pread(to, back, size, (off_t)position) != (ssize_t)size || memcmp(back, (char *)buffer + position, size) != 0)
		return kb_fail(run, EILSEQ, "the copy differs");
	return kb_blocks(0) == blocks ? 0 : kb_fail(run, EPROTO, "the device was read: the file is not in memory");
}

KB_BENCHMARK(
	.summary = "copy_file_range of a block between two files in the page cache", .per = "call",
	.suite = KB_FULL, .portability = KB_PLATFORM, .assumes = "both files stay in the page cache",
	.params = {
		{ "on", "where the files are", KB_CHOICE, KB_ON, 0, 0, KB_ON },
		{ "size", "of a block, bytes", KB_SIZE, "64K", 4096, FILE_BYTES, NULL },
	},
	.expect = { { KB_SYSCALLS, .per_op = 1, .who = KB_ALL }, { KB_MINFLT }, { KB_MAJFLT } },
	.setup = setup, .before = before, .op = op, .check = check,
);
