/*
 * kbench trace func: latencies of a function of the kernel while a command runs. The first route that the kernel grants is
 * taken; where it grants none, each refusal is printed with its errno, and what still works.
 */

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/record.h"
#include "cli/cli.h"
#include "cli/files.h"
#include "cli/trace/trace.h"
#include "record_format.h"
#include "trace/entries/members.h"
#include "workflow/tracee.h"

#define LIMIT_USUAL 65536
#define LIMIT_MAX (1u << 24)
#define NULL_CALLS 5000         /* before, and as many after */

struct request {
	uint64_t limit, budget_ns;
	int route;              /* from 1, of enum kb_func_route; 0: the first that works */
	const char *output, *pattern;
	bool json;
};

#define INTO(kind, ...) KB_OPTION(kind, struct request, __VA_ARGS__)

static const struct kb_option options[] = {
	{ 0, "limit", "N", "calls that are kept, of all CPUs together; those after are counted", "65536",
	  INTO(NUMBER, limit, .least = 1, .most = LIMIT_MAX) },
	{ 0, "budget", "TIME", "stop after this time, and end CMD", NULL, INTO(TIME, budget_ns, .least = 10 * KB_MS) },
	{ 0, "route", "auto|fentry|kprobe|syscall|tracepoints", "by what means entry and exit are seen", "auto", INTO(CHOICE, route) },
	{ 'o', "output", "FILE", "write the record, for 'kbench analyze FILE'", NULL, INTO(WORD, output) },
	{ 0, "list", "PATTERN", "print the functions that fentry can name: 'vfs_*'", NULL, INTO(WORD, pattern) },
	{ 0, "json", NULL, "print kbench-trace/1", NULL, INTO(FLAG, json) },
	{ 0 }
};

/* ---- list --------------------------------------------------------------------------------------------------- */

static void print_name(void *context, const char *name, const char *module)
{
	++*(size_t *)context;
	if (module)
		printf("%s [%s]\n", name, module);
	else
		puts(name);
}

static int list(const struct kb_command *command, const char *pattern)
{
	struct kb_bpf_refusal refusal;
	size_t count = 0;

	if (kb_func_list(pattern, print_name, &count, &refusal))
		kb_die(command, KB_EXIT_UNFIT, "%s", kb_bpf_refusal_text(&refusal));
	if (count == 0)
		kb_die(command, KB_EXIT_USAGE, "no function of this kernel is called '%.100s'", pattern);
	return KB_EXIT_DONE;
}

/* ---- opening -------------------------------------------------------------------------------------------------- */

/* Whether the route has a name for the function; where not, why. */
static bool fits(const struct kb_func_target *target, enum kb_func_route route, struct kb_bpf_refusal *refusal)
{
	if (route == KB_FUNC_SYSCALL && target->number < 0)
		kb_bpf_refuse(refusal, ENOENT, "no system call of this name", "syscall tracepoints for %.40s", target->function);
	else if (route == KB_FUNC_POINTS && target->no_end)
		kb_bpf_refuse(refusal, ENOENT, "no tracepoint is at its end; 'kbench trace entries' times it by other means",
			      "tracepoint %s", target->no_end);
	else if (route == KB_FUNC_POINTS && !target->enter)
		kb_bpf_refuse(refusal, ENOENT, "none begins and ends with this function", "tracepoints for %.40s", target->function);
	else
		return true;
	return false;
}

/* The first route that is granted. */
static struct kb_func_tracer *open_first(const struct request *request, const struct kb_func_target *target, struct kb_func_report *report)
{
	struct kb_func_tracer *tracer;
	uint32_t limit = (uint32_t)request->limit, self = kb_members_ids_agree() ? (uint32_t)getpid() : 0;

	for (int i = 0; i < KB_FUNC_ROUTES; i++) {
		struct kb_bpf_refusal *refusal = &report->refusals[report->refusal_count];

		if (request->route && request->route - 1 != i)
			continue;
		report->route = (enum kb_func_route)i;
		if (fits(target, report->route, refusal) && kb_func_open(&tracer, target, report->route, limit, self, refusal) == 0)
			return tracer;
		report->refusal_count++;
	}
	return NULL;
}

/* ---- tracing -------------------------------------------------------------------------------------------------- */

