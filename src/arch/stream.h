/* What an architecture supplies for kb_stream: its loops by width, as they lie in memory, and how wide the CPU goes. */
#ifndef KB_ARCH_STREAM_H
#define KB_ARCH_STREAM_H

#include "types.h"
#include "kbench_memory.h"

/* 8, 16, 32, 64 bytes. */
#define KB_STREAM_WIDTHS 4u

struct kb_stream_code {
	kb_stream_loop *loop;           /* NULL: the architecture has none */
	const unsigned char *end;       /* of its code, which begins at `loop` */
};

/* Defined in arch/ARCH/stream.c. */
extern const struct kb_stream_code kb_stream_codes[KB_STREAMS][KB_STREAM_WIDTHS];

#endif
