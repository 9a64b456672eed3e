/*
 * fs.direct: a block of a file goes between the disk and the program's own memory, past the memory that the kernel keeps
 * of files. What the thread made the device move is counted: a file system that falls back on that memory would show.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include <kbench_files.h>

#define FILE_BYTES (4u << 20)
#define ALIGNMENT 65536u        /* more than any device asks for */

static uint64_t *buffer, size, position, number, random_state, blocks;
static int file, plain;
static bool writes;

/* The file holds its own offsets, and the file in memory is a second descriptor of it. */
static int setup(struct kb_run *run)
{
	int error = kb_scratch_file_on(run, "disk", &plain);

	size = kb_param_number(run, "size");
	writes = kb_param_is(run, "way", "write");
	run->bytes_per_op = size;
	random_state = run->seed;
	buffer = aligned_alloc(ALIGNMENT, FILE_BYTES);
	for (uint64_t i = 0; buffer && i < FILE_BYTES / 8; i++)
		buffer[i] = i * 8;
	if (error || !buffer)
		return error ?: kb_fail(run, ENOMEM, "a buffer");
	if (write(plain, buffer, FILE_BYTES) != FILE_BYTES || fsync(plain))
		return kb_fail(run, errno, "writing the file once");
	posix_fadvise(plain, 0, FILE_BYTES, POSIX_FADV_DONTNEED);
	file = open("file", O_RDWR | O_DIRECT | O_CLOEXEC);
	return file < 0 ? kb_skip(run, "the file system below the scratch directory has no direct access") : 0;
}

static int before(struct kb_run *run, uint64_t n)
{
	(void)run;
	(void)n;
	blocks = kb_blocks(writes);
	return 0;
}

static int op(struct kb_run *run, uint64_t n)
{
	for (uint64_t i = 0; i < n; i++) {
		random_state = random_state * 6364136223846793005u + 1442695040888963407u;      /* Knuth's MMIX generator */
		position = (random_state >> 33) % (FILE_BYTES / size) * size;
		buffer[0] = writes ? ++number : ~UINT64_C(0);
		ssize_t moved = writes ? pwrite(file, buffer, size, (off_t)position) : pread(file, buffer, size, (off_t)position);

		if (moved != (ssize_t)size)
			return kb_fail(run, errno, "direct access at %llu", (unsigned long long)position);
	}
	return 0;
}

static int check(struct kb_run *run, uint64_t n)
{
	uint64_t moved = (kb_blocks(writes) - blocks) * 512;

	if (moved != n * size)
		return kb_fail(run, EPROTO, "the device moved %llu bytes, not %llu", (unsigned long long)moved,
		               (unsigned long long)(n * size));
	if (writes && pread(file, buffer, size, (off_t)position) != (ssize_t)size)
		return kb_fail(run, errno, "reading back");
	return buffer[0] == (writes ? number : position) ? 0 : kb_fail(run, EILSEQ, "the block is another one");
}

KB_BENCHMARK(
	.summary = "moving a block of a file to or from the disk directly", .per = "call", .max_n = 64,
	.suite = KB_FULL, .portability = KB_ASSUMING, .lmbench = "lmdd", .assumes = "direct access reaches the device",
	.params = {
		{ "way", "of the block", KB_CHOICE, "read,write", 0, 0, "read,write" },
		{ "size", "of a block, bytes", KB_SIZE, "4K", 512, 1u << 20, NULL },
	},
	.expect = { { KB_SYSCALLS, .per_op = 1, .who = KB_ALL }, { KB_NVCSW, 1, 0, 1, KB_SELF, NULL } },
	.setup = setup, .before = before, .op = op, .check = check,
);
