/* No streaming loops: they move words of 64 bits, which benchmarks in C measure in the 64-bit mode of the same processor. */
#include "arch/stream.h"

const struct kb_stream_code kb_stream_codes[KB_STREAMS][KB_STREAM_WIDTHS];

/* The widest of none. */
unsigned kb_stream_widest(void)
{
	return 8;
}
