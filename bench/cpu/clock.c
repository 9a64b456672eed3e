/*
 * cpu.clock: one dependent register addition takes one core cycle, so its time is the core's clock period. Time stamp
 * ticks are not core cycles: this row is the yardstick of every other row that is bound by the core.
 */
#include <errno.h>

#include <kbench_code.h>

#define START 1u
#define OPERAND 0x9e3779b97f4a7c15u     /* any value whose multiples differ: a lost addition shows in the sum */

static uint64_t result;

static int setup(struct kb_run *run)
{
	return kb_code_ready(run, kb_chain_code(KB_CHAIN_ADD), "add");
}

static int op(struct kb_run *run, uint64_t n)
{
	(void)run;
	result = kb_chain(KB_CHAIN_ADD, n, START, OPERAND);
	return 0;
}

static int check(struct kb_run *run, uint64_t n)
{
	if (result != kb_chain_expect(KB_CHAIN_ADD, n, START, OPERAND))
		return kb_fail(run, EILSEQ, "the sum of %llu additions is wrong", (unsigned long long)n);
	return 0;
}

KB_BENCHMARK(
	.summary = "dependent add of two registers: the period of the core clock",
	.suite = KB_QUICK, .portability = KB_PLATFORM, .lmbench = "mhz",
	.assumes = "a dependent addition of two registers takes one cycle",
	.per = "add",
	.bound = KB_LATENCY,
	.granule = KB_CHAIN_UNROLL,
	/* The loop around KB_CHAIN_UNROLL of them, and the clock's reading, are the tolerance. */
	.events = { { "instructions:u", .per_op = 1, .tolerance = 0.1 } },
	.setup = setup,
	.op = op,
	.check = check,
);
