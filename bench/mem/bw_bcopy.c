/*
 * mem.bw_bcopy: an array copied into another of the same size by the C library's memcpy, whose loop and kind of
 * store the loader chose (its hash is recorded); each byte is counted once, though it is read and written. One
 * operation copies 64 KB; each piece carries its own number, so one that was left out or copied before shows.
 */
#include <errno.h>
#include <string.h>

#include <kbench_memory.h>

#define CODE_BYTES 64u                  /* of the function's beginning, for its hash */

static struct kb_chunks own, reference, *chunks = &own;
static void *(*volatile copy)(void *, const void *, size_t) = memcpy;   /* or the compiler puts code of its own here */

static int setup(struct kb_run *run)
{
	uint64_t size = kb_param_number(run, "size");
	int error = kb_chunks_make(run, chunks, size, 2);

	if (error)
		return error;
	kb_code_hash(run, kb_code_of((const void *)(uintptr_t)copy, CODE_BYTES));
	chunks->from = kb_memory(run, size, kb_param_text(run, "pages"));
	chunks->to = chunks->from ? kb_memory(run, size, kb_param_text(run, "pages")) : NULL;
	for (uint64_t i = 0; chunks->to && i < size / 8; i++)
		((uint64_t *)(void *)chunks->from)[i] = i + 1;
	return chunks->to ? kb_claim_memory(run, chunks->from, size) ?: kb_claim_memory(run, chunks->to, size) ?: kb_chunks_twin(run, chunks, &reference) : -1;
}

static uint64_t *number_of(char *piece)
{
	return (uint64_t *)(void *)(piece + chunks->piece) - 1;
}

static int op(struct kb_run *run, uint64_t n)
{
	uint64_t end = kb_chunks_begin(chunks, n);

	(void)run;
	for (; chunks->next < end; chunks->next++) {
		uint64_t at = kb_chunks_offset(chunks, chunks->next);

		*number_of(chunks->from + at) = chunks->next;
		copy(chunks->to + at, chunks->from + at, chunks->piece);
	}
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
		uint64_t at = kb_chunks_offset(chunks, number);

		if (*number_of(chunks->to + at) != number || memcmp(chunks->to + at, chunks->from + at, chunks->piece))
			return kb_fail(run, EILSEQ, "piece %llu was not copied", (unsigned long long)number);
	}
	return error;
}

KB_BENCHMARK(
	.summary = "copying an array by memcpy, each byte counted once; 64 KB an operation",
	.portability = KB_ASSUMING, .lmbench = "bw_mem bcopy",
	.assumes = "the library's memcpy does not change between calls",
	.per = "chunk", .bound = KB_MEMORY, .bytes_per_op = KB_CHUNK_BYTES,
	.params = {
		{ "size", "of each array", KB_SIZE, "16K,1M,128M", 1024, 1ull << 35, NULL },
		KB_PARAM_PAGES,
	},
	.expect = { { KB_MINFLT, .tolerance = 0.01 } },
	.setup = setup, .op = op, .check = check, .twin = twin,
);
