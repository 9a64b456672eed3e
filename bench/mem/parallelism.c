/*
 * mem.parallelism: k chases through one ring at once, in turn on one core. While k grows, the time of a load falls
 * as 1/k as long as the core can keep k misses under way. The chases start evenly spaced, so each line was last
 * visited a whole working set ago, as in mem.latency, and their order is by the run's seed.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <kbench_memory.h>

#define CHASES_MAX 32u
#define CODE_BYTES 512u                 /* of op, for its hash: it is much longer */
#define BLOCK_BYTES (256u << 10)        /* 64 pages of 4 KB: what the first TLB of a current core holds */

static struct kb_chase ring, reference;
static struct kb_cell *own_at[CHASES_MAX], *twin_at[CHASES_MAX], **at = own_at, *from[CHASES_MAX];
static unsigned chases;

/* Of a constant count, so that the compiler unrolls it; the first 8 or so stay in registers, the others' loads and
   stores of their own place in the first cache are hidden behind the misses. */
static inline __attribute__((always_inline)) void chase(unsigned k, uint64_t rounds)
{
	struct kb_cell *own[CHASES_MAX];

	for (unsigned i = 0; i < k; i++)
		own[i] = at[i];
	while (rounds--) {
#pragma GCC unroll 32
		for (unsigned i = 0; i < k; i++)
			own[i] = own[i]->next;
		kb_clobber();                   /* or the rest of a walk whose end is known could be left out */
	}
	for (unsigned i = 0; i < k; i++)
		at[i] = own[i];
}

static int op(struct kb_run *run, uint64_t n)
{
	uint64_t rounds = n / chases;

	(void)run;
	memcpy(from, at, sizeof from);
	switch (chases) {
	case 1: chase(1, rounds); break; case 2: chase(2, rounds); break; case 4: chase(4, rounds); break;
	case 8: chase(8, rounds); break; case 16: chase(16, rounds); break; case CHASES_MAX: chase(CHASES_MAX, rounds); break;
	}
	return 0;
}

/* Its places are the row's, on the other ring. */
static int twin(struct kb_run *run, uint64_t n)
{
	at = twin_at;
	op(run, n);
	return at = own_at, 0;
}

static int setup(struct kb_run *run)
{
	uint64_t size = kb_param_number(run, "size");

	chases = (unsigned)atoi(kb_param_text(run, "chases"));
	ring = (struct kb_chase){ .stride = 64, .lines = size / 64, .block = BLOCK_BYTES / 64 };
	ring.memory = kb_memory(run, size, kb_param_text(run, "pages"));
	kb_working_set(run, size, chases > 1 ? KB_ISSUE : KB_LATENCY);
	int error = ring.memory ? kb_chase_link(run, &ring) : -1;

	for (uint64_t i = 0; !error && i < ring.lines; i++, ring.at = ring.at->next) {
		if (i % (ring.lines / chases) == 0 && i / (ring.lines / chases) < chases)
			at[i / (ring.lines / chases)] = ring.at;
	}
	kb_code_hash(run, kb_code_of((const void *)(uintptr_t)op, CODE_BYTES));
	if (!error)
		kb_chase_twin(run, &ring, &reference);
	for (unsigned i = 0; run->twin && i < chases; i++)
		twin_at[i] = (void *)(reference.memory + ((char *)own_at[i] - ring.memory));
	return error;
}

static int check(struct kb_run *run, uint64_t n)
{
	for (unsigned i = 0; i < chases; i++) {
		if (at[i]->position != (from[i]->position + n / chases) % ring.lines)
			return kb_fail(run, EILSEQ, "chase %u of %u ended on a wrong line", i + 1, chases);
	}
	return 0;
}

KB_BENCHMARK(
	.summary = "time of a load with several pointer chases in parallel",
	.portability = KB_ASSUMING, .lmbench = "par_mem", .assumes = "a dependent load cannot be predicted or prefetched in this order",
	.per = "load", .bound = KB_LATENCY, .granule = CHASES_MAX,
	.params = {
		{ "chases", "at once", KB_CHOICE, "1,4,16,32", 0, 0, "1,2,4,8,16,32" },
		{ "size", "working set", KB_SIZE, "64M", 4096, 1ull << 36, NULL },
		KB_PARAM_PAGES },
	.expect = { { KB_MINFLT, .tolerance = 0.001 } },
	.setup = setup, .op = op, .check = check, .twin = twin,
);
