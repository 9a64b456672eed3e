/*
 * fs.lookup: a file is found by a path of `depth` names, all of them known to the kernel since the first lookup. What
 * comes back is the number of the file at the end: the sum tells that each lookup went all the way.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <kbench_files.h>

#define DEPTH_MAX 16u

static char path[4 * DEPTH_MAX];
static int directory;
static uint64_t number, sum;

/* d/d/d/f: directories and, as the last name, a file. */
static int setup(struct kb_run *run)
{
	int error = kb_scratch_on(run, kb_param_text(run, "on"), &directory), fd;
	struct stat status;

	for (uint64_t depth = kb_param_number(run, "depth"); !error && depth > 1; depth--) {
		strcat(path, "d");
		if (mkdirat(directory, path, 0700))
			return kb_fail(run, errno, "creating directories");
		strcat(path, "/");
	}
	strcat(path, "f");
	fd = error ? -1 : openat(directory, path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (!error && (fd < 0 || fstat(fd, &status) || close(fd)))
		return kb_fail(run, errno, "creating the file");
	number = error ? 0 : status.st_ino;
	return error;
}

static int op(struct kb_run *run, uint64_t n)
{
	struct stat status;

	sum = 0;
	for (uint64_t i = 0; i < n; i++) {
		if (fstatat(directory, path, &status, 0))
			return kb_fail(run, errno, "looking up %s", path);
		sum += status.st_ino;
	}
	return 0;
}

static int check(struct kb_run *run, uint64_t n)
{
	return sum == n * number ? 0 : kb_fail(run, EPROTO, "other files were found");
}

KB_BENCHMARK(
	.summary = "finding a file by a path of some names and asking for its status", .per = "call",
	.suite = KB_FULL, .portability = KB_ASSUMING, .assumes = "the kernel remembers the names",
	.params = {
		{ "on", "where the directory is", KB_CHOICE, "memory", 0, 0, KB_ON },
		{ "depth", "names in the path", KB_NUMBER, "1,4,16", 1, DEPTH_MAX, NULL },
	},
	.expect = { { KB_SYSCALLS, .per_op = 1, .who = KB_ALL }, { KB_MINFLT }, { KB_MAJFLT } },
	.setup = setup, .op = op, .base = kb_empty_loop, .check = check,
);
