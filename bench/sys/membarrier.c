/*
 * sys.membarrier: a memory barrier on all CPUs where threads of this process run. running=none: the only thread calls,
 * nobody is interrupted; running=other-cpu: a second one computes on another CPU, which must be interrupted each time.
 */
#include <errno.h>
#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <kbench_parties.h>

static volatile bool stop;
static volatile uint64_t turns;         /* of the thread: it does run */
static uint64_t calls;

static void *compute(void *data)
{
	(void)data;
	while (!stop)
		turns = turns + 1;
	return NULL;
}

static int start(struct kb_run *run)
{
	int error = kb_companion_start(run, compute, NULL, "other-cpu");

	for (int i = 0; i < 1000 && !error && turns == 0; i++)
		usleep(1000);
	return error;
}

static int setup(struct kb_run *run)
{
	if (syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0))
		return kb_skip(run, "this kernel has no expedited membarrier");
	return kb_param_is(run, "running", "none") ? 0 : start(run);
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

static void teardown(struct kb_run *run)
{
	(void)run;
	stop = true;
	kb_companions_join();
}

KB_BENCHMARK(
	.summary = "memory barrier on all CPUs of the process", .per = "call",
	.suite = KB_FULL, .portability = KB_PLATFORM, .assumes = "Linux",
	.params = { { "running", "where a second thread computes", KB_CHOICE, "none,other-cpu", .choices = "none,other-cpu" } },
	.expect = { { KB_SYSCALLS, .per_op = 1, .who = KB_ALL } },
	.setup = setup, .op = op, .base = kb_empty_loop, .check = check, .teardown = teardown,
);
