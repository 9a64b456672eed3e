/* Listings as in the paper's page 6: who wrote which instruction, and what became of it. */
#include "code/list.h"

#include <errno.h>
#include <string.h>

#include "code/disassemble.h"

#define BYTES_SHOWN 10  /* a column; longer instructions push their text to the right */

/* The head of an append: the innermost call where one was entered, for it has the values; else class and member. */
static void head(FILE *file, const struct kb_bits_span *span)
{
	bool called = span->scope[0] && strncmp(span->scope, "unroll", 6) != 0;

	if (called)
		fprintf(file, "%s  %s:%u\n", span->scope, span->file, span->line);
	else
		fprintf(file, "%s.%s%s%s  %s:%u\n", span->class, span->member, span->scope[0] ? ", " : "", span->scope,
			span->file, span->line);
}

static void instruction(FILE *file, const struct kb_bits *bits, size_t offset, size_t count, const char *text)
{
	fprintf(file, "  %6zx  ", offset);
	for (size_t i = 0; i < count; i++)
		fprintf(file, "%02x ", bits->at[offset + i]);
	if (text)
		fprintf(file, "%*s%s", count < BYTES_SHOWN ? (int)(3 * (BYTES_SHOWN - count)) : 0, "", text);
	fputc('\n', file);
}

/* Without a disassembler: what each append holds, a few bytes a line. */
static void bare(FILE *file, const struct kb_bits *bits)
{
	struct kb_bits_span span;

	for (size_t at = 0; kb_bits_span_at(bits, at, &span); at = span.offset + span.count) {
		head(file, &span);
		for (size_t i = 0; i < span.count; i += BYTES_SHOWN)
			instruction(file, bits, at + i, span.count - i < BYTES_SHOWN ? span.count - i : BYTES_SHOWN, NULL);
	}
}

int kb_bits_list(FILE *file, const struct kb_bits *bits)
{
	struct kb_code_listing listing;
	size_t end = 0;         /* of the append whose head was written last */
	int error = kb_code_disassemble(&listing, bits->target, bits->at, bits->used);

	for (size_t i = 0; i < listing.line_count && !error; i++) {
		const struct kb_code_line *line = &listing.lines[i];
		struct kb_bits_span span;

		if (line->offset >= end && kb_bits_span_at(bits, line->offset, &span)) {
			head(file, &span);
			end = span.offset + span.count;
		}
		instruction(file, bits, line->offset, line->count, line->text);
	}
	if (error)
		bare(file, bits);
	kb_code_listing_free(&listing);
	return error;
}
