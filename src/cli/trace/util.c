/* kbench trace util: who had the CPUs while a command ran, from switch to switch, and whether the sums close. */
#define _GNU_SOURCE
#include <errno.h>
#include <getopt.h>
#include <glob.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/units.h"
#include "cli/cli.h"
#include "cli/trace/trace.h"
#include "env/activity.h"
#include "io.h"
#include "result/json/json.h"
#include "trace/entries/util.h"
#include "workflow/tracee.h"

struct request { uint64_t limit; bool json; };

#define INTO(kind, ...) KB_OPTION(kind, struct request, __VA_ARGS__)

static const struct kb_option options[] = {
	{ 0, "limit", "N", "print so many threads, 0 all", "20", INTO(NUMBER, limit, .most = KB_UTIL_THREADS) },
	{ 0, "json", NULL, "print kbench-util/1, all threads", NULL, INTO(FLAG, json) },
	{ 0 }
};

#define TIDS_MAX (1u << 22) /* the largest thread id of Linux */

struct row {
	uint32_t tid;           /* idle: the CPU */
	bool idle;
	struct kb_util_use use;
	bool accounted;         /* the scheduler's own account of the window is known, and the thread is still there */
	uint64_t scheduler_ns;
};

struct trace_util {
	const struct kb_command *command;
	struct kb_util util;
	struct kb_util_total total;
	struct row *rows;         /* most ns first */
	size_t count, limit;
	uint64_t *before;               /* the scheduler's account at the reset, by thread id; NULL: not known */
	uint64_t members_ns, children_ns;       /* of the command: from switch to switch; as wait4 accounts it */
	uint64_t stolen_ns;             /* by the hypervisor; part of the times of the threads that had the CPU then */
	bool follows;                   /* members are known, */
	uint64_t unfollowed;            /* but for so many: there was no room */
	struct kb_tracee tracee;
};

/* ---- what the kernel's own accounts say ------------------------------------------------------------------ */

/* ns that the thread ran, as the scheduler accounts it; UINT64_MAX: it is gone, or there is no such file. */
static uint64_t schedstat(uint32_t tid)
{
	char path[64], text[96];

	snprintf(path, sizeof path, "/proc/%u/schedstat", tid);
	return kb_read_file(path, text, sizeof text) > 0 ? strtoull(text, NULL, 10) : UINT64_MAX;
}

static uint64_t children_ns(void)
{
	struct rusage usage;

	getrusage(RUSAGE_CHILDREN, &usage);
	return ((uint64_t)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1000000u +
		(uint64_t)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec)) * 1000u;
}

/* Of all thread ids before the window; one that is not there has run for 0. NULL: /proc goes by other ids. */
static uint64_t *all_schedstats(void)
{
	uint64_t *before = kb_members_ids_agree() ? calloc(TIDS_MAX, sizeof *before) : NULL;
	glob_t found;

	if (!before || glob("/proc/[0-9]*/task/[0-9]*", GLOB_NOSORT, NULL, &found))
		return before;
	for (size_t i = 0; i < found.gl_pathc; i++) {
		uint32_t tid = (uint32_t)strtoul(strrchr(found.gl_pathv[i], '/') + 1, NULL, 10);

		if (tid < TIDS_MAX)
			before[tid] = schedstat(tid);
	}
	globfree(&found);
	return before;
}

/* ---- one window ------------------------------------------------------------------------------------------ */

/* Following the command is a comfort: where it cannot be, all threads are told, and none of them is marked. */
static void open_util(struct trace_util *trace)
{
	int error = kb_util_open(&trace->util, true) ?: kb_members_add(&trace->util.members, (uint32_t)trace->tracee.pid);

	trace->follows = !error;
	if (error == -ENOTSUP || error == -ENOENT)
		error = kb_util_open(&trace->util, false);
	if (error) {
		kb_tracee_cancel(&trace->tracee);
		kb_die(trace->command, KB_EXIT_UNFIT, "%s: %s", trace->util.failed, kb_members_why(error));
	}
}

static void run(struct trace_util *trace, char **argv)
{
	static const struct kb_fact_source machine = { "" };
	struct kb_activity busy, after;
	uint64_t before = children_ns();
	struct kb_failure failure;
	int error;

	kb_die_if(trace->command, kb_tracee_start(&trace->tracee, argv, false, &failure), &failure);
	open_util(trace);
	trace->before = all_schedstats();
	kb_activity_read(&machine, &busy);
	error = kb_util_reset(&trace->util, true);
	if (error)
		kb_die(trace->command, KB_EXIT_FAILED, "reset: %s", strerror(-error));
	kb_die_if(trace->command, kb_tracee_go(&trace->tracee, &failure), &failure);
	kb_tracee_wait(&trace->tracee, 0, NULL, NULL);
	kb_util_finalise(&trace->util);
	trace->unfollowed = kb_members_unfollowed(&trace->util.members);
	kb_activity_read(&machine, &after);
	trace->stolen_ns = kb_activity_between(&busy, &after).steal * (KB_S / (uint64_t)sysconf(_SC_CLK_TCK));
	trace->children_ns = children_ns() - before;
}

