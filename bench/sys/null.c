/*
 * sys.null: into the kernel and back. getppid reads one number and no library caches it (getpid was cached once); the
 * call goes through syscall(2) so that no wrapper can answer it.
 */
#include <errno.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <kbench.h>

static uint64_t sum;

static int op(struct kb_run *run, uint64_t n)
{
	sum = 0;
	for (uint64_t i = 0; i < n; i++) {
		long parent = syscall(SYS_getppid);

		if (parent < 0)
			return kb_fail(run, errno, "getppid");
		sum += (uint64_t)parent;
	}
	return 0;
}

static int check(struct kb_run *run, uint64_t n)
{
	if (sum != n * (uint64_t)getppid())
		return kb_fail(run, EPROTO, "the sum of %llu results of getppid is wrong", (unsigned long long)n);
	return 0;
}

KB_BENCHMARK(
	.summary = "the shortest system call (getppid)",
	.suite = KB_QUICK, .portability = KB_ASSUMING, .lmbench = "lat_syscall null",
	.assumes = "no library answers the call without entering the kernel",
	.per = "call",
	.expect = { { KB_SYSCALLS, .per_op = 1, .who = KB_ALL } },
	.op = op,
	.base = kb_empty_loop,
	.check = check,
);
