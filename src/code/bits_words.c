/* What is printed of bit strings: errors with their place and values, and who wrote which byte. */
#include "code/bits.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "code/inside.h"

#define DEPTH_MAX 8     /* scopes told; what is further out is left away */

static void value_words(struct kb_text *text, struct kb_value value)
{
	if (value.negative)
		kb_text_i64(text, (int64_t)value.bits);
	else
		kb_text_u64(text, value.bits);
}

static void one_scope(const struct kb_bits *bits, const struct kb_bits_scope *entered, struct kb_text *text)
{
	const struct kb_scope *scope = entered->scope;

	if (scope->member) {
		kb_text_str(text, scope->class);
		kb_text_str(text, ".");
		kb_text_str(text, scope->member);
	}
	kb_text_str(text, scope->member ? "(" : "unroll ");
	for (uint32_t i = 0; i < scope->name_count; i++) {
		kb_text_str(text, i ? ", " : "");
		kb_text_str(text, scope->names[i]);
		kb_text_str(text, "=");
		value_words(text, bits->values[entered->value + i]);
	}
	kb_text_str(text, scope->member ? ")" : "");
}

void kb_bits_scope_words(const struct kb_bits *bits, uint32_t scope, char *buffer, size_t room)
{
	struct kb_text text = kb_text_in(buffer, room);

	for (unsigned depth = 0; scope && depth < DEPTH_MAX; depth++) {
		kb_text_str(&text, depth ? ", " : "");
		one_scope(bits, &bits->scopes[scope - 1], &text);
		scope = bits->scopes[scope - 1].parent;
	}
}

void kb_bits_fail(struct kb_bits *bits, unsigned number, const char *file, uint32_t line, const char *format, ...)
{
	struct kb_bits_error *error = &bits->error;
	va_list list;

	if (error->number)
		return;
	error->number = number;
	bits->head.steps = 0;
	error->file = file;
	error->line = line;
	va_start(list, format);
	vsnprintf(error->text, sizeof(error->text), format, list);
	va_end(list);
	kb_bits_scope_words(bits, bits->scope, error->where, sizeof(error->where));
}

void kb_bits_misfit(struct kb_bits *bits, const char *file, uint32_t line, const char *what, struct kb_value value,
	int64_t addend, int64_t min, uint64_t max, unsigned step)
{
	char buffer[192];
	struct kb_text text = kb_text_in(buffer, sizeof(buffer));

	value_words(&text, value);
	if (addend) {
		kb_text_str(&text, addend < 0 ? " - " : " + ");
		kb_text_u64(&text, addend < 0 ? 0 - (uint64_t)addend : (uint64_t)addend);
	}
	kb_text_str(&text, " does not fit (");
	if (min != 0 || value.negative || addend < 0) {
		kb_text_str(&text, "min ");
		kb_text_i64(&text, min);
		kb_text_str(&text, ", ");
	}
	kb_text_str(&text, "max ");
	kb_text_u64(&text, max);
	if (step != 1) {
		kb_text_str(&text, ", step ");
		kb_text_u64(&text, step);
	}
	kb_bits_fail(bits, 301, file, line, "%s %s)", what, buffer);
}

/* "0 to 7", "8 to 11, 14, 15" */
void kb_bits_no_register(struct kb_bits *bits, const char *file, uint32_t line, struct kb_value value, uint32_t allowed)
{
	char buffer[192];
	struct kb_text text = kb_text_in(buffer, sizeof(buffer));
	const char *comma = "";

	value_words(&text, value);
	kb_text_str(&text, " cannot be chosen here (");
	for (unsigned number = 0, last; number < 32; number = last + 1) {
		last = number;
		if (!(allowed >> number & 1))
			continue;
		while (last < 31 && allowed >> (last + 1) & 1)
			last++;
		kb_text_str(&text, comma);
		kb_text_u64(&text, number);
		comma = ", ";
		if (last == number)
			continue;
		kb_text_str(&text, last == number + 1 ? ", " : " to ");
		kb_text_u64(&text, last);
	}
	kb_bits_fail(bits, 301, file, line, "register number %s)", buffer);
}

int kb_bits_message(const struct kb_bits *bits, char *text, size_t room)
{
	const struct kb_bits_error *error = &bits->error;
	const char *in = error->where[0] ? "\n    in " : "";

	if (!error->number) {
		if (room)
			*text = '\0';
		return 0;
	}
	if (!error->file)
		return snprintf(text, room, "error Y%u: %s%s%s", error->number, error->text, in, error->where);
	return snprintf(text, room, "%s:%u: error Y%u: %s%s%s", error->file, error->line, error->number, error->text, in,
		error->where);
}

/* The last piece that starts at or before the offset and is not empty. */
static const struct kb_bits_piece *piece_at(const struct kb_bits *bits, size_t offset)
{
	uint32_t low = 0, high = bits->piece_count;

	while (high - low > 1) {
		uint32_t middle = low + (high - low) / 2;

		if (bits->pieces[middle].offset <= offset)
			low = middle;
		else
			high = middle;
	}
	return &bits->pieces[low];
}

bool kb_bits_span_at(const struct kb_bits *bits, size_t offset, struct kb_bits_span *span)
{
	if (offset >= bits->head.used || !bits->noting)
		return false;
	const struct kb_bits_piece *piece = piece_at(bits, offset);
	const struct kb_bits_piece *next = piece + 1, *end = bits->pieces + bits->piece_count;
	const struct kb_fragment *fragment = piece->fragment;

	span->offset = piece->offset;
	span->count = (next < end ? next->offset : bits->head.used) - piece->offset;
	span->class = fragment ? fragment->class : piece->place->class;
	span->member = fragment ? fragment->member : piece->place->member;
	span->file = fragment ? fragment->file : piece->place->file;
	span->line = fragment ? fragment->line : piece->place->line;
	kb_bits_scope_words(bits, piece->scope, span->scope, sizeof(span->scope));
	return true;
}

/* ---- listings ------------------------------------------------------------------------------------ */

/* An unroll alone is too little: the member that unrolls stands first. */
static bool called(const struct kb_bits_span *span)
{
	return span->scope[0] && strncmp(span->scope, "unroll", 6) != 0;
}

void kb_bits_span_words(const struct kb_bits_span *span, struct kb_text *text)
{
	const char *end = strchr(span->scope, called(span) ? ')' : ',');

	if (!called(span)) {
		kb_text_str(text, span->class);
		kb_text_str(text, ".");
		kb_text_str(text, span->member);
		kb_text_str(text, span->scope[0] ? ", " : "");
	}
	kb_text_bytes(text, span->scope, end ? (size_t)(end - span->scope) + called(span) : strlen(span->scope));
}

void kb_bits_list_head(FILE *file, const struct kb_bits_span *span)
{
	if (called(span))
		fprintf(file, "%s  %s:%u\n", span->scope, span->file, span->line);
	else
		fprintf(file, "%s.%s%s%s  %s:%u\n", span->class, span->member, span->scope[0] ? ", " : "", span->scope,
			span->file, span->line);
}

void kb_bits_list_bytes(FILE *file, const struct kb_bits *bits)
{
	struct kb_bits_span span;

	for (size_t at = 0; kb_bits_span_at(bits, at, &span); at = span.offset + span.count) {
		kb_bits_list_head(file, &span);
		for (size_t i = 0; i < span.count; i++) {
			if (i % KB_BITS_SHOWN == 0)
				fprintf(file, "%s  %6zx  ", i ? "\n" : "", span.offset + i);
			fprintf(file, "%02x ", bits->head.at[span.offset + i]);
		}
		fputc('\n', file);
	}
}
