/*
 * fs.fallocate: space is given to a file piece by piece, behind its end. The file must own that many bytes afterwards; a
 * file system in memory clears them at once, one on a disk only notes which are its own.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <kbench_files.h>

#define PIECES_MAX 16u

static uint64_t size;
static int file;

static int setup(struct kb_run *run)
{
	int error = kb_scratch_file_on(run, kb_param_text(run, "on"), &file);

	size = kb_param_number(run, "size");
	if (!error && fallocate(file, 0, 0, (off_t)size))
		error = errno == EOPNOTSUPP ? kb_skip(run, "the file system below the scratch directory cannot allocate") :
		                              kb_fail(run, errno, "allocating %llu bytes", (unsigned long long)size);
	return error;
}

static int before(struct kb_run *run, uint64_t n)
{
	(void)n;
	return ftruncate(file, 0) ? kb_fail(run, errno, "cutting the file") : 0;
}

static int op(struct kb_run *run, uint64_t n)
{
	for (uint64_t i = 0; i < n; i++) {
		if (fallocate(file, 0, (off_t)(i * size), (off_t)size))
			return kb_fail(run, errno, "allocating %llu bytes", (unsigned long long)size);
	}
	return 0;
}

/* Space comes in units of the file system, so there may be somewhat more. */
static int check(struct kb_run *run, uint64_t n)
{
	struct stat status;

	if (fstat(file, &status))
		return kb_fail(run, errno, "asking for the size");
	if ((uint64_t)status.st_size == n * size && (uint64_t)status.st_blocks * 512 >= n * size)
		return 0;
	return kb_fail(run, EPROTO, "the file has %lld bytes, %lld blocks of its own", (long long)status.st_size,
	               (long long)status.st_blocks);
}

KB_BENCHMARK(
	.summary = "giving space to a file", .per = "call", .max_n = PIECES_MAX,
	.suite = KB_FULL, .portability = KB_ASSUMING, .assumes = "the file system allocates what it is asked for",
	.params = {
		{ "on", "where the file is", KB_CHOICE, KB_ON, 0, 0, KB_ON },
		{ "size", "of a piece, bytes", KB_SIZE, "64K", 4096, 1u << 20, NULL },
	},
	.expect = { { KB_SYSCALLS, .per_op = 1, .who = KB_ALL }, { KB_MINFLT }, { KB_MAJFLT } },
	.setup = setup, .before = before, .op = op, .check = check,
);
