/*
 * sys.dup_close: a second descriptor of an open file, and its end. The lowest free number is taken, the same each time:
 * a copy that was not made or not closed shows in the sum of the numbers.
 */
#include <errno.h>
#include <unistd.h>

#include <kbench.h>

static uint64_t sum;

static int op(struct kb_run *run, uint64_t n)
{
	sum = 0;
	for (uint64_t i = 0; i < n; i++) {
		int copy = dup(STDERR_FILENO);

		if (copy < 0 || close(copy))
			return kb_fail(run, errno, "dup and close");
		sum += (uint64_t)copy;
	}
	return 0;
}

static int check(struct kb_run *run, uint64_t n)
{
	int lowest = dup(STDERR_FILENO);

	if (lowest < 0 || close(lowest) || sum != n * (uint64_t)lowest)
		return kb_fail(run, EPROTO, "the sum of %llu descriptors is wrong", (unsigned long long)n);
	return 0;
}

KB_BENCHMARK(
	.summary = "dup of a descriptor and close of the copy", .per = "copy",
	.suite = KB_FULL, .portability = KB_PORTABLE,
	.expect = { { KB_SYSCALLS, .per_op = 2, .who = KB_ALL } },
	.op = op, .base = kb_empty_loop, .check = check,
);
