/* See log.h: which kind of log it is, and the records that are made of it. */
#define _GNU_SOURCE
#include "import/log.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/crc32.h"
#include "import/inside.h"

const char *const kb_log_names[KB_LOG_KINDS] = {
	[KB_LOG_AUTO] = "auto",
	[KB_LOG_KANATA] = "kanata",
	[KB_LOG_RECORD] = "record",
	[KB_LOG_SEL4BENCH] = "sel4bench",
	[KB_LOG_RESULTS] = "sel4bench-results",
};

/* ---- launches -------------------------------------------------------------------------------------- */

struct kb_log_run *kb_log_run(struct kb_log *log, const char *id, const char *started)
{
	for (size_t i = 0; i < log->count; i++) {
		if (strcmp(log->runs[i].id, id) == 0)
			return &log->runs[i];
	}
	if (log->count == log->room) {
		size_t room = log->room ? 2 * log->room : 16;
		struct kb_log_run *runs = reallocarray(log->runs, room, sizeof *runs);

		if (!runs)
			return NULL;
		log->runs = runs;
		log->room = room;
	}

	struct kb_log_run *run = &log->runs[log->count++];

	*run = (struct kb_log_run){ 0 };
	snprintf(run->id, sizeof run->id, "%s", id);
	snprintf(run->started, sizeof run->started, "%s", started);
	return run;
}

int kb_log_add(struct kb_log_run *run, const struct kb_log_launch *launch)
{
	if (run->count == run->room) {
		size_t room = run->room ? 2 * run->room : 16;
		struct kb_log_launch *launches = reallocarray(run->launches, room, sizeof *launches);

		if (!launches)
			return -ENOMEM;
		run->launches = launches;
		run->room = room;
	}
	run->launches[run->count++] = *launch;
	return 0;
}

static unsigned launches_of(const struct kb_log_run *run, const char *row)
{
	unsigned count = 0;

	for (size_t i = 0; i < run->count; i++)
		count += strcmp(run->launches[i].row, row) == 0;
	return count;
}

/* ---- records --------------------------------------------------------------------------------------- */

static int put(void *context, const char *bytes, size_t count)
{
	return fwrite(bytes, 1, count, context) == count ? 0 : -ENOMEM;
}

static void put_params(struct kb_record_writer *record, const char *params)
{
	struct kb_span rest = { params, strlen(params) };

	for (struct kb_span word = kb_span_word(&rest); word.length > 0; word = kb_span_word(&rest)) {
		char text[256];

		snprintf(text, sizeof text, "%.*s", (int)word.length, word.at);
		kb_record_line(record, "param", text);
	}
}

int kb_log_begin(struct kb_log_writer *writer, struct kb_log_reader *reader, struct kb_log_run *run, const char *bench,
		 const char *params, const char *per, const char *method)
{
	const struct kb_log_wishes *wishes = reader->wishes;
	char all[256], text[96];

	*writer = (struct kb_log_writer){ .run = run, .launch.line = reader->parse.number };
	writer->memory = open_memstream(&writer->text, &writer->length);
	if (!writer->memory)
		return -ENOMEM;
	snprintf(all, sizeof all, "%s%s%s", params, params[0] && wishes->params[0] ? " " : "", wishes->params);
	kb_row_name_of(writer->launch.row, bench, all);
	kb_record_begin(&writer->record, (struct kb_sink){ put, writer->memory });
	kb_record_line(&writer->record, "bench", bench);
	kb_record_line(&writer->record, "per", per);
	kb_record_line(&writer->record, "bound", "kernel");
	snprintf(text, sizeof text, "%s seed=0 process=%u", method, launches_of(run, writer->launch.row) + 1);
	if (strcmp(method, "kanata") == 0)
		snprintf(text + strlen(text), sizeof text - strlen(text), " confidence=%.6g", wishes->confidence);
	kb_record_line(&writer->record, "method", text);
	put_params(&writer->record, all);
	snprintf(text, sizeof text, "%s hz=%llu quantum=1 cost=0 ordered=0", wishes->clock ? wishes->clock : "unknown",
		 (unsigned long long)wishes->hz);
	kb_record_line(&writer->record, "clock", text);
	return 0;
}

int kb_log_end(struct kb_log_writer *writer, const char *trouble)
{
	int result = 0;

	if (trouble)
		snprintf(writer->launch.trouble, sizeof writer->launch.trouble, "%s", trouble);
	else
		kb_record_end(&writer->record);
	if (fclose(writer->memory) || writer->record.error)
		result = -ENOMEM;
	writer->launch.record = writer->text;
	writer->launch.length = writer->length;
	result = result ? result : kb_log_add(writer->run, &writer->launch);
	if (result)
		free(writer->text);
	return result;
}

