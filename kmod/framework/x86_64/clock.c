// SPDX-License-Identifier: MIT OR GPL-2.0-only
/* The clock of x86-64: the time stamp counter, if it runs at one rate. */
#include <asm/cpufeature.h>
#include <asm/processor.h>
#include <asm/tsc.h>

#include "framework/processor.h"
#include "kbench_kernel.h"

/* Executing rdtscp where it is missing ends in an oops. */
int kb_clock_open(struct kb_clock *clock)
{
	if (!boot_cpu_has(X86_FEATURE_TSC) || !tsc_khz)
		return -ENODEV;
	if (!boot_cpu_has(X86_FEATURE_RDTSCP))
		static_branch_disable(&kb_kernel_has_stop);
	*clock = kb_clock_at((u64)tsc_khz * 1000);
	return 0;
}

void kb_cpu_model(char *fields, size_t room)
{
	const struct cpuinfo_x86 *cpu = &boot_cpu_data;

	scnprintf(fields, room, "cpu_vendor=%s cpu_family=%u cpu_model_number=%u cpu_stepping=%u microcode=0x%x", cpu->x86_vendor_id, cpu->x86,
		  cpu->x86_model, cpu->x86_stepping, cpu->microcode);
}
