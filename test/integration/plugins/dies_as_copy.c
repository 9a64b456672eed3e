/* The second of several copies is killed in the middle of a process, or its operation fails; all others are good. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include <kbench.h>

static bool second;
static unsigned intervals;

/* "--barrier=4:2:1" is the second of two; the process that looks for n is spared. */
static int setup(struct kb_run *run)
{
	char line[4096];
	int fd = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
	ssize_t length = fd < 0 ? -1 : read(fd, line, sizeof line);

	(void)run;
	if (fd >= 0)
		close(fd);
	second = length > 0 && memmem(line, (size_t)length, ":2:1", 5) && !memmem(line, (size_t)length, "--method=probe", 14);
	return 0;
}

static int op(struct kb_run *run, uint64_t n)
{
	for (uint64_t i = 0; i < n; i++)
		kb_clobber();
	kb_count(run, KB_SEEN, n);
	if (!second || ++intervals < 30)
		return 0;
	if (kb_param_is(run, "how", "killed"))
		raise(SIGKILL);
	return kb_fail(run, EIO, "on purpose");
}

KB_BENCHMARK(
	.summary = "dies in the second copy", .per = "call",
	.params = { { "how", "does it end", KB_CHOICE, "killed", 0, 0, "killed,failed" } },
	.expect = { { KB_SEEN, .per_op = 1 } },
	.setup = setup, .op = op,
);
