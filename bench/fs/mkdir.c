/*
 * fs.mkdir: a new directory in a fresh one. Directories are removed outside the sample.
 */
#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>

#include <kbench_files.h>

#define DIRECTORIES_MAX 32u

static char names[2 * DIRECTORIES_MAX][8];
static int directory;

static int setup(struct kb_run *run)
{
	for (unsigned i = 0; i < 2 * DIRECTORIES_MAX; i++)
		snprintf(names[i], sizeof names[i], "d%u", i);
	return kb_scratch_on(run, kb_param_text(run, "on"), &directory);
}

static int op(struct kb_run *run, uint64_t n)
{
	for (uint64_t i = 0; i < n; i++) {
		if (mkdirat(directory, names[i], 0700))
			return kb_fail(run, errno, "creating directory %llu", (unsigned long long)i);
	}
	return 0;
}

static int check(struct kb_run *run, uint64_t n)
{
	return kb_directory_holds(run, directory, n);
}

static int after(struct kb_run *run, uint64_t n)
{
	(void)n;
	return kb_directory_empty(run, directory);
}

KB_BENCHMARK(
	.summary = "mkdir in a new directory", .per = "directory", .max_n = DIRECTORIES_MAX,
	.suite = KB_FULL, .portability = KB_ASSUMING, .assumes = "no write-back happens during a sample",
	.params = { { "on", "where the directory is", KB_CHOICE, KB_ON, 0, 0, KB_ON } },
	.expect = { { KB_SYSCALLS, .per_op = 1, .who = KB_ALL }, { KB_MAJFLT } },
	.setup = setup, .op = op, .base = kb_empty_loop, .check = check, .after = after,
);
