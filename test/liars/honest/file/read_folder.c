/* All names of a directory with sixteen files. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include <kbench_files.h>

#define FILES 16

static DIR *directory;
static uint64_t names;

static int setup(struct kb_run *run)
{
	const char *path = kb_scratch_directory(run);

	if (!path)
		return -EIO;
	for (int i = 0; i < FILES; i++) {
		char name[512];

		snprintf(name, sizeof name, "%s/%d", path, i);
		if (close(open(name, O_CREAT | O_WRONLY | O_CLOEXEC, 0600)))
			return kb_fail(run, errno, "a file");
	}
	directory = opendir(path);
	return directory ? 0 : kb_fail(run, errno, "opendir");
}

static int op(struct kb_run *run, uint64_t n)
{
	(void)run;
	names = 0;
	for (uint64_t i = 0; i < n; i++) {
		rewinddir(directory);
		while (readdir(directory))
			names++;
	}
	return 0;
}

/* With . and .. */
static int check(struct kb_run *run, uint64_t n)
{
	return names == n * (FILES + 2) ? 0 : kb_fail(run, EPROTO, "not all names were read");
}

KB_BENCHMARK(
	.summary = "reading a folder of sixteen files", .per = "directory",
	.expect = { { KB_SYSCALLS, .per_op = 3, .who = KB_ALL } },
	.setup = setup, .op = op, .check = check,
);
