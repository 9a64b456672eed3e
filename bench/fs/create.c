/*
 * fs.create: a new file in a fresh directory: made, written at once in full, closed. Nothing is sent to the disk in the
 * sample, and the files are gone before the system thinks of it: what a disk costs, fs.fsync tells.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include <kbench_files.h>

#define FILES_MAX 32u
#define BYTES_MAX (64u << 10)

static char names[2 * FILES_MAX][8], content[BYTES_MAX];
static int directory;
static size_t bytes;

static int setup(struct kb_run *run)
{
	bytes = kb_param_number(run, "size");
	for (unsigned i = 0; i < 2 * FILES_MAX; i++)
		snprintf(names[i], sizeof names[i], "f%u", i);
	return kb_scratch_on(run, kb_param_text(run, "on"), &directory);
}

static int op(struct kb_run *run, uint64_t n)
{
	for (uint64_t i = 0; i < n; i++) {
		int fd = openat(directory, names[i], O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);

		if (fd < 0)
			return kb_fail(run, errno, "creating file %llu", (unsigned long long)i);
		if (bytes && write(fd, content, bytes) != (ssize_t)bytes)
			return kb_fail(run, errno, "writing %zu bytes", bytes);
		if (close(fd))
			return kb_fail(run, errno, "closing file %llu", (unsigned long long)i);
	}
	return 0;
}

static int check(struct kb_run *run, uint64_t n)
{
	struct stat status = { .st_size = -1 };

	if (n && fstatat(directory, names[n - 1], &status, 0) == 0 && (size_t)status.st_size != bytes)
		return kb_fail(run, EPROTO, "a file has %lld bytes", (long long)status.st_size);
	return kb_directory_holds(run, directory, n);
}

static int after(struct kb_run *run, uint64_t n)
{
	(void)n;
	return kb_directory_empty(run, directory);
}

/* How many system calls: without bytes there is no write. */
KB_BENCHMARK(
	.summary = "creat of a file of some bytes in a fresh directory", .per = "file", .max_n = FILES_MAX,
	.suite = KB_STANDARD, .portability = KB_ASSUMING, .lmbench = "lat_fs", .assumes = "write-back does not fall into a sample",
	.params = {
		{ "on", "where the directory is", KB_CHOICE, "memory;disk", 0, 0, KB_ON },
		{ "size", "of a file, bytes", KB_SIZE, "0;1K,10K", 0, BYTES_MAX, NULL },
	},
	.expect = { { KB_SYSCALLS, 2, 0, 0, KB_ALL, "size=0" }, { KB_SYSCALLS, 3, 0, 0, KB_ALL, "size=1K" },
		{ KB_SYSCALLS, 3, 0, 0, KB_ALL, "size=4K" }, { KB_SYSCALLS, 3, 0, 0, KB_ALL, "size=10K" }, { KB_MAJFLT } },
	.setup = setup, .op = op, .check = check, .after = after,
);
