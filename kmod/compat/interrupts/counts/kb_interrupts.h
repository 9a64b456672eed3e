/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/* Interrupts of the local controller of this CPU, where the kinds are an array. */
#ifndef KBENCH_INTERRUPTS_H
#define KBENCH_INTERRUPTS_H

#include <linux/hardirq.h>

static inline u64 kb_local_interrupts(void)
{
	return (u64)this_cpu_read(irq_stat.counts[IRQ_COUNT_APIC_TIMER]) + this_cpu_read(irq_stat.counts[IRQ_COUNT_RESCHEDULE]) +
	       this_cpu_read(irq_stat.counts[IRQ_COUNT_CALL_FUNCTION]) + this_cpu_read(irq_stat.counts[IRQ_COUNT_NMI]);
}

#endif
