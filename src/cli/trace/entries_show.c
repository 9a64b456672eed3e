/* What `kbench trace entries` prints. All times are nanoseconds of CLOCK_MONOTONIC. */
#define _GNU_SOURCE

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/verdict.h"
#include "cli/cli.h"
#include "cli/trace/trace.h"
#include "result/json/json.h"

#define ROWS_MAX (KB_ENTRY_KINDS * KB_ENTRY_NUMBERS)

static void row_name(const struct kb_entry_row *row, char *text, size_t room)
{
	const struct kb_entry entry = { .kind = row->kind, .number = row->number, .vector = row->vector };

	if (row->number == KB_ENTRY_NUMBERS - 1)
		snprintf(text, room, "number %u and above", KB_ENTRY_NUMBERS - 1);
	else
		kb_entry_name(&entry, text, room);
}

static const struct kb_entry_row **sorted(const struct kb_trace_entries *trace, size_t *count)
{
	const struct kb_entry_row **rows = kb_need_memory(trace->request->command, calloc(ROWS_MAX, sizeof *rows));

	*count = kb_entry_sum_rows(&trace->sum, rows, ROWS_MAX);
	return rows;
}

/* ---- text ---------------------------------------------------------------------------------------------- */

static void print_rows(const struct kb_trace_entries *trace)
{
	size_t count;
	const struct kb_entry_row **rows = sorted(trace, &count);
	bool thinned = false, instants = false;
	char name[64];

	kb_trace_print_lines_heading("ns");
	for (size_t i = 0; i < count; i++) {
		row_name(rows[i], name, sizeof name);
		kb_trace_print_line(&(struct kb_trace_line){
			kb_entry_kind_names[rows[i]->kind], name, rows[i]->count, rows[i]->lasted, (double)rows[i]->total_ns,
			(double)rows[i]->min_ns, (double)rows[i]->max_ns, kb_entry_median(rows[i]),
		});
		thinned |= rows[i]->stride > 1;
		instants |= rows[i]->lasted < rows[i]->count;
	}
	if (thinned)
		printf("medians of more than %u entries are of every second, fourth ... of them\n", KB_ENTRY_KEPT);
	if (instants)
		puts("faults without a time: a signal took their end's place, or the event that tells it is not seen, as told above");
	free(rows);
}

static int by_start(const void *a, const void *b)
{
	const struct kb_entry *x = a, *y = b;

	return (x->start_ns > y->start_ns) - (x->start_ns < y->start_ns);
}

static void print_timeline(const struct kb_trace_entries *trace)
{
	char name[64];

	if (trace->first_count == 0)
		return;
	qsort(trace->first, trace->first_count, sizeof *trace->first, by_start);
	printf("\n%14s  %11s  %4s  %8s  %-12s  %-24s  %s\n", "start ns", "duration ns", "cpu", "thread", "kind", "number",
	       "result");
	for (size_t i = 0; i < trace->first_count; i++) {
		const struct kb_entry *entry = &trace->first[i];

		kb_entry_name(entry, name, sizeof name);
		printf("%14" PRIi64 "  ", (int64_t)(entry->start_ns - trace->start_ns));
		if (entry->lasted)
			printf("%11" PRIu64, entry->duration_ns);
		else
			printf("%11s", "-");
		printf("  %4u  %8u  %-12s  %-24s", entry->cpu, entry->thread, kb_entry_kind_names[entry->kind], name);
		if (entry->kind == KB_ENTRY_SYSCALL)
			printf("  %" PRIi64, entry->result);
		putchar('\n');
	}
}

static void print_cost(const struct kb_entries_cost *cost)
{
	if (!cost->known) {
		puts("probes: what they cost could not be measured");
		return;
	}
	printf("probes: a traced system call takes %.0f ns longer (%.0f..%.0f; getppid %.0f -> %.0f ns);\n", cost->added_ns.value,
	       cost->added_ns.low, cost->added_ns.high, cost->plain_ns.value, cost->traced_ns.value);
	printf("up to %.0f ns of it are in each duration, which is what getppid takes from stamp to stamp\n", cost->logged_ns);
}

static void print_slowdown(const struct kb_trace_entries *trace)
{
	const struct kb_interval *factor = &trace->slowdown;

	if (trace->request->slowdown == 0)
		return;
	if (trace->pairs == 0) {
		printf("slow-down: not measured, %s\n", trace->changed ? "the command ended otherwise when it was run again"
								       : "a signal came before the first pair of runs was complete");
		return;
	}
	printf("slow-down: the command takes %.3f times as long when it is traced", factor->value);
	if (factor->known)
		printf(" (%.3f..%.3f, 95 %%, %u pairs of runs)", factor->low, factor->high, trace->pairs);
	else
		printf(" (no interval: %s)", kb_code_words(factor->why));
	putchar('\n');
}

