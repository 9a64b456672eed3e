/*
 * mem.bw_bcopy: an array copied into another of the same size by the C library's memcpy, whose loop and kind of
 * store the loader chose (its hash is recorded); each byte is counted once, though it is read and written. One
 * operation copies 64 KB; each piece carries its own number, so one that was left out or copied before shows.
 */
#include <errno.h>
#include <string.h>

#include <kbench_memory.h>

#define CODE_BYTES 64u                  /* of the function's beginning, for its hash */

static struct kb_laps own, reference, *laps = &own;
static void *(*volatile copy)(void *, const void *, size_t) = memcpy;   /* or the compiler puts code of its own here */

static int setup(struct kb_run *run)
{
	uint64_t size = kb_param_number(run, "size");
	int error = kb_laps_make(run, laps, size, 2);

	if (error)
		return error;
	kb_code_hash(run, kb_code_of((const void *)(uintptr_t)copy, CODE_BYTES));
	laps->from = kb_memory(run, size, kb_param_text(run, "pages"));
	laps->to = laps->from ? kb_memory(run, size, kb_param_text(run, "pages")) : NULL;
	for (uint64_t i = 0; laps->to && i < size / 8; i++)
		((uint64_t *)(void *)laps->from)[i] = i + 1;
	return laps->to ? kb_claim_memory(run, laps->from, size) ?: kb_claim_memory(run, laps->to, size) ?: kb_laps_twin(run, laps, &reference) : -1;
}

static uint64_t *number_of(char *piece)
{
	return (uint64_t *)(void *)(piece + laps->piece) - 1;
}

static int op(struct kb_run *run, uint64_t n)
{
	uint64_t end = kb_laps_begin(laps, n);

	(void)run;
	for (; laps->next < end; laps->next++) {
		uint64_t at = kb_laps_offset(laps, laps->next);

		*number_of(laps->from + at) = laps->next;
		copy(laps->to + at, laps->from + at, laps->piece);
	}
	return 0;
}

static int twin(struct kb_run *run, uint64_t n)
{
	laps = &reference;
	int error = op(run, n);
	laps = &own;
	return error;
}

static int check(struct kb_run *run, uint64_t n)
{
	uint64_t number;
	int error = kb_laps_left(run, laps, n, &number);

	for (; !error && number < laps->next; number++) {
		uint64_t at = kb_laps_offset(laps, number);

		if (*number_of(laps->to + at) != number || memcmp(laps->to + at, laps->from + at, laps->piece))
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
