/* See sel4bench_names.h. The order is that of the project's list of metrics. */
#include "import/sel4bench_names.h"

#include <stdio.h>
#include <string.h>

const struct kb_sel4bench_metric kb_sel4bench_metrics[] = {
	{ "ipc_call", "One way IPC microbenchmarks", { { "Function", "seL4_Call" }, { "Same vspace?", "false" }, { "IPC length", "0" } } },
	{ "ipc_reply", "One way IPC microbenchmarks", { { "Function", "seL4_ReplyRecv" }, { "Same vspace?", "false" }, { "IPC length", "0" } } },
	{ "ipc_call_fpu", "One way IPC microbenchmarks", { { "Function", "seL4_Call (FPU)" }, { "Same vspace?", "false" }, { "IPC length", "0" } } },
	{ "ipc_reply_fpu", "One way IPC microbenchmarks", { { "Function", "seL4_ReplyRecv (FPU)" }, { "Same vspace?", "false" }, { "IPC length", "0" } } },
	{ "ipc_call_intra", "One way IPC microbenchmarks", { { "Function", "seL4_Call" }, { "Same vspace?", "true" }, { "IPC length", "0" } } },
	{ "ipc_reply_intra", "One way IPC microbenchmarks", { { "Function", "seL4_ReplyRecv" }, { "Same vspace?", "true" }, { "IPC length", "0" } } },
	{ "ipc_send", "One way IPC microbenchmarks", { { "Function", "seL4_Send" }, { "Same vspace?", "false" }, { "IPC length", "0" } } },
	{ "ipc_call_len10", "One way IPC microbenchmarks", { { "Function", "seL4_Call" }, { "Same vspace?", "false" }, { "IPC length", "10" } } },
	{ "ipc_reply_len10", "One way IPC microbenchmarks", { { "Function", "seL4_ReplyRecv" }, { "Same vspace?", "false" }, { "IPC length", "10" } } },
	{ "irq_noswitch", "IRQ path cycle count (measured from user level)", { { "Type", "Without context switch" } } },
	{ "irq_noswitch_early", "IRQ path cycle count (measured from user level)", { { "Type", "Without context switch (early processing)" } } },
	{ "irq_switch", "IRQ path cycle count (measured from user level)", { { "Type", "With context switch" } } },
	{ "irq_switch_early", "IRQ path cycle count (measured from user level)", { { "Type", "With context switch (early processing)" } } },
	{ "notify_process", "Signal to process of higher prio", { { "Prio", "1" } } },
	{ "notify_thread", "Signal to thread of higher prio", { { "Prio", "1" } } },
	{ "notify_process_early", "Signal to process of higher prio (early processing)", { { "Prio", "1" } } },
	{ "notify_thread_early", "Signal to thread of higher prio (early processing)", { { "Prio", "1" } } },
	{ "notify_high_thread", "Signal to high prio thread", { { NULL, NULL } } },
	{ "notify_high_thread_early", "Signal to high prio thread (early processing)", { { NULL, NULL } } },
	{ "notify_low_thread", "Signal to low prio thread", { { NULL, NULL } } },
	{ "thread_yield", "Thread yield", { { NULL, NULL } } },
	{ "thread_yield_early", "Thread yield (early processing)", { { NULL, NULL } } },
	{ "process_yield", "Process yield", { { NULL, NULL } } },
	{ "process_yield_early", "Process yield (early processing)", { { NULL, NULL } } },
	{ "producer_to_consumer", "Producer to consumer", { { NULL, NULL } } },
	{ "producer_to_consumer_early", "Producer to consumer (early processing)", { { NULL, NULL } } },
	{ "consumer_to_producer", "Consumer to producer", { { NULL, NULL } } },
	{ "consumer_to_producer_early", "Consumer to producer (early processing)", { { NULL, NULL } } },
	{ "fault_round_trip", "fault round trip", { { NULL, NULL } } },
	{ "fault_round_trip_early", "fault round trip (early processing)", { { NULL, NULL } } },
	{ "fault_to_handler", "faulter -> fault handler", { { NULL, NULL } } },
	{ "fault_to_handler_early", "faulter -> fault handler (early processing)", { { NULL, NULL } } },
	{ "fault_from_handler", "fault handler -> faulter", { { NULL, NULL } } },
	{ "fault_from_handler_early", "fault handler -> faulter (early processing)", { { NULL, NULL } } },
	{ "nop_syscall", "Nop syscall overhead", { { NULL, NULL } } },
	{ "null_syscall", "Hardware null_syscall thread", { { NULL, NULL } } },
	{ "null_syscall_early", "Hardware null_syscall thread (early processing)", { { NULL, NULL } } },
	{ "signal_overhead", "Signal overhead", { { NULL, NULL } } },
	{ "map_1", "Mapping Benchmark", { { "Phase", "Mapping" }, { "Num of Page Mapped", "1" } } },
	{ "map_2048", "Mapping Benchmark", { { "Phase", "Mapping" }, { "Num of Page Mapped", "2048" } } },
	{ "protect_1", "Mapping Benchmark", { { "Phase", "Protect Pages as Read Only" }, { "Num of Page Mapped", "1" } } },
	{ "protect_2048", "Mapping Benchmark", { { "Phase", "Protect Pages as Read Only" }, { "Num of Page Mapped", "2048" } } },
	{ "unprotect_1", "Mapping Benchmark", { { "Phase", "Unprotect Pages" }, { "Num of Page Mapped", "1" } } },
	{ "unprotect_2048", "Mapping Benchmark", { { "Phase", "Unprotect Pages" }, { "Num of Page Mapped", "2048" } } },
	{ "smp_1core_c500", "SMP Benchmark", { { "Cores", "1" }, { "Cycles", "500" } } },
	{ "smp_4core_c500", "SMP Benchmark", { { "Cores", "4" }, { "Cycles", "500" } } },
	{ "smp_1core_c32000", "SMP Benchmark", { { "Cores", "1" }, { "Cycles", "32000" } } },
	{ "smp_4core_c32000", "SMP Benchmark", { { "Cores", "4" }, { "Cycles", "32000" } } },
	{ NULL, NULL, { { NULL, NULL } } },
};

static bool has_value(const json_t *row, const struct kb_sel4bench_column *column)
{
	const json_t *value = json_object_get(row, column->name);
	char text[24] = "";

	if (json_is_boolean(value))
		snprintf(text, sizeof text, "%s", json_is_true(value) ? "true" : "false");
	else if (json_is_number(value))
		snprintf(text, sizeof text, "%.15g", json_number_value(value));
	return value && strcmp(json_is_string(value) ? json_string_value(value) : text, column->value) == 0;
}

int kb_sel4bench_metric(const char *benchmark, const json_t *row)
{
	for (int i = 0; kb_sel4bench_metrics[i].key; i++) {
		const struct kb_sel4bench_metric *metric = &kb_sel4bench_metrics[i];
		bool same = strcmp(metric->benchmark, benchmark) == 0;

		for (int k = 0; same && k < KB_SEL4BENCH_COLUMNS && metric->columns[k].name; k++)
			same = has_value(row, &metric->columns[k]);
		if (same)
			return i;
	}
	return -1;
}

int kb_sel4bench_name(struct kb_import_reader *reader, char name[64], const char *words)
{
	char slug[48];

	snprintf(name, 64, "sel4bench.%s", kb_import_slug(slug, sizeof slug, words));
	return kb_is_bench_name(name) ? 0 : kb_import_refuse_name(reader, words);
}

const char *kb_sel4bench_text(const json_t *object, const char *key)
{
	const char *text = json_string_value(json_object_get(object, key));

	return text ? text : "";
}
