/* What a kernel of seL4 logged of its entries, shown as `kbench trace entries` does, and where the time of tests went. */
#include "cli/trace/trace.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "cli/print.h"
#include "result/json/json.h"
#include "result/result.h"

/* Beyond these is more than rounding of the counters' own reading explains. */
#define PERCENT_MAX 100.01
#define PERCENT_MIN 99.9

static double percent(const struct kb_sel4_log *log, uint64_t ticks)
{
	return log->shares.total ? 100 * (double)ticks / (double)log->shares.total : 0;
}

bool kb_trace_sel4_credible(const struct kb_sel4_log *log)
{
	return !log->shares_known || (log->shares.total > 0 && kb_sel4_shares_percent(&log->shares) <= PERCENT_MAX);
}

/* ---- text ---------------------------------------------------------------------------------------------- */

static void print_shares(const struct kb_sel4_log *log, const char *unit)
{
	double all = kb_sel4_shares_percent(&log->shares);
	const char *meaning = all < PERCENT_MIN ? ": others had the rest" : ": they close";

	if (!log->shares_known)
		return;
	if (!kb_trace_sel4_credible(log))
		meaning = ", and a core has 100: this kernel counts wrongly, none of these shares is to be believed";
	printf("CPU utilisation of %" PRIu64 " tests: %" PRIu64 " %s, of them in the kernel %.1f %%\n", log->shares.tests,
	       log->shares.total, unit, percent(log, log->shares.kernel));
	for (unsigned i = 0; i < KB_SEL4_USERS; i++)
		printf("  %-4s  %14" PRIu64 " %s  %5.1f %%\n", kb_sel4_user_names[i], log->shares.use[i], unit,
		       percent(log, log->shares.use[i]));
	printf("together %.1f %%%s\n", all, meaning);
}

static void print_entries(const struct kb_sel4_log *log, const char *unit)
{
	size_t count;
	struct kb_sel4_row *rows = kb_sel4_log_rows(log, &count);
	char name[64];

	printf("%" PRIu64 " kernel entries of %" PRIu64 " operation%s in %" PRIu64 " test%s%s; entry 0 emptied the log and is not counted\n",
	       log->index, log->operations, log->operations == 1 ? "" : "s", log->tests, log->tests == 1 ? "" : "s",
	       log->last ? ", the last of the plan" : "");
	if (kb_sel4_log_full(log))
		printf("log full: it stopped at index %" PRIu64 "; what came later is not in it, and nobody counted how much\n", log->index);
	kb_trace_print_lines_heading(unit);
	for (size_t i = 0; rows && i < count; i++) {
		kb_sel4_row_name(log, &rows[i], name, sizeof name);
		kb_trace_print_line(&(struct kb_trace_line){
			kb_sel4_path_names[rows[i].of.path], name, rows[i].count, rows[i].count, rows[i].total, rows[i].min, rows[i].max,
			rows[i].median,
		});
	}
	free(rows);
}

void kb_trace_print_sel4(const char *file, const struct kb_sel4_log *log)
{
	const char *unit = kb_tick_unit(log->clock);

	printf("%s: %s, seL4\n", kb_shown(file).text, log->bench);
	print_shares(log, unit);
	if (log->entries)
		print_entries(log, unit);
}

/* ---- JSON ---------------------------------------------------------------------------------------------- */

static json_t *row_json(const struct kb_sel4_log *log, const struct kb_sel4_row *row)
{
	char name[64];

	kb_sel4_row_name(log, row, name, sizeof name);
	return json_pack("{s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "kind", kb_sel4_path_names[row->of.path], "name",
			 kb_json_string(name), "count", kb_json_whole(row->count), "total", kb_json_real(row->total), "min",
			 kb_json_real(row->min), "max", kb_json_real(row->max), "median", kb_json_real(row->median.value), "low",
			 row->median.known ? kb_json_real(row->median.low) : json_null(), "high",
			 row->median.known ? kb_json_real(row->median.high) : json_null());
}

static json_t *entries_json(const struct kb_sel4_log *log)
{
	size_t count;
	struct kb_sel4_row *rows = log->entries ? kb_sel4_log_rows(log, &count) : NULL;
	json_t *array = json_array();

	if (!log->entries) {
		json_decref(array);
		return json_null();
	}
	for (size_t i = 0; rows && i < count; i++)
		json_array_append_new(array, row_json(log, &rows[i]));
	free(rows);
	return json_pack("{s:o, s:o, s:b, s:o, s:o, s:b, s:o}", "index", kb_json_whole(log->index), "room", kb_json_whole(log->room), "full",
			 kb_sel4_log_full(log), "circles", kb_json_whole(log->operations), "tests", kb_json_whole(log->tests), "last", log->last,
			 "rows", array);
}

static json_t *shares_json(const struct kb_sel4_log *log)
{
	json_t *object;

	if (!log->shares_known)
		return json_null();
	object = json_pack("{s:o, s:o, s:o, s:o}", "tests", kb_json_whole(log->shares.tests), "total",
			   kb_json_whole(log->shares.total), "kernel", kb_json_whole(log->shares.kernel), "percent",
			   kb_json_real(kb_sel4_shares_percent(&log->shares)));
	for (unsigned i = 0; i < KB_SEL4_USERS; i++)
		json_object_set_new(object, kb_sel4_user_names[i], kb_json_whole(log->shares.use[i]));
	return object;
}

json_t *kb_trace_sel4_json(const char *file, const struct kb_sel4_log *log)
{
	return json_pack("{s:s, s:o, s:o, s:s, s:o, s:o}", "schema", KB_TRACE_SEL4_SCHEMA, "file", kb_json_string(file), "benchmark",
			 kb_json_string(log->bench), "unit", kb_tick_unit(log->clock), "utilisation", shares_json(log), "entries",
			 entries_json(log));
}
