/*
 * See func.h: what tracepoints know of functions. A kernel that lets nobody patch its code still tells when a system call,
 * an interrupt and a few other things begin and end.
 */
#include "trace/func/func.h"

#include <string.h>

#include "os/linux/syscall_name.h"

const char *const kb_func_route_names[KB_FUNC_ROUTES] = { "fentry", "kprobe", "syscall", "tracepoints" };

#define SYSCALLS_MAX 1024

/* The function, or the name of the thing itself, and the tracepoints right around its work. */
static const struct { const char *function, *name, *enter, *leave; } points[] = {
	{ "sysvec_apic_timer_interrupt", "local_timer", "local_timer_entry", "local_timer_exit" },
	{ "sysvec_reschedule_ipi", "reschedule", "reschedule_entry", "reschedule_exit" },
	{ "sysvec_call_function", "call_function", "call_function_entry", "call_function_exit" },
	{ "sysvec_call_function_single", "call_function_single", "call_function_single_entry", "call_function_single_exit" },
	{ "sysvec_irq_work", "irq_work", "irq_work_entry", "irq_work_exit" },
	{ "sysvec_error_interrupt", "error_apic", "error_apic_entry", "error_apic_exit" },
	{ "sysvec_thermal", "thermal_apic", "thermal_apic_entry", "thermal_apic_exit" },
	{ "__handle_irq_event_percpu", "irq_handler", "irq_handler_entry", "irq_handler_exit" },
	{ "handle_softirqs", "softirq", "softirq_entry", "softirq_exit" },
	{ "process_one_work", "workqueue", "workqueue_execute_start", "workqueue_execute_end" },
	{ "__run_hrtimer", "hrtimer", "hrtimer_expire_entry", "hrtimer_expire_exit" },
	{ "call_timer_fn", "timer", "timer_expire_entry", "timer_expire_exit" },
};

static const struct { const char *function, *point; } endless[] = {
	{ "exc_page_fault", "exceptions:page_fault_user" }, { "asm_exc_page_fault", "exceptions:page_fault_user" },
	{ "do_user_addr_fault", "exceptions:page_fault_user" }, { "handle_mm_fault", "exceptions:page_fault_user" },
	{ "do_page_fault", "exceptions:page_fault_user" }, { "exc_nmi", "nmi:nmi_handler" },
};

/* Where the kernel's names of a system call's function begin with what its number is called by. */
static const char *const prefixes[] = { "__x64_sys_", "__ia32_sys_", "__arm64_sys_", "__riscv_sys_", "__se_sys_", "__do_sys_",
	"sys_" };

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

static int64_t number_of(const char *function)
{
	const char *call = NULL;

	for (size_t i = 0; i < COUNT(prefixes) && !call; i++) {
		if (strncmp(function, prefixes[i], strlen(prefixes[i])) == 0)
			call = function + strlen(prefixes[i]);
	}
	/* What the table calls by its older name, the kernel calls by its newer. */
	if (call && strncmp(call, "new", 3) == 0 && strcmp(call, "newfstatat") != 0)
		call += 3;
	for (uint64_t i = 0; call && i < SYSCALLS_MAX; i++) {
		const char *name = kb_syscall_name(i);

		if (name && strcmp(name, call) == 0)
			return (int64_t)i;
	}
	return -1;
}

struct kb_func_target kb_func_target_of(const char *function)
{
	struct kb_func_target target = { .function = function, .number = number_of(function) };

	for (size_t i = 0; i < COUNT(points); i++) {
		if (strcmp(function, points[i].function) == 0 || strcmp(function, points[i].name) == 0) {
			target.enter = points[i].enter;
			target.leave = points[i].leave;
		}
	}
	for (size_t i = 0; i < COUNT(endless); i++) {
		if (strcmp(function, endless[i].function) == 0)
			target.no_end = endless[i].point;
	}
	return target;
}
