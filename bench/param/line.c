/*
 * param.line: pairs of dependent loads. The first is of a line that the first cache has lost, the second lies `distance` away,
 * up or down at random: it hits while both are in one line and misses beyond. All lines are in the second cache, where an
 * adjacent line fetched along changes nothing: with misses of memory a line would look twice as long.
 */
#include <kbench_memory.h>

#define PAGES 64u                       /* what the first translation cache of a current core holds */
#define BLOCK 512u                      /* two pairs' lines are never one: distances end at half of it */
#define PAIRS (PAGES * 4096u / BLOCK)

static struct kb_chase ring;
static unsigned order[PAIRS];

/* Up from the first cell of a block or down from its last: in both cases a distance below the line stays inside. */
static struct kb_cell *first_of(unsigned block, bool down)
{
	return (struct kb_cell *)(void *)(ring.memory + block * BLOCK + (down ? BLOCK - sizeof(struct kb_cell) : 0));
}

/* Fisher and Yates, with Knuth's MMIX generator. */
static void shuffle(uint64_t *random)
{
	for (unsigned i = 0; i < PAIRS; i++) {
		unsigned k = (unsigned)((*random >> 33) % (i + 1));

		order[i] = order[k];
		order[k] = i;
		*random = *random * 6364136223846793005u + 1442695040888963407u;
	}
}

static int setup(struct kb_run *run)
{
	uint64_t distance = kb_param_number(run, "distance") / sizeof(struct kb_cell) * sizeof(struct kb_cell);
	uint64_t random = run->seed;
	struct kb_cell *last = NULL;

	ring = (struct kb_chase){ .lines = 2 * PAIRS, .block = 2 * PAIRS };
	ring.memory = kb_memory(run, PAIRS * BLOCK, "small");
	if (!ring.memory)
		return -1;
	kb_working_set(run, PAIRS * BLOCK, KB_LATENCY);
	shuffle(&random);
	for (unsigned i = 0; i < PAIRS; i++) {
		bool down = random >> (i % 61) & 1;
		struct kb_cell *first = first_of(order[i], down);
		struct kb_cell *second = (struct kb_cell *)(void *)((char *)first + (down ? -(long)distance : (long)distance));

		*first = (struct kb_cell){ second, 2 * i };
		*second = (struct kb_cell){ NULL, 2 * i + 1 };
		*(last ? &last->next : &ring.at) = first;
		last = second;
	}
	last->next = ring.at;
	return kb_claim_memory(run, ring.memory, PAIRS * BLOCK) ?: kb_chase_code(run);
}

static int op(struct kb_run *run, uint64_t n)
{
	(void)run;
	kb_chase_walk(&ring, n);
	return 0;
}

static int check(struct kb_run *run, uint64_t n)
{
	return kb_chase_check(run, &ring, n);
}

KB_BENCHMARK(
	.summary = "pairs of loads: a miss in the L1 cache, then one `distance` bytes away, a hit in the same line",
	.portability = KB_ASSUMING, .assumes = "512 lines of 64 pages fit the L2 cache and not the L1",
	.per = "load", .bound = KB_LATENCY, .granule = KB_CHAIN_UNROLL,
	.params = { { "distance", "of the second load of a pair", KB_SIZE, "16,32,64,128,256", 16, BLOCK / 2, NULL } },
	.expect = { { KB_MINFLT, .tolerance = 0.001 } },
	.setup = setup, .op = op, .check = check,
);
