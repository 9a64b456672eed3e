/*
 * sys.stat: the state of a file by its path, which is `depth` names below the working directory: one name is the file
 * itself, each further one a directory to look up. All of it is in the kernel's cache of names. The directories lie in the
 * scratch directory, so the file system is the one of the run's data.
 */
#include <errno.h>
#include <sys/stat.h>

#include <kbench_files.h>

static char path[KB_SCRATCH_PATH];
static struct stat expected;
static uint64_t sum;

static int setup(struct kb_run *run)
{
	int error = kb_scratch_path(run, (unsigned)kb_param_number(run, "depth"), path);

	if (!error && stat(path, &expected))
		error = kb_fail(run, errno, "stat of %s", path);
	return error;
}

static int op(struct kb_run *run, uint64_t n)
{
	struct stat found = { 0 };

	sum = 0;
	for (uint64_t i = 0; i < n; i++) {
		if (stat(path, &found))
			return kb_fail(run, errno, "stat of %s", path);
		sum += (uint64_t)found.st_ino;
		found.st_ino = 0;       /* or a call that fills nothing in would go on counting the one before */
	}
	return 0;
}

static int check(struct kb_run *run, uint64_t n)
{
	if (sum != n * (uint64_t)expected.st_ino)
		return kb_fail(run, EPROTO, "the sum of %llu inode numbers is wrong", (unsigned long long)n);
	return 0;
}

KB_BENCHMARK(
	.summary = "stat of a file by its path", .per = "call",
	.suite = KB_STANDARD, .portability = KB_ASSUMING, .lmbench = "lat_syscall stat",
	.assumes = "the kernel has cached the names",
	.params = { { "depth", "names in the path", KB_NUMBER, "1", 1, 64, NULL } },
	.expect = { { KB_SYSCALLS, .per_op = 1, .who = KB_ALL }, { KB_MAJFLT } },
	.setup = setup, .op = op, .base = kb_empty_loop, .check = check,
);
