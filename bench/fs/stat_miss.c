/*
 * fs.stat_miss: a name is looked up that the directory does not have. Most file systems let the kernel remember that, one in
 * memory does not and is asked each time. Any other answer than `no such file` is an error.
 */
#include <errno.h>
#include <sys/stat.h>

#include <kbench_files.h>

static int directory;
static uint64_t misses;

static int setup(struct kb_run *run)
{
	return kb_scratch_on(run, kb_param_text(run, "on"), &directory);
}

static int op(struct kb_run *run, uint64_t n)
{
	struct stat status;

	misses = 0;
	for (uint64_t i = 0; i < n; i++) {
		if (fstatat(directory, "absent", &status, 0) == 0 || errno != ENOENT)
			return kb_fail(run, EPROTO, "a file that is not there was found");
		misses++;
	}
	return 0;
}

static int check(struct kb_run *run, uint64_t n)
{
	return misses == n ? 0 : kb_fail(run, EPROTO, "%llu of %llu lookups failed", (unsigned long long)misses,
	                                 (unsigned long long)n);
}

KB_BENCHMARK(
	.summary = "asking for a file that is not there", .per = "call",
	.suite = KB_FULL, .portability = KB_ASSUMING, .assumes = "names are looked up in memory",
	.params = { { "on", "where the directory is", KB_CHOICE, KB_ON, 0, 0, KB_ON } },
	.expect = { { KB_SYSCALLS, .per_op = 1, .who = KB_ALL }, { KB_MINFLT }, { KB_MAJFLT } },
	.setup = setup, .op = op, .base = kb_empty_loop, .check = check,
	.errors = "ENOENT",
);