void kb_trace_entries_print(const struct kb_trace_entries *trace)
{
	const struct kb_pairing_counts *counts = &trace->counts;
	const char *before = "not seen: ";

	printf("%" PRIu64 " entries in %.3f s, %" PRIu64 " raw entries lost%s\n", trace->sum.entries,
	       (double)(trace->end_ns - trace->start_ns) / 1e9, trace->lost, trace->lost ? " (ring full)" : "");
	if (trace->full)
		printf("log full: it stopped at index %" PRIu64 "; what came later is not in it\n", trace->sum.entries);
	printf("unpaired: %" PRIu64 " ends without begin, %" PRIu64 " begins without end, %" PRIu64 " torn by a loss, %" PRIu64
	       " still open at the end\n", counts->unopened, counts->overwritten, counts->torn, counts->open);
	printf("memory: ring %" PRIu64 " KiB in the kernel, %" PRIu64 " KiB here at most (the ring counts twice)\n",
	       trace->request->ring_bytes >> 10, trace->peak_kib);
	if (trace->unfollowed)
		printf("%" PRIu64 " threads of the command and their children are not in it: no room to follow more than %u at a time\n",
		       trace->unfollowed, KB_MEMBERS_MAX);
	/* Those that other architectures have, or another configuration, are named too: an entry without its tracepoint is not seen. */
	for (unsigned i = 0; i < kb_entry_point_count; i++) {
		if (trace->entries.errors[i] == 0)
			continue;
		printf("%s%s (%s)", before, kb_entry_points[i].tracepoint, strerrorname_np(-trace->entries.errors[i]));
		before = ", ";
	}
	if (before[0] == ',')
		putchar('\n');
	print_cost(&trace->cost);
	print_slowdown(trace);
	if (kb_tracee_ending(&trace->command)[0])
		puts(kb_tracee_ending(&trace->command));
	print_rows(trace);
	print_timeline(trace);
}

/* ---- JSON ---------------------------------------------------------------------------------------------- */

static json_t *row_json(const struct kb_entry_row *row)
{
	struct kb_interval median = kb_entry_median(row);
	char name[64];

	row_name(row, name, sizeof name);
	if (row->lasted == 0)
		return json_pack("{s:s, s:o, s:o, s:o, s:i}", "kind", kb_entry_kind_names[row->kind], "number",
				 kb_json_whole(row->number), "name", kb_json_string(name), "count", kb_json_whole(row->count),
				 "timed", 0);
	return json_pack("{s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "kind", kb_entry_kind_names[row->kind], "number",
			 kb_json_whole(row->number), "name", kb_json_string(name), "count", kb_json_whole(row->count), "timed",
			 kb_json_whole(row->lasted), "total_ns",
			 kb_json_whole(row->total_ns), "min_ns", kb_json_whole(row->min_ns), "max_ns", kb_json_whole(row->max_ns),
			 "median_ns", kb_trace_interval_json(&median), "median_of", kb_json_whole(row->kept));
}

static json_t *cost_json(const struct kb_entries_cost *cost)
{
	if (!cost->known)
		return json_null();
	return json_pack("{s:o, s:o, s:o, s:o}", "plain_ns", kb_trace_interval_json(&cost->plain_ns), "traced_ns",
			 kb_trace_interval_json(&cost->traced_ns), "added_ns", kb_trace_interval_json(&cost->added_ns), "logged_ns",
			 kb_json_real(cost->logged_ns));
}

void kb_trace_entries_json(const struct kb_trace_entries *trace)
{
	const struct kb_pairing_counts *counts = &trace->counts;
	size_t count;
	const struct kb_entry_row **sums = sorted(trace, &count);
	json_t *rows = json_array(), *missing = json_array();
	json_t *unpaired = json_pack("{s:o, s:o, s:o, s:o}", "unopened", kb_json_whole(counts->unopened), "overwritten",
				     kb_json_whole(counts->overwritten), "torn", kb_json_whole(counts->torn), "open",
				     kb_json_whole(counts->open));
	json_t *slowdown = trace->pairs ? kb_trace_interval_json(&trace->slowdown) : json_null();

	for (size_t i = 0; i < count; i++)
		json_array_append_new(rows, row_json(sums[i]));
	free(sums);
	for (unsigned i = 0; i < kb_entry_point_count; i++) {
		if (trace->entries.errors[i])
			json_array_append_new(missing, json_pack("{s:s, s:i}", "tracepoint", kb_entry_points[i].tracepoint, "errno",
								 -trace->entries.errors[i]));
	}
	kb_print_json(json_pack("{s:s, s:o, s:o, s:o, s:o, s:o, s:b, s:o, s:o, s:o, s:o, s:o, s:o, s:i}", "schema", "kbench-entries/1",
				"elapsed_ns", kb_json_whole(trace->end_ns - trace->start_ns), "entries",
				kb_json_whole(trace->sum.entries), "raw", kb_json_whole(counts->raw), "lost",
				kb_json_whole(trace->lost), "unfollowed", kb_json_whole(trace->unfollowed), "full", trace->full, "unpaired", unpaired, "peak_kib",
				kb_json_whole(trace->peak_kib), "missing", missing, "probe", cost_json(&trace->cost),
				"slowdown", slowdown, "rows", rows, "status", trace->command.status));
}
