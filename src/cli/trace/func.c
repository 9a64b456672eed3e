/*
 * kbench trace func: latencies of a function of the kernel while a command runs. The first route that the kernel grants is
 * taken; where it grants none, each refusal is printed with its errno, and what still works.
 */

#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/record.h"
#include "cli/cli.h"
#include "cli/files.h"
#include "cli/trace/trace.h"
#include "io.h"
#include "record_format.h"
#include "run/calibrate.h"
#include "trace/entries/members.h"
#include "workflow/tracee.h"

#define LIMIT_USUAL 65536
#define LIMIT_MAX (1u << 24)
#define NULL_CALLS 10000        /* in all; as many before and behind each process, and some at the least */
#define NULL_CALLS_LEAST 500
#define PROCESSES_USUAL 5

struct request {
	uint64_t limit, budget_ns, pid, processes;
	int route;              /* from 1, of enum kb_func_route; 0: the first that works */
	const char *output, *pattern;
	bool tally, histogram, json;
	int process;            /* of pid: a descriptor that can be read once it has ended */
};

#define INTO(kind, ...) KB_OPTION(kind, struct request, __VA_ARGS__)

static const struct kb_option options[] = {
	{ 0, "processes", "N", "how often CMD runs; the CI is that of these runs", "5",
	  INTO(NUMBER, processes, .least = 1, .most = KB_FUNC_PROCESSES_MAX) },
	{ 0, "pid", "PID", "calls of this process only, until it ends", NULL, INTO(NUMBER, pid, .least = 1, .most = INT_MAX) },
	{ 0, "limit", "N", "calls that are kept of each process; those after are counted", "65536",
	  INTO(NUMBER, limit, .least = 1, .most = LIMIT_MAX) },
	{ 0, "tally", NULL, "let the kernel count calls by their time: any number of them, in bins of 1.6 %", NULL, INTO(FLAG, tally) },
	{ 0, "histogram", NULL, "also how many calls took how long, and the cumulative share", NULL, INTO(FLAG, histogram) },
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
	const struct kb_func_wish wish = {
		.limit = (uint32_t)request->limit, .ignored = kb_members_ids_agree() ? (uint32_t)getpid() : 0, .only = (uint32_t)request->pid,
		.tallied = request->tally,
	};
	struct kb_func_tracer *tracer;

	for (int i = 0; i < KB_FUNC_ROUTES; i++) {
		struct kb_bpf_refusal *refusal = &report->refusals[report->refusal_count];

		if (request->route && request->route - 1 != i)
			continue;
		report->route = (enum kb_func_route)i;
		if (fits(target, report->route, refusal) && kb_func_open(&tracer, target, report->route, &wish, refusal) == 0)
			return tracer;
		report->refusal_count++;
	}
	return NULL;
}

/* ---- tracing -------------------------------------------------------------------------------------------------- */

struct tracing {
	const struct kb_command *command;
	const struct request *request;
	struct kb_func_report *report;
	struct kb_func_tracer *tracer, *null;   /* null: NULL, there is none */
	uint32_t null_calls;
	uint64_t until_ns;      /* of the budget; 0: there is none */
};

/* Without a command: a full log, or the end of the process that is meant, whether or not its parent has seen it. */
static bool is_over(void *context)
{
	const struct tracing *t = context;

	return kb_func_full(t->tracer) || (t->request->pid && poll(&(struct pollfd){ .fd = t->request->process, .events = POLLIN }, 1, 0) > 0);
}

static void die_of(const struct kb_command *command, int error)
{
	if (error == -ENOMEM)
		kb_no_memory(command);
	if (error)
		kb_die(command, KB_EXIT_FAILED, "tracing ended early: %s", strerror(-error));
}

/* Of the null function's calls, those count that nothing disturbed: what an interrupt takes is not the probe's. Between the processes, so
   that a drift of the machine shows. Where it cannot be had, or fails, there is none, and report->unverified has the reason. */
