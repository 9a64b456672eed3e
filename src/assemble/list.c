/* Listings as in the paper's page 6: who wrote which instruction, and what became of it. */
#include "assemble/list.h"

#include "assemble/disassemble.h"

static void instruction(FILE *file, const struct kb_bits *bits, size_t offset, size_t count, const char *text)
{
	fprintf(file, "  %6zx  ", offset);
	for (size_t i = 0; i < count; i++)
		fprintf(file, "%02x ", bits->at[offset + i]);
	fprintf(file, "%*s%s", count < KB_BITS_SHOWN ? (int)(3 * (KB_BITS_SHOWN - count)) : 0, "", text);
	fputc('\n', file);
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
			kb_bits_list_head(file, &span);
			end = span.offset + span.count;
		}
		instruction(file, bits, line->offset, line->count, line->text);
	}
	if (error)
		kb_bits_list_bytes(file, bits);
	kb_code_listing_free(&listing);
	return error;
}
