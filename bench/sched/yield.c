/*
 * sched.yield: give the CPU away. tasks=alone: nobody takes it. tasks=two: another process on this CPU does the same all
 * the time. What a yield means is the scheduler's affair: some let the caller go on as long as it has had less of the
 * CPU than the other, so a yield need not switch. That some do is what the evidence says; to whom it cannot
 * tell: a third task that computes here gets a slice of time at each turn, and that is then the cost of a yield.
 */
#include <errno.h>
#include <sched.h>

#include <kbench_parties.h>

static volatile bool *stop;
static bool two;
static uint64_t calls;

static int serve(struct kb_run *run)
{
	(void)run;
	while (!*stop && sched_yield() == 0)
		;
	return 0;
}

static int setup(struct kb_run *run)
{
	two = kb_param_is(run, "tasks", "two");
	stop = kb_shared_memory(run, sizeof *stop);
	if (!stop)
		return -ENOMEM;
	return two ? kb_peer_start(run, serve, "same-cpu") : 0;
}

static int op(struct kb_run *run, uint64_t n)
{
	calls = 0;
	for (uint64_t i = 0; i < n; i++) {
		if (sched_yield())
			return kb_fail(run, errno, "sched_yield");
		calls++;
	}
	kb_count(run, KB_SEEN, calls);
	return 0;
}

static void teardown(struct kb_run *run)
{
	(void)run;
	*stop = true;
}

KB_BENCHMARK(
	.summary = "sched_yield: give up the CPU", .per = "yield",
	.suite = KB_STANDARD, .portability = KB_ASSUMING, .assumes = "the scheduler switches at some yields, if another task waits",
	.params = { { "tasks", "on this CPU", KB_CHOICE, "two", .choices = "alone,two" } },
	.expect = { { KB_SEEN, .per_op = 1 }, { KB_SYSCALLS, 1, 0, 0, KB_ALL, "tasks=alone" },
	            { KB_SWITCHES, 0.75, 0, 0.7, KB_SELF, "tasks=two" } },
	.setup = setup, .op = op, .base = kb_empty_loop, .teardown = teardown,
);
