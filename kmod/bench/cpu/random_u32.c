// SPDX-License-Identifier: MIT OR GPL-2.0-only
/*
 * One get_random_u32 or get_random_u64: most are taken from a batch of this CPU, one in some dozens makes a new batch. Over a
 * process every bit must have been both 0 and 1: with 128 numbers, true ones miss that once in 2^120.
 */
#include <linux/random.h>

#include "kbench_kernel.h"

#define ENOUGH 128u

static uint64_t ones, zeros, drawn;
static bool wide;

static int setup(struct kb_run *run)
{
	ones = zeros = drawn = 0;
	wide = kb_param_is(run, "bits", "64");
	return 0;
}

static int op(struct kb_run *run, uint64_t n)
{
	uint64_t one = 0, zero = 0, number;

	(void)run;
	if (wide)
		KB_KERNEL_LOOP(n, { number = get_random_u64(); one |= number; zero |= ~number; });
	else
		KB_KERNEL_LOOP(n, { number = get_random_u32(); one |= number; zero |= ~number; });
	ones |= one;
	zeros |= zero;
	return 0;
}

static int check(struct kb_run *run, uint64_t n)
{
	uint64_t all = wide ? ~0ull : 0xffffffffull;

	drawn += n;
	if (drawn >= ENOUGH && ((ones & zeros) & all) != all)
		return kb_fail(run, EBADMSG, "of %llu numbers no one differed in some bit", (unsigned long long)drawn);
	return 0;
}

KB_KERNEL_ABOUT(
	.summary = "one number of 32 or 64 bits from the kernel's random generator",
	.per = "number", .portability = KB_PLATFORM, .bound = KB_KERNEL, .needs = KB_NEED_ROOT,
	.assumes = "over a process every bit is both 0 and 1",
	.params = { { "bits", "32 or 64", KB_CHOICE, "32;64", 0, 0, "32,64" } },
);
KB_KERNEL_BENCHMARK(.setup = setup, .op = op, .base = kb_empty_loop, .check = check);
