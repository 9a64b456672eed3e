/*
 * The JSON that sel4bench prints: an array of benchmarks, each with rows of results. Where a row has its raw values, they are
 * what is measured here (overhead subtracted, an operation each); else its statistics are all there is. Zeros of rows that
 * were processed while they were measured are no values, nor are its words "nan" and "inf".
 */
#define _GNU_SOURCE
#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "import/inside.h"

#define BEGIN "JSON OUTPUT"
#define FEW 30          /* raw values: fewer give no median with an interval, and the statistics stand in */
#define TICKS_MAX 18446744073709551616.0        /* what 2^64 - 1 is as a double */
#define WRAPPED 9.2e18          /* half of 2^64: an overhead that was larger than the value it was taken from */

static const char *const statistics[] = {
	"Min", "Max", "Mean", "Stddev", "Variance", "Mode", "Median", "1st quantile", "3rd quantile", "Samples", "Raw results",
};

static double number(const json_t *row, const char *key)
{
	const json_t *value = json_object_get(row, key);

	return json_is_number(value) ? json_number_value(value) : NAN;
}

static bool is_statistic(const char *key)
{
	for (size_t i = 0; i < sizeof statistics / sizeof statistics[0]; i++) {
		if (strcmp(key, statistics[i]) == 0)
			return true;
	}
	return false;
}

static struct kb_log_reported reported_of(const json_t *row)
{
	struct kb_log_reported r = {
		.min = number(row, "Min"), .q1 = number(row, "1st quantile"), .median = number(row, "Median"),
		.mean = number(row, "Mean"), .q3 = number(row, "3rd quantile"), .max = number(row, "Max"),
		.sd = number(row, "Stddev"), .samples = number(row, "Samples"),
	};

	/* Nothing that takes time has a largest value of 0. */
	if (!(r.max > 0))
		r.min = r.q1 = r.median = r.q3 = r.max = NAN;
	return r;
}

/* ---- names ----------------------------------------------------------------------------------------- */

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
	kb_log_slug(name, sizeof name, key);
	kb_log_slug(words, sizeof words, text);
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
		if (!is_statistic(key))
			add_param(params, 200, key, value);
	}
	if (json_object_get(bench, "Iteration"))
		add_param(params, 200, "iteration", json_object_get(bench, "Iteration"));
}

/* ---- rows ------------------------------------------------------------------------------------------ */

static int put_raw(struct kb_log_reader *reader, struct kb_log_writer *writer, const json_t *raw)
{
	json_t *value;
	size_t i;

	json_array_foreach((json_t *)(uintptr_t)raw, i, value) {
		double ticks = json_is_number(value) ? json_number_value(value) : -1;

		if (!(ticks >= 0 && ticks <= TICKS_MAX && floor(ticks) >= ticks))
			return kb_parse_wrong(&reader->parse, "raw value %zu of '%s' is not a whole number below 2^64", i + 1,
					      writer->launch.row);
		kb_record_obs(&writer->record, &(struct kb_obs){
			.role = KB_ROLE_OP, .n = 1, .ticks = ticks < TICKS_MAX ? (uint64_t)ticks : UINT64_MAX, .block = i,
			.flags = ticks > WRAPPED ? KB_FLAG_BACKWARDS : 0 });
	}
	return 0;
}

static int take_row(struct kb_log_reader *reader, const json_t *bench, const char *name, const json_t *row)
{
	struct kb_log_reported reported = reported_of(row);
	const json_t *raw = json_object_get(row, "Raw results");
	struct kb_log_run *run = kb_log_run(reader->log, "", "");
	struct kb_log_writer writer;
	bool values = json_is_array(raw) && json_array_size(raw) > 0;
	bool single = values && (json_array_size(raw) >= FEW || !isfinite(reported.mean));
	char params[200];

	params_of(bench, row, params);
	if (!values && !isfinite(reported.mean))
		return kb_parse_wrong(&reader->parse, "a row of '%s' %s has neither a mean nor raw values", name, params);
	if (!run || kb_log_begin(&writer, reader, run, name, params, "operation", single ? "single" : "reported"))
		return -ENOMEM;
	kb_record_line(&writer.record, "env", "imported=sel4bench");
	kb_log_report(&writer, &reported);

	int result = values ? put_raw(reader, &writer, raw) : 0;

	if (result == 0)
		return kb_log_end(&writer, NULL);
	fclose(writer.memory);
	free(writer.text);
	return result;
}

