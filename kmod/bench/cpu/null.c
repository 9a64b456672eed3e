// SPDX-License-Identifier: MIT OR GPL-2.0-only
/* Nothing: what an operation of the kernel costs here is the framework's own mistake. */
#include "kbench_kernel.h"

static int op(struct kb_run *run, uint64_t n)
{
	(void)run;
	KB_KERNEL_LOOP(n, (void)0);
	return 0;
}

KB_KERNEL_ABOUT(
	.summary = "empty operation in the kernel: must cost 0", .per = "turn", .suite = KB_QUICK, .portability = KB_PLATFORM,
	.assumes = "two empty loops cost the same", .bound = KB_NOTHING, .needs = KB_NEED_ROOT,
);
KB_KERNEL_BENCHMARK(.op = op, .base = kb_empty_loop);
