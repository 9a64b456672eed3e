/*
 * cpu.window: two loads that miss all caches, and fillers behind each. While both fit into what the core looks ahead, their
 * misses overlap; with one filler too many they follow each other, and a pair takes twice as long. Sweep -p fillers: the
 * knee is the reorder buffer (filler=nop, mixed) or a register file (integer). Some cores pack no-operations, so that their
 * knee lies beyond the real one. What would make it wrong: prefetching, or memory that fits into a cache.
 */
#include <errno.h>
#include <sys/mman.h>

#include <kbench_code.h>

#define CELLS (1u << 19)                /* lines 128 bytes apart: what prefetches neighbours finds nothing */
#define FACTOR 166357u                  /* = 5 modulo 8: with an odd increment all cells follow (Hull and Dobell 1962) */
#define INCREMENT 300007u

static struct cell { struct cell *next; unsigned char pad[120]; } *cells;
static const struct kb_chain_code *code;
static uint64_t from[2], at[2], fillers, done;

/* The cell that is n steps further: x -> a x + c composed with itself by halves. */
static uint64_t ahead(uint64_t cell, uint64_t n)
{
	uint64_t factor = FACTOR, increment = INCREMENT;

	for (; n; n >>= 1) {
		if (n & 1)
			cell = factor * cell + increment;
		increment *= factor + 1;
		factor *= factor;
	}
	return cell % CELLS;
}

static int setup(struct kb_run *run)
{
	size_t bytes = CELLS * sizeof(struct cell);

	cells = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (cells == MAP_FAILED)
		return kb_fail(run, errno, "no memory for %zu MB", bytes >> 20);
	madvise(cells, bytes, MADV_HUGEPAGE); /* page walks would serialize the misses */
	for (uint64_t i = 0; i < CELLS; i++)
		cells[i].next = &cells[ahead(i, 1)];
	at[0] = run->seed % CELLS;
	at[1] = (at[0] + CELLS / 2 + 1) % CELLS;
	fillers = kb_param_number(run, "fillers") / 2 * 2;
	code = kb_code(kb_param_is(run, "filler", "nop") ? KB_CODE_WINDOW_NOP : kb_param_is(run, "filler", "integer") ?
		       KB_CODE_WINDOW_INTEGER : KB_CODE_WINDOW_MIXED);
	return kb_code_ready(run, code, "window");
}

static int op(struct kb_run *run, uint64_t n)
{
	struct kb_loop_state state = {
		.start = (uintptr_t)&cells[at[0]], .operand = fillers,
		.more = { (uintptr_t)&cells[at[1]] },
	};

	(void)run;
	from[0] = at[0];
	from[1] = at[1];
	done = kb_code_run(code, n, &state);
	at[0] = (state.start - (uintptr_t)cells) / sizeof(struct cell);
	at[1] = (state.more[0] - (uintptr_t)cells) / sizeof(struct cell);
	return 0;
}

static int check(struct kb_run *run, uint64_t n)
{
	if (done != n || at[0] != ahead(from[0], n) || at[1] != ahead(from[1], n))
		return kb_fail(run, EILSEQ, "a walk of %llu loads ended in a wrong cell", (unsigned long long)n);
	return 0;
}

KB_BENCHMARK(
	.summary = "two cache misses with fillers between them: size of the reorder window (even numbers)",
	.portability = KB_PLATFORM, .assumes = "both loads miss, and only the window limits their overlap",
	.per = "pair", .bound = KB_MEMORY,
	.params = {
		{ "filler", "between the loads", KB_CHOICE, "mixed,integer", .choices = "nop,integer,mixed" },
		{ "fillers", "behind each load", KB_NUMBER, "32,640", 0, KB_FILLERS, NULL },
	},
	.setup = setup, .op = op, .check = check,
);
