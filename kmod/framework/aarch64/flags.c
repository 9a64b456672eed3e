// SPDX-License-Identifier: MIT OR GPL-2.0-only
/* Interrupts of arm64 by the counter behind /proc/interrupts: the timer's and those between CPUs are in the sum with all others. */
#include <linux/kernel_stat.h>

#include "framework/processor.h"

u64 kb_interrupts(void)
{
	return this_cpu_read(kstat.irqs_sum);
}
