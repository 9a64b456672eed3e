/*
 * fs.unlink: the only name of an empty file is removed, and with it the file. The files are made before the sample: where too few are left
 * for it, the directory is filled up to `files` of them.
 */
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include <kbench_files.h>

static int directory;
static uint64_t files, left;

static int setup(struct kb_run *run)
{
	files = kb_files_name(run);
	return kb_scratch_on(run, kb_param_text(run, "on"), &directory);
}

static int before(struct kb_run *run, uint64_t n)
{
	int error = left < n ? kb_directory_holds(run, directory, left) : 0;

	for (; left < n && !error; left = files) {
		for (uint64_t i = left; i < files && !error; i++) {
			int fd = openat(directory, kb_file_name(i), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);

			error = fd < 0 || close(fd) ? kb_fail(run, errno, "creating file %llu", (unsigned long long)i) : 0;
		}
	}
	return error;
}

static int op(struct kb_run *run, uint64_t n)
{
	for (uint64_t i = left - n; i < left; i++) {
		if (unlinkat(directory, kb_file_name(i), 0))
			return kb_fail(run, errno, "removing file %llu", (unsigned long long)i);
	}
	return 0;
}

static int check(struct kb_run *run, uint64_t n)
{
	for (uint64_t i = left - n; i < left; i++) {
		if (faccessat(directory, kb_file_name(i), F_OK, 0) == 0 || errno != ENOENT)
			return kb_fail(run, EPROTO, "file %llu is still there", (unsigned long long)i);
	}
	left -= n;
	return 0;
}

KB_BENCHMARK(
	.summary = "unlink of an empty file", .per = "file", .max_n = KB_FILES_A_SAMPLE,
	.suite = KB_FULL, .portability = KB_ASSUMING, .assumes = "no write-back happens during a sample",
	.lmbench = "lat_fs", .lmbench_with = "on=disk files=8192",
	.params = { { "on", "where the directory is", KB_CHOICE, KB_ON, 0, 0, KB_ON }, KB_PARAM_FILES },
	.expect = { { KB_SYSCALLS, .per_op = 1, .who = KB_ALL }, { KB_MAJFLT } },
	.setup = setup, .before = before, .op = op, .base = kb_empty_loop, .check = check,
);
