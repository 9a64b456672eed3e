/*
 * cpu.op_latency: the time from an instruction's input to its output, by a chain in which each needs the one before.
 * In units of `add` a latency is a whole number of cycles; what is not was folded, renamed away or disturbed. Integers
 * are unsigned. `best` inputs have quotients and mantissas of few digits; mod includes one addition.
 */
#include <errno.h>
#include <string.h>

#include <kbench_code.h>

#define CELLS 64u
#define OPERAND 0x9e3779b97f4a7c15u     /* odd: its powers never become 0, so imul stays a real product */
#define LATER KB_CHAINS                 /* from here on the number of an instruction is an enum kb_code */

static const struct { const char *name; unsigned code; bool best; } ops[] = {
	{ "add", KB_CHAIN_ADD, 0 }, { "xor", KB_CHAIN_XOR, 0 }, { "imul", KB_CHAIN_IMUL, 0 }, { "load", KB_CHAIN_LOAD, 0 },
#define OP(name, code) { name, LATER + KB_CODE_##code, false }
#define TWO(name, code) { name, LATER + KB_CODE_##code, false }, { name "-best", LATER + KB_CODE_##code, true }
	OP("add-int32", ADD32), OP("xor-int32", XOR32), OP("mul-int32", MUL32), TWO("div-int32", DIV32), TWO("mod-int32", MOD32),
	TWO("div-int64", DIV64), TWO("mod-int64", MOD64),
	OP("add-float", FADD32), OP("mul-float", FMUL32), TWO("div-float", FDIV32), TWO("sqrt-float", FSQRT32),
	OP("fma-float", FMA32), OP("add-double", FADD64), OP("mul-double", FMUL64), TWO("div-double", FDIV64),
	TWO("sqrt-double", FSQRT64), OP("fma-double", FMA64),
};

static const struct kb_chain_code *code;
static struct kb_loop_state state;
static uint64_t start, operand, done;
static unsigned at;                     /* in ops */

/* A ring in 4 KB of the first cache, a line a cell. i -> 5 i + 3 visits all cells (Hull and Dobell 1962) and has no
   stride that an address predictor could learn. */
static struct cell { const struct cell *next; unsigned char pad[56]; } ring[CELLS] __attribute__((aligned(64)));

static int setup(struct kb_run *run)
{
	for (unsigned i = 0; i < CELLS; i++)
		ring[i].next = &ring[(5 * i + 3) % CELLS];
	while (strcmp(ops[at].name, kb_param_text(run, "op")))
		at++;
	start = ops[at].code == KB_CHAIN_LOAD ? (uintptr_t)ring : 1;
	operand = OPERAND;
	if (ops[at].code >= LATER)
		kb_code_inputs(ops[at].code - LATER, ops[at].best, &start, &operand);
	code = ops[at].code < LATER ? kb_chain_code(ops[at].code) : kb_code(ops[at].code - LATER);
	return kb_code_ready(run, code, ops[at].name);
}

static int op(struct kb_run *run, uint64_t n)
{
	(void)run;
	state.start = start;
	state.operand = operand;
	done = kb_code_run(code, n, &state);
	return 0;
}

/* The register alone cannot tell n where the operation comes back to a value, as xor and division by 1 do. */
static int check(struct kb_run *run, uint64_t n)
{
	uint64_t expected = ops[at].code < LATER ? kb_chain_expect(ops[at].code, n, start, operand) :
						   kb_code_expect(ops[at].code - LATER, ops[at].best, n);

	if (done != n)
		return kb_fail(run, EILSEQ, "%llu operations instead of %llu", (unsigned long long)done, (unsigned long long)n);
	if (state.start != expected)
		return kb_fail(run, EILSEQ, "the register after %llu operations is wrong", (unsigned long long)n);
	return 0;
}

#define INTEGERS "add-int32,xor-int32,mul-int32,div-int32,div-int32-best,mod-int32,mod-int32-best,div-int64,div-int64-best," \
	"mod-int64,mod-int64-best"
#define REALS(type) "add-" type ",mul-" type ",div-" type ",div-" type "-best,sqrt-" type ",sqrt-" type "-best,fma-" type
KB_BENCHMARK(
	.summary = "latency of one instruction by kind and type; load from the L1 cache",
	.suite = KB_STANDARD, .portability = KB_PLATFORM, .lmbench = "lat_ops",
	.lmbench_with = "op=add,xor,imul,load,mul-int32,div-int32,add-float,mul-float,div-float,add-double,mul-double,div-double",
	.assumes = "the chain's instructions are executed, not renamed away",
	.per = "instruction",
	.bound = KB_LATENCY,
	.granule = KB_CHAIN_UNROLL,
	.params = {
		{ "op", "the instruction (imul: int64), its type, its inputs", KB_CHOICE, .values = "add,xor,imul,load",
		  .choices = "add,xor,imul,load," INTEGERS "," REALS("float") "," REALS("double") },
	},
#define ONE(name) { "instructions:u", .per_op = 1, .tolerance = 0.1, .when = "op=" name }
	.events = { ONE("add"), ONE("xor"), ONE("imul"), ONE("load") },
	.setup = setup,
	.op = op,
	.check = check,
);
