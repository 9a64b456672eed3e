// SPDX-License-Identifier: MIT OR GPL-2.0-only
/*
 * From wake_up_process to the woken thread, which reads the clock first of all. On one CPU the way leads over this thread's going
 * to sleep. A partner that had not slept, by its count of voluntary switches, is refuted; a negative way fails the process.
 */
#include <linux/completion.h>
#include <linux/delay.h>

#include "place.h"

#define LOOKS 2000u     /* of 20 us and more */
static struct task_struct *partner;
static struct completion answered;
static uint64_t woken, stamp;
static unsigned long switches;  /* voluntary ones of the partner when it ran last */
static bool slept;

static int serve(void *argument)
{
	struct kb_run *run = argument;

	for (;;) {
		switches = current->nvcsw;
		set_current_state(TASK_INTERRUPTIBLE);
		if (kthread_should_stop())
			break;
		complete(&answered);
		schedule();
		stamp = kb_now(run);
		slept &= current->nvcsw == switches + 1;
		woken++;
	}
	__set_current_state(TASK_RUNNING);
	return 0;
}

static int start(struct kb_run *run)
{
	int error;

	init_completion(&answered);
	partner = kb_partner(run, serve, &error);
	if (partner && wake_up_process(partner))
		wait_for_completion(&answered);         /* it is about to sleep for the first time */
	return error;
}

/* Waits until the partner sleeps, and a little longer: it counts the switch before it is through. */
static bool settle(void)
{
	bool counted = false;

	for (unsigned look = 0; look < LOOKS && !counted; look++) {
		counted = READ_ONCE(partner->nvcsw) != READ_ONCE(switches);
		usleep_range(20, 50);
	}
	return counted;
}

static int observe(struct kb_run *run, uint64_t n, uint64_t *ticks)
{
	uint64_t before = woken, begin;

	*ticks = 0;
	slept = true;
	for (uint64_t i = 0; i < n; i++) {
		if (!settle())
			return kb_fail(run, ETIME, "the partner does not go to sleep");
		begin = kb_now(run);
		wake_up_process(partner);
		if (wait_for_completion_killable(&answered))
			return kb_fail(run, EINTR, "killed while waiting for the partner");
		if (stamp < begin)
			return kb_fail(run, EBADMSG, "the partner ran before it was woken: the CPUs' clocks differ");
		*ticks += stamp - begin;
	}
	kb_count(run, KB_SEEN, woken - before);
	return 0;
}

static int check(struct kb_run *run, uint64_t n)
{
	(void)n;
	return slept ? kb_check_placement(run, partner) : kb_refute(run, "the partner was awake when it was woken");
}

static void stop(struct kb_run *run)
{
	(void)run;
	kthread_stop(partner);
}

KB_KERNEL_ABOUT(
	.summary = "from wake_up_process to the first instruction of the woken kernel thread",
	.per = "wake-up", .portability = KB_PLATFORM, .bound = KB_KERNEL, .needs = KB_NEED_ROOT,
	.assumes = "the thread sleeps before each wake-up and runs once after it",
	.params = { { "placement", "where the woken thread runs", KB_CHOICE, "same-cpu,other-cpu", 0, 0, "same-cpu,other-cpu" } },
	.expect = { { KB_SEEN, .per_op = 1 } },
);
KB_KERNEL_BENCHMARK(.thread_setup = start, .observe = observe, .check = check, .thread_teardown = stop, .may_sleep = true);
