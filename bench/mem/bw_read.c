/*
 * mem.bw_read: every byte of a working set read by machine code of full width, the words summed up so that none can
 * be left out. access: `pointer` has its addresses prearranged, constants from one pointer, which is what the
 * memory can give; `index` computes each address from an array index, which is what programs do. One operation
 * reads 64 KB.
 */
#include <errno.h>

#include <kbench_memory.h>

#define FACTOR 0x9e3779b97f4a7c15u      /* word i holds i x FACTOR: no two pieces have one sum */

static struct kb_chunks own, reference, *chunks = &own;
static kb_stream_loop *loop;
static uint64_t sum;

static int setup(struct kb_run *run)
{
	uint64_t size = kb_param_number(run, "size");
	int error = kb_chunks_make(run, chunks, size, 1);

	loop = kb_stream_choose(run, kb_param_is(run, "access", "index") ? KB_STREAM_READ_INDEX : KB_STREAM_READ);
	if (error || !loop)
		return error ? error : -1;
	chunks->to = kb_memory(run, size, kb_param_text(run, "pages"));
	for (uint64_t i = 0; chunks->to && i < size / 8; i++)
		((uint64_t *)(void *)chunks->to)[i] = i * FACTOR;
	return chunks->to ? kb_claim_memory(run, chunks->to, size) ?: kb_chunks_twin(run, chunks, &reference) : -1;
}

static int op(struct kb_run *run, uint64_t n)
{
	uint64_t end = kb_chunks_begin(chunks, n);

	(void)run;
	for (sum = 0; chunks->next < end; chunks->next++)
		sum += loop(NULL, chunks->to + kb_chunks_offset(chunks, chunks->next), NULL, chunks->piece, 0);
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
		sum += loop(NULL, chunks->to + kb_chunks_offset(chunks, i), NULL, 0, 0);
	return 0;
}

/* The words of a piece are a, a+1, ... times FACTOR: their sum in closed form. */
static int check(struct kb_run *run, uint64_t n)
{
	uint64_t words = chunks->piece / 8, expected = 0;

	for (uint64_t i = 0; i < n * chunks->per_op; i++) {
		uint64_t a = kb_chunks_offset(chunks, chunks->first + i) / 8;

		expected += (words * a + words * (words - 1) / 2) * FACTOR;
	}
	return sum == expected ? 0 : kb_fail(run, EILSEQ, "the sum of what was read is wrong");
}

KB_BENCHMARK(
	.summary = "reading a working set; 64 KB an operation, counted once",
	.suite = KB_STANDARD, .portability = KB_ASSUMING, .lmbench = "bw_mem rd,bw_mem frd",
	.assumes = "the widest access is the fastest",
	.per = "chunk", .bound = KB_MEMORY, .bytes_per_op = KB_CHUNK_BYTES,
	.params = {
		{ "size", "working set", KB_SIZE, "16K,64M;128M", 1024, 1ull << 36, NULL },
		{ "access", "how addresses are made", KB_CHOICE, "pointer;index", 0, 0, "pointer,index" },
		KB_PARAM_WIDTH, KB_PARAM_PAGES,
	},
	.expect = { { KB_MINFLT, .tolerance = 0.01 } },
	.setup = setup, .op = op, .base = base, .check = check, .twin = twin,
);
