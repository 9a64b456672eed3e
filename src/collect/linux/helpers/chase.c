/* Rings of cells for benchmarks of latency: built in a random order, walked by the chain of loads, checked by
   position. */
#include "collect/linux/context.h"

#include <errno.h>
#include <unistd.h>

#include "extensions.h"
#include "kbench_memory.h"
#include "kbench_spin.h"

#define LOOKS 100u

struct kb_cell *kb_chase_cell(const struct kb_chase *chase, uint64_t i)
{
	uint64_t shift = chase->shifts ? i % chase->shifts * 64 : 0;

	return (struct kb_cell *)(void *)(chase->memory + i * chase->stride + shift);
}

/* Once along the ring, so that the walks begin with what was touched longest ago. In blocks that follow each other the next one is
   fetched as a stream: line after line by its order takes longer than all samples do. */
static void number(struct kb_chase *chase)
{
	uint64_t fetched = 0; /* lines from the lowest on */

	for (uint64_t i = 0; i < chase->lines; i++, chase->at = chase->at->next) {
		uint64_t line = ((uint64_t)(uintptr_t)chase->at - (uint64_t)(uintptr_t)chase->memory) / chase->stride;

		for (uint64_t end = line + chase->block; i > 0 && line >= fetched && fetched < end && fetched < chase->lines; fetched++)
			__builtin_prefetch(kb_chase_cell(chase, fetched));
		chase->at->position = i;
	}
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
	number(chase);
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

/* ---- where the loads are served from -------------------------------------------------------------- */

/* One load between two readings of the clock. */
static uint64_t time_load(struct kb_run *run, const struct kb_cell *cell, struct kb_cell **next)
{
	uint64_t begin = kb_now(run);

	*next = *(struct kb_cell *const volatile *)&cell->next;
	kb_keep(*next);
	return kb_now(run) - begin;
}

/* The next load of the ring, the same line when no cache has it, and when the first one has it: ticks with the reading of the clock. The
   line is then in the caches again, as after any load. */
struct look { uint64_t ring, memory, first; };

static bool look_once(struct kb_run *run, struct kb_chase *chase, struct look *look)
{
	struct kb_cell *next;

	kb_now(run); /* its own code */
	look->ring = time_load(run, chase->at, &next);
	bool flushed = kb_flush_line(chase->at);

	look->memory = time_load(run, chase->at, &next);
	look->first = time_load(run, chase->at, &next);
	chase->at = next;
	return flushed;
}

void kb_chase_levels(struct kb_run *run, struct kb_chase *chase, struct kb_chase *twin)
{
	struct look look;

	if (run->bound != KB_MEMORY)
		return;
	chase->at = chase->at->next; /* the line itself the check has read */
	bool seen = look_once(run, chase, &look);

	if (run->twin && twin) /* the order of lines says how many are fetched ahead: both walk the same ones */
		twin->at = twin->at->next->next;
	if (!seen)
		return;
	kb_covariate(run, KB_LOAD_RING, (double)look.ring);
	kb_covariate(run, KB_LOAD_MEMORY, (double)look.memory);
	kb_covariate(run, KB_LOAD_FIRST, (double)look.first);
}

/* ---- the twin ------------------------------------------------------------------------------------ */

/* Whether a cache serves half of the loads: then a second ring would take its place. Less than that comes of lines that were fetched ahead.
   Where nobody can tell, by what the system says. */
static bool is_cached(struct kb_run *run, struct kb_chase *chase)
{
	struct look look;
	unsigned near = 0;

	for (unsigned i = 0; i < LOOKS; i++) {
		if (!look_once(run, chase, &look))
			return chase->lines * chase->stride < 2 * kb_last_cache(run);
		near += 2 * look.ring < look.first + look.memory;
	}
	return near > LOOKS / 2;
}

static struct kb_cell *moved(const struct kb_chase *from, const struct kb_chase *to, const struct kb_cell *cell)
{
	return (struct kb_cell *)(void *)(to->memory + ((const char *)cell - from->memory));
}

void kb_chase_twin(struct kb_run *run, struct kb_chase *chase, struct kb_chase *twin)
{
	if (run->bound != KB_MEMORY || !run->bench->twin || is_cached(run, chase))
		return;
	*twin = *chase;
	twin->memory = kb_memory_twin(run, chase->lines * chase->stride + (chase->shifts ? chase->shifts * 64 : 0));
	if (!twin->memory)
		return;
	for (uint64_t i = 0; i < chase->lines; i++) {
		const struct kb_cell *cell = kb_chase_cell(chase, i);

		*moved(chase, twin, cell) = (struct kb_cell){ moved(chase, twin, cell->next), cell->position };
	}
	twin->at = moved(chase, twin, chase->at);
	run->twin = "an equal ring on huge pages";
}

/* ---- alongside partners -------------------------------------------------------------------------- */

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
