/*
 * What sel4bench prints. The JSON that it prints is an array of benchmarks, each with rows of results. Where a
 * row has its raw values, they are what is measured here (overhead subtracted, an operation each); else its statistics are all there is.
 * Zeros of rows that were processed while they were measured are no values, nor are its words "nan" and "inf". Its iterations are processes.
 * What has a name in the list of metrics of its history has that name here. A mean of zero, as of overheads, and counts of events are no
 * costs: they are left out, and counted.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "import/reader.h"
#include "import/sel4bench_names.h"

#define BEGIN "JSON OUTPUT"
#define FEW 30          /* raw values: fewer give no median with an interval, and the statistics stand in */
#define TICKS_MAX 18446744073709551616.0        /* what 2^64 - 1 is as a double */
#define WRAPPED 9.2e18          /* half of 2^64: an overhead that was larger than the value it was taken from */

/* ---- what it prints --------------------------------------------------------------------------------- */

/* In the order of enum kb_reported_statistic. */
static const char *const statistic_keys[KB_REPORTED] = {
	"Mean", "Stddev", "Samples", "Min", "1st quantile", "Median", "3rd quantile", "Max",
};

/* Other columns that tell no rows apart; the last three are those of `kbench export`. */
static const char *const other_keys[] = { "Variance", "Mode", "Raw results", "Unit", "Per", "Values" };

static void read_reported(const json_t *row, double reported[KB_REPORTED])
{
	for (int i = 0; i < KB_REPORTED; i++) {
		const json_t *value = json_object_get(row, statistic_keys[i]);

		reported[i] = json_is_number(value) ? json_number_value(value) : NAN;
	}
	/* Nothing that takes time has a largest value of 0. */
	for (int i = KB_REPORTED_MIN; i < KB_REPORTED && !(reported[KB_REPORTED_MAX] > 0); i++)
		reported[i] = NAN;
}

/* As it is, where it is one word of ours; else made one. */
static void make_word(char text[64], const char *from, bool ours)
{
	for (const char *at = from; *at && ours; at++)
		ours = *at > ' ' && *at <= '~' && !strchr("\"\\=", *at);
	if (ours && from[0] && strlen(from) < 64)
		snprintf(text, 64, "%s", from);
	else
		kb_import_slug(text, 64, from);
}

static void add_param(char *params, size_t room, const char *key, const json_t *value, bool ours)
{
	char name[64], words[64], text[64] = "";
	size_t used = strlen(params);

	if (json_is_string(value))
		snprintf(text, sizeof text, "%s", json_string_value(value));
	else if (json_is_number(value))
		snprintf(text, sizeof text, "%.15g", json_number_value(value));
	else if (json_is_boolean(value))
		snprintf(text, sizeof text, "%s", json_is_true(value) ? "yes" : "no");
	make_word(name, key, ours);
	make_word(words, text, ours);
	if (name[0] && words[0])
		snprintf(params + used, room - used, "%s%s=%s", used ? " " : "", name, words);
}

/* Every column that is no statistic tells rows of one benchmark apart. */
static void params_of(const json_t *row, unsigned block, char params[200])
{
	json_t *number = json_integer(block);
	const char *key;
	json_t *value;

	params[0] = '\0';
	json_object_foreach((json_t *)(uintptr_t)row, key, value) {
		bool statistic = false;

		for (size_t i = 0; i < sizeof other_keys / sizeof *other_keys; i++)
			statistic |= strcmp(key, other_keys[i]) == 0;
		for (int i = 0; i < KB_REPORTED; i++)
			statistic |= strcmp(key, statistic_keys[i]) == 0;
		if (!statistic)
			add_param(params, 200, key, value, json_object_get(row, "Per") != NULL);
	}
	/* Two programs of the suite may give a block one name. */
	if (block > 1)
		add_param(params, 200, "block", number, true);
	json_decref(number);
}

static int put_raw(struct kb_import_reader *reader, struct kb_import_writer *writer, const json_t *raw)
{
	json_t *value;
	size_t i;

	json_array_foreach((json_t *)(uintptr_t)raw, i, value) {
		double ticks = json_is_number(value) ? json_number_value(value) : -1;

		if (!(ticks >= 0 && ticks <= TICKS_MAX && floor(ticks) >= ticks))
			return kb_import_refuse(reader, "raw value %zu of '%s' is not a whole number below 2^64", i + 1,
						writer->process.row);
		kb_record_obs(&writer->record, &(struct kb_obs){
			.role = KB_ROLE_OP, .n = 1, .ticks = ticks < TICKS_MAX ? (uint64_t)ticks : UINT64_MAX, .block = i,
			.flags = ticks > WRAPPED ? KB_FLAG_BACKWARDS : 0 });
	}
	return 0;
}

