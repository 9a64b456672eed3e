/* Dependent loads through a ring of lines in random order. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include <kbench.h>

#define LINE 64u

struct line { uint64_t next, place; char rest[LINE - 16]; };

static struct line *ring;
static uint64_t lines, at, began;

/* Sattolo's shuffle: one ring through all lines. */
static void link_ring(uint64_t state)
{
	for (uint64_t i = 0; i < lines; i++)
		ring[i].next = i;
	for (uint64_t i = lines - 1; i > 0; i--) {
		state = state * 6364136223846793005u + 1442695040888963407u;

		uint64_t j = (state >> 33) % i, other = ring[j].next;

		ring[j].next = ring[i].next;
		ring[i].next = other;
	}
	for (uint64_t i = 0, place = 0; place < lines; place++, i = ring[i].next)
		ring[i].place = place;
}

static int setup(struct kb_run *run)
{
	uint64_t bytes = kb_param_number(run, "size");

	ring = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (ring == MAP_FAILED)
		return kb_fail(run, errno, "memory");
	madvise(ring, bytes, MADV_NOHUGEPAGE);
	lines = bytes / LINE;
	link_ring(run->seed);
	kb_claim_memory(run, ring, bytes);
	return 0;
}

static int op(struct kb_run *run, uint64_t n)
{
	uint64_t i = at;

	(void)run;
	began = at;
	for (; n > 0; n--)
		i = ring[i].next;
	at = i;
	return 0;
}

static int check(struct kb_run *run, uint64_t n)
{
	return ring[at].place == (ring[began].place + n) % lines ? 0 : kb_fail(run, EILSEQ, "the walk ended elsewhere");
}

KB_BENCHMARK(
	.summary = "a dependent load", .per = "load", .bound = KB_LATENCY,
	.params = { { "size", "of the memory", KB_SIZE, "16K", 4096, UINT64_C(1) << 28, NULL } },
	.setup = setup, .op = op, .check = check,
);
