/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/* Interrupts that this CPU's own controller or its hypervisor brought, where the kinds are an array. */
#ifndef KBENCH_INTERRUPTS_H
#define KBENCH_INTERRUPTS_H

#include <linux/hardirq.h>

static inline u64 kb_local_interrupts(void)
{
	const unsigned int *counts = raw_cpu_ptr(&irq_stat)->counts;
	u64 sum = 0;

	for (unsigned i = 0; i < IRQ_COUNT_MAX; i++)
		sum += READ_ONCE(counts[i]);
	return sum;
}

#endif