/* ---- what `kbench export` made: it tells the unit, and of what values are ---------------------------- */

static bool is_ours(const json_t *row)
{
	return json_object_get(row, "Per") != NULL;
}

static struct kb_import_options options_of(const struct kb_import_options *options, const json_t *row)
{
	const char *unit = kb_sel4bench_text(row, "Unit");
	struct kb_import_options own = *options;

	if (!own.clock && strcmp(unit, "ns") == 0) {
		own.clock = "ns";
		own.hz = 1000000000;
	} else if (!own.clock && strcmp(unit, "insn") == 0) {
		own.clock = "icount";
	} else if (!own.clock && strcmp(unit, "cycles") == 0) {
		own.clock = "cycles";
	}
	return own;
}

/* A record has whole ticks; ns are what ticks came to. */
static bool is_whole(const json_t *raw)
{
	const json_t *value;
	size_t i;

	json_array_foreach((json_t *)(uintptr_t)raw, i, value) {
		double ticks = json_number_value(value);

		if (floor(ticks) < ticks)
			return false;
	}
	return true;
}

/* ---- rows -------------------------------------------------------------------------------------------- */

/* A row on its way into records. */
struct row {
	const char *name, *per;
	char params[200], metric[64];
	const json_t *raw;
	bool whole;                     /* the raw values can stand in a record */
	double reported[KB_REPORTED];
};

static int put_process(struct kb_import_reader *reader, const struct row *row, bool single)
{
	struct kb_import_run *run = kb_import_run_of(reader->import, "", "", "");
	struct kb_import_writer writer;

	if (!run || kb_import_begin(&writer, reader, run, row->name, row->params, row->per, single ? "single" : "reported"))
		return -ENOMEM;
	kb_record_line(&writer.record, "env", "imported=sel4bench");
	kb_import_report(&writer, row->reported);
	return kb_import_end(&writer, row->whole ? put_raw(reader, &writer, row->raw) : 0);
}

/* Each value is what a process came to, and becomes one again. */
static int put_processes(struct kb_import_reader *reader, const struct row *row)
{
	int result = 0;
	json_t *value;
	size_t i;

	json_array_foreach((json_t *)(uintptr_t)row->raw, i, value) {
		struct row one = *row;

		for (int k = 0; k < KB_REPORTED; k++)
			one.reported[k] = NAN;
		one.reported[KB_REPORTED_MEAN] = json_number_value(value);
		one.reported[KB_REPORTED_SAMPLES] = 1;
		one.whole = false;
		if (result == 0)
			result = put_process(reader, &one, false);
	}
	return result;
}

static int put_row(struct kb_import_reader *reader, const struct row *row, bool processes)
{
	size_t count = json_array_size(row->raw);

	if (!isfinite(row->reported[KB_REPORTED_MEAN]) && count == 0)
		return kb_import_refuse(reader, "an entry of '%s' %s has neither a mean nor raw values", row->name, row->params);
	if (processes && count > 0)
		return put_processes(reader, row);
	return put_process(reader, row, count > 0 && row->whole && (count >= FEW || !isfinite(row->reported[KB_REPORTED_MEAN])));
}

/* What the list of metrics has, once in a block. */
static void name_metric(const json_t *bench, const json_t *json, struct row *row, uint64_t *named)
{
	int metric = is_ours(json) || strstr(row->params, "block=") ? -1 : kb_sel4bench_metric(kb_sel4bench_text(bench, "Benchmark"), json);

	if (metric < 0 || *named >> metric & 1)
		return;
	*named |= UINT64_C(1) << metric;
	snprintf(row->metric, sizeof row->metric, "sel4bench.%s", kb_sel4bench_metrics[metric].key);
	row->name = row->metric;
	row->params[0] = '\0';
}

/* Events of the processor's counters stand among the times of the same operation. */
static bool is_event(const json_t *json)
{
	const char *event = kb_sel4bench_text(json, "Event");

	return event[0] && strcmp(event, "Cycle counter") != 0;
}

static bool is_zero(const json_t *json)
{
	const json_t *mean = json_object_get(json, "Mean");

	return json_is_number(mean) && !(json_number_value(mean) > 0) && json_array_size(json_object_get(json, "Raw results")) == 0;
}

