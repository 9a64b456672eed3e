/* See import.h: what the text is, and what all importers need. */
#include "import/import.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "import/parse.h"

const char *const kb_import_words[KB_IMPORT_KINDS] = {
	[KB_IMPORT_GROUPS] = "table of groups",
	[KB_IMPORT_POINTS] = "observations",
	[KB_IMPORT_LIST] = "list of values",
	[KB_IMPORT_LINES] = "points of lines",
	[KB_IMPORT_PRINTED] = "printed regressions",
	[KB_IMPORT_RECORD] = "record",
};

/* ---- lines and cells ------------------------------------------------------------------------------- */

static struct kb_span trimmed(struct kb_span s)
{
	while (s.length > 0 && strchr(" \t\r", s.at[0])) {
		s.at++;
		s.length--;
	}
	while (s.length > 0 && strchr(" \t\r", s.at[s.length - 1]))
		s.length--;
	return s;
}

bool kb_parse_line(struct kb_parse *parse)
{
	while (parse->rest.length > 0) {
		const char *end = memchr(parse->rest.at, '\n', parse->rest.length);
		size_t length = end ? (size_t)(end - parse->rest.at) : parse->rest.length;

		parse->line = (struct kb_span){ parse->rest.at, length };
		parse->rest.at += length + (end != NULL);
		parse->rest.length -= length + (end != NULL);
		parse->number++;
		/* Blanks stay in the line: a table may begin with an empty cell. */
		struct kb_span seen = trimmed(parse->line);

		if (seen.length > 0 && seen.at[0] != '#')
			return true;
	}
	return false;
}

static struct kb_span unquoted(struct kb_span s)
{
	if (s.length >= 2 && s.at[0] == '"' && s.at[s.length - 1] == '"')
		return (struct kb_span){ s.at + 1, s.length - 2 };
	return s;
}

size_t kb_parse_cells(struct kb_span line, char separator, struct kb_span *cells, size_t room)
{
	size_t count = 0, begin = 0;

	for (size_t i = 0; i <= line.length; i++) {
		if (i < line.length && line.at[i] != separator)
			continue;
		if (count < room)
			cells[count] = unquoted(trimmed((struct kb_span){ line.at + begin, i - begin }));
		count++;
		begin = i + 1;
	}
	return count;
}

bool kb_parse_decimal(struct kb_span text, double *value)
{
	char copy[64], *end;

	if (text.length == 0 || text.length >= sizeof copy)
		return false;
	memcpy(copy, text.at, text.length);
	copy[text.length] = '\0';
	/* strtod knows nan, inf and hexadecimal; a table of measurements has none of them. */
	if (strspn(copy, "0123456789+-.eE") != text.length)
		return false;
	*value = strtod(copy, &end);
	return *end == '\0' && fabs(*value) < 1e100;
}

/* ---- messages -------------------------------------------------------------------------------------- */

static int wrong(struct kb_parse *parse, const char *place, const char *format, va_list arguments)
{
	int used = snprintf(parse->error, KB_IMPORT_ERROR, "%.200s:%s ", parse->name, place);

	if (used > 0 && used < KB_IMPORT_ERROR)
		vsnprintf(parse->error + used, (size_t)(KB_IMPORT_ERROR - used), format, arguments);
	kb_make_visible(parse->error, '?');
	return -EINVAL;
}

int kb_parse_wrong(struct kb_parse *parse, const char *format, ...)
{
	char place[24];
	va_list arguments;

	snprintf(place, sizeof place, "%u:", parse->number);
	va_start(arguments, format);
	wrong(parse, place, format, arguments);
	va_end(arguments);
	return -EINVAL;
}

int kb_parse_wrong_file(struct kb_parse *parse, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	wrong(parse, "", format, arguments);
	va_end(arguments);
	return -EINVAL;
}

/* ---- series ---------------------------------------------------------------------------------------- */

static void *grown(void *array, size_t *room, size_t size)
{
	size_t more = *room ? 2 * *room : 16;
	void *bigger = reallocarray(array, more, size);

	if (bigger)
		*room = more;
	return bigger;
}

struct kb_import_series *kb_import_add(struct kb_import *import, double n)
{
	if (import->count == import->room) {
		struct kb_import_series *series = grown(import->series, &import->room, sizeof *series);

		if (!series)
			return NULL;
		import->series = series;
	}
	import->series[import->count] = (struct kb_import_series){ .n = n };
	return &import->series[import->count++];
}

/* y decides about the room; x and block follow it. */
static int make_room(struct kb_import_series *series, bool with_x)
{
	size_t room = series->room;
	double *y = grown(series->y, &room, sizeof *y), *x;

	if (!y)
		return -ENOMEM;
	series->y = y;
	if (with_x) {
		x = reallocarray(series->x, room, sizeof *x);
		if (!x)
			return -ENOMEM;
		series->x = x;
	}
	uint32_t *block = reallocarray(series->block, room, sizeof *block);

	if (!block)
		return -ENOMEM;
	series->block = block;
	series->room = room;
	return 0;
}

int kb_import_append(struct kb_import_series *series, bool with_x, double x, double y)
{
	if (series->count == series->room && make_room(series, with_x))
		return -ENOMEM;
	if (with_x)
		series->x[series->count] = x;
	series->block[series->count] = 0;
	series->y[series->count++] = y;
	return 0;
}

/* ---- the whole ------------------------------------------------------------------------------------- */

static bool has_line(struct kb_span text, const char *start)
{
	size_t length = strlen(start);

	for (size_t i = 0; i + length <= text.length; i++) {
		const char *next;

		if (memcmp(text.at + i, start, length) == 0)
			return true;
		next = memchr(text.at + i, '\n', text.length - i);
		if (!next)
			break;
		i = (size_t)(next - text.at);
	}
	return false;
}

static struct kb_span without_mark(const char *text, size_t length)
{
	/* The byte order mark that spreadsheets put before UTF-8. */
	if (length >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0)
		return (struct kb_span){ text + 3, length - 3 };
	return (struct kb_span){ text, length };
}

int kb_import_text(struct kb_import *import, const char *name, const char *text, size_t length,
                   char error[KB_IMPORT_ERROR])
{
	struct kb_parse parse = {
		.import = import, .name = name, .rest = without_mark(text, length), .error = error,
	};

	*import = (struct kb_import){ .unit = "" };
	error[0] = '\0';
	if (has_line(parse.rest, "kbench-record "))
		return kb_import_record(&parse, text, length);
	/* A serial line may begin with null bytes. */
	if (has_line(parse.rest, "Accumulated latencies") || has_line(parse.rest, "Initial Test size:"))
		return kb_import_console(&parse);
	if (memchr(text, '\0', length))
		return kb_parse_wrong_file(&parse, "not a text");
	return kb_import_csv(&parse);
}

void kb_import_free(struct kb_import *import)
{
	for (size_t i = 0; i < import->count; i++) {
		free(import->series[i].x);
		free(import->series[i].y);
		free(import->series[i].block);
	}
	free(import->series);
	free(import->launches);
	*import = (struct kb_import){ .unit = "" };
}