static bool full(void *tracer)
{
	return kb_func_full(tracer);
}

static void die_of(const struct kb_command *command, int error)
{
	if (error == -ENOMEM)
		kb_no_memory(command);
	if (error)
		kb_die(command, KB_EXIT_FAILED, "tracing ended early: %s", strerror(-error));
}

/* Before and after the calls, so that a drift of the machine shows. Where the null function cannot be had, or fails, *null is
   closed and NULL: there is none, and report->unverified has the reason. */
static void call_null(struct kb_func_tracer **null, struct kb_func_report *report)
{
	int error = *null ? kb_func_null_call(*null, NULL_CALLS) : 0;

	if (error) {
		kb_bpf_refuse(&report->unverified, error, "it could not be called", "a null function");
		kb_func_close(*null);
		*null = NULL;
	}
}

/* Of the null function's calls, those count that nothing disturbed: what an interrupt takes is not the probe's. */
static void take_null(const struct kb_command *command, struct kb_func_tracer *null, struct kb_func_report *report)
{
	const struct kb_func_log *log = &report->null;

	if (!null)
		return;
	die_of(command, kb_func_take(null, &report->null));
	kb_func_close(null);
	if (log->count == 0)
		kb_bpf_refuse(&report->unverified, ENODATA, "its calls left no stamps", "a null function");
	for (size_t i = 0; i < log->count && log->pairs[i].begin < report->log.started_ns; i++)
		report->null_before += !log->pairs[i].flags;
}

static void trace(const struct kb_command *command, const struct request *request, struct kb_func_report *report, char **argv)
{
	struct kb_func_target target = kb_func_target_of(report->function);
	struct kb_func_tracer *tracer, *null;
	struct kb_failure failure;
	struct kb_tracee tracee;

	kb_die_if(command, kb_tracee_start(&tracee, argv, false, &failure), &failure);
	tracer = open_first(request, &target, report);
	if (!tracer) {
		kb_tracee_cancel(&tracee);
		for (int i = 0; i < report->refusal_count; i++)
			kb_complain(command, "%s", kb_bpf_refusal_text(&report->refusals[i]));
		kb_die(command, KB_EXIT_UNFIT,
		       "%.60s cannot be traced here. What may still work: system calls by name (__x64_sys_read, sys_getpid), interrupts "
		       "(local_timer, reschedule, irq_handler), softirq, hrtimer and workqueue; 'kbench doctor kernel' shows what this "
		       "kernel grants", target.function);
	}
	/* Before anything is traced: a file that cannot be written is better known now than after an hour. */
	report->record = kb_output_open(command, request->output);
	kb_func_null_open(&null, report->route, 2 * NULL_CALLS, &report->unverified);
	die_of(command, kb_func_aside(tracer, true));
	call_null(&null, report);
	die_of(command, kb_func_aside(tracer, false));
	if (!tracee.pid && !request->budget_ns)
		fprintf(stderr, "kbench %s: tracing %s by %s; Ctrl-C ends it\n", command->name, kb_shown(report->function).text,
			kb_func_route_names[report->route]);
	kb_func_switch(tracer, true);
	kb_die_if(command, kb_tracee_go(&tracee, &failure), &failure);
	/* With a command it goes on to its end, so that what is lost can be counted. */
	kb_tracee_wait(&tracee, request->budget_ns, tracee.pid ? NULL : full, tracer);
	kb_func_switch(tracer, false);
	die_of(command, kb_func_take(tracer, &report->log));
	kb_func_watched(tracer, &report->unwatched);
	kb_func_close(tracer);
	call_null(&null, report);
	take_null(command, null, report);
	report->ending = kb_tracee_ending(&tracee);
	report->exit = kb_tracee_exit(&tracee);
}

/* ---- the record ---------------------------------------------------------------------------------------------- */

static void write_log(struct kb_record_writer *writer, const struct kb_func_log *log, enum kb_role role, uint64_t block)
{
	for (size_t i = 0; i < log->count; i++) {
		const struct kb_func_pair *pair = &log->pairs[i];

		kb_record_obs(writer, &(struct kb_obs){
			.role = role, .n = 1, .ticks = pair->ns, .t = pair->begin - log->pairs[0].begin, .block = block, .cpu = pair->cpu,
			.flags = pair->flags,
		});
	}
}

