// SPDX-License-Identifier: MIT OR GPL-2.0-only
/*
 * A ball between this thread and a thread of the kernel: each waits for its turn, throws the ball back and wakes the other. One
 * operation is a round trip: two wake-ups, two waits and, on one CPU, two switches. The ball counts throws: none is missed.
 */
#include <linux/completion.h>
#include <linux/wait.h>

#include "place.h"

static DECLARE_WAIT_QUEUE_HEAD(mine);
static DECLARE_WAIT_QUEUE_HEAD(theirs);
static struct completion to_me, to_them;
static struct task_struct *partner;
static uint64_t ball;           /* throws so far; even: mine, odd: the partner's */
static bool completions;

static bool thrown(void) { return READ_ONCE(ball) & 1; }

static int serve(void *unused)
{
	while (!kthread_should_stop()) {
		if (completions)
			wait_for_completion_interruptible(&to_them);
		else
			wait_event_interruptible(theirs, thrown() || kthread_should_stop());
		if (!thrown()) {
			cond_resched();         /* the one who stops it may want this CPU */
			continue;
		}
		WRITE_ONCE(ball, ball + 1);
		if (completions)
			complete(&to_me);
		else
			wake_up(&mine);
	}
	return 0;
}

static int start(struct kb_run *run)
{
	int error;

	ball = 0;
	init_completion(&to_me);
	init_completion(&to_them);
	completions = kb_param_is(run, "by", "completion");
	partner = kb_partner(run, serve, &error);
	if (partner)
		wake_up_process(partner);
	return error;
}

static int op(struct kb_run *run, uint64_t n)
{
	uint64_t before = ball, back = ball;
	int killed = 0, wrong = 0;

	KB_KERNEL_LOOP(n, {
		back += 2;
		WRITE_ONCE(ball, back - 1);
		if (completions) {
			complete(&to_them);
			killed = wait_for_completion_killable(&to_me);
		} else {
			wake_up(&theirs);
			killed = wait_event_killable(mine, !thrown());
		}
		if (killed)
			return kb_fail(run, EINTR, "killed while waiting for the ball");
		wrong |= READ_ONCE(ball) != back;
	});
	kb_count(run, KB_SEEN, (ball - before) / 2);
	return wrong ? kb_fail(run, EBADMSG, "the ball came back with another number") : 0;
}

static int check(struct kb_run *run, uint64_t n)
{
	(void)n;
	return kb_check_placement(run, partner);
}

static void stop(struct kb_run *run)
{
	complete_all(&to_them);         /* for good: one that it takes before it is told to stop would leave it asleep */
	kthread_stop(partner);
}

KB_KERNEL_ABOUT(
	.summary = "round trip to a kernel thread and back, by wait queues or completions",
	.per = "round-trip", .portability = KB_PLATFORM, .bound = KB_KERNEL, .needs = KB_NEED_ROOT,
	.assumes = "each token comes back with the next number",
	.params = {
		{ "by", "wait_queue or completion", KB_CHOICE, "wait_queue;completion", 0, 0, "wait_queue,completion" },
		{ "placement", "where the partner runs", KB_CHOICE, "same-cpu,other-cpu", 0, 0, "same-cpu,other-cpu" },
	},
	.expect = { { KB_SEEN, .per_op = 1 } },
);
KB_KERNEL_BENCHMARK(.thread_setup = start, .op = op, .base = kb_empty_loop, .check = check,
	.thread_teardown = stop, .may_sleep = true);
