/*
 * param.expression: one of the nine dependent expressions of the mhz method, whose times have the clock's period as greatest
 * common divisor. A period that follows from them rests on whole numbers of cycles, which shifts and what the renamer
 * takes away do not have everywhere: cpu.clock is the yardstick, these are for comparison.
 */
#include <errno.h>

#include <kbench_expression.h>

#define CELLS 64u

static const struct kb_chain_code *code;
static struct kb_loop_state state;
static uint64_t start, operand, done;
static unsigned number;

/* A ring in the first cache, in an order without a stride: i -> 5 i + 3 visits all (Hull and Dobell 1962). */
static struct cell { const struct cell *next; unsigned char pad[56]; } ring[CELLS] __attribute__((aligned(64)));

static int setup(struct kb_run *run)
{
	for (unsigned i = 0; i < CELLS; i++)
		ring[i].next = &ring[(5 * i + 3) % CELLS];
	number = (unsigned)kb_param_number(run, "expr");
	kb_expression_inputs(number, &start, &operand);
	if (number == 1)
		start = (uintptr_t)ring;
	code = kb_expression(number);
	return kb_code_ready(run, code, "the expression");
}

static int op(struct kb_run *run, uint64_t n)
{
	(void)run;
	state.start = start;
	state.operand = operand;
	done = kb_code_run(code, n, &state);
	return 0;
}

static int check(struct kb_run *run, uint64_t n)
{
	if (done != n)
		return kb_fail(run, EILSEQ, "%llu expressions instead of %llu", (unsigned long long)done, (unsigned long long)n);
	if (state.start != kb_expression_expect(number, n, start, operand))
		return kb_fail(run, EILSEQ, "the register after %llu expressions is wrong", (unsigned long long)n);
	return 0;
}

KB_BENCHMARK(
	.summary = "dependent expression of the mhz method: *p, a^=a+a, a^=a+a+a, a>>=b, a>>=a+a, a^=a<<b, ...",
	.portability = KB_PLATFORM, .lmbench = "mhz",
	.assumes = "each expression takes a whole number of cycles",
	.per = "expression", .bound = KB_LATENCY, .granule = KB_CHAIN_UNROLL,
	.params = { { "expr", "which, in the order of the method", KB_NUMBER, "1,2,3,4,5,6,7,8,9", 1, KB_EXPRESSIONS, NULL } },
	.setup = setup, .op = op, .check = check,
);
