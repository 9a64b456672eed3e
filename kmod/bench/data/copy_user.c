// SPDX-License-Identifier: MIT OR GPL-2.0-only
/*
 * One copy_to_user or copy_from_user of memory that is there. The user memory is mapped into the process that requested the
 * run, and goes with the run or with the process. Before each sample both sides differ, afterwards they must be equal.
 */
#include <linux/mm.h>
#include <linux/mman.h>
#include <linux/sched/mm.h>
#include <linux/uaccess.h>

#include "data.h"

static struct mm_struct *owner;
static unsigned long address;
static char *inside, *seen;             /* the kernel's side, and where check looks at the other */
static size_t size;
static bool inward;

/* The process may have gone: then its memory has, too. */
static void teardown(struct kb_run *run)
{
	(void)run;
	if (owner && current->mm == owner)
		vm_munmap(address, size);
	if (owner)
		mmdrop(owner);
	kfree(inside);
	kfree(seen);
	owner = NULL;
	inside = seen = NULL;
}

static int setup(struct kb_run *run)
{
	unsigned long at;

	if (!current->mm)
		return kb_fail(run, EFAULT, "no process requested the run");
	size = kb_param_number(run, "size");
	inward = kb_param_is(run, "direction", "from");
	run->bytes_per_op = size;
	inside = kb_seeded_bytes(run, size);
	seen = kb_seeded_bytes(run, size);
	at = vm_mmap(NULL, 0, size, PROT_READ | PROT_WRITE, MAP_ANONYMOUS | MAP_PRIVATE | MAP_POPULATE, 0);
	if (!IS_ERR_VALUE(at)) {
		address = at;
		owner = current->mm;
		mmgrab(owner);
	}
	if (inside && seen && owner)
		return 0;
	teardown(run);
	return kb_fail(run, ENOMEM, "no memory for both sides of a copy of %zu bytes", size);
}

static int prepare(struct kb_run *run, uint64_t n)
{
	if (current->mm != owner)
		return kb_fail(run, EFAULT, "another process goes on with the run than the one that began it");
	kb_seeded_fill(run->seed + n, inside, size);
	kb_seeded_fill(~run->seed - n, seen, size);
	return copy_to_user((void __user *)address, seen, size) ? kb_fail(run, EFAULT, "the user memory has gone") : 0;
}

static int op(struct kb_run *run, uint64_t n)
{
	unsigned long left = 0;

	if (inward)
		KB_KERNEL_LOOP(n, left |= copy_from_user(inside, (void __user *)address, size));
	else
		KB_KERNEL_LOOP(n, left |= copy_to_user((void __user *)address, inside, size));
	return left ? kb_fail(run, EFAULT, "a copy fell short") : 0;
}

static int check(struct kb_run *run, uint64_t n)
{
	(void)n;
	if (copy_from_user(seen, (void __user *)address, size))
		return kb_fail(run, EFAULT, "the user memory has gone");
	return memcmp(seen, inside, size) ? kb_fail(run, EBADMSG, "the copy differs") : 0;
}

KB_KERNEL_ABOUT(
	.summary = "copy_to_user or copy_from_user by size, of resident memory",
	.per = "copy", .portability = KB_PLATFORM, .bound = KB_KERNEL, .needs = KB_NEED_ROOT,
	.assumes = "no copy is short, and every byte arrives",
	.params = {
		{ "direction", "to or from user memory", KB_CHOICE, "to,from", 0, 0, "to,from" },
		{ "size", "bytes of a copy", KB_SIZE, "64;4K,64K", 1, 1 << 20, NULL },
	},
);
KB_KERNEL_BENCHMARK(.setup = setup, .prepare = prepare, .op = op, .base = kb_empty_loop, .check = check,
	.teardown = teardown, .may_sleep = true);
