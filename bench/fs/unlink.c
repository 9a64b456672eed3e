/*
 * fs.unlink: the only name of an empty file is removed, and with it the file, of `files` the oldest one first. The files are made outside
 * the sample, all again when too few are left for one.
 */
#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#include <kbench_files.h>

static int directory;
static uint64_t files, left, oldest;    /* files are numbered for ever; the name is that of the number modulo `files` */

static int setup(struct kb_run *run)
{
	files = kb_files_name(run);
	return kb_scratch_on(run, kb_param_text(run, "on"), &directory);
}

static const char *name_of(uint64_t number)
{
	return kb_file_name(number % files);
}

static int before(struct kb_run *run, uint64_t n)
{
	int error = left < n ? kb_directory_holds(run, directory, left) : 0;

	if (error || left >= n)
		return error;
	for (; left < files; left++) {
		if (mknodat(directory, name_of(oldest + left), S_IFREG | 0600, 0))
			return kb_fail(run, errno, "creating file %llu", (unsigned long long)left);
	}
	return 0;
}

static int op(struct kb_run *run, uint64_t n)
{
	for (uint64_t i = 0; i < n; i++) {
		if (unlinkat(directory, name_of(oldest + i), 0))
			return kb_fail(run, errno, "removing file %llu", (unsigned long long)i);
	}
	return 0;
}

static int check(struct kb_run *run, uint64_t n)
{
	for (left -= n; n > 0; n--, oldest++) {
		if (faccessat(directory, name_of(oldest), F_OK, 0) == 0 || errno != ENOENT)
			return kb_fail(run, EPROTO, "a file is still there");
	}
	return 0;
}

KB_BENCHMARK(
	.summary = "unlink of an empty file", .per = "file", .max_n = KB_FILES_A_SAMPLE,
	.suite = KB_FULL, .portability = KB_ASSUMING, .assumes = "no write-back happens during a sample",
	.lmbench = "lat_fs", .lmbench_with = "on=disk files=2048",
	.params = { { "on", "where the directory is", KB_CHOICE, KB_ON, 0, 0, KB_ON }, KB_PARAM_FILES },
	.expect = { { KB_SYSCALLS, .per_op = 1, .who = KB_ALL }, { KB_MAJFLT } },
	.setup = setup, .before = before, .op = op, .base = kb_empty_loop, .check = check,
);
