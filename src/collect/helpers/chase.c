/* Rings of cells for benchmarks of latency: built in a random order, walked by the chain of loads, checked by
   position. */
#include "collect/context.h"

#include <errno.h>
#include <unistd.h>

#include "kbench_memory.h"
#include "kbench_spin.h"

struct kb_cell *kb_chase_cell(const struct kb_chase *chase, uint64_t i)
{
	uint64_t shift = chase->shifts ? i % chase->shifts * 64 : 0;

	return (struct kb_cell *)(void *)(chase->memory + i * chase->stride + shift);
}

/* Each line enters the ring behind a random one of its block: every order is equally likely, as in Sattolo's cycle. The
   first of a block enters behind the top line, so blocks follow each other upwards; blocks of one line: forward. */
static void link_cells(struct kb_chase *chase, uint64_t random)
{
	uint64_t top = chase->lines - 1;

	chase->at = kb_chase_cell(chase, top)->next = kb_chase_cell(chase, top);
	for (uint64_t i = top; i-- > 0;) {
		uint64_t linked = (top - i) % chase->block;     /* lines of this block, all right above i */
		struct kb_cell *behind, *cell = kb_chase_cell(chase, i);

		random = random * 6364136223846793005u + 1442695040888963407u; /* Knuth's MMIX generator */
		behind = kb_chase_cell(chase, linked ? i + 1 + (random >> 32) % linked : top);
		cell->next = behind->next;
		behind->next = cell;
	}
	for (uint64_t i = 0; i < chase->lines; i++, chase->at = chase->at->next)
		chase->at->position = i;
}

int kb_chase_code(struct kb_run *run)
{
	uint32_t hash;

	if (kb_chain_verify(KB_CHAIN_LOAD, &hash))
		return kb_fail(run, EILSEQ, "the load chain (code %08x) is not one repeated instruction", hash);
	kb_code_hash(run, hash);
	return 0;
}

/* With a stride of pages one page of each is touched. */
static int claim(struct kb_run *run, const struct kb_chase *chase)
{
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE), bytes = chase->lines * chase->stride;

	return kb_claim_touched(run, chase->memory, bytes, chase->stride > page ? chase->lines * page : bytes);
}

int kb_chase_link(struct kb_run *run, struct kb_chase *chase)
{
	if (chase->lines < 2 || !chase->block || chase->stride % sizeof(void *))
		return kb_fail(run, EINVAL, "a ring needs two lines, its stride must be a multiple of %zu", sizeof(void *));
	link_cells(chase, run->seed);
	return claim(run, chase) ?: kb_chase_code(run);
}

void kb_chase_walk(struct kb_chase *chase, uint64_t n)
{
	chase->from = chase->at;
	chase->at = (struct kb_cell *)(uintptr_t)kb_chain(KB_CHAIN_LOAD, n, (uintptr_t)chase->from, 0);
}

int kb_chase_check(struct kb_run *run, const struct kb_chase *chase, uint64_t n)
{
	if (chase->at->position != (chase->from->position + n) % chase->lines)
		return kb_fail(run, EILSEQ, "the walk of %llu loads ended on a wrong line", (unsigned long long)n);
	return 0;
}

static struct kb_chase *observed;

static uint64_t walk_on(uint64_t n)
{
	kb_chase_walk(observed, n);
	observed->walked += n;
	return n;
}

int kb_chase_observe(struct kb_run *run, struct kb_chase *chase, uint64_t n, uint64_t *ticks, unsigned threads,
		     uint64_t (*progress)(unsigned thread))
{
	struct kb_cell *first = chase->at;

	observed = chase;
	chase->walked = 0;

	int error = kb_spin_observe(run, n, ticks, threads, walk_on, progress);

	chase->from = first;
	return error;
}
