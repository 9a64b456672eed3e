/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/* Interrupts of the local controller of this CPU, where each kind has a counter of its own name. */
#ifndef KBENCH_INTERRUPTS_H
#define KBENCH_INTERRUPTS_H

#include <linux/hardirq.h>

static inline u64 kb_local_interrupts(void)
{
	return (u64)this_cpu_read(irq_stat.apic_timer_irqs) + this_cpu_read(irq_stat.irq_resched_count) +
	       this_cpu_read(irq_stat.irq_call_count) + this_cpu_read(irq_stat.__nmi_count);
}

#endif
