/* See trace.h. All values are what the log's clock counts; nanoseconds follow where the rate is known. */
#include "cli/trace/trace.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "cli/cli.h"
#include "result/json/json.h"
#include "result/result.h"

/* ---- tables -------------------------------------------------------------------------------------------- */

static void print_moments(const char *name, const struct kb_trace_moments *m)
{
	printf("  %-8s  %9zu  %7.0f  %7.0f  %9.2f  %11.2f  %9.2f", name, m->count, m->min, m->max, m->mean, m->variance, m->sd);
	if (m->mean > 0 || m->mean < 0)
		printf("  %8.0f%%", m->sd_percent);
	else
		printf("  %9s", "-");
	printf("  %7.1f\n", m->median.value);
}

static void print_heading(const char *what, const char *unit, const char *where)
{
	printf("%s overhead: %s that %s\n  %-8s  %9s  %7s  %7s  %9s  %11s  %9s  %9s  %7s\n", what, unit, where, "stamps", "# samples",
	       "min", "max", "mean", "variance", "std dev", "std dev %", "median");
}

void kb_trace_print_overhead(const struct kb_trace_kind *kinds, const char *unit)
{
	print_heading("Total", unit, "a pair adds to the program (outer - inner)");
	for (const struct kb_trace_kind *kind = kinds; kind->name; kind++)
		print_moments(kind->name, &kind->overhead->total);
	print_heading("Effective", unit, "are in each value (inner)");
	for (const struct kb_trace_kind *kind = kinds; kind->name; kind++)
		print_moments(kind->name, &kind->overhead->effective);
}

static void print_key(unsigned number, const struct kb_trace_key *key, double ns, const char *unit)
{
	const struct kb_trace_moments *value = &key->value, *corrected = &key->corrected;

	if (value->count > 0) {
		printf("  %3u  %9zu  %9.0f  %9.1f  %11.1f  %9.1f  %7.2f  %11.1f  %9.1f", number, value->count, value->min,
		       value->median.value, value->mean, value->sd, key->inside, corrected->median.value, key->uncertainty);
		if (ns > 0)
			printf("  %11.1f", corrected->median.value * ns);
		putchar('\n');
		if (!corrected->median.known)
			puts("       too few pairs for an interval: +- is that of the overhead alone");
		if (key->crossing > 0)
			printf("       %.2f pairs only begin or only end inside: up to %.1f %s less\n", key->crossing, key->crossing_most, unit);
	}
	if (key->marks > 0)
		printf("  %3u  %9llu  marks\n", number, (unsigned long long)key->marks);
}

void kb_trace_print(const char *file, const struct kb_trace_read *read)
{
	const struct kb_trace_counts *counts = &read->counts;
	double ns = read->hz ? 1e9 / (double)read->hz : 0;
	struct kb_trace_kind kinds[] = { { read->light ? "light" : "ordered", &read->overhead }, { 0 } };
	const char *unit = kb_tick_unit(read->clock);

	printf("%s: ", kb_shown(file).text);
	printf("%llu entries of %llu thread%s, %llu lost%s, %llu saturated\n", (unsigned long long)counts->entries,
	       (unsigned long long)counts->threads, counts->threads == 1 ? "" : "s", (unsigned long long)counts->lost,
	       counts->lost ? " (log full, or key too large)" : "", (unsigned long long)counts->saturated);
	printf("unpaired: %llu STOP without START, %llu START after START, %llu START still open at the end\n",
	       (unsigned long long)counts->unopened, (unsigned long long)counts->overwritten, (unsigned long long)counts->open);
	if (counts->running)
		printf("still logging, and not in it: %llu of the threads\n", (unsigned long long)counts->running);
	if (read->light)
		puts("light stamps, which the processor may move: regions below 1 us are not told");
	putchar('\n');
	kb_trace_print_overhead(kinds, unit);
	printf("\nBy key, in %s; corrected = value - effective - pairs inside x total\n"
	       "  %3s  %9s  %9s  %9s  %11s  %9s  %7s  %11s  %9s",
	       unit, "key", "pairs", "min", "median", "mean", "std dev", "inside", "corrected", "+-");
	puts(ns > 0 ? "  corrected ns" : "");
	for (unsigned i = 0; i < KB_TRACE_READ_KEYS; i++)
		print_key(i, &read->keys[i], ns, unit);
	puts("corrected: the median; after +- half its 95 % CI, with those of the overhead added");
}

/* ---- kernel entries ------------------------------------------------------------------------------------ */

