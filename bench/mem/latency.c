/*
 * mem.latency: dependent loads through a ring of lines, in the caches or beyond them; each begins when the one
 * before has returned. The order decides what else is measured: `local` stays in TLB-sized blocks, `random` adds
 * page walks, `forward` lets the prefetchers help. mem.latency_isolated has the misses apart from each other.
 */
#include <kbench_memory.h>

#define BLOCK_BYTES (256u << 10)        /* 64 pages of 4 KB: what the first TLB of a current core holds */

static struct kb_chase ring, reference;

static int setup(struct kb_run *run)
{
	uint64_t size = kb_param_number(run, "size"), stride = kb_param_number(run, "stride"), block = BLOCK_BYTES;

	if (!kb_param_is(run, "order", "local"))
		block = kb_param_is(run, "order", "forward") ? stride : size;
	ring = (struct kb_chase){ .stride = stride, .lines = size / stride, .block = block / stride };
	ring.memory = kb_memory(run, size, kb_param_text(run, "pages"));
	if (!ring.memory)
		return -1;
	kb_working_set(run, size, KB_LATENCY);

	int error = kb_chase_link(run, &ring);

	if (!error)
		kb_chase_twin(run, &ring, &reference);
	return error;
}

static int op(struct kb_run *run, uint64_t n)
{
	(void)run;
	kb_chase_walk(&ring, n);
	return 0;
}

static int twin(struct kb_run *run, uint64_t n)
{
	(void)run;
	kb_chase_walk(&reference, n);
	return 0;
}

static int check(struct kb_run *run, uint64_t n)
{
	int error = kb_chase_check(run, &ring, n);

	kb_chase_levels(run, &ring, &reference);
	return error;
}

KB_BENCHMARK(
	.summary = "latency of a dependent load by working set, order, stride, pages",
	.suite = KB_QUICK, .portability = KB_ASSUMING, .lmbench = "lat_mem_rd",
	.assumes = "a load waits for the one before; but with order=forward prefetchers may bring its line in advance",
	.per = "load", .bound = KB_LATENCY, .granule = KB_CHAIN_UNROLL,
	.params = {
		{ "size", "working set", KB_SIZE, "16K,256K,8M,64M", 128, 1ull << 36, NULL },
		{ "order", "of the lines", KB_CHOICE, "local;random", 0, 0, "local,random,forward" },
		{ "stride", "between lines", KB_SIZE, "64", sizeof(struct kb_cell), BLOCK_BYTES, NULL },
		KB_PARAM_PAGES,
	},
	.expect = { { KB_MINFLT, .tolerance = 0.001 } },
	/* What comes in besides, by page walks and neighbouring lines, is the tolerance. */
	.events = {
		{ "L1-dcache-load-misses:u", .per_op = 0, .tolerance = 0.1, .when = "size=16K order=local stride=64" },
		{ "L1-dcache-load-misses:u", .per_op = 1, .tolerance = 0.3, .when = "size=64M order=local stride=64" },
	},
	.setup = setup, .op = op, .check = check, .twin = twin,
);
