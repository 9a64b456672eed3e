/*
 * mem.bw_rdwr: every byte of a working set read, changed and written back in place, by machine code of full width;
 * counted once. One operation goes through 64 KB and adds 1 to each word, so a word tells how often it was visited.
 */
#include <errno.h>

#include <kbench_memory.h>

static struct kb_chunks own, reference, *chunks = &own;
static kb_stream_loop *loop;

static int setup(struct kb_run *run)
{
	uint64_t size = kb_param_number(run, "size");
	int error = kb_chunks_make(run, chunks, size, 1);

	loop = kb_stream_choose(run, KB_STREAM_UPDATE);
	if (error || !loop)
		return error ? error : -1;
	chunks->to = kb_memory(run, size, kb_param_text(run, "pages"));
	return chunks->to ? kb_claim_memory(run, chunks->to, size) ?: kb_chunks_twin(run, chunks, &reference) : -1;
}

static int op(struct kb_run *run, uint64_t n)
{
	uint64_t end = kb_chunks_begin(chunks, n);

	(void)run;
	for (; chunks->next < end; chunks->next++)
		loop(chunks->to + kb_chunks_offset(chunks, chunks->next), NULL, NULL, chunks->piece, 1);
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
		loop(chunks->to + kb_chunks_offset(chunks, i), NULL, NULL, 0, 1);
	return 0;
}

static int check(struct kb_run *run, uint64_t n)
{
	uint64_t number, wrong = 0;
	int error = kb_chunks_left(run, chunks, n, &number);

	for (; !error && number < chunks->next; number++) {
		const uint64_t *words = (const void *)(chunks->to + kb_chunks_offset(chunks, number));

		for (uint64_t i = 0; i < chunks->piece / 8; i++)
			wrong += words[i] != number / chunks->count + 1;
	}
	if (wrong)
		return kb_fail(run, EILSEQ, "%llu words were not changed once a pass", (unsigned long long)wrong);
	return error;
}

KB_BENCHMARK(
	.summary = "reading and writing back a working set, each byte counted once; 64 KB an operation",
	.portability = KB_ASSUMING, .lmbench = "bw_mem rdwr",
	.assumes = "the widest access is the fastest",
	.per = "chunk", .bound = KB_MEMORY, .bytes_per_op = KB_CHUNK_BYTES,
	.params = {
		{ "size", "working set", KB_SIZE, "16K,1M,128M", 1024, 1ull << 36, NULL },
		KB_PARAM_WIDTH, KB_PARAM_PAGES,
	},
	.expect = { { KB_MINFLT, .tolerance = 0.01 } },
	.setup = setup, .op = op, .base = base, .check = check, .twin = twin,
);
