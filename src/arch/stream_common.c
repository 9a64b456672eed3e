/* The streaming loops' one entry: what this CPU executes, and the hash of the code that is measured. */
#include "arch/stream.h"

#include "base/crc32.h"

kb_stream_loop *kb_stream(enum kb_stream what, unsigned width, uint32_t *hash)
{
	const struct kb_stream_code *code;
	unsigned column = 0;

	while (column < KB_STREAM_WIDTHS && 8u << column != width)
		column++;
	*hash = 0;
	if (what >= KB_STREAMS || column == KB_STREAM_WIDTHS || width > kb_stream_widest())
		return NULL;
	code = &kb_stream_codes[what][column];
	if (code->loop) {
		const unsigned char *begin = (const unsigned char *)(uintptr_t)code->loop;

		*hash = kb_crc32(0, begin, (size_t)(code->end - begin));
	}
	return code->loop;
}
