/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/* The clock, the model and the interrupts of an architecture, which ARCH/ has; and what disturbed a sample. */
#ifndef KBENCH_FRAMEWORK_PROCESSOR_H
#define KBENCH_FRAMEWORK_PROCESSOR_H

#include <linux/sched.h>

#include "base/record.h"
#include "measure/measure.h"

/* Counters around a sample. */
struct kb_seen { u64 interrupts, switches, preemptions; unsigned cpu; };

/* Name, readings and rate. -ENODEV: this processor has no clock that can be trusted. */
int kb_clock_open(struct kb_clock *clock);
/* That clock, at so many ticks a second: for kb_clock_open. */
struct kb_clock kb_clock_at(u64 hz);
/* The CPU's model as fields of an `env` line, named as kbench doctor --facts names them. */
void kb_cpu_model(char *fields, size_t room);
/* Interrupts of this CPU so far, of all kinds. */
u64 kb_interrupts(void);

static inline void kb_seen_read(struct kb_seen *seen)
{
	seen->cpu = raw_smp_processor_id();
	seen->interrupts = kb_interrupts();
	seen->switches = current->nvcsw;
	seen->preemptions = current->nivcsw;
}

/* What happened since: flags of an observation. Of what may sleep, interrupts and switches are the operation itself. */
static inline unsigned kb_seen_flags(const struct kb_seen *before, bool may_sleep)
{
	struct kb_seen now;
	unsigned flags = 0;

	kb_seen_read(&now);
	if (now.cpu != before->cpu)
		return KB_FLAG_MIGRATED;
	if (may_sleep)
		return 0;
	if (now.interrupts != before->interrupts)
		flags |= KB_FLAG_IRQ;
	if (now.preemptions != before->preemptions || now.switches != before->switches)
		flags |= KB_FLAG_SWITCH;
	return flags;
}

#endif
