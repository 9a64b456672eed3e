/*
 * mem.latency_isolated: a load that finds the memory idle, as lmbench's paper tells it from one behind another
 * (mem.latency). Between two loads the core counts for some 200 cycles: the line before is then complete and its
 * DRAM row closed or settled. Each sample has SLOTS such gaps, n of them with a load, so the slope over n is the
 * load alone.
 */
#include <errno.h>
#include <unistd.h>

#include <kbench_memory.h>

#define SLOTS 2048u
#define GAP 200u                        /* dependent additions of 0 to the address */
#define CODE_BYTES 64u                  /* of op, for its hash */
#define BLOCK_BYTES (256u << 10)        /* 64 pages of 4 KB: what the first TLB of a current core holds */

static struct kb_chase ring, reference, *chase = &ring;

static int op(struct kb_run *run, uint64_t n)
{
	uint64_t at = (uintptr_t)chase->at;

	if (n > SLOTS)
		return kb_fail(run, EINVAL, "more than %u loads in a sample", SLOTS);
	for (uint64_t slot = 0; slot < SLOTS; slot++) {
		if (slot < n)
			at = (uintptr_t)*(struct kb_cell *volatile *)at; /* a call would cost more */
		at = kb_chain(KB_CHAIN_ADD, GAP, at, 0);
	}
	chase->from = chase->at;
	chase->at = (struct kb_cell *)(uintptr_t)at;
	return 0;
}

static int twin(struct kb_run *run, uint64_t n)
{
	chase = &reference;
	int error = op(run, n);
	chase = &ring;
	return error;
}

static int setup(struct kb_run *run)
{
	uint64_t size = kb_param_number(run, "size");
	int error;

	ring = (struct kb_chase){ .stride = 64, .lines = size / 64, .block = size / 64 };
	if (kb_param_is(run, "order", "local"))
		ring.block = BLOCK_BYTES / 64;
	ring.memory = kb_memory(run, size, kb_param_text(run, "pages"));
	if (!ring.memory)
		return -1;
	kb_working_set(run, size, KB_LATENCY);
	error = kb_chase_link(run, &ring);
	kb_code_hash(run, kb_code_of((const void *)(uintptr_t)op, CODE_BYTES));
	if (!error)
		kb_chase_twin(run, &ring, &reference);
	return error;
}

static int check(struct kb_run *run, uint64_t n)
{
	int error = kb_chase_check(run, &ring, n);

	kb_chase_levels(run, &ring, &reference);
	return error;
}

KB_BENCHMARK(
	.summary = "latency of a cache miss while no other access to memory is under way",
	.portability = KB_ASSUMING,
	.assumes = "a dependent load cannot be predicted or prefetched in this order",
	.per = "load", .bound = KB_LATENCY, .max_n = SLOTS, .granule = SLOTS / 8,
	.params = {
		{ "size", "working set", KB_SIZE, "8M,64M", 128, 1ull << 36, NULL },
		{ "order", "of the lines", KB_CHOICE, "local", 0, 0, "local,random" },
		KB_PARAM_PAGES,
	},
	.expect = { { KB_MINFLT, .tolerance = 0.02 } },
	.events = { { "L1-dcache-load-misses:u", .per_op = 1, .tolerance = 0.3, .when = "size=64M order=local" } },
	.setup = setup, .op = op, .check = check, .twin = twin,
);
