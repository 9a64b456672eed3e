/*
 * mem.bw_fill: a working set filled by the C library's memset, whose loop and kind of store the loader chose (its
 * hash is recorded). One operation fills 64 KB. call=whole fills all of the set in one call, call=64K in pieces; value=zero is
 * what bzero does, value=changing another byte with each call, so that a byte that was left out shows each time. Beyond
 * the caches both make a difference where glibc takes `rep stosb`: a processor may store a long run of it past the caches, and one
 * of zeros without reading what it overwrites. GLIBC_TUNABLES=glibc.cpu.x86_rep_stosb_threshold=1000000000 takes vector stores.
 */
#include <errno.h>
#include <string.h>

#include <kbench_memory.h>

#define CODE_BYTES 64u                  /* of the function's beginning, for its hash */
#define BYTES 251u                      /* values of the byte; prime, so that no lap writes what the one before wrote */

static struct kb_chunks own, reference, *chunks = &own;
static uint64_t pieces;                 /* filled by one call */
static bool zero;
static void *(*volatile fill)(void *, int, size_t) = memset;    /* or the compiler puts code of its own here */

static int byte_of(uint64_t number)
{
	return zero ? 0 : (int)(number / pieces % BYTES) + 1;
}

static int setup(struct kb_run *run)
{
	uint64_t size = kb_param_number(run, "size");
	int error = kb_chunks_make(run, chunks, size, 1);

	if (error)
		return error;
	zero = kb_param_is(run, "value", "zero");
	pieces = kb_param_is(run, "call", "whole") ? chunks->count : 1;
	run->granule = chunks->per_op > 1 ? 1 : pieces;
	kb_code_hash(run, kb_code_of((const void *)(uintptr_t)fill, CODE_BYTES));
	chunks->to = kb_memory(run, size, kb_param_text(run, "pages"));
	return chunks->to ? kb_claim_memory(run, chunks->to, size) ?: kb_chunks_twin(run, chunks, &reference) : -1;
}

/* Zeros over zeros would not show, so each piece gets other bytes first: at both ends, and somewhere between. */
static int before(struct kb_run *run, uint64_t n)
{
	(void)n;
	for (uint64_t i = 0; i < chunks->count && zero; i++) {
		char *piece = chunks->to + i * chunks->piece;

		piece[0] = piece[chunks->piece - 1] = piece[(run->seed + 4099 * (chunks->next + i)) % chunks->piece] = 1;
	}
	return 0;
}

static int op(struct kb_run *run, uint64_t n)
{
	uint64_t end = kb_chunks_begin(chunks, n);

	(void)run;
	for (; chunks->next < end; chunks->next += pieces)
		fill(chunks->to + kb_chunks_offset(chunks, chunks->next), byte_of(chunks->next), pieces * chunks->piece);
	return 0;
}

static int twin(struct kb_run *run, uint64_t n)
{
	chunks = &reference;
	int error = op(run, n);
	chunks = &own;
	return error;
}

static int check(struct kb_run *run, uint64_t n)
{
	uint64_t number;
	int error = kb_chunks_left(run, chunks, n, &number);

	for (; !error && number < chunks->next; number++) {
		const char *piece = chunks->to + kb_chunks_offset(chunks, number);

		/* The first byte, and each is like the one before. */
		if (*piece != (char)byte_of(number) || memcmp(piece, piece + 1, chunks->piece - 1))
			return kb_fail(run, EILSEQ, "piece %llu was not filled", (unsigned long long)number);
	}
	return error;
}

KB_BENCHMARK(
	.summary = "filling a working set by memset; 64 KB an operation",
	.portability = KB_ASSUMING, .lmbench = "bw_mem bzero", .lmbench_with = "value=zero call=whole",
	.assumes = "the library's memset does not change between calls",
	.per = "chunk", .bound = KB_MEMORY, .bytes_per_op = KB_CHUNK_BYTES,
	.params = {
		{ "size", "working set", KB_SIZE, "16K,1M,128M", 1024, 1ull << 36, NULL },
		{ "value", "of the bytes", KB_CHOICE, "zero;changing", 0, 0, "zero,changing" },
		{ "call", "of memset fills", KB_CHOICE, "whole;64K", 0, 0, "whole,64K" },
		KB_PARAM_PAGES,
	},
	.expect = { { KB_MINFLT, .tolerance = 0.01 } },
	.setup = setup, .before = before, .op = op, .check = check, .twin = twin,
);
