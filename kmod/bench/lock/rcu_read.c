// SPDX-License-Identifier: MIT OR GPL-2.0-only
/*
 * One read section: enter, load the pointer, look at what it points to, leave. Whoever sees another value than the published
 * one read outside of a section that holds. The load and the comparison are in `base`, too.
 */
#include <linux/rcupdate.h>
#include <linux/srcu.h>

#include "kbench_kernel.h"

struct thing { uint64_t value; };

DEFINE_STATIC_SRCU(srcu);
static struct thing thing;
static struct thing __rcu *published;
static bool sleepable;

static int setup(struct kb_run *run)
{
	thing.value = run->seed;
	rcu_assign_pointer(published, &thing);
	sleepable = kb_param_is(run, "flavour", "srcu");
	return 0;
}

static int op(struct kb_run *run, uint64_t n)
{
	uint64_t seed = run->seed;
	int wrong = 0, index;

	if (sleepable)
		KB_KERNEL_LOOP(n, {
			index = srcu_read_lock(&srcu);
			wrong |= srcu_dereference(published, &srcu)->value != seed;
			srcu_read_unlock(&srcu, index);
		});
	else
		KB_KERNEL_LOOP(n, {
			rcu_read_lock();
			wrong |= rcu_dereference(published)->value != seed;
			rcu_read_unlock();
		});
	return wrong ? kb_fail(run, EBADMSG, "a read section saw another value than the published one") : 0;
}

static int base(struct kb_run *run, uint64_t n)
{
	uint64_t seed = run->seed;
	int wrong = 0;

	KB_KERNEL_LOOP(n, wrong |= rcu_dereference_protected(published, true)->value != seed);
	return wrong ? kb_fail(run, EBADMSG, "the published value has changed") : 0;
}

KB_KERNEL_ABOUT(
	.summary = "RCU read-side critical section around one dereference, by flavour",
	.per = "section", .portability = KB_PLATFORM, .bound = KB_KERNEL, .needs = KB_NEED_ROOT,
	.assumes = "the section sees the published value",
	.params = {
		{ "flavour", "rcu, or srcu, whose readers may sleep", KB_CHOICE, "rcu,srcu", 0, 0, "rcu,srcu" },
		{ "threads", "threads that read", KB_NUMBER, "1;2", 1, 64, NULL },
	},
);
KB_KERNEL_BENCHMARK(.setup = setup, .op = op, .base = base, .checked = true);
