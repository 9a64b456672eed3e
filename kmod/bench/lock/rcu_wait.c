// SPDX-License-Identifier: MIT OR GPL-2.0-only
/*
 * Waiting for readers: synchronize_rcu_expedited, or call_rcu and rcu_barrier until the callback has run. Before the first
 * sample a thread on another CPU stays in a read section: who is through before it is out has not waited.
 */
#include <linux/completion.h>
#include <linux/delay.h>
#include <linux/rcupdate.h>
#include <linux/sched/task.h>

#include "bench/sched/place.h"

enum { STAY_US = 200, PATIENCE_US = 20000 };    /* of the reader: once somebody waits, until somebody does */

static bool with_callback, waiting, inside;
static struct rcu_head head;
static uint64_t called;
static struct completion entered;

static void callback(struct rcu_head *unused)
{
	(void)unused;
	WRITE_ONCE(called, called + 1);
}

static int op(struct kb_run *run, uint64_t n)
{
	uint64_t before = READ_ONCE(called);

	if (!with_callback) {
		KB_KERNEL_LOOP(n, synchronize_rcu_expedited());
		return 0;
	}
	KB_KERNEL_LOOP(n, {
		call_rcu(&head, callback);
		rcu_barrier();
	});
	kb_count(run, KB_SEEN, READ_ONCE(called) - before);
	return READ_ONCE(called) - before == n ? 0 : kb_fail(run, EBADMSG, "rcu_barrier() was through before the callback");
}

static int reader(void *unused)
{
	(void)unused;
	rcu_read_lock();
	WRITE_ONCE(inside, true);
	complete(&entered);
	for (unsigned us = 0; us < PATIENCE_US && !READ_ONCE(waiting); us++)
		udelay(1);
	udelay(STAY_US);
	WRITE_ONCE(inside, false);
	rcu_read_unlock();
	return 0;
}

static int setup(struct kb_run *run)
{
	unsigned cpu = kb_other_cpu();
	struct task_struct *task;
	bool early;
	int error;

	with_callback = kb_param_is(run, "way", "call_rcu");
	if (cpu >= nr_cpu_ids && !with_callback)
		kb_unproven(run, "one CPU is online: no reader can be in the way");
	if (cpu >= nr_cpu_ids)
		return 0;
	waiting = false;
	init_completion(&entered);
	task = kb_thread_on(run, cpu, reader, &error);
	if (!task)
		return error;
	get_task_struct(task);          /* it may be gone before kthread_stop() */
	wake_up_process(task);
	wait_for_completion(&entered);
	WRITE_ONCE(waiting, true);
	error = op(run, 1);
	early = READ_ONCE(inside);
	kthread_stop(task);
	put_task_struct(task);
	rcu_barrier();
	if (error || !early)
		return error;
	return kb_fail(run, EBADMSG, "a reader was still in its section when the wait for it was over");
}

static void teardown(struct kb_run *run)
{
	(void)run;
	rcu_barrier();                  /* no callback runs in a module that has gone */
}

KB_KERNEL_ABOUT(
	.summary = "waiting for all readers: synchronize_rcu_expedited, or call_rcu and rcu_barrier",
	.per = "wait", .portability = KB_PLATFORM, .bound = KB_KERNEL, .needs = KB_NEED_ROOT,
	.assumes = "no wait ends before a reader has left, and each callback runs",
	.params = { { "way", "expedited or call_rcu", KB_CHOICE, "expedited,call_rcu", 0, 0, "expedited,call_rcu" } },
	.expect = { { KB_SEEN, .per_op = 1, .when = "way=call_rcu" } },
);
KB_KERNEL_BENCHMARK(.setup = setup, .op = op, .base = kb_empty_loop, .teardown = teardown, .may_sleep = true, .checked = true);