static void call_null(struct tracing *t, struct kb_func_side *side)
{
	struct kb_func_log log = { 0 };
	int error = t->null ? kb_func_null_call(t->null, t->null_calls) : 0;

	*side = (struct kb_func_side){ 0 };
	if (!t->null)
		return;
	if (error) {
		kb_bpf_refuse(&t->report->unverified, error, "it could not be called", "a null function");
		kb_func_close(t->null);
		t->null = NULL;
		return;
	}
	die_of(t->command, kb_func_take(t->null, &log) ?: kb_func_side_of(side, &log, KB_FUNC_DISTURBED, t->report->step) ?:
			   kb_func_log_add(&t->report->null, &log));
	kb_func_log_free(&log);
}

/* What was logged belongs to the next process. */
static void keep(struct tracing *t, const struct kb_func_log *log)
{
	struct kb_func_process *process = &t->report->processes[t->report->count++];

	die_of(t->command, kb_func_side_of(&process->call, log, 0, t->report->step) ?:
			   kb_func_side_of(&process->clean, log, KB_FUNC_DISTURBED, t->report->step) ?:
			   kb_func_log_add(&t->report->log, log));
	call_null(t, &process->behind);
	if (t->report->count < KB_FUNC_PROCESSES_MAX)
		process[1].before = process->behind;
}

/* Lets the command run; false: it was the last time. What ended otherwise than the first is no run of the same. */
static bool trace_once(struct tracing *t, struct kb_tracee *tracee, int first_status)
{
	struct kb_func_report *report = t->report;
	uint64_t now = kb_monotonic_ns(), left = t->until_ns > now ? t->until_ns - now : 1;
	struct kb_failure failure;
	struct kb_func_log log;

	die_of(t->command, kb_func_aside(t->tracer, false));
	kb_func_switch(t->tracer, true);
	kb_die_if(t->command, kb_tracee_go(tracee, &failure), &failure);
	/* With a command it goes on to its end, so that what is lost can be counted. */
	kb_tracee_wait(tracee, t->until_ns ? left : 0, tracee->pid ? NULL : is_over, t);
	kb_func_switch(t->tracer, false);
	die_of(t->command, kb_func_take(t->tracer, &log));
	kb_func_watched(t->tracer, &report->unwatched);
	die_of(t->command, kb_func_aside(t->tracer, true));
	report->exit = kb_tracee_exit(tracee);
	if (report->count == 0 || (tracee->status == first_status && !report->exit))
		keep(t, &log);
	else
		report->other = report->exit ? "tracing was ended" : kb_tracee_ending(tracee)[0] ? kb_tracee_ending(tracee) : "it went well";
	kb_func_log_free(&log);
	return !report->exit && !report->other[0] && !(t->until_ns && kb_monotonic_ns() >= t->until_ns);
}

static void start(const struct kb_command *command, struct kb_tracee *tracee, char **argv)
{
	struct kb_failure failure;

	kb_die_if(command, kb_tracee_start(tracee, argv, false, &failure), &failure);
}

