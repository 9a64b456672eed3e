/* See diagnostic.h. */
#include "yamba/front/diagnostic.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* Nobody reads more, and a file of noise must not fill the memory. */
#define KEPT_MAX 2000
/* Of a source line: a line of a megabyte would bury its own message. */
#define EXCERPT 100

void kb_place_find(struct kb_place place, unsigned *line, unsigned *column)
{
	const char *start = place.source->text;

	*line = 1;
	for (const char *at = start; at < place.at; at++) {
		if (*at == '\n') {
			start = at + 1;
			(*line)++;
		}
	}
	*column = (unsigned)(place.at - start) + 1;
}

/* ---- collecting ------------------------------------------------------------------------------------------ */

static char *format_in(struct kb_arena *arena, const char *format, va_list arguments)
{
	char text[800];
	int length = vsnprintf(text, sizeof text, format, arguments);

	if (length < 0)
		length = 0;
	/* A name of a megabyte is cut here, once for all messages. */
	if ((size_t)length >= sizeof text)
		memcpy(text + sizeof text - 4, "...", 4);
	/* Names come from the source, and so may be anything. */
	kb_make_visible(text, '?');
	return kb_arena_string(arena, (struct kb_span){ text, strlen(text) });
}

/* Warnings are the two numbers that the language calls so. */
static bool is_warning(unsigned number)
{
	return number == 124 || number == 131;
}

struct kb_diagnostic *kb_diagnose(struct kb_diagnostics *d, unsigned number, struct kb_place at, const char *remedy,
				  const char *cause, ...)
{
	static struct kb_diagnostic overflow;
	struct kb_diagnostic *diagnostic;
	va_list arguments;

	if (d->count == KEPT_MAX) {
		d->dropped++;
		d->dropped_errors += !is_warning(number);
		return &overflow;
	}
	diagnostic = kb_arena_take(d->arena, sizeof *diagnostic);
	va_start(arguments, cause);
	*diagnostic = (struct kb_diagnostic){
		.number = number,
		.warning = is_warning(number),
		.at = at,
		.cause = format_in(d->arena, cause, arguments),
		.remedy = remedy,
	};
	va_end(arguments);
	d->list = kb_arena_room(d->arena, d->list, d->count, &d->room, sizeof *d->list);
	d->list[d->count++] = diagnostic;
	return diagnostic;
}

void kb_diagnose_note(
	struct kb_diagnostics *d, struct kb_diagnostic *diagnostic, struct kb_place at, const char *text, ...)
{
	struct kb_note *note, **end = &diagnostic->notes;
	unsigned count = 0;
	va_list arguments;

	for (; *end && count < 32; end = &(*end)->next)
		count++;
	/* The overflow belongs to nobody, and the 33rd place helps nobody. */
	if (*end || d->dropped)
		return;
	note = kb_arena_take(d->arena, sizeof *note);
	va_start(arguments, text);
	*note = (struct kb_note){ .at = at, .text = format_in(d->arena, text, arguments) };
	va_end(arguments);
	*end = note;
}

/* ---- order ----------------------------------------------------------------------------------------------- */

static int by_place(const void *first, const void *second)
{
	const struct kb_diagnostic *a = *(struct kb_diagnostic *const *)first, *b = *(struct kb_diagnostic *const *)second;

	if (a->at.source->index != b->at.source->index)
		return a->at.source->index < b->at.source->index ? -1 : 1;
	if (a->at.at != b->at.at)
		return a->at.at < b->at.at ? -1 : 1;
	if (a->number != b->number)
		return a->number < b->number ? -1 : 1;
	return strcmp(a->cause, b->cause);
}

/* One of a number is enough at a place; but settings have no place of their own and stand at the class, of a message of the assembler only
   the line may be known, and the C compiler has one number for all it says. */
static bool repeats(const struct kb_diagnostic *a, const struct kb_diagnostic *b)
{
	bool placed = a->number != 162 && a->number != 200 && a->number != 230;

	return a->at.at == b->at.at && a->number == b->number && (placed || strcmp(a->cause, b->cause) == 0);
}

void kb_diagnostics_sort(struct kb_diagnostics *d)
{
	size_t kept = 0;

	if (d->count == 0)
		return;
	qsort(d->list, d->count, sizeof *d->list, by_place);
	for (size_t i = 0; i < d->count; i++) {
		if (d->list[i]->at.source->wanted && (kept == 0 || !repeats(d->list[kept - 1], d->list[i])))
			d->list[kept++] = d->list[i];
	}
	d->count = kept;
}

size_t kb_diagnostics_errors(const struct kb_diagnostics *d)
{
	size_t errors = d->dropped_errors;

	for (size_t i = 0; i < d->count; i++)
		errors += !d->list[i]->warning;
	return errors;
}

/* ---- printing -------------------------------------------------------------------------------------------- */

/* Second and further bytes of a character of UTF-8 take no room on the screen. */
static bool continues(char c)
{
	return ((unsigned char)c & 0xc0) == 0x80;
}

/* Of a source line: what is not visible takes one column, and a tab stays a tab. Or blanks as wide as that, so that the caret stands in
   its column. */
static void print_bytes(FILE *out, const char *at, const char *end, bool blank)
{
	while (at < end) {
		struct kb_character c = kb_character_at((struct kb_span){ at, (size_t)(end - at) });

		if (c.code == '\t' || (c.visible && !blank))
			fwrite(at, 1, c.length, out);
		else
			fputc(blank ? ' ' : '?', out);
		at += c.length;
	}
}

static void print_excerpt(FILE *out, struct kb_place place)
{
	const char *text = place.source->text, *end = text + place.source->length, *start = place.at, *stop = place.at;

	while (start > text && start[-1] != '\n' && place.at - start < EXCERPT * 4 / 5)
		start--;
	while (start < place.at && continues(*start))
		start++;
	while (stop < end && *stop != '\n' && *stop != '\r' && stop - start < EXCERPT)
		stop++;
	while (stop < end && stop > place.at && continues(*stop))
		stop--;
	fputs("    ", out);
	print_bytes(out, start, stop, false);
	fputs("\n    ", out);
	print_bytes(out, start, place.at, true);
	fputs("^\n", out);
}

static void print_place(FILE *out, struct kb_place place)
{
	unsigned line, column;
	char text[1000];

	kb_place_find(place, &line, &column);
	fputs(kb_visible_copy(text, sizeof text, place.source->path), out);
	fprintf(out, ":%u:%u: ", line, column);
}

void kb_diagnostics_print(FILE *out, const struct kb_diagnostics *d, size_t limit)
{
	size_t count = d->count + d->dropped;
	char remedy[1000];

	for (size_t i = 0; i < d->count && i < limit; i++) {
		print_place(out, d->list[i]->at);
		fprintf(out, "%s Y%u: %s\n", d->list[i]->warning ? "warning" : "error", d->list[i]->number, d->list[i]->cause);
		print_excerpt(out, d->list[i]->at);
		/* It may have a name of the source, too. */
		fprintf(out, "    %s\n", kb_visible_copy(remedy, sizeof remedy, d->list[i]->remedy));
		for (const struct kb_note *note = d->list[i]->notes; note; note = note->next) {
			fputs("    ", out);
			print_place(out, note->at);
			fprintf(out, "%s\n", note->text);
		}
	}
	if (count > limit)
		fprintf(out, "and %zu more\n", count - limit);
}
