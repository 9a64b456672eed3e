/* The streaming loops of this architecture, under an emulator: every word that they must change, and no other. */
#include "arch/stream.h"

#define WORDS 64u       /* one body of the widest access */

const char *kb_stream_fault(void);

static uint64_t to[2 * WORDS] __attribute__((aligned(64))), from[2 * WORDS] __attribute__((aligned(64)));

/* Bits of doubles: this file has no floating point of its own. */
#define ONE 0x3ff0000000000000u
#define TWO 0x4000000000000000u
#define THREE 0x4008000000000000u

struct expected { uint64_t value, from, q, sum; };      /* to[i] was 1 in both ways of reading; other is from */

static const struct expected table[KB_STREAMS] = {
	[KB_STREAM_READ] = { ONE, 3, 0, 3 * WORDS }, [KB_STREAM_READ_INDEX] = { ONE, 3, 0, 3 * WORDS },
	[KB_STREAM_WRITE] = { 7, 3, 7, 0 }, [KB_STREAM_WRITE_NT] = { 7, 3, 7, 0 }, [KB_STREAM_UPDATE] = { ONE + 7, 3, 7, 0 },
	[KB_STREAM_COPY] = { 3, 3, 0, 0 }, [KB_STREAM_COPY_NT] = { 3, 3, 0, 0 },
	[KB_STREAM_SCALE] = { TWO, ONE, TWO, 0 }, [KB_STREAM_ADD] = { TWO, ONE, 0, 0 }, [KB_STREAM_TRIAD] = { THREE, ONE, TWO, 0 },
	[KB_STREAM_DAXPY] = { THREE, ONE, TWO, 0 }, [KB_STREAM_SUM] = { ONE, ONE, 0, 0x4050000000000000u /* 64 */ },
};

static bool right(kb_stream_loop *loop, const struct expected *expected)
{
	bool good;

	for (unsigned i = 0; i < 2 * WORDS; i++) {
		to[i] = ONE;
		from[i] = expected->from;
	}
	good = loop(to, from, from, 0, expected->q) == 0 && to[0] == ONE;
	good &= loop(to, from, from, WORDS * 8, expected->q) == expected->sum;
	for (unsigned i = 0; i < WORDS; i++)
		good &= to[i] == expected->value && to[WORDS + i] == ONE;
	return good;
}

/* NULL, or what is wrong. */
const char *kb_stream_fault(void)
{
	unsigned loops = 0;
	uint32_t hash;

	for (unsigned what = 0; what < KB_STREAMS; what++) {
		for (unsigned width = 8; width <= 64; width *= 2) {
			kb_stream_loop *loop = kb_stream(what, width, &hash);

			loops += loop != 0;
			if (loop && !right(loop, &table[what]))
				return "a streaming loop has a wrong result";
		}
	}
	return loops < 10 ? "streaming loops are missing" : 0;
}
