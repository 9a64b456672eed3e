/*
 * sys.membarrier: a memory barrier on all CPUs where threads of this process run. running=none: the only thread calls,
 * nobody is interrupted; running=other-cpu: a second one computes on another CPU, which must be interrupted each time.
 */
#include <errno.h>
#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <kbench_files.h>

static const volatile unsigned char word;       /* that the other thread reads */
static uint64_t calls;

static int setup(struct kb_run *run)
{
	if (syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0))
		return kb_skip(run, "this kernel has no expedited membarrier");
	return kb_param_is(run, "running", "none") ? 0 : kb_spinners_start(run, 1, &word);
}

/* A thread that is not running is not interrupted, and the call is then another one. */
static int before(struct kb_run *run, uint64_t n)
{
	(void)n;
	return kb_spinners_run() ? 0 : kb_fail(run, ETIMEDOUT, "the thread on the other CPU does not come to run");
}

static int op(struct kb_run *run, uint64_t n)
{
	calls = 0;
	for (uint64_t i = 0; i < n; i++) {
		if (syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0))
			return kb_fail(run, errno, "membarrier");
		calls++;
	}
	return 0;
}

static int check(struct kb_run *run, uint64_t n)
{
	if (calls != n)
		return kb_fail(run, EPROTO, "%llu of %llu calls", (unsigned long long)calls, (unsigned long long)n);
	return 0;
}

KB_BENCHMARK(
	.summary = "membarrier on all CPUs of the process", .per = "call",
	.suite = KB_FULL, .portability = KB_PLATFORM, .assumes = "Linux",
	.params = { { "running", "where a second thread computes", KB_CHOICE, "none,other-cpu", .choices = "none,other-cpu" } },
	.expect = { { KB_SYSCALLS, .per_op = 1, .who = KB_ALL } },
	.setup = setup, .before = before, .op = op, .base = kb_empty_loop, .check = check,
);
