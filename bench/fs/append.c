/*
 * fs.append: blocks are written behind the end of a file that starts empty. It must be as long as all of them together;
 * it is cut outside the sample. Unlike fs.write each block needs new pages.
 */
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <kbench_files.h>

#define SIZE_MAX_BYTES (64u << 10)

static char buffer[SIZE_MAX_BYTES];
static uint64_t size;
static int file;

static int setup(struct kb_run *run)
{
	int error = kb_scratch_file_on(run, kb_param_text(run, "on"), &file);

	run->bytes_per_op = size = kb_param_number(run, "size");
	if (!error && fcntl(file, F_SETFL, O_APPEND))
		error = kb_fail(run, errno, "asking for writes at the end");
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
		if (write(file, buffer, size) != (ssize_t)size)
			return kb_fail(run, errno, "appending %llu bytes", (unsigned long long)size);
	}
	return 0;
}

static int check(struct kb_run *run, uint64_t n)
{
	struct stat status;

	if (fstat(file, &status))
		return kb_fail(run, errno, "asking for the length");
	return (uint64_t)status.st_size == n * size ? 0 : kb_fail(run, EPROTO, "the file has %lld bytes, not %llu",
	                                                          (long long)status.st_size, (unsigned long long)(n * size));
}

KB_BENCHMARK(
	.summary = "writing a block behind the end of a file", .per = "call", .max_n = 64,
	.suite = KB_FULL, .portability = KB_ASSUMING, .assumes = "write-back does not fall into a sample",
	.params = {
		{ "on", "where the file is", KB_CHOICE, KB_ON, 0, 0, KB_ON },
		{ "size", "of a block, bytes", KB_SIZE, "4K", 1, SIZE_MAX_BYTES, NULL },
	},
	.expect = { { KB_SYSCALLS, .per_op = 1, .who = KB_ALL }, { KB_MINFLT }, { KB_MAJFLT } },
	.setup = setup, .before = before, .op = op, .check = check,
);
