/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/* Threads of the kernel that take part in a benchmark, and the CPUs that they run on. */
#ifndef KBENCH_KERNEL_PLACE_H
#define KBENCH_KERNEL_PLACE_H

#include <linux/cpumask.h>
#include <linux/err.h>
#include <linux/kthread.h>
#include <linux/sched.h>
#include <linux/smp.h>

#include "kbench_kernel.h"

/* Another CPU than the calling thread's that is online; nr_cpu_ids: there is none. */
static inline unsigned kb_other_cpu(void)
{
	return cpumask_any_but(cpu_online_mask, raw_smp_processor_id());
}

/* A thread on that CPU, not yet awake, or NULL and *error. */
static inline struct task_struct *kb_thread_on(struct kb_run *run, unsigned cpu, int (*serve)(void *), int *error)
{
	struct task_struct *thread = kthread_create(serve, run, "kbench_partner");

	if (IS_ERR(thread)) {
		*error = kb_fail(run, -PTR_ERR(thread), "no thread for the partner");
		return NULL;
	}
	*error = 0;
	kthread_bind(thread, cpu);
	if (cpu != raw_smp_processor_id())
		kb_kernel_env(run, "partner=elsewhere");
	return thread;
}

/* The same as `placement` has it: same-cpu is the calling thread's. Where there is only one CPU, other-cpu is skipped. */
static inline struct task_struct *kb_partner(struct kb_run *run, int (*serve)(void *), int *error)
{
	unsigned here = raw_smp_processor_id(), cpu = kb_param_is(run, "placement", "same-cpu") ? here : kb_other_cpu();

	if (cpu < nr_cpu_ids)
		return kb_thread_on(run, cpu, serve, error);
	*error = kb_skip(run, "one CPU is online, placement=other-cpu takes two");
	return NULL;
}

/* For `check`: the calling thread is not bound, so it may have left the place that its partner was put to. */
static inline int kb_check_placement(struct kb_run *run, const struct task_struct *partner)
{
	bool together = task_cpu(partner) == raw_smp_processor_id();

	return together == kb_param_is(run, "placement", "same-cpu") ? 0 : kb_refute(run, "this thread has moved to another CPU");
}

#endif
