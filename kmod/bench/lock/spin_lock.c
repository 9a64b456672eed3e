// SPDX-License-Identifier: MIT OR GPL-2.0-only
/*
 * One spin_lock and spin_unlock. The lock protects a plain counter: were two threads inside at once, its sum would fall short.
 * With `threads` above 1 all of them want the same lock, and its cache line travels between their CPUs as well.
 */
#include <linux/spinlock.h>

#include "turns.h"

static struct {
	spinlock_t lock;
	uint64_t inside;        /* turns, counted under the lock */
} locked ____cacheline_aligned_in_smp;

static bool irqsave;

static int setup(struct kb_run *run)
{
	spin_lock_init(&locked.lock);
	locked.inside = 0;
	atomic64_set(&done, 0);
	irqsave = kb_param_is(run, "variant", "irqsave");
	return 0;
}

static int op(struct kb_run *run, uint64_t n)
{
	unsigned long flags;

	(void)run;
	if (irqsave)
		KB_KERNEL_LOOP(n, {
			spin_lock_irqsave(&locked.lock, flags);
			locked.inside++;
			spin_unlock_irqrestore(&locked.lock, flags);
		});
	else
		KB_KERNEL_LOOP(n, {
			spin_lock(&locked.lock);
			locked.inside++;
			spin_unlock(&locked.lock);
		});
	return 0;
}

KB_TURNS_CHECK(spin_lock(&locked.lock), spin_unlock(&locked.lock), locked.inside)

KB_KERNEL_ABOUT(
	.summary = "spin_lock and spin_unlock around a counter, alone or contended",
	.per = "pair", .portability = KB_PLATFORM, .bound = KB_KERNEL, .needs = KB_NEED_ROOT,
	.assumes = "no increment of any thread under the lock is lost",
	.params = {
		{ "variant", "plain or irqsave (interrupts off)", KB_CHOICE, "plain,irqsave", 0, 0, "plain,irqsave" },
		{ "threads", "threads that want the lock", KB_NUMBER, "1;2", 1, 64, NULL },
	},
);
KB_KERNEL_BENCHMARK(.setup = setup, .op = op, .base = kb_empty_loop, .check = check);