/* As doc/record.md has it: a call is a sample of one operation, a call of the null function one of the empty loop. Raw times only;
   what they mean is worked out from them again by `kbench analyze`. */
static void write_record(const struct kb_command *command, const struct kb_func_report *report, const char *path)
{
	const struct kb_func_counts *counts = &report->log.counts;
	struct kb_record_writer writer;

	kb_record_begin(&writer, (struct kb_sink){ kb_put_to_file, report->record });
	kb_record_line(&writer, "bench", "trace.func");
	kb_record_line(&writer, "per", "call");
	kb_record_line(&writer, "bound", "kernel");
	kb_record_line(&writer, "method", "single seed=0 process=1");
	kb_record_format(&writer, "param", "function=%.100s", report->function);
	kb_record_format(&writer, "param", "route=%s", kb_func_route_names[report->route]);
	kb_put_kernel_clock(&writer, report->summary.null.quantiles[0].value);
	kb_record_format(&writer, "env", "trace=1 lost=%llu missed=%llu torn=%llu unpaired_entries=%llu unpaired_exits=%llu",
			 (unsigned long long)counts->lost, (unsigned long long)counts->missed, (unsigned long long)counts->torn,
			 (unsigned long long)counts->open, (unsigned long long)counts->unopened);
	write_log(&writer, &report->null, KB_ROLE_BASE, 0);
	write_log(&writer, &report->log, KB_ROLE_OP, 1);
	if (!kb_output_close(command, path, report->record, kb_record_end(&writer)))
		exit(KB_EXIT_USAGE);
}

static int report_on(const struct kb_command *command, const struct request *request, struct kb_func_report *report)
{
	struct kb_func_times call = kb_func_times(&report->log, 0), clean = kb_func_times(&report->log, KB_FUNC_DISTURBED),
		null = kb_func_times(&report->null, KB_FUNC_DISTURBED);

	if (!call.ns || !clean.ns || !null.ns || kb_func_summarise(&report->summary, call, clean, null, report->null_before))
		kb_no_memory(command);
	if (request->json)
		kb_print_json(kb_func_report_json(report));
	else
		kb_func_report_print(report);
	if (request->output)
		write_record(command, report, request->output);
	free(call.ns);
	free(clean.ns);
	free(null.ns);
	kb_func_log_free(&report->log);
	kb_func_log_free(&report->null);
	return report->exit;
}

static int func_main(const struct kb_command *command, int argc, char **argv)
{
	struct request request = { .limit = LIMIT_USUAL };
	struct kb_func_report report = { 0 };
	struct kb_bpf_refusal refusal;

	kb_read_options(command, argc, argv, &request);
	if (request.pattern) {
		kb_no_more(command, argc, argv);
		return list(command, request.pattern);
	}
	if (optind == argc)
		kb_usage(command, "which function? --list 'vfs_*' shows some");
	report.function = argv[optind++];
	report.limit = request.limit;
	if (kb_func_begin(&refusal))
		kb_die(command, KB_EXIT_UNFIT, "%s", kb_bpf_refusal_text(&refusal));
	kb_warn_emulated(command);
	trace(command, &request, &report, argv + optind);
	return report_on(command, &request, &report);
}

const struct kb_command kb_trace_func_verb = {
	.name = "trace func",
	.arguments = "FUNCTION [-- CMD]",
	.summary = "Print the latencies of a function of the kernel while CMD runs, or until Ctrl-C",
	.text = "Calls of all threads but kbench's own count. A system call may be named sys_getpid on every architecture.\n"
		"What the probes add is measured on a function that does nothing, and subtracted: doc/trace-kernel.md.\n",
	.options = options,
	.examples = "  kbench trace func vfs_read -- cat /etc/passwd\n"
		    "  kbench trace func sys_read --budget 2s\n"
		    "  kbench trace func local_timer --budget 1s --json\n"
		    "  kbench trace func --list 'fib_*'\n",
	.exits = "  0 done; 2 usage, CMD cannot be started, unwritable output; 3 this kernel refuses it, or this user;\n"
		 "  5 tracing ended early; 128+n signal n ended CMD's tracing\n",
	.main = func_main,
};
