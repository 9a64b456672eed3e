/* See reader.h. */
#define _GNU_SOURCE
#include "import/reader.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/crc32.h"
#include "grown.h"
#include "result/samples.h"

/* ---- lines ------------------------------------------------------------------------------------------ */

struct kb_span kb_import_trimmed(struct kb_span s)
{
	while (s.length > 0 && strchr(" \t\r", s.at[0])) {
		s.at++;
		s.length--;
	}
	while (s.length > 0 && strchr(" \t\r", s.at[s.length - 1]))
		s.length--;
	return s;
}

bool kb_import_next_line(struct kb_import_reader *reader)
{
	struct kb_span *rest = &reader->rest, seen;

	while (rest->length > 0) {
		const char *end = memchr(rest->at, '\n', rest->length);
		size_t length = end ? (size_t)(end - rest->at) : rest->length;

		reader->line = (struct kb_span){ rest->at, length };
		rest->at += length + (end != NULL);
		rest->length -= length + (end != NULL);
		reader->number++;
		/* Blanks stay in the line: a table may begin with an empty cell. */
		seen = kb_import_trimmed(reader->line);
		if (seen.length > 0 && seen.at[0] != '#')
			return true;
	}
	return false;
}

size_t kb_import_find_line(struct kb_span text, size_t at, const char *start)
{
	const char *end = text.at + text.length, *found = text.at + at;

	while (found && (found = memmem(found, (size_t)(end - found), start, strlen(start))) != NULL) {
		if (found == text.at || found[-1] == '\n' || found[-1] == '\r')
			return (size_t)(found - text.at);
		found++;
	}
	return text.length;
}

unsigned kb_import_count_lines(struct kb_span text, size_t end)
{
	unsigned lines = 0;

	for (size_t i = 0; i < end; i++)
		lines += text.at[i] == '\n';
	return lines;
}

int kb_import_refuse_at(struct kb_import_reader *reader, unsigned line, const char *format, ...)
{
	char place[24] = "";
	va_list arguments;
	int used;

	if (line > 0)
		snprintf(place, sizeof place, "%u:", line);
	used = snprintf(reader->error, KB_IMPORT_ERROR, "%.200s:%s ", reader->name, place);
	va_start(arguments, format);
	vsnprintf(reader->error + used, (size_t)(KB_IMPORT_ERROR - used), format, arguments);
	va_end(arguments);
	kb_make_visible(reader->error, '?');
	return -EINVAL;
}

/* ---- what is made of them --------------------------------------------------------------------------- */

struct kb_import_series *kb_import_add_series(struct kb_import *import, double n)
{
	if (!KB_GROW(import->series, import->count))
		return NULL;
	import->series[import->count] = (struct kb_import_series){ .n = n };
	return &import->series[import->count++];
}

struct kb_import_run *kb_import_run_of(struct kb_import *import, const char *machine, const char *id, const char *started)
{
	struct kb_import_run *run;

	for (size_t i = 0; i < import->run_count; i++) {
		if (strcmp(import->runs[i].id, id) == 0 && strcmp(import->runs[i].machine, machine) == 0)
			return &import->runs[i];
	}
	if (!KB_GROW(import->runs, import->run_count))
		return NULL;
	run = &import->runs[import->run_count++];
	*run = (struct kb_import_run){ .count = 0 };
	snprintf(run->machine, sizeof run->machine, "%s", machine);
	snprintf(run->id, sizeof run->id, "%s", id);
	snprintf(run->started, sizeof run->started, "%s", started);
	return run;
}

int kb_import_add_process(struct kb_import_run *run, const struct kb_import_process *process, int result)
{
	if (result == 0 && !KB_GROW(run->processes, run->count))
		result = -ENOMEM;
	if (result) {
		free(process->record);
		return result;
	}
	run->processes[run->count++] = *process;
	return 0;
}

/* ---- records ---------------------------------------------------------------------------------------- */

static int put(void *context, const char *bytes, size_t count)
{
	return fwrite(bytes, 1, count, context) == count ? 0 : -ENOMEM;
}

