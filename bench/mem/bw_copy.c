/*
 * mem.bw_copy: an array copied into another of the same size by machine code of full width; each byte is counted
 * once, though it is read and written. store: `plain` reads the destination's lines for ownership, `nontemporal`
 * does not. One operation copies 64 KB; each piece carries its own number, so one that was left out or copied
 * before shows.
 */
#include <errno.h>
#include <string.h>

#include <kbench_memory.h>

static struct kb_laps own, reference, *laps = &own;
static kb_stream_loop *loop;

static int setup(struct kb_run *run)
{
	uint64_t size = kb_param_number(run, "size");
	int error = kb_laps_make(run, laps, size, 2);

	loop = kb_stream_choose(run, kb_param_is(run, "store", "plain") ? KB_STREAM_COPY : KB_STREAM_COPY_NT);
	if (error || !loop)
		return error ? error : -1;
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
		loop(laps->to + at, laps->from + at, NULL, laps->piece, 0);
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

static int base(struct kb_run *run, uint64_t n)
{
	uint64_t end = laps->next + n * laps->per_op;

	(void)run;
	for (uint64_t i = laps->next; i < end; i++)
		loop(laps->to, laps->from + kb_laps_offset(laps, i), NULL, 0, 0);
	return 0;
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
	.summary = "copying an array, each byte counted once; 64 KB an operation",
	.suite = KB_STANDARD, .portability = KB_ASSUMING, .lmbench = "bw_mem cp,bw_mem fcp",
	.assumes = "the widest access is the fastest",
	.per = "chunk", .bound = KB_MEMORY, .bytes_per_op = KB_CHUNK_BYTES,
	.params = {
		{ "size", "of each array", KB_SIZE, "64M;128M", 1024, 1ull << 35, NULL },
		{ "store", "plain, or past the caches", KB_CHOICE, "plain;nontemporal", 0, 0, "plain,nontemporal" },
		KB_PARAM_WIDTH, KB_PARAM_PAGES,
	},
	.expect = { { KB_MINFLT, .tolerance = 0.01 } },
	.setup = setup, .op = op, .base = base, .check = check, .twin = twin,
);
