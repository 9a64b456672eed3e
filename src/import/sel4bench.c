/*
 * What sel4bench prints and what its project keeps. The JSON that it prints is an array of benchmarks, each with rows of results. Where a
 * row has its raw values, they are what is measured here (overhead subtracted, an operation each); else its statistics are all there is.
 * Zeros of rows that were processed while they were measured are no values, nor are its words "nan" and "inf".
 * The history that the project keeps is lines of JSON, one for each run, with eight statistics a metric. Runs of the same revisions are
 * processes of one run here: how much they differ is what the statistics of one alone cannot tell.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "import/reader.h"

#define BEGIN "JSON OUTPUT"
#define FEW 30          /* raw values: fewer give no median with an interval, and the statistics stand in */
#define TICKS_MAX 18446744073709551616.0        /* what 2^64 - 1 is as a double */
#define WRAPPED 9.2e18          /* half of 2^64: an overhead that was larger than the value it was taken from */

/* "sel4bench.SLUG" of what sel4bench calls it. -EINVAL: nothing is left of that. */
static int name_bench(struct kb_import_reader *reader, char name[64], const char *words)
{
	char slug[48];

	snprintf(name, 64, "sel4bench.%s", kb_import_slug(slug, sizeof slug, words));
	return kb_is_bench_name(name) ? 0 : kb_import_refuse_name(reader, words);
}

/* ---- what it prints --------------------------------------------------------------------------------- */

/* In the order of enum kb_reported_statistic. */
static const char *const statistic_keys[KB_REPORTED] = {
	"Mean", "Stddev", "Samples", "Min", "1st quantile", "Median", "3rd quantile", "Max",
};

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

static void add_param(char *params, size_t room, const char *key, const json_t *value)
{
	char name[64], words[64], text[64] = "";
	size_t used = strlen(params);

	if (json_is_string(value))
		snprintf(text, sizeof text, "%s", json_string_value(value));
	else if (json_is_number(value))
		snprintf(text, sizeof text, "%.15g", json_number_value(value));
	else if (json_is_boolean(value))
		snprintf(text, sizeof text, "%s", json_is_true(value) ? "yes" : "no");
	kb_import_slug(name, sizeof name, key);
	kb_import_slug(words, sizeof words, text);
	if (name[0] && words[0])
		snprintf(params + used, room - used, "%s%s=%s", used ? " " : "", name, words);
}

