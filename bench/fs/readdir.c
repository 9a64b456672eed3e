/*
 * fs.readdir: all names of a directory are read from its beginning to its end, with the system call itself: the library's
 * copy into its own buffers would be measured, too. Every pass must find every name.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <kbench_files.h>

struct entry {                  /* what getdents64 writes, without the name */
	uint64_t inode;
	int64_t next;
	unsigned short bytes;
};

static _Alignas(8) char buffer[32768];
static uint64_t entries, found;
static int directory;

static int setup(struct kb_run *run)
{
	int error = kb_scratch_on(run, kb_param_text(run, "on"), &directory);
	char name[32];

	entries = kb_param_number(run, "entries");
	for (uint64_t i = 0; !error && i < entries; i++) {
		snprintf(name, sizeof name, "file-%06llu", (unsigned long long)i);

		int fd = openat(directory, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);

		if (fd < 0 || close(fd))
			error = kb_fail(run, errno, "creating file %s", name);
	}
	return error;
}

static uint64_t count(long bytes)
{
	uint64_t seen = 0;

	for (long at = 0; at < bytes; seen++)
		at += ((const struct entry *)(const void *)(buffer + at))->bytes;
	return seen;
}

static int op(struct kb_run *run, uint64_t n)
{
	found = 0;
	for (uint64_t i = 0; i < n; i++) {
		long got;

		if (lseek(directory, 0, SEEK_SET))
			return kb_fail(run, errno, "going back to the first name");
		while ((got = syscall(SYS_getdents64, directory, buffer, sizeof buffer)) > 0)
			found += count(got);
		if (got < 0)
			return kb_fail(run, errno, "reading names");
	}
	return 0;
}

/* The two names of the directory itself are among them. */
static int check(struct kb_run *run, uint64_t n)
{
	return found == n * (entries + 2) ? 0 : kb_fail(run, EPROTO, "%llu names were found in %llu passes",
	                                                (unsigned long long)found, (unsigned long long)n);
}

KB_BENCHMARK(
	.summary = "reading all names of a directory", .per = "pass",
	.suite = KB_FULL, .portability = KB_ASSUMING, .assumes = "the directory is in memory",
	.params = {
		{ "on", "where the directory is", KB_CHOICE, KB_ON, 0, 0, KB_ON },
		{ "entries", "files in the directory", KB_NUMBER, "100", 1, 10000, NULL },
	},
	.expect = { { KB_MINFLT }, { KB_MAJFLT } },
	.setup = setup, .op = op, .check = check,
);
