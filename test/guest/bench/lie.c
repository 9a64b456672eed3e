// SPDX-License-Identifier: MIT OR GPL-2.0-only
/* A benchmark that is wrong on purpose, for the test bed only: in its result, in its length, in its set-up, and in that it
   does not sleep. */
#include <linux/delay.h>
#include <linux/processor.h>

#include "kbench_kernel.h"

static int setup(struct kb_run *run)
{
	return kb_param_is(run, "about", "setup") ? kb_fail(run, ENODEV, "there is no such device") : 0;
}

/* A millisecond. mdelay() may be much shorter: on a busy machine the guest calibrates it by ticks that come late and together. */
static void last(struct kb_run *run)
{
	uint64_t until = kb_now(run) + kb_ticks(run, 1000000);

	while (kb_now(run) < until)
		cpu_relax();
}

static int op(struct kb_run *run, uint64_t n)
{
	if (kb_param_is(run, "about", "result"))
		return kb_fail(run, EBADMSG, "the answer is %d, not 42", 41);
	if (kb_param_is(run, "about", "sleep"))
		KB_KERNEL_LOOP(n, msleep(20));
	if (kb_param_is(run, "about", "length"))
		KB_KERNEL_LOOP(n, last(run));
	return 0;
}

KB_KERNEL_ABOUT(
	.summary = "lies", .per = "lie", .portability = KB_PLATFORM, .assumes = "nothing", .bound = KB_NOTHING,
	.needs = KB_NEED_ROOT, .params = {
		{ "about", "what is wrong", KB_CHOICE, "nothing", 0, 0, "nothing,result,length,setup,sleep" },
	},
);
KB_KERNEL_BENCHMARK(.setup = setup, .op = op, .base = kb_empty_loop);
