// SPDX-License-Identifier: MIT OR GPL-2.0-only
/*
 * One call of a function that does next to nothing on another CPU, on this one, or on all, waited for. To another CPU it is an
 * interrupt there and a cache line back; to this one a plain call with interrupts off.
 */
#include <linux/atomic.h>

#include "place.h"

static atomic64_t calls;
static unsigned cpus;                   /* that one operation calls */
static int target;                      /* -1: all */

static void count_call(void *unused)
{
	(void)unused;
	atomic64_inc(&calls);
}

static int setup(struct kb_run *run)
{
	unsigned here = raw_smp_processor_id(), other = kb_other_cpu();

	atomic64_set(&calls, 0);
	target = kb_param_is(run, "target", "all") ? -1 : kb_param_is(run, "target", "self") ? here : other;
	cpus = target < 0 ? num_online_cpus() : 1;
	if (kb_param_is(run, "target", "other") && other >= nr_cpu_ids)
		return kb_skip(run, "one CPU is online, target=other takes two");
	if (target != (int)here)
		kb_kernel_env(run, "partner=elsewhere");
	return 0;
}

static int op(struct kb_run *run, uint64_t n)
{
	uint64_t before = atomic64_read(&calls), seen;
	int refused = 0;

	if (target < 0)
		KB_KERNEL_LOOP(n, on_each_cpu(count_call, NULL, 1));
	else
		KB_KERNEL_LOOP(n, refused |= smp_call_function_single(target, count_call, NULL, 1));
	seen = atomic64_read(&calls) - before;
	kb_count(run, KB_SEEN, seen / cpus);
	if (refused || seen != n * cpus)
		return kb_fail(run, EBADMSG, "%llu calls arrived instead of %llu", (unsigned long long)seen,
			(unsigned long long)(n * cpus));
	return 0;
}

/* The calling thread is not bound: after a move to another CPU `self` and `other` would be the other way. */
static int check(struct kb_run *run, uint64_t n)
{
	bool self = kb_param_is(run, "target", "self");

	(void)n;
	return target < 0 || self == (raw_smp_processor_id() == target) ? 0 : kb_refute(run, "this thread has moved to another CPU");
}

KB_KERNEL_ABOUT(
	.summary = "call of a function on another CPU, this one, or all, until it has run",
	.per = "call", .portability = KB_PLATFORM, .bound = KB_KERNEL, .needs = KB_NEED_ROOT,
	.assumes = "each call has run once on each CPU when it returns",
	.params = { { "target", "other, self or all", KB_CHOICE, "other;self,all", 0, 0, "other,self,all" } },
	.expect = { { KB_SEEN, .per_op = 1 } },
);
KB_KERNEL_BENCHMARK(.setup = setup, .op = op, .base = kb_empty_loop, .check = check, .may_sleep = true);