static int take_bench(struct kb_log_reader *reader, const json_t *bench)
{
	const char *words = json_string_value(json_object_get(bench, "Benchmark"));
	const json_t *rows = json_object_get(bench, "Results");
	char name[64];
	int result = 0;
	json_t *row;
	size_t i;

	if (!words || !json_is_array(rows))
		return kb_parse_wrong(&reader->parse, "an element has no 'Benchmark' or no 'Results'");
	if (kb_log_bench_name(reader, name, words))
		return -EINVAL;
	json_array_foreach((json_t *)(uintptr_t)rows, i, row) {
		result = json_is_object(row) ? take_row(reader, bench, name, row) :
					       kb_parse_wrong(&reader->parse, "a result of '%.60s' is no object", name);
		if (result)
			break;
	}
	return result;
}

/* ---- the whole ------------------------------------------------------------------------------------- */

/* Its message may show what it stumbled over; one line is enough. */
static int malformed(struct kb_log_reader *reader, const json_error_t *error)
{
	bool cut = json_error_code(error) == json_error_premature_end_of_input;

	reader->parse.number += (unsigned)(error->line > 0 ? error->line - 1 : 0);
	return kb_parse_wrong(&reader->parse, cut ? "the JSON is cut off" : "no JSON of sel4bench: %.80s", error->text);
}

/* One document; `used` gets how much of the text it was. */
static int take_document(struct kb_log_reader *reader, const char *text, size_t length, size_t *used)
{
	json_error_t error;
	json_t *all = json_loadb(text, length, JSON_DISABLE_EOF_CHECK | JSON_DECODE_INT_AS_REAL, &error), *bench;
	int result = 0;
	size_t i;

	if (!all)
		return malformed(reader, &error);
	*used = (size_t)error.position;
	if (!json_is_array(all))
		result = kb_parse_wrong(&reader->parse, "no array of benchmarks");
	json_array_foreach(all, i, bench) {
		if (result == 0)
			result = take_bench(reader, bench);
	}
	json_decref(all);
	return result;
}

/* Behind the next line that announces a document; NULL: there is none. */
static const char *announced(const char *at, const char *end)
{
	const char *line = memmem(at, (size_t)(end - at), "\n" BEGIN, sizeof BEGIN);

	return line ? line + sizeof BEGIN : NULL;
}

static const char *next_document(const char *at, const char *end)
{
	return at ? memchr(at, '[', (size_t)(end - at)) : NULL;
}

int kb_log_sel4bench(struct kb_log_reader *reader)
{
	const char *text = reader->text, *end = text + reader->length, *at = announced(text, end);
	bool first = reader->length >= sizeof BEGIN && memcmp(text, BEGIN "\n", sizeof BEGIN) == 0;
	unsigned documents = 0;
	int result = 0;

	/* A file that holds nothing else announces nothing. */
	for (at = next_document(at && !first ? at : text, end); at && result == 0; documents++) {
		size_t used = 0;

		reader->parse.number = 1 + kb_import_lines(text, (size_t)(at - text));
		result = take_document(reader, at, (size_t)(end - at), &used);
		at = next_document(announced(at + used, end), end);
	}
	if (result == 0 && documents == 0)
		return kb_parse_wrong_file(&reader->parse, "no JSON of sel4bench in it");
	return result;
}