int kb_import_begin(struct kb_import_writer *writer, struct kb_import_reader *reader, struct kb_import_run *run, const char *bench,
		    const char *params, const char *per, const char *method)
{
	const struct kb_import_options *options = reader->options;
	const char *more = options->params ? options->params : "", *clock = options->clock ? options->clock : "unknown";
	bool tool = reader->import->kind->tool;
	char all[256], text[256];
	struct kb_span rest, word;
	unsigned number = 1;

	*writer = (struct kb_import_writer){ .run = run, .process.line = reader->number };
	writer->memory = open_memstream(&writer->process.record, &writer->process.length);
	if (!writer->memory)
		return -ENOMEM;
	snprintf(all, sizeof all, "%s%s%s", params, params[0] && more[0] ? " " : "", more);
	kb_row_name_of(writer->process.row, bench, all);
	snprintf(writer->process.clock, sizeof writer->process.clock, "%s", tool ? "ns" : clock);
	kb_record_begin(&writer->record, (struct kb_sink){ put, writer->memory });
	kb_record_line(&writer->record, "bench", bench);
	kb_record_line(&writer->record, "per", per);
	kb_record_line(&writer->record, "bound", "kernel");
	for (size_t i = 0; i < run->count; i++)
		number += strcmp(run->processes[i].row, writer->process.row) == 0;
	snprintf(text, sizeof text, "%s seed=0 process=%u", method, number);
	if (strcmp(method, "kanata") == 0)
		snprintf(text + strlen(text), sizeof text - strlen(text), " confidence=%.6g", options->confidence);
	kb_record_line(&writer->record, "method", text);
	rest = (struct kb_span){ all, strlen(all) };
	while ((word = kb_span_word(&rest)).length > 0) {
		snprintf(text, sizeof text, "%.*s", (int)word.length, word.at);
		kb_record_line(&writer->record, "param", text);
	}
	snprintf(text, sizeof text, "%s hz=%llu quantum=1 cost=0 ordered=0", writer->process.clock, tool ? 1000000000ull : (unsigned long long)options->hz);
	kb_record_line(&writer->record, "clock", text);
	return 0;
}

int kb_import_end(struct kb_import_writer *writer, int result)
{
	if (!writer->process.cut[0] && !writer->failed)
		kb_record_end(&writer->record);
	if (fclose(writer->memory) || writer->record.error)
		result = result ? result : -ENOMEM;
	return kb_import_add_process(writer->run, &writer->process, result);
}

void kb_import_report(struct kb_import_writer *writer, const double statistics[KB_REPORTED])
{
	static const char *const names[KB_REPORTED] = { "mean", "sd", "samples", "min", "q1", "median", "q3", "max" };
	char text[320] = "";
	size_t used = 0;

	for (int i = 0; i < KB_REPORTED; i++) {
		if (isfinite(statistics[i]))
			used += (size_t)snprintf(text + used, sizeof text - used, "%sreported_%s=%.15g", used ? " " : "", names[i],
						 statistics[i]);
	}
	kb_record_line(&writer->record, "env", text);
}

/* ---- names ------------------------------------------------------------------------------------------ */

int kb_import_refuse_name(struct kb_import_reader *reader, const char *name)
{
	return kb_import_refuse(reader, "'%.40s' cannot name a benchmark: give it 1 to %d letters, digits, '_', '-' and '.' where it is "
				"measured", name, KB_BENCH_NAME_MAX);
}

#define HASH 9          /* bytes of _0123abcd */

const char *kb_import_slug(char *text, size_t room, const char *words)
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

	bool hashed = *at || other;

	if (hashed && used + 1 + HASH >= room)
		used = room - 1 - HASH;
	while (used > 0 && text[used - 1] == '_')
		used--;
	text[used] = '\0';
	if (hashed)
		snprintf(text + used, room - used, "%s%08x", used ? "_" : "", kb_crc32(0, words, strlen(words)));
	return text;
}

/* ---- what terminals and serial lines put into text: a wrong guess costs a process, never a digit, for records have a CRC --------- */

#define ESCAPE 0x1b
#define BELL 0x07

/* A control sequence ends with its first letter or sign; a title with BEL or ESC \. No one goes over the end of its line. */
static size_t sequence_length(const char *at, size_t left)
{
	size_t i = 2;

	if (left < 2 || at[1] == '\n')
		return 1;
	/* A character set is one byte more. */
	if (at[1] != '[' && at[1] != ']')
		return (at[1] == '(' || at[1] == ')') && left > 2 && at[2] != '\n' ? 3 : 2;
	while (i < left && at[i] != '\n' && (at[1] == '[' ? at[i] < 0x40 || at[i] > 0x7e : at[i] != BELL && at[i] != ESCAPE))
		i++;
	if (at[1] == ']' && i + 1 < left && at[i] == ESCAPE && at[i + 1] == '\\')
		i++;
	return i < left && at[i] != '\n' ? i + 1 : i;
}

size_t kb_import_clean(char *text, size_t length)
{
	size_t used = 0, line = 0;

	for (size_t i = 0; i < length;) {
		if (text[i] == ESCAPE) {
			i += sequence_length(text + i, length - i);
			continue;
		}
		if (text[i] == '\r' && used == line) {
			i++;
			continue;
		}
		while (text[i] == '\n' && used > line && text[used - 1] == '\r')
			used--;
		text[used++] = text[i];
		if (text[i++] == '\n')
			line = used;
	}
	return used;
}
