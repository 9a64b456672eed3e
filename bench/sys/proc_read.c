/*
 * sys.proc_read: read a file of /proc that stays open, from its start; the kernel writes the text anew each time. stat
 * and status are those of this process, uptime and loadavg those of the system.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <kbench.h>

static int file = -1;
static char text[16384], start[4];      /* what the text begins with each time, where it is of this process */
static bool own;
static uint64_t done;

static int setup(struct kb_run *run)
{
	char path[64];

	own = kb_param_is(run, "file", "stat") || kb_param_is(run, "file", "status");
	snprintf(path, sizeof path, "/proc/%s%s", own ? "self/" : "", kb_param_text(run, "file"));
	file = open(path, O_RDONLY | O_CLOEXEC);
	if (file < 0)
		return kb_skip(run, "%s cannot be read here", path);
	if (pread(file, text, sizeof text, 0) < (ssize_t)sizeof start)
		return kb_fail(run, errno, "read of %s", path);
	memcpy(start, text, sizeof start);
	return 0;
}

static int op(struct kb_run *run, uint64_t n)
{
	done = 0;
	for (uint64_t i = 0; i < n; i++) {
		text[0] = '\0';
		if (pread(file, text, sizeof text, 0) < (ssize_t)sizeof start)
			return kb_fail(run, errno, "read of a file of /proc");
		if (own ? memcmp(text, start, sizeof start) : text[0] == '\0')
			return kb_fail(run, EILSEQ, "the text is not the one expected");
		done++;
	}
	return 0;
}

static int check(struct kb_run *run, uint64_t n)
{
	return done == n ? 0 : kb_fail(run, EPROTO, "%llu readings are not n", (unsigned long long)done);
}

static void teardown(struct kb_run *run)
{
	(void)run;
	close(file);
}

KB_BENCHMARK(
	.summary = "read of an open file in /proc", .per = "read",
	.suite = KB_FULL, .portability = KB_PLATFORM, .assumes = "/proc is Linux's",
	.params = { { "file", "which", KB_CHOICE, "stat,status,uptime", .choices = "stat,status,uptime,loadavg" } },
	.expect = { { KB_SYSCALLS, .per_op = 1, .who = KB_ALL } },
	.setup = setup, .op = op, .base = kb_empty_loop, .check = check, .teardown = teardown,
);
