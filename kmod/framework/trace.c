// SPDX-License-Identifier: MIT OR GPL-2.0-only
/* The log of a process's trace points, and what comes of it: the same record as in user space. */
#include <linux/mm.h>
#include <linux/slab.h>

#include "framework/trace.h"
#include "kbench_kernel_trace.h"
#include "measure/emulation.h"
#include "trace/points/log_lines.h"
#include "trace/points/nested.h"

#define ENTRIES_MAX (4u << 20)
#define NESTED 740u             /* as in user space */

struct kb_trace_thread kb_kernel_trace_log;
EXPORT_SYMBOL_GPL(kb_kernel_trace_log);

int kb_trace_begin_log(uint64_t entries, int how)
{
	u64 *memory;

	if (how || entries == 0 || entries > ENTRIES_MAX)
		return -EINVAL;
	if (kb_kernel_trace_log.entries)
		return -EBUSY;
	memory = kvcalloc(2 * entries, sizeof *memory, GFP_KERNEL);
	if (!memory)
		return -ENOMEM;
	kb_kernel_trace_log = (struct kb_trace_thread){
		.entries = memory, .begins = memory + entries, .room = entries, .origin = kb_kernel_end(),
	};
	return 0;
}
EXPORT_SYMBOL_GPL(kb_trace_begin_log);

void kb_trace_release(void)
{
	kvfree(kb_kernel_trace_log.entries);
	kb_kernel_trace_log = (struct kb_trace_thread){ 0 };
}

/* Preemption would be in one of the pairs, and no other has a name for it. */
static int write_overhead(struct kb_record_writer *writer)
{
	u64 *inner = kvmalloc_array(2 * NESTED, sizeof *inner, GFP_KERNEL);

	if (!inner)
		return -ENOMEM;
	preempt_disable();
	nested(inner, inner + NESTED, NESTED, false);
	preempt_enable();
	kb_trace_lines_overhead(writer, inner, inner + NESTED, NESTED);
	kvfree(inner);
	return 0;
}

int kb_trace_write(struct kb_kernel_process *process)
{
	const struct kb_trace_thread *log = &kb_kernel_trace_log;
	struct kb_record_writer writer;
	int error;

	if (!log->entries)
		return -ENODATA;
	kb_record_begin(&writer, kb_queue_sink(&process->queue));
	kb_record_line(&writer, "bench", "trace.log");
	kb_record_line(&writer, "per", "pair");
	kb_record_line(&writer, "method", "single seed=0 process=0");
	kb_write_format(&writer, "clock", "%s hz=%llu quantum=0 cost=0 ordered=1", process->clock.name, kb_clock_rate(&process->clock));
	kb_record_line(&writer, "env", "trace=1 arch=" KB_ARCH_NAME);
	error = write_overhead(&writer);
	if (error)
		return error;
	kb_trace_lines_log(&writer, log, (struct kb_trace_whose){ task_pid_nr(current), log->origin, 1, false, true });
	return kb_record_end(&writer);
}
