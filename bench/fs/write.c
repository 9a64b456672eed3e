/*
 * fs.write: blocks of a file that is in memory are written over, one after the other, from its beginning again at its end.
 * The pages are dirty and stay so: sending them to a disk is fs.fsync. Each block carries its number at both ends. The file is as small
 * as it may be: one that fills the last cache would cost what others leave of that.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <kbench_files.h>

#define LEAST_BYTES (256u << 10)
#define SIZE_MOST (1u << 20)    /* of a block */
#define BLOCKS 4u               /* of the file, at the least */

static uint64_t *buffer, *back, size, words, position, number, length;
static int file;

static int fill(struct kb_run *run)
{
	for (uint64_t done = 0; done < length; done += size) {
		if (pwrite(file, buffer, size, (off_t)done) != (ssize_t)size)
			return kb_fail(run, errno, "writing the file once");
	}
	return 0;
}

static int setup(struct kb_run *run)
{
	int error = kb_scratch_file_on(run, kb_param_text(run, "on"), &file);

	if (error)
		return error;
	buffer = kb_map_small(run, SIZE_MOST, MAP_PRIVATE | MAP_ANONYMOUS, -1);
	back = buffer ? kb_map_small(run, SIZE_MOST, MAP_PRIVATE | MAP_ANONYMOUS, -1) : NULL;
	if (!back)
		return -ENOMEM;
	size = kb_param_number(run, "size");
	words = size / 8;
	run->bytes_per_op = size;
	memset(buffer, 1, SIZE_MOST);
	length = size * BLOCKS > LEAST_BYTES ? size * BLOCKS : LEAST_BYTES / size * size;
	error = fill(run);
	if (!error && fdatasync(file)) /* its place on the disk is found now, and nothing is left to be sent before the samples end */
		error = kb_fail(run, errno, "writing the file to its disk");
	return error ? error : fill(run);
}

static int op(struct kb_run *run, uint64_t n)
{
	for (uint64_t i = 0; i < n; i++) {
		buffer[0] = buffer[words - 1] = ++number;
		position = position + 2 * size <= length ? position + size : 0;
		if (pwrite(file, buffer, size, (off_t)position) != (ssize_t)size)
			return kb_fail(run, errno, "writing %llu bytes at %llu", (unsigned long long)size, (unsigned long long)position);
	}
	return 0;
}

static int check(struct kb_run *run, uint64_t n)
{
	(void)n;
	if (pread(file, back, size, (off_t)position) != (ssize_t)size)
		return kb_fail(run, errno, "reading back");
	if (back[0] != number || back[words - 1] != number)
		return kb_fail(run, EILSEQ, "the file holds block %llu, not %llu", (unsigned long long)back[0],
		               (unsigned long long)number);
	return 0;
}

KB_BENCHMARK(
	.summary = "overwrite of a block of a file in the page cache", .per = "call",
	.suite = KB_FULL, .portability = KB_ASSUMING, .lmbench = "lmdd", .assumes = "no write-back happens during a sample",
	.params = {
		{ "on", "where the file is", KB_CHOICE, KB_ON, 0, 0, KB_ON },
		{ "size", "of a block, bytes", KB_SIZE, "4K,64K", 8, SIZE_MOST, NULL },
	},
	.expect = { { KB_SYSCALLS, .per_op = 1, .who = KB_ALL }, { KB_MINFLT }, { KB_MAJFLT } },
	.setup = setup, .op = op, .check = check,
);