static void field(char *text, size_t room, const char *name, double value)
{
	size_t used = strlen(text);

	if (isfinite(value))
		snprintf(text + used, room - used, " reported_%s=%.15g", name, value);
}

void kb_log_report(struct kb_log_writer *writer, const struct kb_log_reported *r)
{
	char text[320] = "";

	field(text, sizeof text, "mean", r->mean);
	field(text, sizeof text, "sd", r->sd);
	field(text, sizeof text, "samples", r->samples);
	field(text, sizeof text, "min", r->min);
	field(text, sizeof text, "q1", r->q1);
	field(text, sizeof text, "median", r->median);
	field(text, sizeof text, "q3", r->q3);
	field(text, sizeof text, "max", r->max);
	kb_record_line(&writer->record, "env", text + 1);
}

int kb_log_no_name(struct kb_log_reader *reader, const char *name)
{
	return kb_parse_wrong(&reader->parse, "'%.40s' cannot name a benchmark: give it 1 to %d letters, digits, '_', '-' and '.' where it is "
			      "measured", name, KB_BENCH_NAME_MAX);
}

int kb_log_bench_name(struct kb_log_reader *reader, char name[64], const char *words)
{
	char slug[48];

	snprintf(name, 64, "sel4bench.%s", kb_log_slug(slug, sizeof slug, words));
	return kb_is_bench_name(name) ? 0 : kb_log_no_name(reader, words);
}

#define HASH 9          /* bytes of _0123abcd */

static size_t without_end(const char *text, size_t used)
{
	while (used > 0 && text[used - 1] == '_')
		used--;
	return used;
}

const char *kb_log_slug(char *text, size_t room, const char *words)
{
	size_t used = 0;
	bool other = false;
	const char *at;

	for (at = words; *at && used + 1 < room; at++) {
		unsigned char c = (unsigned char)*at;

		other |= c >= 128;
		if (c < 128 && isalnum(c))
			text[used++] = (char)tolower(c);
		else if (used > 0 && text[used - 1] != '_')
			text[used++] = '_';
	}
	if (!*at && !other) {
		text[without_end(text, used)] = '\0';
		return text;
	}
	used = without_end(text, used + 1 + HASH < room ? used : room - 1 - HASH);
	snprintf(text + used, room - used, "%s%08x", used ? "_" : "", kb_crc32(0, words, strlen(words)));
	return text;
}

/* ---- the whole ------------------------------------------------------------------------------------- */

static int (*const readers[KB_LOG_KINDS])(struct kb_log_reader *) = {
	[KB_LOG_KANATA] = kb_log_kanata,
	[KB_LOG_RECORD] = kb_log_records,
	[KB_LOG_SEL4BENCH] = kb_log_sel4bench,
	[KB_LOG_RESULTS] = kb_log_results,
};

static bool has(const struct kb_log_reader *reader, const char *words)
{
	return memmem(reader->text, reader->length, words, strlen(words)) != NULL;
}

/* Records before tables: our own application prints both, and the record knows more. */
static enum kb_log_kind kind_of(const struct kb_log_reader *reader)
{
	if (has(reader, "kbench-record "))
		return KB_LOG_RECORD;
	if (has(reader, "Initial Test size:") || has(reader, "Accumulated latencies"))
		return KB_LOG_KANATA;
	if (has(reader, "\"Benchmark\""))
		return KB_LOG_SEL4BENCH;
	if (has(reader, "\"run_id\"") || has(reader, "\"sha_kernel\""))
		return KB_LOG_RESULTS;
	return KB_LOG_AUTO;
}

int kb_log_read(struct kb_log *log, const struct kb_log_wishes *wishes, const char *name, char *text, size_t length,
		char error[KB_IMPORT_ERROR])
{
	struct kb_log_reader reader = {
		.parse = { .name = name, .error = error }, .log = log, .wishes = wishes, .text = text,
		.length = kb_log_clean(text, length),
	};
	enum kb_log_kind kind = wishes->kind != KB_LOG_AUTO ? wishes->kind : kind_of(&reader);

	error[0] = '\0';
	reader.parse.rest = (struct kb_span){ text, reader.length };
	if (kind == KB_LOG_AUTO)
		return kb_parse_wrong_file(&reader.parse, "no table, no record and no JSON of sel4bench in it");
	if (log->kind != KB_LOG_AUTO && log->kind != kind)
		return kb_parse_wrong_file(&reader.parse, "is %s, and the files before it are %s", kb_log_names[kind],
					   kb_log_names[log->kind]);
	log->kind = kind;
	return readers[kind](&reader);
}

void kb_log_free(struct kb_log *log)
{
	for (size_t i = 0; i < log->count; i++) {
		for (size_t k = 0; k < log->runs[i].count; k++)
			free(log->runs[i].launches[k].record);
		free(log->runs[i].launches);
	}
	free(log->runs);
	*log = (struct kb_log){ 0 };
}