void kb_trace_print_lines_heading(const char *unit)
{
	static const char *const names[] = { "total", "min", "median", "max" };
	char columns[4][24];

	for (int i = 0; i < 4; i++)
		snprintf(columns[i], sizeof columns[i], "%s %s", names[i], unit);
	printf("\n%-12s  %-24s  %10s  %14s  %9s  %9s  %19s  %11s\n", "kind", "number", "count", columns[0], columns[1], columns[2],
	       "its 95 % CI", columns[3]);
}

void kb_trace_print_line(const struct kb_trace_line *line)
{
	char around[40] = "-";

	printf("%-12s  %-24s  %10llu", line->kind, line->name, (unsigned long long)line->count);
	if (line->lasted == 0) {
		printf("  %14s  %9s  %9s  %19s  %11s\n", "-", "-", "-", "-", "-");
		return;
	}
	if (line->median.known)
		snprintf(around, sizeof around, "%.0f..%.0f", line->median.low, line->median.high);
	printf("  %14.0f  %9.0f  %9.0f  %19s  %11.0f\n", line->total, line->min, line->median.value, around, line->max);
}

/* ---- JSON ---------------------------------------------------------------------------------------------- */

json_t *kb_trace_interval_json(const struct kb_interval *interval)
{
	return json_pack("{s:o, s:o, s:o}", "value", kb_json_real(interval->value), "low",
			 interval->known ? kb_json_real(interval->low) : json_null(), "high",
			 interval->known ? kb_json_real(interval->high) : json_null());
}

static json_t *moments_json(const struct kb_trace_moments *m)
{
	if (m->count == 0)
		return json_null();
	return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "samples", kb_json_whole(m->count), "min_ticks",
			 kb_json_real(m->min), "max_ticks", kb_json_real(m->max), "mean_ticks", kb_json_real(m->mean), "variance",
			 kb_json_real(m->variance), "sd_ticks", kb_json_real(m->sd), "sd_percent", kb_json_real(m->sd_percent),
			 "median_ticks", kb_trace_interval_json(&m->median));
}

json_t *kb_trace_overhead_json(const struct kb_trace_overhead *overhead)
{
	return json_pack("{s:o, s:o}", "total", moments_json(&overhead->total), "effective", moments_json(&overhead->effective));
}

json_t *kb_trace_json(const char *file, const struct kb_trace_read *read)
{
	const struct kb_trace_counts *c = &read->counts;
	json_t *keys = json_array(), *counts;

	counts = json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "threads", kb_json_whole(c->threads), "running",
			   kb_json_whole(c->running), "entries", kb_json_whole(c->entries), "lost", kb_json_whole(c->lost), "saturated",
			   kb_json_whole(c->saturated), "unopened", kb_json_whole(c->unopened), "overwritten", kb_json_whole(c->overwritten),
			   "open", kb_json_whole(c->open));
	for (unsigned i = 0; i < KB_TRACE_READ_KEYS; i++) {
		const struct kb_trace_key *key = &read->keys[i];

		if (key->value.count == 0 && key->marks == 0)
			continue;
		json_array_append_new(keys, json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "key", kb_json_whole(i), "value",
						      moments_json(&key->value), "corrected", moments_json(&key->corrected),
						      "uncertainty_ticks", kb_json_real(key->uncertainty), "inside", kb_json_real(key->inside),
						      "crossing", kb_json_real(key->crossing), "crossing_most_ticks",
						      kb_json_real(key->crossing_most), "marks", kb_json_whole(key->marks)));
	}
	return json_pack("{s:s, s:o, s:o, s:o, s:b, s:o, s:o, s:o}", "schema", KB_TRACE_SCHEMA, "file", kb_json_string(file), "clock",
			 kb_json_string(read->clock), "hz", read->hz ? kb_json_whole(read->hz) : json_null(), "light", read->light,
			 "counts", counts, "overhead", kb_trace_overhead_json(&read->overhead), "keys", keys);
}

/* Below this is more than rounding of the counters' own reading explains. */
#define PERCENT_MIN 99.9

static double percent(const struct kb_sel4_log *log, uint64_t ticks)
{
	return log->shares.total ? 100 * (double)ticks / (double)log->shares.total : 0;
}

bool kb_trace_sel4_credible(const struct kb_sel4_log *log)
{
	return !log->shares_known || kb_sel4_shares_credible(&log->shares);
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
		printf("log full: it stopped at index %" PRIu64 "; what came later is neither in it nor counted\n", log->index);
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
