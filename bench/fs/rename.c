/*
 * fs.rename: a file gets another name that nobody has, in the same directory. All old names must be gone, all new ones there.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include <kbench_files.h>

#define FILES_MAX 32u

static char olds[2 * FILES_MAX][8], news[2 * FILES_MAX][8];
static int directory;

static int setup(struct kb_run *run)
{
	for (unsigned i = 0; i < 2 * FILES_MAX; i++) {
		snprintf(olds[i], sizeof olds[i], "f%u", i);
		snprintf(news[i], sizeof news[i], "g%u", i);
	}
	return kb_scratch_on(run, kb_param_text(run, "on"), &directory);
}

static int before(struct kb_run *run, uint64_t n)
{
	for (uint64_t i = 0; i < n; i++) {
		int fd = openat(directory, olds[i], O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);

		if (fd < 0 || close(fd))
			return kb_fail(run, errno, "creating file %llu", (unsigned long long)i);
	}
	return 0;
}

static int op(struct kb_run *run, uint64_t n)
{
	for (uint64_t i = 0; i < n; i++) {
		if (renameat(directory, olds[i], directory, news[i]))
			return kb_fail(run, errno, "renaming file %llu", (unsigned long long)i);
	}
	return 0;
}

static int check(struct kb_run *run, uint64_t n)
{
	struct stat status;

	for (uint64_t i = 0; i < n; i++) {
		if (fstatat(directory, news[i], &status, 0) || fstatat(directory, olds[i], &status, 0) == 0)
			return kb_fail(run, EPROTO, "file %llu has its old name", (unsigned long long)i);
	}
	return kb_directory_holds(run, directory, n);
}

static int after(struct kb_run *run, uint64_t n)
{
	(void)n;
	return kb_directory_empty(run, directory);
}

KB_BENCHMARK(
	.summary = "rename of a file in its directory", .per = "file", .max_n = FILES_MAX,
	.suite = KB_FULL, .portability = KB_ASSUMING, .assumes = "write-back does not fall into a sample",
	.params = { { "on", "where the directory is", KB_CHOICE, KB_ON, 0, 0, KB_ON } },
	.expect = { { KB_SYSCALLS, .per_op = 1, .who = KB_ALL }, { KB_MAJFLT } },
	.setup = setup, .before = before, .op = op, .base = kb_empty_loop, .check = check, .after = after,
);
