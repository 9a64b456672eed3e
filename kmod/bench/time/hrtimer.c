// SPDX-License-Identifier: MIT OR GPL-2.0-only
/*
 * How late a sleep on a high-resolution timer is: from the time it was set for until this thread runs again, so the interrupt,
 * the timer's handler, the wake-up and the switch. The delay itself is not in it. A timer that fires early fails the process.
 */
#include <linux/hrtimer.h>
#include <linux/ktime.h>
#include <linux/sched.h>

#include "kbench_kernel.h"

static uint64_t delay_ns;

static int setup(struct kb_run *run)
{
	delay_ns = kb_param_number(run, "delay_ns");
	return hrtimer_resolution < NSEC_PER_USEC ? 0 : kb_skip(run, "timers here go by the tick: no high-resolution mode");
}

static int observe(struct kb_run *run, uint64_t n, uint64_t *ticks)
{
	uint64_t late = 0, fired = 0;

	for (uint64_t i = 0; i < n; i++) {
		ktime_t due;
		s64 after;

		if (kb_kernel_stopping(run))
			return -EINTR;
		due = ktime_add_ns(ktime_get(), delay_ns);
		set_current_state(TASK_UNINTERRUPTIBLE);
		fired += schedule_hrtimeout(&due, HRTIMER_MODE_ABS) == 0;
		after = ktime_to_ns(ktime_sub(ktime_get(), due));
		if (after < 0)
			return kb_fail(run, EBADMSG, "the timer fired %lld ns early", -after);
		late += after;
	}
	kb_count(run, KB_SEEN, fired);
	*ticks = kb_ticks(run, late);
	return 0;
}

KB_KERNEL_ABOUT(
	.summary = "wake-up latency of a thread that sleeps on a high-resolution timer, from its expiry time",
	.per = "expiry", .portability = KB_PLATFORM, .bound = KB_KERNEL, .needs = KB_NEED_ROOT,
	.assumes = "no timer fires early, and each sleep ends by its timer",
	.params = { { "delay_ns", "the timer is set so far ahead", KB_NUMBER, "100000;20000,1000000", 2000, 10000000, NULL } },
	.expect = { { KB_SEEN, .per_op = 1 } },
);
KB_KERNEL_BENCHMARK(.setup = setup, .observe = observe, .may_sleep = true);
