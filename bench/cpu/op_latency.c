/*
 * cpu.op_latency: the time from an instruction's input to its output, by a chain in which each needs the one before.
 * In units of `add` a latency is a whole number of cycles; what is not was folded, renamed away or disturbed.
 */
#include <errno.h>

#include <kbench.h>

#define CELLS 64u
#define OPERAND 0x9e3779b97f4a7c15u     /* odd: its powers never become 0, so imul stays a real product */

struct chain {
	enum kb_chain chain;
	uint64_t start, result;
};

static struct chain state;

/* A ring in 4 KB of the first cache, a line a cell. i -> 5 i + 3 visits all cells (Hull and Dobell 1962) and has no
   stride that an address predictor could learn. */
static struct cell { const struct cell *next; unsigned char pad[56]; } ring[CELLS] __attribute__((aligned(64)));

static uint64_t ring_make(void)
{
	for (unsigned i = 0; i < CELLS; i++)
		ring[i].next = &ring[(5 * i + 3) % CELLS];
	return (uintptr_t)ring;
}

static int setup(struct kb_run *run)
{
	static const char *const names[] = {
		[KB_CHAIN_ADD] = "add", [KB_CHAIN_XOR] = "xor", [KB_CHAIN_IMUL] = "imul", [KB_CHAIN_LOAD] = "load",
	};
	uint32_t hash;

	while (!kb_param_is(run, "op", names[state.chain]))
		state.chain++;
	state.start = state.chain == KB_CHAIN_LOAD ? ring_make() : 1;
	if (kb_chain_verify(state.chain, &hash))
		return kb_fail(run, EILSEQ, "the %s chain (code %08x) is not one repeated instruction",
			       names[state.chain], hash);
	kb_code_hash(run, hash);
	run->state = &state;
	return 0;
}

static int op(struct kb_run *run, uint64_t n)
{
	struct chain *s = run->state;

	s->result = kb_chain(s->chain, n, s->start, OPERAND);
	return 0;
}

static int check(struct kb_run *run, uint64_t n)
{
	const struct chain *s = run->state;

	if (s->result != kb_chain_expect(s->chain, n, s->start, OPERAND))
		return kb_fail(run, EILSEQ, "the register after %llu operations is wrong", (unsigned long long)n);
	return 0;
}

KB_BENCHMARK(
	.summary = "latency of one instruction: integer add, xor, multiply, load from the first cache",
	.per = "instruction",
	.bound = KB_LATENCY,
	.granule = KB_CHAIN_UNROLL,
	.params = {
		{ "op", "the instruction", KB_CHOICE, .values = "add,xor,imul,load", .choices = "add,xor,imul,load" },
	},
	.setup = setup,
	.op = op,
	.check = check,
);
