/*
 * A good benchmark that keeps books outside the store: each measuring launch adds a line to the file that
 * KB_TEST_LAUNCHES names, when its record is written and the collector ends.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <kbench.h>

/* kbench loads the plug-in, too, but has no --method; the process that only finds n is not stored. */
static bool measures(void)
{
	char line[4096];
	int fd = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
	ssize_t length = fd < 0 ? -1 : read(fd, line, sizeof line);

	close(fd);
	return length > 0 && memmem(line, (size_t)length, "--method=", 9) &&
	       !memmem(line, (size_t)length, "--method=probe", 14);
}

static __attribute__((destructor)) void note(void)
{
	const char *path = getenv("KB_TEST_LAUNCHES");
	int fd = path && measures() ? open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600) : -1;

	if (fd >= 0 && write(fd, "x\n", 2) == 2)
		close(fd);
}

static int op(struct kb_run *run, uint64_t n)
{
	kb_count(run, KB_SEEN, n);
	return 0;
}

/* max_n: processes of single operations are the shortest, so that many are interrupted while they are saved. */
KB_BENCHMARK(
	.summary = "notes its launches", .per = "call", .max_n = 1,
	.params = { { "row", "makes rows", KB_NUMBER, "1", 1, 1000, NULL } },
	.expect = { { KB_SEEN, .per_op = 1 } },
	.op = op,
);
