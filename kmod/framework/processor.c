// SPDX-License-Identifier: MIT OR GPL-2.0-only
/* What the clocks of all architectures have: readings as functions, for who has none of its own. */
#include "framework/processor.h"
#include "kbench_kernel.h"

DEFINE_STATIC_KEY_TRUE(kb_kernel_has_stop);
EXPORT_SYMBOL_GPL(kb_kernel_has_stop);

static uint64_t begin(void)
{
	return kb_kernel_begin();
}

static uint64_t end(void)
{
	return kb_kernel_end();
}

struct kb_clock kb_clock_at(u64 hz)
{
	return (struct kb_clock){ .name = KB_ARCH_CLOCK, .begin = begin, .end = end, .hz = hz, .ordered = true };
}