static int take_row(struct kb_import_reader *reader, const json_t *bench, const char *name, const json_t *json, unsigned block,
		    uint64_t *named)
{
	const struct kb_import_options *options = reader->options, own = options_of(options, json);
	struct row row = { .name = name, .per = "operation", .raw = json_object_get(json, "Raw results") };
	int result;

	if (!json_is_object(json))
		return kb_import_refuse(reader, "a result of '%.60s' is no object", name);
	if (is_event(json) || is_zero(json)) {
		*(is_event(json) ? &reader->import->events : &reader->import->zeros) += 1;
		return 0;
	}
	params_of(json, block, row.params);
	name_metric(bench, json, &row, named);
	read_reported(json, row.reported);
	/* What is no whole number is refused, unless it is ours: then its statistics are taken. */
	row.whole = !is_ours(json) || is_whole(row.raw);
	if (kb_is_bench_name(kb_sel4bench_text(json, "Per")))
		row.per = kb_sel4bench_text(json, "Per");
	reader->options = &own;
	result = put_row(reader, &row, strcmp(kb_sel4bench_text(json, "Values"), "process") == 0);
	reader->options = options;
	return result;
}

/* Benchmarks of ours keep their names. */
static int find_name(struct kb_import_reader *reader, char name[64], const char *words, const json_t *rows)
{
	if (!is_ours(json_array_get(rows, 0)) || !kb_is_bench_name(words) || !strchr(words, '.'))
		return kb_sel4bench_name(reader, name, words);
	snprintf(name, 64, "%s", words);
	return 0;
}

/* The how-manieth of its name and iteration in the document. */
static unsigned number_of(const json_t *all, const json_t *bench)
{
	unsigned number = 0;
	json_t *other;
	size_t i;

	json_array_foreach((json_t *)(uintptr_t)all, i, other) {
		number += json_equal(json_object_get(other, "Benchmark"), json_object_get(bench, "Benchmark")) &&
			  json_number_value(json_object_get(other, "Iteration")) >= json_number_value(json_object_get(bench, "Iteration")) &&
			  json_number_value(json_object_get(other, "Iteration")) <= json_number_value(json_object_get(bench, "Iteration"));
		if (other == bench)
			break;
	}
	return number;
}

static int take_bench(struct kb_import_reader *reader, const json_t *all, const json_t *bench)
{
	uint64_t named = 0;
	const char *words = json_string_value(json_object_get(bench, "Benchmark"));
	const json_t *rows = json_object_get(bench, "Results");
	char name[64];
	int result;
	json_t *row;
	size_t i;

	if (!words || !json_is_array(rows))
		return kb_import_refuse(reader, "an element has no 'Benchmark' or no 'Results'");
	result = find_name(reader, name, words, rows);
	json_array_foreach((json_t *)(uintptr_t)rows, i, row) {
		if (result == 0)
			result = take_row(reader, bench, name, row, number_of(all, bench), &named);
	}
	return result;
}

/* One document, which begins at `at`; that gets where it ends. */
static int take_document(struct kb_import_reader *reader, size_t *at)
{
	const char *text = reader->text.at + *at;
	json_error_t error;
	json_t *all = json_loadb(text, reader->text.length - *at, JSON_DISABLE_EOF_CHECK | JSON_DECODE_INT_AS_REAL, &error), *bench;
	int result = 0;
	size_t i;

	reader->number = 1 + kb_import_count_lines(reader->text, *at);
	if (!all) {
		/* Its message may show what it stumbled over; one line is enough. */
		bool cut = json_error_code(&error) == json_error_premature_end_of_input;

		reader->number += (unsigned)(error.line > 0 ? error.line - 1 : 0);
		return kb_import_refuse(reader, cut ? "the JSON is cut off" : "no JSON of sel4bench: %.80s", error.text);
	}
	*at += (size_t)error.position;
	if (!json_is_array(all))
		result = kb_import_refuse(reader, "no array of benchmarks");
	json_array_foreach(all, i, bench) {
		if (result == 0)
			result = take_bench(reader, all, bench);
	}
	json_decref(all);
	return result;
}

/* Where an array begins, from there on; length of the text: nowhere. */
static size_t find_array(struct kb_span text, size_t at)
{
	const char *array = memchr(text.at + at, '[', text.length - at);

	return array ? (size_t)(array - text.at) : text.length;
}

static bool is_sel4bench(struct kb_span text)
{
	return memmem(text.at, text.length, "\"Benchmark\"", 11) != NULL;
}

static int read_documents(struct kb_import_reader *reader)
{
	struct kb_span text = reader->text;
	size_t announced = kb_import_find_line(text, 0, BEGIN);
	/* A file that holds nothing else announces nothing. */
	size_t at = find_array(text, announced < text.length ? announced : 0);
	unsigned documents = 0;
	int result = 0;

	for (; at < text.length && result == 0; documents++) {
		result = take_document(reader, &at);
		at = find_array(text, kb_import_find_line(text, at, BEGIN));
	}
	if (result == 0 && documents == 0)
		return kb_import_refuse_at(reader, 0, "no JSON of sel4bench in it");
	return result;
}

const struct kb_import_kind kb_import_sel4bench = { "sel4bench", true, is_sel4bench, read_documents, false };
