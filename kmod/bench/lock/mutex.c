// SPDX-License-Identifier: MIT OR GPL-2.0-only
/*
 * One mutex_lock and mutex_unlock. The mutex protects a plain counter: were two threads inside at once, its sum would fall
 * short. With `threads` above 1 all of them want the same mutex: they spin while its owner runs, and sleep while it does not.
 */
#include <linux/mutex.h>

#include "turns.h"

static struct {
	struct mutex mutex;
	uint64_t inside;        /* turns, counted under the mutex */
} locked ____cacheline_aligned_in_smp;

static int setup(struct kb_run *run)
{
	(void)run;
	mutex_init(&locked.mutex);
	locked.inside = 0;
	atomic64_set(&done, 0);
	return 0;
}

static int op(struct kb_run *run, uint64_t n)
{
	(void)run;
	KB_KERNEL_LOOP(n, {
		mutex_lock(&locked.mutex);
		locked.inside++;
		mutex_unlock(&locked.mutex);
	});
	return 0;
}

KB_TURNS_CHECK(mutex_lock(&locked.mutex), mutex_unlock(&locked.mutex), locked.inside)

static void teardown(struct kb_run *run)
{
	(void)run;
	mutex_destroy(&locked.mutex);
}

KB_KERNEL_ABOUT(
	.summary = "mutex_lock and mutex_unlock around a counter, alone or contended",
	.per = "pair", .portability = KB_PLATFORM, .bound = KB_KERNEL, .needs = KB_NEED_ROOT,
	.assumes = "no increment of any thread under the mutex is lost",
	.params = { { "threads", "threads that want the mutex", KB_NUMBER, "1;2", 1, 64, NULL } },
);
KB_KERNEL_BENCHMARK(.setup = setup, .op = op, .base = kb_empty_loop, .check = check, .teardown = teardown, .may_sleep = true);
