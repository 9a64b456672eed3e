/*
 * fs.unlink: the only name of an empty file is removed, and with it the file. The files are made before the sample.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include <kbench_files.h>

#define FILES_MAX 32u

static char names[2 * FILES_MAX][8];
static int directory;

static int setup(struct kb_run *run)
{
	for (unsigned i = 0; i < 2 * FILES_MAX; i++)
		snprintf(names[i], sizeof names[i], "f%u", i);
	return kb_scratch_on(run, kb_param_text(run, "on"), &directory);
}

static int before(struct kb_run *run, uint64_t n)
{
	for (uint64_t i = 0; i < n; i++) {
		int fd = openat(directory, names[i], O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);

		if (fd < 0 || close(fd))
			return kb_fail(run, errno, "creating file %llu", (unsigned long long)i);
	}
	return kb_directory_holds(run, directory, n);
}

static int op(struct kb_run *run, uint64_t n)
{
	for (uint64_t i = 0; i < n; i++) {
		if (unlinkat(directory, names[i], 0))
			return kb_fail(run, errno, "removing file %llu", (unsigned long long)i);
	}
	return 0;
}

static int check(struct kb_run *run, uint64_t n)
{
	(void)n;
	return kb_directory_holds(run, directory, 0);
}

KB_BENCHMARK(
	.summary = "removing an empty file", .per = "file", .max_n = FILES_MAX,
	.suite = KB_FULL, .portability = KB_ASSUMING, .lmbench = "lat_fs", .assumes = "write-back does not fall into a sample",
	.params = { { "on", "where the directory is", KB_CHOICE, KB_ON, 0, 0, KB_ON } },
	.expect = { { KB_SYSCALLS, .per_op = 1, .who = KB_ALL }, { KB_MAJFLT } },
	.setup = setup, .before = before, .op = op, .base = kb_empty_loop, .check = check,
);