/* ---- rows ------------------------------------------------------------------------------------------------ */

static int by_ns(const void *a, const void *b)
{
	const struct row *x = a, *y = b;

	return (x->use.ns < y->use.ns) - (x->use.ns > y->use.ns);
}

static void account(const struct trace_util *trace, struct row *row)
{
	uint64_t after = trace->before && !row->idle && row->tid < TIDS_MAX ? schedstat(row->tid) : UINT64_MAX;

	row->accounted = after != UINT64_MAX;
	if (row->accounted)
		row->scheduler_ns = after - (trace->before[row->tid] == UINT64_MAX ? 0 : trace->before[row->tid]);
}

static void gather(struct trace_util *trace)
{
	struct kb_util_use use;
	uint32_t key = 0;

	trace->rows = kb_need_memory(trace->command, calloc(KB_UTIL_THREADS, sizeof *trace->rows));
	while (trace->count < KB_UTIL_THREADS && kb_util_next(&trace->util, &key, &use)) {
		struct row *row = &trace->rows[trace->count++];

		*row = (struct row){ .tid = key & ~KB_UTIL_IDLE, .idle = key & KB_UTIL_IDLE, .use = use };
		account(trace, row);
		if (use.member)
			trace->members_ns += use.ns;
	}
	qsort(trace->rows, trace->count, sizeof *trace->rows, by_ns);
}

/* ---- what is printed: nanoseconds of CLOCK_MONOTONIC; what CPUs do in them, the clock does not say ------------ */

static double percent(const struct trace_util *trace, double ns)
{
	return trace->total.capacity ? 100 * ns / (double)trace->total.capacity : 0;
}

static void print_row(const struct trace_util *trace, const struct row *row)
{
	if (row->idle)
		printf("  %8s  %-16s  ", "-", "idle");
	else
		printf("%c %8u  %-16.16s  ", row->use.member ? '*' : ' ', row->tid, row->use.name);
	printf("%14" PRIu64 "  %7.3f  %9" PRIu64, row->use.ns, percent(trace, (double)row->use.ns), row->use.switches);
	if (row->idle)
		printf("  CPU %u\n", row->tid);
	else if (row->accounted)
		printf("  %14" PRIu64 "\n", row->scheduler_ns);
	else
		puts("               -");
}

static void print_rows(const struct trace_util *trace)
{
	size_t shown = trace->limit && trace->limit < trace->count ? trace->limit : trace->count;
	uint64_t rest = 0;

	printf("\n  %8s  %-16s  %14s  %7s  %9s  %14s\n", "thread", "name", "ns", "%", "switches", "schedstat ns");
	for (size_t i = 0; i < shown; i++)
		print_row(trace, &trace->rows[i]);
	for (size_t i = shown; i < trace->count; i++)
		rest += trace->rows[i].use.ns;
	if (shown < trace->count)
		printf("  %8zu  %-16s  %14" PRIu64 "  %7.3f\n", trace->count - shown, "more of these", rest, percent(trace, (double)rest));
	if (trace->follows)
		printf("* of the command: %" PRIu64 " ns together; wait4 accounts it %" PRIu64 " ns\n", trace->members_ns,
		       trace->children_ns);
	puts("schedstat: the scheduler's own account of the same window, of threads that still live; it begins at wake-ups");
}

