/*
 * mem.bw_rdwr: every byte of a working set read, changed and written back in place, by machine code of full width;
 * counted once. One operation goes through 64 KB and adds 1 to each word, so a word tells how often it was visited.
 */
#include <errno.h>

#include <kbench_memory.h>

static struct kb_laps own, reference, *laps = &own;
static kb_stream_loop *loop;

static int setup(struct kb_run *run)
{
	uint64_t size = kb_param_number(run, "size");
	int error = kb_laps_make(run, laps, size, 1);

	loop = kb_stream_choose(run, KB_STREAM_UPDATE);
	if (error || !loop)
		return error ? error : -1;
	laps->to = kb_memory(run, size, kb_param_text(run, "pages"));
	return laps->to ? kb_claim_memory(run, laps->to, size) ?: kb_laps_twin(run, laps, &reference) : -1;
}

static int op(struct kb_run *run, uint64_t n)
{
	uint64_t end = kb_laps_begin(laps, n);

	(void)run;
	for (; laps->next < end; laps->next++)
		loop(laps->to + kb_laps_offset(laps, laps->next), NULL, NULL, laps->piece, 1);
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
		loop(laps->to + kb_laps_offset(laps, i), NULL, NULL, 0, 1);
	return 0;
}

static int check(struct kb_run *run, uint64_t n)
{
	uint64_t number, wrong = 0;
	int error = kb_laps_left(run, laps, n, &number);

	for (; !error && number < laps->next; number++) {
		const uint64_t *words = (const void *)(laps->to + kb_laps_offset(laps, number));

		for (uint64_t i = 0; i < laps->piece / 8; i++)
			wrong += words[i] != number / laps->count + 1;
	}
	if (wrong)
		return kb_fail(run, EILSEQ, "%llu words were not changed once a lap", (unsigned long long)wrong);
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
