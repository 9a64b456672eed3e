/*
 * timer.wake: how late a task wakes up that has to run at each multiple of a period. Deadlines are absolute, so that one
 * late wake-up does not move the others; those that passed while the last one was evaluated are left out. The policy is
 * that of ordinary tasks, or SCHED_FIFO, which sets other tasks aside. Maxima of seconds say little of those of hours.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <time.h>

#include <kbench.h>

#define SECOND UINT64_C(1000000000)

static uint64_t period, deadline;       /* ns */

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * SECOND + (uint64_t)now.tv_nsec;
}

/* A real-time task that does not sleep for a second is ended by the kernel: it cannot take the CPU away for good. */
static int setup(struct kb_run *run)
{
	struct sched_param lowest = { .sched_priority = sched_get_priority_min(SCHED_FIFO) };
	struct rlimit limit = { 1000000, 2000000 };
	unsigned long slack = (unsigned long)kb_param_number(run, "slack");

	period = kb_param_number(run, "period");
	if (slack && prctl(PR_SET_TIMERSLACK, slack, 0, 0, 0))
		return kb_fail(run, errno, "slack of timers");
	if (kb_param_is(run, "policy", "other"))
		return 0;
	if (setrlimit(RLIMIT_RTTIME, &limit))
		return kb_fail(run, errno, "limiting the time of a real-time task");
	if (sched_setscheduler(0, SCHED_FIFO | SCHED_RESET_ON_FORK, &lowest))
		return kb_skip(run, "SCHED_FIFO is refused; it takes root or RLIMIT_RTPRIO of %d", lowest.sched_priority);
	return 0;
}

/* The next multiple that leaves time to fall asleep. */
static uint64_t next_deadline(void)
{
	return (now_ns() + period / 8) / period * period + period;
}

static int observe(struct kb_run *run, uint64_t n, uint64_t *ticks)
{
	*ticks = 0;
	for (uint64_t i = 0; i < n; i++) {
		uint64_t former = deadline, late;

		deadline = next_deadline();
		struct timespec until = { (time_t)(deadline / SECOND), (long)(deadline % SECOND) };
		int error = clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL);

		late = now_ns() - deadline;
		if (error || late > SECOND || deadline <= former)
			return kb_fail(run, error ? error : EILSEQ, "woke up before the time, or far too late");
		*ticks += kb_ticks(run, late);
		kb_count(run, KB_SEEN, 1);
	}
	return 0;
}

KB_BENCHMARK(
	.summary = "wake-up latency of a periodic task", .per = "wake-up", .max_n = 1,
	.suite = KB_FULL, .portability = KB_PORTABLE,
	.params = { { "policy", "of the task", KB_CHOICE, "other,fifo", .choices = "other,fifo" },
	            { "period", "ns", KB_NUMBER, "1000000", 50000, 100000000, NULL },
	            { "slack", "of timers of this thread, ns; 0: the default", KB_NUMBER, "0", 0, 1000000000, NULL } },
	.expect = { { KB_SEEN, .per_op = 1 }, { KB_NVCSW, .per_op = 1, .tolerance = 0.1 } },
	.setup = setup, .observe = observe,
);