static void print(const struct trace_util *trace)
{
	const struct kb_util_total *total = &trace->total;

	printf("elapsed      %14" PRIu64 " ns x %u CPUs = %" PRIu64 " ns\n", total->elapsed, trace->util.online, total->capacity);
	printf("threads      %14" PRIu64 " ns  %7.3f %%\n", total->threads, percent(trace, (double)total->threads));
	printf("idle         %14" PRIu64 " ns  %7.3f %%\n", total->idle, percent(trace, (double)total->idle));
	printf("unaccounted  %14" PRIi64 " ns  %7.3f %%", total->unaccounted, percent(trace, (double)total->unaccounted));
	printf("  %s\n", kb_util_closes(total) ? "ok" : "noisy: more than 0.1 %");
	if (total->lost)
		printf("of it %" PRIu64 " ns of threads that found no room\n", total->lost);
	if (trace->util.unreached)
		printf("%u CPUs could not be visited at the end: what ran there last is unaccounted for\n",
		       trace->util.unreached);
	if (trace->stolen_ns)
		printf("stolen by the hypervisor, part of the times of the threads that had the CPU then: %" PRIu64 " ns\n",
		       trace->stolen_ns);
	printf("%" PRIu64 " switches\n", total->switches);
	if (kb_tracee_ending(&trace->tracee)[0])
		puts(kb_tracee_ending(&trace->tracee));
	if (!trace->follows)
		puts("the command's threads are not marked: this kernel, or this PID namespace, does not let them be followed");
	if (trace->unfollowed)
		printf("%" PRIu64 " threads of the command and their children are not marked: no room to follow more than %u at a time\n",
		       trace->unfollowed, KB_MEMBERS_MAX);
	print_rows(trace);
}

/* ---- JSON ---------------------------------------------------------------------------------------------- */

static void print_json(const struct trace_util *trace)
{
	const struct kb_util_total *total = &trace->total;
	json_t *rows = json_array();

	for (size_t i = 0; i < trace->count; i++) {
		const struct row *row = &trace->rows[i];

		json_array_append_new(rows, json_pack("{s:o, s:b, s:o, s:o, s:o, s:o, s:b, s:o}", row->idle ? "cpu" : "thread",
						      kb_json_whole(row->tid), "idle", row->idle, "process", kb_json_whole(row->use.process),
						      "name", kb_json_string(row->idle ? "idle" : row->use.name), "ns",
						      kb_json_whole(row->use.ns), "switches", kb_json_whole(row->use.switches), "member",
						      row->use.member != 0, "schedstat_ns",
						      row->accounted ? kb_json_whole(row->scheduler_ns) : json_null()));
	}
	kb_print_json(json_pack("{s:s, s:o, s:i, s:o, s:o, s:o, s:I, s:o, s:o, s:b, s:i, s:b, s:o, s:o, s:o, s:o, s:i, s:o}", "schema",
				"kbench-util/1", "elapsed_ns", kb_json_whole(total->elapsed), "cpus", (int)trace->util.online, "capacity_ns",
				kb_json_whole(total->capacity), "threads_ns", kb_json_whole(total->threads), "idle_ns",
				kb_json_whole(total->idle), "unaccounted_ns", (json_int_t)total->unaccounted, "lost_ns",
				kb_json_whole(total->lost), "switches", kb_json_whole(total->switches), "closes", kb_util_closes(total),
				"unreached_cpus", (int)trace->util.unreached, "follows", trace->follows, "unfollowed",
				kb_json_whole(trace->unfollowed), "command_ns", kb_json_whole(trace->members_ns), "wait4_ns",
				kb_json_whole(trace->children_ns), "stolen_ns", kb_json_whole(trace->stolen_ns), "status",
				trace->tracee.status, "rows", rows));
}

/* ---- the command ----------------------------------------------------------------------------------------- */

static int util_main(const struct kb_command *command, int argc, char **argv)
{
	struct request request = { .limit = 20 };
	struct trace_util trace = { .command = command };

	kb_read_options(command, argc, argv, &request);
	trace.limit = request.limit;
	if (optind == argc)
		kb_usage(command, "utilisation by which command? -- CMD");
	run(&trace, argv + optind);
	gather(&trace);
	if (kb_util_total(&trace.util, &trace.total))
		kb_die(command, KB_EXIT_FAILED, "the window has no end");
	(request.json ? print_json : print)(&trace);
	kb_util_close(&trace.util);
	free(trace.rows);
	free(trace.before);
	return kb_tracee_exit(&trace.tracee);
}

const struct kb_command kb_trace_util_verb = {
	.name = "trace util",
	.arguments = "-- CMD [ARGUMENT...]",
	.summary = "Print who had the CPUs while CMD ran, from switch to switch",
	.text = "All threads of the machine, those of CMD marked, idle, and what is left over: together they are the elapsed\n"
		"time x CPUs. More than 0.1 % left over is noisy; doc/trace-kernel.md.\n",
	.options = options,
	.examples = "  kbench trace util -- make\n"
		    "  kbench trace util --limit 0 --json -- sleep 1\n",
	.exits = "  0 done; 2 usage, CMD cannot be executed, unwritable output; 3 the kernel refuses; 5 a process cannot be started;\n"
		 "  128+n ended by signal n\n",
	.main = util_main,
};
