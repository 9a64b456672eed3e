/* See reader.h. */
#include "suite/model/reader.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/nearest.h"

#define LINES_MAX 500

void kb_model_wrong(struct kb_model_reader *r, const char *at, const char *format, ...)
{
	va_list arguments;

	if (r->failed)
		return;
	r->failed = true;
	r->error->line = r->line;
	r->error->column = (unsigned)(at - r->start) + 1;
	va_start(arguments, format);
	vsnprintf(r->error->what, sizeof r->error->what, format, arguments);
	va_end(arguments);
}

void kb_model_blanks(struct kb_model_reader *r)
{
	while (r->at < r->end && (*r->at == ' ' || *r->at == '\t'))
		r->at++;
}

bool kb_model_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

struct kb_span kb_model_word(struct kb_model_reader *r)
{
	struct kb_span span;

	kb_model_blanks(r);
	span = (struct kb_span){ r->at, 0 };
	while (r->at < r->end && *r->at != ' ' && *r->at != '\t')
		r->at++;
	span.length = (size_t)(r->at - span.at);
	return span;
}

struct kb_span kb_model_rest(struct kb_model_reader *r, const char *what)
{
	kb_model_blanks(r);
	struct kb_span span = { r->at, (size_t)(r->end - r->at) };

	if (span.length == 0)
		kb_model_wrong(r, r->at, "%s is missing", what);
	r->at = r->end;
	return span;
}

/* A '#' begins a comment at the start of a line and behind a blank. */
static const char *comment(const char *start, const char *end)
{
	for (const char *at = start; at < end; at++) {
		if (*at == '#' && (at == start || at[-1] == ' ' || at[-1] == '\t'))
			return at;
	}
	return end;
}

static void read_line(struct kb_model_reader *r, const char *end, const struct kb_model_keyword *keywords, size_t count)
{
	char typed[40];
	struct kb_nearest nearest = { .typed = typed };
	struct kb_span first;

	r->at = r->start;
	r->end = comment(r->start, end);
	while (r->end > r->start && (r->end[-1] == ' ' || r->end[-1] == '\t' || r->end[-1] == '\r'))
		r->end--;
	for (const char *at = r->start; at < r->end;) {
		struct kb_character c = kb_character_at((struct kb_span){ at, (size_t)(r->end - at) });

		if (!c.visible && c.code != '\t')
			kb_model_wrong(r, at, "a character that is no text");
		at += c.length;
	}
	first = kb_model_word(r);
	if (first.length == 0 || r->failed)
		return;
	snprintf(typed, sizeof typed, "%.*s", (int)(first.length < 39 ? first.length : 39), first.at);
	for (size_t i = 0; i < count; i++) {
		if (kb_span_is(first, keywords[i].word)) {
			keywords[i].read(r);
			return;
		}
		kb_nearest_offer(&nearest, keywords[i].word);
	}
	kb_model_wrong(r, first.at, "no line begins with '%s'%s", typed, kb_nearest_hint(&nearest, ""));
}

void kb_model_read_lines(struct kb_model_reader *r, const char *text, size_t length, const struct kb_model_keyword *keywords, size_t count)
{
	const char *at = text, *end = text + length;

	memset(r->error, 0, sizeof *r->error);
	r->start = text;
	while (at < end && !r->failed) {
		const char *newline = memchr(at, '\n', (size_t)(end - at));

		r->start = at;
		r->depth = 0;
		if (++r->line > LINES_MAX)
			kb_model_wrong(r, at, "more than %d lines", LINES_MAX);
		else
			read_line(r, newline ? newline : end, keywords, count);
		at = newline ? newline + 1 : end;
	}
	r->line += r->line == 0;
}
