/*
 * One system call an operation, as claimed; while it is traced each takes a tenth of a second, as on a machine that is much
 * too busy. What watches over waiting must not be counted among the calls.
 */
#include <kbench_channel.h>

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static bool is_traced;

static int setup(struct kb_run *run)
{
	FILE *file = fopen("/proc/self/status", "re");
	char line[256];

	while (file && fgets(line, sizeof line, file))
		is_traced |= strncmp(line, "TracerPid:", 10) == 0 && strcmp(line + 10, "\t0\n") != 0;
	kb_wait_watch(run);
	return file && fclose(file) == 0 ? 0 : kb_fail(run, errno, "read of /proc/self/status");
}

static int op(struct kb_run *run, uint64_t n)
{
	const struct timespec tenth = { 0, 100000000 };

	(void)run;
	for (uint64_t i = 0; i < n; i++)
		is_traced ? (void)nanosleep(&tenth, NULL) : (void)syscall(SYS_getppid);
	return 0;
}

static void teardown(struct kb_run *run)
{
	(void)run;
	kb_wait_unwatch();
}

KB_BENCHMARK(
	.summary = "calls that take long under a tracer", .per = "call", .max_n = 24,
	.expect = { { KB_SYSCALLS, .per_op = 1, .who = KB_ALL } },
	.setup = setup, .op = op, .teardown = teardown,
);
