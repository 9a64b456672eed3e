// SPDX-License-Identifier: MIT OR GPL-2.0-only
/* Ten dependent multiplications: an operation whose cost is known, 30 core cycles on most processors. It checks the framework. */
#include "kbench_kernel.h"

#define FACTOR 5u

static __always_inline unsigned long multiply_ten_times(unsigned long value, unsigned long factor)
{
#pragma GCC unroll 10
	for (int i = 0; i < 10; i++) {
		value *= factor;
		OPTIMIZER_HIDE_VAR(value);
	}
	return value;
}

/* The compiler knows neither value, and each product waits for the one before. */
static int op(struct kb_run *run, uint64_t n)
{
	unsigned long value = 1, factor = FACTOR;

	asm volatile("" : "+r"(factor));
	KB_KERNEL_LOOP(n, value = multiply_ten_times(value, factor));
	run->state = (void *)value;
	return 0;
}

/* FACTOR to the power of 10 n, modulo 2^64. */
static int check(struct kb_run *run, uint64_t n)
{
	unsigned long expected = 1, square = FACTOR;

	for (uint64_t power = 10 * n; power > 0; power /= 2, square *= square) {
		if (power % 2)
			expected *= square;
	}
	return (unsigned long)run->state == expected ? 0 : kb_fail(run, EBADMSG, "the product is another one");
}

KB_KERNEL_ABOUT(
	.summary = "ten dependent multiplications of 64 bits, in the kernel", .per = "ten", .suite = KB_STANDARD,
	.portability = KB_PLATFORM, .assumes = "a multiplication waits for the one before", .bound = KB_LATENCY,
	.needs = KB_NEED_ROOT,
);
KB_KERNEL_BENCHMARK(.op = op, .base = kb_empty_loop, .check = check);
