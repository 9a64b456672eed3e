/*
 * The tracepoints at which a kernel entry begins and ends. Those of one architecture stand next to those of another: which
 * exist, the kernel is asked by attaching to them. An NMI has an end only, with how long it took. No tracepoint stands at the
 * end of a page fault; but once it is resolved, by handle_mm_fault(), the kernel counts it in one of two software events.
 */
#include "trace/entries/entries.h"

#include <linux/perf_event.h>

const char *const kb_entry_kind_names[KB_ENTRY_KINDS] = {
	[KB_ENTRY_SYSCALL] = "syscall", [KB_ENTRY_VECTOR] = "vector", [KB_ENTRY_IRQ] = "irq",
	[KB_ENTRY_FAULT_USER] = "fault_user", [KB_ENTRY_FAULT_KERNEL] = "fault_kernel", [KB_ENTRY_NMI] = "nmi",
};

#define VECTOR(name) \
	{ name "_entry", KB_ENTRY_VECTOR, KB_EDGE_BEGIN, 0, name }, \
	{ name "_exit", KB_ENTRY_VECTOR, KB_EDGE_END, 0, name }

const struct kb_entry_point kb_entry_points[] = {
	{ "sys_enter", KB_ENTRY_SYSCALL, KB_EDGE_BEGIN, 1, NULL },
	{ "sys_exit", KB_ENTRY_SYSCALL, KB_EDGE_END, 1, NULL },
	{ "page_fault_user", KB_ENTRY_FAULT_USER, KB_EDGE_FAULT, 2, NULL },
	{ "page_fault_kernel", KB_ENTRY_FAULT_KERNEL, KB_EDGE_FAULT, 2, NULL },
	{ "irq_handler_entry", KB_ENTRY_IRQ, KB_EDGE_BEGIN, 0, NULL },
	{ "irq_handler_exit", KB_ENTRY_IRQ, KB_EDGE_END, 0, NULL },
	VECTOR("local_timer"), VECTOR("reschedule"), VECTOR("call_function"), VECTOR("call_function_single"), VECTOR("irq_work"),
	VECTOR("x86_platform_ipi"), VECTOR("spurious_apic"), VECTOR("error_apic"), VECTOR("thermal_apic"),
	VECTOR("threshold_apic"), VECTOR("deferred_error_apic"),
	{ "nmi_handler", KB_ENTRY_NMI, KB_EDGE_SPAN, 1, NULL },
	{ "minor-faults", KB_ENTRY_FAULT_USER, KB_EDGE_FAULT_END, PERF_COUNT_SW_PAGE_FAULTS_MIN, NULL },
	{ "major-faults", KB_ENTRY_FAULT_USER, KB_EDGE_FAULT_END, PERF_COUNT_SW_PAGE_FAULTS_MAJ, NULL },
	{ 0 }
};

const unsigned kb_entry_point_count = sizeof kb_entry_points / sizeof kb_entry_points[0] - 1;

bool kb_entry_interrupts(const struct kb_entry_point *point)
{
	bool interrupt = point->kind == KB_ENTRY_VECTOR || point->kind == KB_ENTRY_IRQ;

	return (interrupt && point->edge == KB_EDGE_BEGIN) || point->kind == KB_ENTRY_NMI;
}

_Static_assert(sizeof kb_entry_points / sizeof kb_entry_points[0] - 1 <= KB_ENTRY_POINTS_MAX, "room for all");
