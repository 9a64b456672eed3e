// SPDX-License-Identifier: MIT OR GPL-2.0-only
/*
 * One down_read and up_read, or down_write and up_write, of one semaphore. Inside, each turn looks whether the semaphore is
 * taken. With `threads` above 1 readers do not wait for each other, but all of them write its count.
 */
#include <linux/cache.h>
#include <linux/rwsem.h>

#include "kbench_kernel.h"

static struct rw_semaphore sem ____cacheline_aligned_in_smp;
static bool writes;

static int setup(struct kb_run *run)
{
	init_rwsem(&sem);
	writes = kb_param_is(run, "side", "write");
	return 0;
}

static int op(struct kb_run *run, uint64_t n)
{
	int open = 0;

	if (writes)
		KB_KERNEL_LOOP(n, {
			down_write(&sem);
			open |= !rwsem_is_locked(&sem);
			up_write(&sem);
		});
	else
		KB_KERNEL_LOOP(n, {
			down_read(&sem);
			open |= !rwsem_is_locked(&sem);
			up_read(&sem);
		});
	return open ? kb_fail(run, EBADMSG, "the semaphore was not taken inside") : 0;
}

/* What the side excludes is excluded: a writer everybody, a reader all writers. */
static int check(struct kb_run *run, uint64_t n)
{
	int entered;

	(void)n;
	if (writes) {
		down_write(&sem);
		entered = down_read_trylock(&sem);
		if (entered)
			up_read(&sem);
		up_write(&sem);
	} else {
		down_read(&sem);
		entered = down_write_trylock(&sem);
		if (entered)
			up_write(&sem);
		up_read(&sem);
	}
	return entered ? kb_fail(run, EBADMSG, "the semaphore let a thread in that it excludes") : 0;
}

KB_KERNEL_ABOUT(
	.summary = "down_read and up_read, or down_write and up_write, alone or contended",
	.per = "pair", .portability = KB_PLATFORM, .bound = KB_KERNEL, .needs = KB_NEED_ROOT,
	.assumes = "the semaphore is held inside each pair, and excludes the other side",
	.params = {
		{ "side", "read or write", KB_CHOICE, "read;write", 0, 0, "read,write" },
		{ "threads", "threads that want the semaphore", KB_NUMBER, "1;2", 1, 64, NULL },
	},
);
KB_KERNEL_BENCHMARK(.setup = setup, .op = op, .base = kb_empty_loop, .check = check, .may_sleep = true);
