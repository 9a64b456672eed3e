// SPDX-License-Identifier: MIT OR GPL-2.0-only
/* The clock of arm64: the virtual counter, which runs at one rate on all CPUs. */
#include <asm/arch_timer.h>
#include <asm/cputype.h>

#include "framework/processor.h"
#include "kbench_kernel.h"

/* Some counters give wrong values now and then; the kernel reads those twice, which is not what is measured here. */
int kb_clock_open(struct kb_clock *clock)
{
	u32 hz = arch_timer_get_cntfrq();

	if (hz == 0 || has_erratum_handler(read_cntvct_el0))
		return -ENODEV;
	*clock = kb_clock_at(hz);
	return 0;
}

void kb_cpu_model(char *fields, size_t room)
{
	u32 id = read_cpuid_id();

	scnprintf(fields, room, "cpu_vendor=0x%02x cpu_model=0x%03x cpu_family=8 cpu_model_number=0x%x cpu_stepping=%u", MIDR_IMPLEMENTOR(id),
		  MIDR_PARTNUM(id), MIDR_VARIANT(id), MIDR_REVISION(id));
}