/* Every column that is no statistic tells rows of one benchmark apart. */
static void params_of(const json_t *bench, const json_t *row, char params[200])
{
	const char *key;
	json_t *value;

	params[0] = '\0';
	json_object_foreach((json_t *)(uintptr_t)row, key, value) {
		bool statistic = strcmp(key, "Variance") == 0 || strcmp(key, "Mode") == 0 || strcmp(key, "Raw results") == 0;

		for (int i = 0; i < KB_REPORTED; i++)
			statistic |= strcmp(key, statistic_keys[i]) == 0;
		if (!statistic)
			add_param(params, 200, key, value);
	}
	if (json_object_get(bench, "Iteration"))
		add_param(params, 200, "iteration", json_object_get(bench, "Iteration"));
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

static int take_row(struct kb_import_reader *reader, const json_t *bench, const char *name, const json_t *row)
{
	const json_t *raw = json_object_get(row, "Raw results");
	struct kb_import_run *run = kb_import_run_of(reader->import, "", "");
	struct kb_import_writer writer;
	double reported[KB_REPORTED];
	char params[200];
	bool single;

	if (!json_is_object(row))
		return kb_import_refuse(reader, "a result of '%.60s' is no object", name);
	params_of(bench, row, params);
	read_reported(row, reported);
	single = json_array_size(raw) > 0 && (json_array_size(raw) >= FEW || !isfinite(reported[KB_REPORTED_MEAN]));
	if (!single && !isfinite(reported[KB_REPORTED_MEAN]))
		return kb_import_refuse(reader, "an entry of '%s' %s has neither a mean nor raw values", name, params);
	if (!run || kb_import_begin(&writer, reader, run, name, params, "operation", single ? "single" : "reported"))
		return -ENOMEM;
	kb_record_line(&writer.record, "env", "imported=sel4bench");
	kb_import_report(&writer, reported);
	return kb_import_end(&writer, put_raw(reader, &writer, raw));
}

static int take_bench(struct kb_import_reader *reader, const json_t *bench)
{
	const char *words = json_string_value(json_object_get(bench, "Benchmark"));
	const json_t *rows = json_object_get(bench, "Results");
	char name[64];
	int result;
	json_t *row;
	size_t i;

	if (!words || !json_is_array(rows))
		return kb_import_refuse(reader, "an element has no 'Benchmark' or no 'Results'");
	result = name_bench(reader, name, words);
	json_array_foreach((json_t *)(uintptr_t)rows, i, row) {
		if (result == 0)
			result = take_row(reader, bench, name, row);
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
			result = take_bench(reader, bench);
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

/* ---- what its project keeps -------------------------------------------------------------------------- */

static const char *text_of(const json_t *object, const char *key)
{
	const char *text = json_string_value(json_object_get(object, key));

	return text ? text : "";
}

/* A plain word for an `env` line; whatever else stands there is no name of a revision. */
static void put_fact(struct kb_import_writer *writer, const json_t *line, const char *key, const char *name)
{
	char slug[65], text[96];

	if (!kb_import_slug(slug, sizeof slug, text_of(line, key))[0])
		return;
	snprintf(text, sizeof text, "%s=%s", name, slug);
	kb_record_line(&writer->record, "env", text);
}

/* 0 stands for what is not there. */
static bool read_values(const json_t *array, double values[KB_REPORTED])
{
	static const enum kb_reported_statistic order[KB_REPORTED] = {
		KB_REPORTED_MIN, KB_REPORTED_Q1, KB_REPORTED_MEDIAN, KB_REPORTED_MEAN, KB_REPORTED_Q3, KB_REPORTED_MAX, KB_REPORTED_SD,
		KB_REPORTED_SAMPLES,
	};

	for (size_t i = 0; i < KB_REPORTED; i++) {
		double value = json_number_value(json_array_get(array, i));

		if (!json_is_number(json_array_get(array, i)))
			return false;
		/* A standard deviation may well be 0. */
		values[order[i]] = value > 0 || order[i] == KB_REPORTED_SD ? value : NAN;
	}
	return json_array_size(array) == KB_REPORTED && isfinite(values[KB_REPORTED_MEAN]);
}

static int take_metric(struct kb_import_reader *reader, struct kb_import_run *run, const json_t *line, const char *key,
		       const json_t *array, size_t row)
{
	char name[64], params[32] = "";
	struct kb_import_writer writer;
	double reported[KB_REPORTED];

	if (!read_values(array, reported))
		return kb_import_refuse(reader, "'%.40s' does not have min, q1, median, mean, q3, max, stddev, n", key);
	if (name_bench(reader, name, key))
		return -EINVAL;
	if (row > 0)
		snprintf(params, sizeof params, "row=%zu", row + 1);
	if (kb_import_begin(&writer, reader, run, name, params, "operation", "reported"))
		return -ENOMEM;
	kb_record_line(&writer.record, "env", "imported=sel4bench-results");
	put_fact(&writer, line, "sha_kernel", "kernel");
	put_fact(&writer, line, "sha_bench", "sel4bench");
	put_fact(&writer, line, "sha", "manifest");
	kb_import_report(&writer, reported);
	return kb_import_end(&writer, 0);
}

/* "2026-06-12T05:57:25Z" */
static bool is_time(const char *text)
{
	static const char form[] = "0000-00-00T00:00:00Z";
	size_t i = 0;

	for (; form[i] && text[i]; i++) {
		if (form[i] == '0' ? text[i] < '0' || text[i] > '9' : text[i] != form[i])
			return false;
	}
	return form[i] == text[i];
}

static int take_line(struct kb_import_reader *reader, json_t *line)
{
	const char *started = text_of(line, "ts"), *sha = text_of(line, "sha"), *key;
	struct kb_import_run *run;
	json_t *value;
	int result = 0;

	if (!json_is_object(line) || !is_time(started))
		return kb_import_refuse(reader, "no run of sel4bench: it has no time 'ts'");
	run = kb_import_run_of(reader->import, sha[0] ? sha : started, started);
	if (!run)
		return -ENOMEM;
	json_object_foreach(line, key, value) {
		/* A metric is an array of eight numbers, or of several such arrays. */
		bool several = json_is_array(json_array_get(value, 0));
		size_t count = several ? json_array_size(value) : json_array_size(value) > 0;

		for (size_t i = 0; i < count && result == 0; i++)
			result = take_metric(reader, run, line, key, several ? json_array_get(value, i) : value, i);
	}
	return result;
}

static bool is_results(struct kb_span text)
{
	return memmem(text.at, text.length, "\"run_id\"", 8) || memmem(text.at, text.length, "\"sha_kernel\"", 12);
}

static int read_results(struct kb_import_reader *reader)
{
	int result = 0;

	while (result == 0 && kb_import_next_line(reader)) {
		json_error_t error;
		json_t *line = json_loadb(reader->line.at, reader->line.length, JSON_DECODE_INT_AS_REAL, &error);

		result = line ? take_line(reader, line) : kb_import_refuse(reader, "no JSON: %.80s", error.text);
		json_decref(line);
	}
	if (result == 0 && reader->import->run_count == 0)
		return kb_import_refuse_at(reader, 0, "no line of results in it");
	return result;
}

const struct kb_import_kind kb_import_sel4bench_results = { "sel4bench-results", true, is_results, read_results, false };
