/*
 * mem.dram_page: pairs of misses whose second line lies in the same row of the memory as the first (`same`: within
 * 2 KB) or in another (`other`): the difference, of which a load has half, is what opening a row costs. Pairs
 * follow each other at random, huge pages keep page walks out, and no cache may hold the buffer.
 */
#include <errno.h>
#include <stdlib.h>

#include <kbench_memory.h>

#define GROUP 32u                       /* lines: 2 KB, below what common mappings interleave */

static struct kb_chase ring, reference; static uint64_t random_state;

static uint64_t below(uint64_t limit)
{
	random_state = random_state * 6364136223846793005u + 1442695040888963407u; /* Knuth's MMIX generator */
	return (random_state >> 32) * limit >> 32;
}

/* Fisher and Yates. */
static void shuffle(uint32_t *at, uint64_t count)
{
	for (uint64_t i = count; i-- > 1;) {
		uint64_t other = below(i + 1);
		uint32_t kept = at[i];

		at[i] = at[other];
		at[other] = kept;
	}
}

/* Lines shuffled in each group, so that 2p and 2p + 1 are a pair; the pairs shuffled over all. `apart`: the second
   comes from the pair that is `apart` further in their order. */
static int link_pairs(struct kb_run *run, uint64_t apart)
{
	uint64_t pairs = ring.lines / 2;
	uint32_t *lines = malloc(ring.lines * sizeof *lines), *order = malloc(pairs * sizeof *order);
	struct kb_cell *last;

	if (!lines || !order)
		return kb_fail(run, ENOMEM, "no memory for the order of %llu lines", (unsigned long long)ring.lines);
	for (uint64_t i = 0; i < ring.lines; i++) {
		lines[i] = (uint32_t)i;
		if (i % GROUP == GROUP - 1)
			shuffle(lines + i + 1 - GROUP, GROUP);
	}
	for (uint64_t i = 0; i < pairs; i++)
		order[i] = (uint32_t)i;
	shuffle(order, pairs);
	ring.at = last = kb_chase_cell(&ring, lines[2 * order[(pairs - 1 + apart) % pairs] + 1]);
	for (uint64_t i = 0; i < ring.lines; i++) {
		uint64_t pair = order[(i / 2 + (i % 2 ? apart : 0)) % pairs];

		last->next = kb_chase_cell(&ring, lines[2 * pair + i % 2]);
		last->position = i ? i - 1 : ring.lines - 1;
		last = last->next;
	}
	free(lines);
	free(order);
	return 0;
}

static int setup(struct kb_run *run)
{
	uint64_t size = kb_param_number(run, "size"), cache = kb_last_cache(run);

	if (size < 4 * cache)
		return kb_skip(run, "the buffer must be 4 times the last cache: -p size=%lluM",
		               (unsigned long long)(4 * cache >> 20));
	ring = (struct kb_chase){ .stride = 64, .lines = size / 64 / GROUP * GROUP };
	ring.memory = kb_memory(run, size, "huge");
	random_state = run->seed;
	if (!ring.memory)
		return -1;

	int error = kb_claim_memory(run, ring.memory, size) ?: kb_chase_code(run) ?: link_pairs(run, kb_param_is(run, "row", "other") ? ring.lines / 4 : 0);

	if (!error)
		kb_chase_twin(run, &ring, &reference);
	return error;
}

static int op(struct kb_run *run, uint64_t n) { return (void)run, kb_chase_walk(&ring, n), 0; }
static int twin(struct kb_run *run, uint64_t n) { return (void)run, kb_chase_walk(&reference, n), 0; }

static int check(struct kb_run *run, uint64_t n)
{
	int error = kb_chase_check(run, &ring, n);

	kb_chase_levels(run, &ring, &reference);
	return error;
}

KB_BENCHMARK(.summary = "latency of a cache miss, by whether its pair lies in the same DRAM row; huge pages",
	.portability = KB_PLATFORM, .assumes = "2 KB of a huge page lie in one DRAM row, which stays open",
	.lmbench = "lat_dram_page", .per = "load", .bound = KB_MEMORY, .granule = KB_CHAIN_UNROLL,
	.params = { { "row", "of the second line", KB_CHOICE, "same,other", 0, 0, "same,other" },
		    { "size", "of the buffer", KB_SIZE, "128M", 1 << 20, 1ull << 36, NULL } },
	.expect = { { KB_MINFLT, .tolerance = 0.001 } }, .setup = setup, .op = op, .check = check, .twin = twin);
