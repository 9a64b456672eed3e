/*
 * The history that sel4bench's own project keeps: lines of JSON, one for each run of it, with eight statistics a metric.
 * Runs of the same revisions are launches of one run here: how much they differ is what the statistics of one alone cannot
 * tell.
 */
#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "import/inside.h"

enum { MIN, Q1, MEDIAN, MEAN, Q3, MAX, SD, SAMPLES, COUNT };

static const char *text_of(const json_t *object, const char *key)
{
	const char *text = json_string_value(json_object_get(object, key));

	return text ? text : "";
}

/* A plain word for an `env` line; whatever else stands there is no name of a revision. */
static void put_fact(struct kb_log_writer *writer, const json_t *line, const char *key, const char *name)
{
	char slug[65], text[96];

	if (!kb_log_slug(slug, sizeof slug, text_of(line, key))[0])
		return;
	snprintf(text, sizeof text, "%s=%s", name, slug);
	kb_record_line(&writer->record, "env", text);
}

/* 0 stands for what is not there. */
static bool read_values(const json_t *array, double values[COUNT])
{
	for (size_t i = 0; i < COUNT; i++) {
		const json_t *value = json_array_get(array, i);

		if (!json_is_number(value))
			return false;
		values[i] = json_number_value(value);
		/* A standard deviation may well be 0. */
		if (!(values[i] > 0) && i != SD)
			values[i] = NAN;
	}
	return json_array_size(array) == COUNT && isfinite(values[MEAN]);
}

static int take_metric(struct kb_log_reader *reader, struct kb_log_run *run, const json_t *line, const char *key,
		       const json_t *array, size_t row)
{
	char name[64], params[32] = "";
	struct kb_log_writer writer;
	double v[COUNT];

	if (!read_values(array, v))
		return kb_parse_wrong(&reader->parse, "'%.40s' does not have min, q1, median, mean, q3, max, stddev, n", key);
	if (kb_log_bench_name(reader, name, key))
		return -EINVAL;
	if (row > 0)
		snprintf(params, sizeof params, "row=%zu", row + 1);
	if (kb_log_begin(&writer, reader, run, name, params, "operation", "reported"))
		return -ENOMEM;
	kb_record_line(&writer.record, "env", "imported=sel4bench-results");
	put_fact(&writer, line, "sha_kernel", "kernel");
	put_fact(&writer, line, "sha_bench", "sel4bench");
	put_fact(&writer, line, "sha", "manifest");
	kb_log_report(&writer, &(struct kb_log_reported){ v[MIN], v[Q1], v[MEDIAN], v[MEAN], v[Q3], v[MAX], v[SD], v[SAMPLES] });
	return kb_log_end(&writer, NULL);
}

/* A metric is an array of eight numbers, or of several such arrays. */
static int take_member(struct kb_log_reader *reader, struct kb_log_run *run, const json_t *line, const char *key,
		       const json_t *value)
{
	int result = 0;

	if (!json_is_array(value) || json_array_size(value) == 0)
		return 0;
	if (!json_is_array(json_array_get(value, 0)))
		return take_metric(reader, run, line, key, value, 0);
	for (size_t i = 0; i < json_array_size(value) && result == 0; i++)
		result = take_metric(reader, run, line, key, json_array_get(value, i), i);
	return result;
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

static int take_line(struct kb_log_reader *reader, const json_t *line)
{
	const char *started = text_of(line, "ts"), *sha = text_of(line, "sha"), *key;
	struct kb_log_run *run;
	json_t *value;
	int result = 0;

	if (!json_is_object(line) || !is_time(started))
		return kb_parse_wrong(&reader->parse, "no run of sel4bench: it has no time 'ts'");
	run = kb_log_run(reader->log, sha[0] ? sha : started, started);
	if (!run)
		return -ENOMEM;
	json_object_foreach((json_t *)(uintptr_t)line, key, value) {
		if (result == 0)
			result = take_member(reader, run, line, key, value);
	}
	return result;
}

int kb_log_results(struct kb_log_reader *reader)
{
	int result = 0;

	while (result == 0 && kb_parse_line(&reader->parse)) {
		json_error_t error;
		json_t *line = json_loadb(reader->parse.line.at, reader->parse.line.length, JSON_DECODE_INT_AS_REAL, &error);

		result = line ? take_line(reader, line) : kb_parse_wrong(&reader->parse, "no JSON: %.80s", error.text);
		json_decref(line);
	}
	if (result == 0 && reader->log->count == 0)
		return kb_parse_wrong_file(&reader->parse, "no line of results in it");
	return result;
}
