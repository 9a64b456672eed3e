/* What `kbench trace util` prints. All times are nanoseconds of CLOCK_MONOTONIC: what CPUs do in them, the clock does not say. */
#include "cli/trace/util.h"

#include <inttypes.h>
#include <math.h>

#include "cli/print.h"
#include "result/json/json.h"

static double percent(const struct kb_trace_util *trace, double ns)
{
	return trace->total.capacity ? 100 * ns / (double)trace->total.capacity : 0;
}

static void print_row(const struct kb_trace_util *trace, const struct kb_trace_util_row *row)
{
	if (row->idle)
		printf("  %8s  %-16s  ", "-", "idle");
	else
		printf("%c %8u  %-16.16s  ", row->use.member ? '*' : ' ', row->tid, row->use.name);
	printf("%14" PRIu64 "  %7.3f  %9" PRIu64, row->use.ns, percent(trace, (double)row->use.ns), row->use.switches);
	if (row->idle)
		printf("  CPU %u\n", row->tid);
	else if (isnan(row->scheduler_ns))
		puts("               -");
	else
		printf("  %14.0f\n", row->scheduler_ns);
}

static void print_rows(const struct kb_trace_util *trace)
{
	size_t shown = trace->top && trace->top < trace->count ? trace->top : trace->count;
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

static void print_sums(const struct kb_trace_util *trace)
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
		printf("stolen by the hypervisor, and in the times of whoever had the CPU then: %" PRIu64 " ns\n",
		       trace->stolen_ns);
	printf("%" PRIu64 " switches\n", total->switches);
}

void kb_trace_util_print(const struct kb_trace_util *trace)
{
	char words[160];

	print_sums(trace);
	kb_tracee_words(&trace->tracee, words, sizeof words);
	if (words[0])
		puts(words);
	if (!trace->follows)
		puts("the command's threads are not marked: this kernel, or this PID namespace, does not let them be followed");
	if (trace->unfollowed)
		printf("%" PRIu64 " threads of the command and their children are not marked: no room to follow more than %u at a time\n",
		       trace->unfollowed, KB_MEMBERS_MAX);
	print_rows(trace);
}

/* ---- JSON ---------------------------------------------------------------------------------------------- */

static json_t *row_json(const struct kb_trace_util_row *row)
{
	return json_pack("{s:o, s:b, s:o, s:o, s:o, s:o, s:b, s:o}", row->idle ? "cpu" : "thread", kb_json_whole(row->tid),
			 "idle", row->idle, "process", kb_json_whole(row->use.process), "name",
			 kb_json_string(row->idle ? "idle" : row->use.name), "ns", kb_json_whole(row->use.ns), "switches",
			 kb_json_whole(row->use.switches), "member", row->use.member != 0, "schedstat_ns",
			 kb_json_real(row->scheduler_ns));
}

static json_t *sums_json(const struct kb_util_total *total, unsigned cpus)
{
	return json_pack("{s:s, s:o, s:i, s:o, s:o, s:o, s:o, s:o, s:o, s:b}", "schema", "kbench-util/1", "elapsed_ns",
			 kb_json_whole(total->elapsed), "cpus", (int)cpus, "capacity_ns", kb_json_whole(total->capacity),
			 "threads_ns", kb_json_whole(total->threads), "idle_ns", kb_json_whole(total->idle), "unaccounted_ns",
			 json_integer(total->unaccounted), "lost_ns", kb_json_whole(total->lost), "switches",
			 kb_json_whole(total->switches), "closes", kb_util_closes(total));
}

void kb_trace_util_json(const struct kb_trace_util *trace)
{
	json_t *json = sums_json(&trace->total, trace->util.online), *rows = json_array();

	for (size_t i = 0; i < trace->count; i++)
		json_array_append_new(rows, row_json(&trace->rows[i]));
	json_object_set_new(json, "unreached_cpus", json_integer(trace->util.unreached));
	json_object_set_new(json, "follows", json_boolean(trace->follows));
	json_object_set_new(json, "unfollowed", kb_json_whole(trace->unfollowed));
	json_object_set_new(json, "command_ns", kb_json_whole(trace->members_ns));
	json_object_set_new(json, "wait4_ns", kb_json_whole(trace->children_ns));
	json_object_set_new(json, "stolen_ns", kb_json_whole(trace->stolen_ns));
	json_object_set_new(json, "status", json_integer(trace->tracee.status));
	json_object_set_new(json, "rows", rows);
	kb_print_json(json);
}
