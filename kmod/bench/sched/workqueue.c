// SPDX-License-Identifier: MIT OR GPL-2.0-only
/*
 * One queue_work and flush_work: from asking a worker thread until its work is done and this thread runs again, two switches
 * where the queue is bound to this CPU. The work counts itself; flush_work of what was never queued would return at once.
 */
#include "kb_workqueue.h"
#include "kbench_kernel.h"

static struct workqueue_struct *queue;
static struct work_struct work;
static uint64_t worked;

static void do_work(struct work_struct *unused)
{
	(void)unused;
	WRITE_ONCE(worked, worked + 1);
}

static int setup(struct kb_run *run)
{
	unsigned flags = kb_param_is(run, "queue", "unbound") ? WQ_UNBOUND : KB_WORKQUEUE_BOUND;

	if (kb_param_is(run, "queue", "highpri"))
		flags |= WQ_HIGHPRI;
	worked = 0;
	INIT_WORK(&work, do_work);
	queue = alloc_workqueue("kbench", flags, 1);
	return queue ? 0 : kb_fail(run, ENOMEM, "no memory for the work queue");
}

static int op(struct kb_run *run, uint64_t n)
{
	uint64_t before = READ_ONCE(worked);

	KB_KERNEL_LOOP(n, {
		queue_work(queue, &work);
		flush_work(&work);
	});
	kb_count(run, KB_SEEN, READ_ONCE(worked) - before);
	if (READ_ONCE(worked) - before != n)
		return kb_fail(run, EBADMSG, "the work ran another number of times than it was queued");
	return 0;
}

static void teardown(struct kb_run *run)
{
	(void)run;
	destroy_workqueue(queue);
}

KB_KERNEL_ABOUT(
	.summary = "queue_work and flush_work: a work item, until a worker thread has run it",
	.per = "work", .portability = KB_PLATFORM, .bound = KB_KERNEL, .needs = KB_NEED_ROOT,
	.assumes = "each work item has run once when its flush returns",
	.params = { { "queue", "bound (to this CPU), unbound or highpri", KB_CHOICE, "bound;unbound,highpri", 0, 0,
		"bound,unbound,highpri" } },
	.expect = { { KB_SEEN, .per_op = 1 } },
);
KB_KERNEL_BENCHMARK(.setup = setup, .op = op, .base = kb_empty_loop, .teardown = teardown, .may_sleep = true);
