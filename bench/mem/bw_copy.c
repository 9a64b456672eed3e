/*
 * mem.bw_copy: an array copied into another of the same size by machine code of full width; each byte is counted
 * once, though it is read and written. store: `plain` reads the destination's lines for ownership, `nontemporal`
 * does not. One operation copies 64 KB; each piece carries its own number, so one that was left out or copied
 * before shows.
 */
#include <errno.h>
#include <string.h>

#include <kbench_memory.h>

static struct kb_chunks own, reference, *chunks = &own;
static kb_stream_loop *loop;

static int setup(struct kb_run *run)
{
	uint64_t size = kb_param_number(run, "size");
	int error = kb_chunks_make(run, chunks, size, 2);

	loop = kb_stream_choose(run, kb_param_is(run, "store", "plain") ? KB_STREAM_COPY : KB_STREAM_COPY_NT);
	if (error || !loop)
		return error ? error : -1;
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
		loop(chunks->to + at, chunks->from + at, NULL, chunks->piece, 0);
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

static int base(struct kb_run *run, uint64_t n)
{
	uint64_t end = chunks->next + n * chunks->per_op;

	(void)run;
	for (uint64_t i = chunks->next; i < end; i++)
		loop(chunks->to, chunks->from + kb_chunks_offset(chunks, i), NULL, 0, 0);
	return 0;
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