static void trace(const struct kb_command *command, const struct request *request, struct kb_func_report *report, char **argv)
{
	struct kb_func_target target = kb_func_target_of(report->function);
	struct tracing t = { .command = command, .request = request, .report = report };
	struct kb_tracee tracee;
	static char ending[160];

	start(command, &tracee, argv);
	t.tracer = open_first(request, &target, report);
	if (!t.tracer) {
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
	t.null_calls = NULL_CALLS / (uint32_t)(request->processes + 1);
	t.null_calls = t.null_calls > NULL_CALLS_LEAST ? t.null_calls : NULL_CALLS_LEAST;
	kb_func_null_open(&t.null, report->route, t.null_calls, request->tally, &report->unverified);
	die_of(command, kb_func_aside(t.tracer, true));
	call_null(&t, &report->processes[0].before);
	if (!tracee.pid && !request->budget_ns)
		fprintf(stderr, "kbench %s: tracing %s by %s; Ctrl-C ends it\n", command->name, kb_shown(report->function).text,
			kb_func_route_names[report->route]);
	t.until_ns = request->budget_ns ? kb_monotonic_ns() + request->budget_ns : 0;

	bool more = trace_once(&t, &tracee, 0);
	int status = tracee.status;

	snprintf(ending, sizeof ending, "%s", kb_tracee_ending(&tracee));
	report->ending = ending;
	while (more && report->count < request->processes) {
		start(command, &tracee, argv);
		more = trace_once(&t, &tracee, status);
	}
	if (t.null && kb_func_calls(&report->null) == 0)
		kb_bpf_refuse(&report->unverified, ENODATA, "its calls left no stamps", "a null function");
	kb_func_close(t.tracer);
	kb_func_close(t.null);
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
	struct kb_func_summary *summary = &report->summary;

	if (kb_func_side_of(&summary->call, &report->log, 0, report->step) ||
	    kb_func_side_of(&summary->clean, &report->log, KB_FUNC_DISTURBED, report->step) ||
	    kb_func_side_of(&summary->null, &report->null, KB_FUNC_DISTURBED, report->step))
		kb_no_memory(command);
	kb_func_summarise(summary, report->processes, report->count, report->step);
	if (request->json)
		kb_print_json(kb_func_report_json(report));
	else
		kb_func_report_print(report);
	if (request->output)
		write_record(command, report, request->output);
	kb_func_log_free(&report->log);
	kb_func_log_free(&report->null);
	return report->exit;
}

/* What options do not go with each other, and with a command or without. */
static void check_request(const struct kb_command *command, struct request *request, bool has_command)
{
	if (request->pid && has_command)
		kb_usage(command, "--pid traces a process that there is: no CMD behind it");
	if (request->processes && !has_command)
		kb_usage(command, "--processes N runs CMD so often, and there is none");
	if (request->tally && request->output)
		kb_usage(command, "--tally keeps no single calls, of which a record is: leave out one of --tally and -o");
	if (request->pid && !kb_members_ids_agree())
		kb_die(command, KB_EXIT_UNFIT, "--pid: %s", kb_members_why(-ENOTSUP));
	request->process = request->pid ? (int)syscall(SYS_pidfd_open, (pid_t)request->pid, 0) : -1;
	if (request->pid && request->process < 0)
		kb_usage(command, "--pid %d: %s", (int)request->pid, errno == ESRCH ? "there is no such process" : strerror(errno));
	if (!request->processes)
		request->processes = has_command ? PROCESSES_USUAL : 1;
}

static int func_main(const struct kb_command *command, int argc, char **argv)
{
	struct request request = { .limit = LIMIT_USUAL };
	static struct kb_func_report report = { .other = "", .ending = "" };
	struct kb_bpf_refusal refusal;
	bool one_by_one;

	kb_read_options(command, argc, argv, &request);
	if (request.pattern) {
		kb_no_more(command, argc, argv);
		return list(command, request.pattern);
	}
	if (optind == argc)
		kb_usage(command, "which function? --list 'vfs_*' shows some");
	report.function = argv[optind++];
	report.limit = request.limit;
	report.histogram = request.histogram;
	check_request(command, &request, optind < argc);
	if (kb_func_begin(&refusal))
		kb_die(command, KB_EXIT_UNFIT, "%s", kb_bpf_refusal_text(&refusal));
	kb_warn_emulated(command);
	report.step = kb_machine_counts(&one_by_one) == KB_COUNTS_INSTRUCTIONS ? 0 : kb_func_clock_step();
	trace(command, &request, &report, argv + optind);
	return report_on(command, &request, &report);
}

const struct kb_command kb_trace_func_verb = {
	.name = "trace func",
	.arguments = "FUNCTION [-- CMD]",
	.summary = "Print the latencies of a function of the kernel while CMD runs, or until Ctrl-C",
	.text = "Calls of all threads but kbench's own count. A system call may be named sys_getpid on every architecture.\n"
		"CMD runs five times, so that the CI contains what differs from run to run; --processes 1 runs it once.\n"
		"What the probes add is measured on a function that does nothing, and subtracted: doc/trace-kernel.md.\n",
	.options = options,
	.examples = "  kbench trace func vfs_read -- cat /etc/passwd\n"
		    "  kbench trace func sys_read --budget 2s\n"
		    "  kbench trace func sys_read --tally --histogram -- dd if=/dev/zero of=/dev/null bs=1 count=1M\n"
		    "  kbench trace func local_timer --budget 1s --json\n"
		    "  kbench trace func --list 'fib_*'\n",
	.exits = "  0 done; 2 usage, CMD cannot be started, unwritable output; 3 this kernel refuses it, or this user;\n"
		 "  5 tracing ended early; 128+n signal n ended CMD's tracing\n",
	.main = func_main,
};
