/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * Interrupts that this CPU's own controller or its hypervisor brought, where each kind has a counter of its own name. Which there
 * are is the configuration's choice; but the first is that of NMIs, and behind it stand counters only.
 */
#ifndef KBENCH_INTERRUPTS_H
#define KBENCH_INTERRUPTS_H

#include <linux/hardirq.h>
#include <linux/stddef.h>

static inline u64 kb_local_interrupts(void)
{
	const char *all = (const char *)raw_cpu_ptr(&irq_stat);
	u64 sum = 0;

	for (size_t at = offsetof(irq_cpustat_t, __nmi_count); at < sizeof(irq_cpustat_t); at += sizeof(unsigned int))
		sum += READ_ONCE(*(const unsigned int *)(all + at));
	return sum;
}

#endif
