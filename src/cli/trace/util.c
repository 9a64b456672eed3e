/* kbench trace util: who had the CPUs while a command ran, from switch to switch, and whether the sums close. */
#define _GNU_SOURCE
#include "cli/trace/util.h"

#include <errno.h>
#include <getopt.h>
#include <glob.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "cli/trace/trace.h"
#include "cli/values.h"
#include "env/activity.h"
#include "io.h"

enum { TOP, JSON };

static const struct kb_option options[] = {
	[TOP] = { 0, "top", "N", "print so many threads, 0 all", "20" },
	[JSON] = { 0, "json", NULL, "print kbench-util/1, all threads", NULL },
	{ 0 }
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
	uint64_t *before = kb_members_ids_agree() ? calloc(KB_UTIL_TIDS, sizeof *before) : NULL;
	glob_t found;

	if (!before || glob("/proc/[0-9]*/task/[0-9]*", GLOB_NOSORT, NULL, &found))
		return before;
	for (size_t i = 0; i < found.gl_pathc; i++) {
		uint32_t tid = (uint32_t)strtoul(strrchr(found.gl_pathv[i], '/') + 1, NULL, 10);

		if (tid < KB_UTIL_TIDS)
			before[tid] = schedstat(tid);
	}
	globfree(&found);
	return before;
}

/* ---- one window ------------------------------------------------------------------------------------------ */

/* Following the command is a comfort: where it cannot be, all threads are told, and none of them is marked. */
static void open_util(struct kb_trace_util *trace)
{
	int error = kb_util_open(&trace->util, true);

	if (!error)
		error = kb_members_add(&trace->util.members, (uint32_t)trace->traced.pid);
	trace->follows = !error;
	if (error == -ENOTSUP || error == -ENOENT)
		error = kb_util_open(&trace->util, false);
	if (error) {
		kb_traced_cancel(&trace->traced);
		kb_die(trace->command, KB_EXIT_UNFIT, "%s: %s", trace->util.failed, kb_members_why(error));
	}
}

static void run(struct kb_trace_util *trace, char **argv)
{
	static const struct kb_fact_source machine = { "" };
	struct kb_activity busy, after;
	uint64_t before = children_ns();
	int error;

	kb_traced_start(trace->command, &trace->traced, argv);
	open_util(trace);
	trace->before = all_schedstats();
	kb_activity_read(&machine, &busy);
	error = kb_util_reset(&trace->util, true);
	if (error)
		kb_die(trace->command, KB_EXIT_FAILED, "reset: %s", strerror(-error));
	kb_traced_go(trace->command, &trace->traced);
	kb_traced_wait(&trace->traced, 0, NULL, NULL);
	kb_util_finalise(&trace->util);
	trace->unfollowed = kb_members_unfollowed(&trace->util.members);
	kb_activity_read(&machine, &after);
	trace->stolen_ns = kb_activity_between(&busy, &after).steal * (KB_S / (uint64_t)sysconf(_SC_CLK_TCK));
	trace->children_ns = children_ns() - before;
}

/* ---- rows ------------------------------------------------------------------------------------------------ */

static int by_ns(const void *a, const void *b)
{
	const struct kb_trace_util_row *x = a, *y = b;

	return (x->use.ns < y->use.ns) - (x->use.ns > y->use.ns);
}

static double scheduler_ns(const struct kb_trace_util *trace, uint32_t tid)
{
	uint64_t after, before;

	if (!trace->before || tid >= KB_UTIL_TIDS)
		return NAN;
	after = schedstat(tid);
	before = trace->before[tid];
	return after == UINT64_MAX ? NAN : (double)after - (before == UINT64_MAX ? 0 : (double)before);
}

static void gather(struct kb_trace_util *trace)
{
	struct kb_util_use use;
	uint32_t key = 0;

	trace->rows = calloc(KB_UTIL_THREADS, sizeof *trace->rows);
	if (!trace->rows)
		kb_no_memory(trace->command);
	while (trace->count < KB_UTIL_THREADS && kb_util_next(&trace->util, &key, &use)) {
		bool idle = key & KB_UTIL_IDLE;

		trace->rows[trace->count++] = (struct kb_trace_util_row){
			.tid = key & ~KB_UTIL_IDLE, .idle = idle, .use = use,
			.scheduler_ns = idle ? NAN : scheduler_ns(trace, key),
		};
		if (use.member)
			trace->members_ns += use.ns;
	}
	qsort(trace->rows, trace->count, sizeof *trace->rows, by_ns);
}

static int util_main(const struct kb_command *command, int argc, char **argv)
{
	struct kb_trace_util trace = { .command = command, .top = 20 };
	const char *value;
	bool json = false;
	int option;

	while ((option = kb_next_option(command, argc, argv, &value)) >= 0) {
		if (option == JSON)
			json = true;
		else
			trace.top = kb_value_number(command, "top", value, 0, KB_UTIL_THREADS);
	}
	if (optind == argc)
		kb_usage(command, "utilisation by which command? -- CMD");
	run(&trace, argv + optind);
	gather(&trace);
	if (kb_util_total(&trace.util, &trace.total))
		kb_die(command, KB_EXIT_FAILED, "the window has no end");
	(json ? kb_trace_util_json : kb_trace_util_print)(&trace);
	kb_util_close(&trace.util);
	free(trace.rows);
	free(trace.before);
	return kb_traced_exit(&trace.traced);
}

const struct kb_command kb_trace_util_verb = {
	.name = "trace util",
	.arguments = "-- CMD [ARGUMENT...]",
	.summary = "Print who had the CPUs while CMD ran, from switch to switch",
	.text = "All threads of the machine, those of CMD marked, idle, and what is left over: together they are the elapsed\n"
		"time x CPUs. More than 0.1 % left over is said to be noisy; doc/trace-kernel.md.\n",
	.options = options,
	.examples = "  kbench trace util -- make\n"
		    "  kbench trace util --top 0 --json -- sleep 1\n",
	.exits = "  0 done; 2 usage, CMD cannot be executed, unwritable output; 3 the kernel refuses; 5 a process cannot be started;\n"
		 "  128+n ended by signal n\n",
	.main = util_main,
};
