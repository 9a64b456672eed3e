/* Records: one file may hold several, one after the other, as a log of several launches does. */
#include "import/parse.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "result/samples.h"

#define START "kbench-record "

size_t kb_import_record_start(const char *text, size_t length, size_t at)
{
	while (at < length) {
		const char *end;

		if (length - at >= strlen(START) && memcmp(text + at, START, strlen(START)) == 0)
			return at;
		end = memchr(text + at, '\n', length - at);
		if (!end)
			break;
		at = (size_t)(end - text) + 1;
	}
	return length;
}

unsigned kb_import_lines(const char *text, size_t length)
{
	unsigned lines = 0;

	for (size_t i = 0; i < length; i++)
		lines += text[i] == '\n';
	return lines;
}

struct kb_span kb_import_clock(const char *record, size_t length)
{
	struct kb_record_reader reader;
	struct kb_line line;

	kb_record_open(&reader, record, length);
	while (kb_record_next(&reader, &line) != KB_LINE_NONE) {
		if (line.kind == KB_LINE_HEADER && kb_span_is(line.word, "clock"))
			return kb_span_word(&line.rest);
	}
	return (struct kb_span){ "", 0 };
}

/* The intervals of op of one launch, as points. */
static int add_points(struct kb_parse *parse, const struct kb_samples *samples)
{
	struct kb_import_series *series = kb_import_add(parse->import, 0);

	if (!series)
		return -ENOMEM;
	kb_row_name_of(series->label, samples->bench, samples->params);
	for (size_t i = 0; i < samples->op.count; i++) {
		if (kb_import_append(series, true, samples->op.n[i], samples->op.ticks[i]))
			return -ENOMEM;
		series->block[i] = samples->op.block[i];
	}
	return 0;
}

/* Launches of a row make one number, so one unit: the last one's clock against that of the first. */
static int check_clock(struct kb_parse *parse)
{
	const struct kb_import *import = parse->import;
	size_t last = import->count - 1, first = 0;

	while (strcmp(import->series[first].label, import->series[last].label) != 0)
		first++;

	const struct kb_launch_text *a = &import->launches[first], *b = &import->launches[last];
	struct kb_span before = kb_import_clock(a->record, a->length), now = kb_import_clock(b->record, b->length);

	if (before.length == now.length && memcmp(before.at, now.at, now.length) == 0)
		return 0;
	return kb_parse_wrong(parse, "the clock is %.*s, and that of record %zu of the same row %.*s", KB_SHOWN(now), first + 1,
			      KB_SHOWN(before));
}

/* A reader that was not told the end of a record would take the next one's lines for foreign ones. */
static int check(struct kb_parse *parse, const struct kb_launch_text *launch)
{
	struct kb_record_reader reader;
	struct kb_samples samples;
	struct kb_line line;
	int result;

	kb_record_open(&reader, launch->record, launch->length);
	while (kb_record_next(&reader, &line) != KB_LINE_NONE)
		;
	if (reader.state != KB_RECORD_WHOLE && reader.state != KB_RECORD_FAILED) {
		parse->number += (unsigned)reader.line - 1;
		return kb_parse_wrong(parse, "%s", kb_record_state_words(reader.state));
	}
	result = kb_samples_load(&samples, launch);
	if (result == 0)
		result = add_points(parse, &samples);
	if (result == 0)
		result = check_clock(parse);
	parse->import->unit = kb_tick_unit(samples.clock);
	kb_samples_free(&samples);
	return result;
}

int kb_import_record(struct kb_parse *parse, const char *text, size_t length)
{
	struct kb_import *import = parse->import;
	size_t room = 0, at = kb_import_record_start(text, length, 0), end;
	unsigned number = 1 + kb_import_lines(text, at);
	int result = 0;

	import->kind = KB_IMPORT_RECORD;
	import->unit = "ticks";
	for (; result == 0 && at < length; at = end) {
		end = kb_import_record_start(text, length, at + 1);
		if (import->launch_count == room) {
			room = room ? 2 * room : 8;
			struct kb_launch_text *launches = reallocarray(import->launches, room, sizeof *launches);

			if (!launches)
				return -ENOMEM;
			import->launches = launches;
		}
		struct kb_launch_text *launch = &import->launches[import->launch_count++];

		*launch = (struct kb_launch_text){
			.launch = (unsigned)import->launch_count, .outcome = "", .record = text + at,
					.length = end - at,
		};
		parse->number = number;
		number += kb_import_lines(text + at, end - at);
		result = check(parse, launch);
	}
	return result;
}
