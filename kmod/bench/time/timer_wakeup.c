// SPDX-License-Identifier: MIT OR GPL-2.0-only
/*
 * From timer interrupt to woken thread. A thread sleeps, a high-resolution timer of its CPU fires, its handler wakes the thread:
 * what is measured begins with the handler and ends in the thread. Trace points split the way; the log comes out of /dev/kbench:
 *
 *      key 0: from arming to the handler      key 2: from there to the thread, which the scheduler chose again
 *      key 1: the handler's wake_up           key 3: all of the way that is measured, 1 and 2
 * The points inside cost the way what two pairs cost, which `kbench trace analyze` subtracts from key 3; in the result it stays.
 */
#include <linux/sched.h>
#include <linux/slab.h>

#include "kb_timer.h"
#include "kbench_kernel_trace.h"

#define DELAY_NS (100 * NSEC_PER_USEC)
#define LOG_ENTRIES (256u << 10)

struct wakeup { struct hrtimer timer; struct task_struct *task; struct kb_run *run; u64 fired; bool done; };

static enum hrtimer_restart handler(struct hrtimer *timer)
{
	struct wakeup *wakeup = container_of(timer, struct wakeup, timer);

	KB_TRACE_STOP(0);
	KB_TRACE_START(3);
	wakeup->fired = kb_kernel_begin();
	kb_count(wakeup->run, KB_SEEN, 1);
	KB_TRACE_START(1);
	WRITE_ONCE(wakeup->done, true);
	wake_up_process(wakeup->task);
	KB_TRACE_STOP(1);
	KB_TRACE_START(2);
	return HRTIMER_NORESTART;
}

static u64 sleep_once(struct wakeup *wakeup)
{
	unsigned cpu = raw_smp_processor_id();
	u64 now;

	WRITE_ONCE(wakeup->done, false);
	set_current_state(TASK_UNINTERRUPTIBLE);
	KB_TRACE_START(0);
	hrtimer_start(&wakeup->timer, ns_to_ktime(DELAY_NS), HRTIMER_MODE_REL_PINNED_HARD);
	while (!READ_ONCE(wakeup->done)) {
		schedule();
		set_current_state(TASK_UNINTERRUPTIBLE);
	}
	now = kb_kernel_end();
	__set_current_state(TASK_RUNNING);
	while (cpu != raw_smp_processor_id() && hrtimer_active(&wakeup->timer))
		cpu_relax();            /* woken on another CPU: the handler may still be at the log */
	KB_TRACE_STOP(2);
	KB_TRACE_STOP(3);
	return now - wakeup->fired;
}

static int observe(struct kb_run *run, uint64_t n, uint64_t *ticks)
{
	struct wakeup *wakeup = run->state;

	wakeup->task = current;
	for (*ticks = 0; n > 0; n--) {
		if (kb_kernel_stopping(run))
			return -EINTR;
		*ticks += sleep_once(wakeup);
	}
	return 0;
}

static int setup(struct kb_run *run)
{
	struct wakeup *wakeup = kzalloc(sizeof *wakeup, GFP_KERNEL);
	int error = wakeup ? kb_trace_begin(LOG_ENTRIES) : -ENOMEM;

	if (error) {
		kfree(wakeup);
		return error;
	}
	kb_timer_init(&wakeup->timer, handler, HRTIMER_MODE_REL_PINNED_HARD);
	wakeup->run = run;
	run->state = wakeup;
	return 0;
}

static void teardown(struct kb_run *run)
{
	struct wakeup *wakeup = run->state;

	hrtimer_cancel(&wakeup->timer);
	kfree(wakeup);
}

KB_KERNEL_ABOUT(
	.summary = "from the handler of a timer interrupt to the thread that it woke", .per = "wake-up", .suite = KB_STANDARD,
	.portability = KB_PLATFORM, .assumes = "the timer and the thread are on the same CPU", .bound = KB_KERNEL, .needs = KB_NEED_ROOT,
	.expect = { { KB_SEEN, 1, 0, 0, KB_SELF } },
);
KB_KERNEL_BENCHMARK(.setup = setup, .observe = observe, .teardown = teardown, .may_sleep = true);
