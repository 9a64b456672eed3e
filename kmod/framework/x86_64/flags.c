// SPDX-License-Identifier: MIT OR GPL-2.0-only
/*
 * Interrupts of x86-64 by the counters behind /proc/interrupts: those of the local controller are not in the sum of the others.
 * What a machine steals below the kernel stays invisible here.
 */
#include <linux/kernel_stat.h>

#include "framework/processor.h"
#include "kb_interrupts.h"

u64 kb_interrupts(void)
{
	return kb_local_interrupts() + this_cpu_read(kstat.irqs_sum);
}
