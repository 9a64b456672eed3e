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

/* The names of the loops, kb_stream_NAME_WIDTH, for the tables: X(index, name). Not every architecture stores past its caches. */
#define KB_STREAMS_OF_ALL(X) \
	X(READ, read) X(READ_INDEX, index) X(WRITE, write) X(UPDATE, update) X(COPY, copy) X(SCALE, scale) X(ADD, add) \
	X(TRIAD, triad) X(DAXPY, daxpy) X(SUM, sum)
#define KB_STREAMS_PAST_CACHES(X) X(WRITE_NT, writent) X(COPY_NT, copynt)

#define KB_DECLARE_STREAM(name, width) \
	extern kb_stream_loop kb_stream_##name##_##width; \
	extern const unsigned char kb_stream_##name##_##width##_end[];
#define KB_STREAM_ENTRY(name, width) { kb_stream_##name##_##width, kb_stream_##name##_##width##_end }

#endif
