/*
 * mem.bw_read: every byte of a working set read by machine code of full width, the words summed up so that none can
 * be left out. access: `pointer` has its addresses prearranged, constants from one pointer, which is what the
 * memory can give; `index` computes each address from an array index, which is what programs do. One operation
 * reads 64 KB.
 */
#include <errno.h>

#include <kbench_memory.h>

#define FACTOR 0x9e3779b97f4a7c15u      /* word i holds i x FACTOR: no two pieces have one sum */

static struct kb_laps own, reference, *laps = &own;
static kb_stream_loop *loop;
static uint64_t sum;

static int setup(struct kb_run *run)
{
	uint64_t size = kb_param_number(run, "size");
	int error = kb_laps_make(run, laps, size, 1);

	loop = kb_stream_choose(run, kb_param_is(run, "access", "index") ? KB_STREAM_READ_INDEX : KB_STREAM_READ);
	if (error || !loop)
		return error ? error : -1;
	laps->to = kb_memory(run, size, kb_param_text(run, "pages"));
	for (uint64_t i = 0; laps->to && i < size / 8; i++)
		((uint64_t *)(void *)laps->to)[i] = i * FACTOR;
	return laps->to ? kb_claim_memory(run, laps->to, size) ?: kb_laps_twin(run, laps, &reference) : -1;
}

static int op(struct kb_run *run, uint64_t n)
{
	uint64_t end = kb_laps_begin(laps, n);

	(void)run;
	for (sum = 0; laps->next < end; laps->next++)
		sum += loop(NULL, laps->to + kb_laps_offset(laps, laps->next), NULL, laps->piece, 0);
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
		sum += loop(NULL, laps->to + kb_laps_offset(laps, i), NULL, 0, 0);
	return 0;
}

/* The words of a piece are a, a+1, ... times FACTOR: their sum in closed form. */
static int check(struct kb_run *run, uint64_t n)
{
	uint64_t words = laps->piece / 8, expected = 0;

	for (uint64_t i = 0; i < n * laps->per_op; i++) {
		uint64_t a = kb_laps_offset(laps, laps->first + i) / 8;

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
