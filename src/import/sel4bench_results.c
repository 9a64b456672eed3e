/*
 * The history that sel4bench's project keeps: lines of JSON, one for each run, with eight statistics a metric. Runs of the same revisions are
 * processes of one run here: how much they differ is what the statistics of one alone cannot tell. A file is of one machine.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "import/reader.h"
#include "import/sel4bench_names.h"

/* A plain word for an `env` line; whatever else stands there is no name of a revision. */
static void put_fact(struct kb_import_writer *writer, const json_t *line, const char *key, const char *name)
{
	char slug[65], text[96];

	if (!kb_import_slug(slug, sizeof slug, kb_sel4bench_text(line, key))[0])
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
	return json_array_size(array) == KB_REPORTED;
}

static int take_metric(struct kb_import_reader *reader, struct kb_import_run *run, const json_t *line, const char *key,
		       const json_t *array, size_t row)
{
	char name[64], params[32] = "";
	struct kb_import_writer writer;
	double reported[KB_REPORTED];

	if (!read_values(array, reported))
		return kb_import_refuse(reader, "'%.40s' does not have min, q1, median, mean, q3, max, stddev, n", key);
	if (!isfinite(reported[KB_REPORTED_MEAN])) {
		reader->import->zeros++;
		return 0;
	}
	if (kb_sel4bench_name(reader, name, key))
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

/* "hifive/HIFIVE_MCS_64.jsonl" is HIFIVE_MCS_64. */
static void name_machine(const char *file, char machine[64])
{
	const char *slash = strrchr(file, '/'), *name = slash ? slash + 1 : file;

	snprintf(machine, 64, "%.*s", strcmp(name, "-") != 0 ? (int)strcspn(name, ".") : 0, name);
}

static int take_line(struct kb_import_reader *reader, json_t *line)
{
	const char *started = kb_sel4bench_text(line, "ts"), *sha = kb_sel4bench_text(line, "sha"), *key;
	struct kb_import_run *run;
	char id[65], machine[64];
	json_t *value;
	int result = 0;

	if (!json_is_object(line) || !is_time(started))
		return kb_import_refuse(reader, "no run of sel4bench: it has no time 'ts'");
	name_machine(reader->name, machine);
	/* Revisions of the manifest, of the kernel and of the suite: each may change without the others. */
	snprintf(id, sizeof id, "%.20s %.20s %.20s", sha[0] ? sha : started, kb_sel4bench_text(line, "sha_kernel"), kb_sel4bench_text(line, "sha_bench"));
	run = kb_import_run_of(reader->import, machine, id, started);
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
