/*
 * sys.write_null: one byte to /dev/null. Unlike getpid or gettimeofday no system can answer it without a system call,
 * so it compares systems where sys.null may not.
 */
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include <kbench.h>

static int null = -1;
static uint64_t sum;

static int setup(struct kb_run *run)
{
	null = open("/dev/null", O_WRONLY | O_CLOEXEC);
	return null < 0 ? kb_fail(run, errno, "open of /dev/null") : 0;
}

static int op(struct kb_run *run, uint64_t n)
{
	sum = 0;
	for (uint64_t i = 0; i < n; i++) {
		ssize_t written = write(null, "", 1);

		if (written < 0)
			return kb_fail(run, errno, "write to /dev/null");
		sum += (uint64_t)written;
	}
	return 0;
}

static int check(struct kb_run *run, uint64_t n)
{
	if (sum != n)
		return kb_fail(run, EPROTO, "%llu of %llu bytes were taken", (unsigned long long)sum,
			       (unsigned long long)n);
	return 0;
}

static void teardown(struct kb_run *run)
{
	(void)run;
	if (null >= 0)
		close(null);
}

/* syscw also counts what the collector itself writes in a block, which is little against the operations. */
KB_BENCHMARK(
	.summary = "write of one byte to /dev/null",
	.suite = KB_STANDARD, .portability = KB_PORTABLE, .lmbench = "lat_syscall write",
	.per = "call",
	.expect = {
		{ KB_SYSCALLS, .per_op = 1, .who = KB_ALL },
		{ KB_SYSCW, .per_op = 1, .tolerance = 0.01 },
	},
	.setup = setup,
	.op = op,
	.base = kb_empty_loop,
	.check = check,
	.teardown = teardown,
);
