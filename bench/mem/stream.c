/*
 * mem.stream: the loops of STREAM and lmbench over arrays of doubles that no cache holds: to, from, other. All
 * bytes that the loop names are counted, those read and those written (STREAM's convention), not lines read for
 * ownership. One operation takes 64 KB of each array. Values are whole numbers, so results are exact and known in
 * closed form.
 */
#include <errno.h>
#include <string.h>

#include <kbench_memory.h>

#define SCALAR 3.0
#define OTHER 2.0
#define POISON (-1.0)                   /* in a word of each page, laid after a check: the next lap must replace it */
#define POISON_WORDS 512u
#define PERIOD 1024u                    /* from[i] = i % PERIOD + 1 */

/* counted: arrays read or written, one that is both twice. The result: constant + factor x from[i], x chunks for daxpy. */
static const struct loop {
	const char *name;
	enum kb_stream stream;
	unsigned arrays, counted;
	double constant, factor;
} loops[] = {
	{ "copy", KB_STREAM_COPY, 2, 2, 0, 1 }, { "scale", KB_STREAM_SCALE, 2, 2, 0, SCALAR },
	{ "add", KB_STREAM_ADD, 3, 3, OTHER, 1 }, { "triad", KB_STREAM_TRIAD, 3, 3, SCALAR * OTHER, 1 },
	{ "fill", KB_STREAM_WRITE, 1, 1, SCALAR, 0 }, { "daxpy", KB_STREAM_DAXPY, 2, 3, 0, SCALAR },
	{ "sum", KB_STREAM_SUM, 1, 1, 0, 0 },
}, *kind = loops;
static struct kb_chunks chunks;
static kb_stream_loop *loop;
static double *to, *from, *other, sum;
static union { double number; uint64_t bits; } scalar = { SCALAR }, result;

static int setup(struct kb_run *run)
{
	uint64_t size = kb_param_number(run, "size"), cache = kb_last_cache(run);
	int error = kb_chunks_make(run, &chunks, size, 3);

	while (!kb_param_is(run, "loop", kind->name))
		kind++;
	if (!error && size < 4 * cache)
		return kb_skip(run, "arrays must be 4 times the last cache: -p size=%lluM",
		               (unsigned long long)(4 * cache >> 20));
	loop = error ? NULL : kb_stream_choose(run, kind->stream);
	to = loop ? kb_memory(run, kind->arrays * size, kb_param_text(run, "pages")) : NULL;
	if (!to)
		return error ? error : -1;
	from = kind->arrays > 1 ? to + size / 8 : to;
	other = kind->arrays > 2 ? from + size / 8 : NULL;
	for (uint64_t i = 0; i < size / 8; i++)
		from[i] = (double)(i % PERIOD) + 1;
	for (uint64_t i = 0; other && i < size / 8; i++)
		other[i] = OTHER;
	run->bytes_per_op *= kind->counted;
	return kb_claim_memory(run, to, kind->arrays * size);
}

static int op(struct kb_run *run, uint64_t n)
{
	uint64_t end = kb_chunks_begin(&chunks, n);

	(void)run;
	for (sum = 0; chunks.next < end; chunks.next++) {
		uint64_t at = kb_chunks_offset(&chunks, chunks.next) / 8;

		result.bits = loop(to + at, from + at, other + at, chunks.piece, scalar.bits);
		sum += result.number;
	}
	return 0;
}

static int check(struct kb_run *run, uint64_t n)
{
	uint64_t number, wrong = 0, words = chunks.piece / 8;
	int error = kb_chunks_left(run, &chunks, n, &number);

	if (kind->stream == KB_STREAM_SUM)
		wrong = sum != (double)n * (double)words * (PERIOD + 1) / 2;
	else
		for (; !error && number < chunks.next; number++) {
			double *piece = to + kb_chunks_offset(&chunks, number) / 8;
			double visits = kind->stream == KB_STREAM_DAXPY ? (double)(number / chunks.count + 1) : 1;

			for (uint32_t i = 0; i < words; i++)
				wrong += piece[i] != kind->constant + visits * kind->factor * (double)(i % PERIOD + 1);
			for (uint64_t i = 0; kind->stream != KB_STREAM_DAXPY && i < words; i += POISON_WORDS)
				piece[i] = POISON;
		}
	return wrong ? kb_fail(run, EILSEQ, "a result differs from the closed form") : error;
}

KB_BENCHMARK(.summary = "STREAM loops, bytes read and written; 64 KB of each array",
	.portability = KB_ASSUMING, .lmbench = "stream", .assumes = "the arrays exceed every cache",
	.per = "chunk", .bound = KB_MEMORY, .bytes_per_op = KB_CHUNK_BYTES,
	.params = {
		{ "loop", "of STREAM", KB_CHOICE, "triad,copy,scale,add,daxpy,sum", 0, 0, "copy,scale,add,triad,fill,daxpy,sum" },
		{ "size", "of each array", KB_SIZE, "128M", 65536, 1ull << 36, NULL }, KB_PARAM_WIDTH, KB_PARAM_PAGES },
	.expect = { { KB_MINFLT, .tolerance = 0.02 } },
	.setup = setup, .op = op, .check = check);
