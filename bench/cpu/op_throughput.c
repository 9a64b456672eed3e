/*
 * cpu.op_throughput: the time of one instruction when `chains` of them wait for nobody but themselves. With 1 it is the
 * latency; it falls as 1 / chains up to a knee, and the plateau is how often the core can begin one. Real numbers are
 * double. What would make it wrong: a compiler that folds them, hence machine code and every register checked.
 */
#include <errno.h>
#include <string.h>

#include <kbench_code.h>

#define ONE 0x3ff0000000000000u         /* 1.0, the operand of real operations: sums and products stay exact */
#define ODD 0x9e3779b97f4a7c15u

static const struct kb_chain_code *code;
static struct kb_loop_state state;
static uint64_t done, chains, operand;
static enum kb_parallel kind;

static int setup(struct kb_run *run)
{
	static const char *const names[] = {
		[KB_PARALLEL_ADD] = "add", [KB_PARALLEL_MUL] = "mul", [KB_PARALLEL_FADD] = "fadd",
		[KB_PARALLEL_FMUL] = "fmul", [KB_PARALLEL_FMA] = "fma",
	};
	char name[40] = "independent chains of ";

	while (!kb_param_is(run, "op", names[kind]))
		kind++;
	for (const char *digit = kb_param_text(run, "chains"); *digit; digit++)
		chains = 10 * chains + (uint64_t)(*digit - '0');
	operand = kind < KB_PARALLEL_FADD ? ODD : ONE;
	code = kb_code_parallel(kind, (unsigned)chains);
	return kb_code_ready(run, code, strcat(name, names[kind]));
}

/* Real chains begin with different numbers, so that a register that is taken for another shows. */
static uint64_t first(uint64_t chain)
{
	union { double real; uint64_t bits; } start = { (double)(chain + 1) };

	return kind < KB_PARALLEL_FADD ? 2 * chain + 1 : start.bits;
}

static int op(struct kb_run *run, uint64_t n)
{
	(void)run;
	state.operand = operand;
	for (uint64_t i = 0; i < chains; i++)
		state.more[i] = first(i);
	done = kb_code_run(code, n, &state);
	return 0;
}

static uint64_t last(uint64_t chain, uint64_t steps)
{
	union { double real; uint64_t bits; } sum = { (double)(chain + 1 + steps) };

	if (kind == KB_PARALLEL_ADD || kind == KB_PARALLEL_MUL)
		return kb_chain_expect(kind == KB_PARALLEL_ADD ? KB_CHAIN_ADD : KB_CHAIN_IMUL, steps, first(chain), operand);
	return kind == KB_PARALLEL_FMUL ? first(chain) : sum.bits;
}

static int check(struct kb_run *run, uint64_t n)
{
	if (done != n)
		return kb_fail(run, EILSEQ, "%llu operations instead of %llu", (unsigned long long)done, (unsigned long long)n);
	for (uint64_t i = 0; i < chains; i++) {
		if (state.more[i] != last(i, n / chains))
			return kb_fail(run, EILSEQ, "register %llu after %llu operations is wrong", (unsigned long long)i,
				       (unsigned long long)n);
	}
	return 0;
}

KB_BENCHMARK(
	.summary = "throughput of one instruction by the number of independent chains",
	.portability = KB_PLATFORM, .lmbench = "par_ops",
	.assumes = "the chains' instructions are executed and do not wait for each other",
	.per = "instruction", .bound = KB_ISSUE, .granule = KB_PARALLEL_UNROLL,
	.params = {
		{ "op", "int64: add, mul; double: fadd, fmul, fma", KB_CHOICE, "add,mul,fma", .choices = "add,mul,fadd,fmul,fma" },
		{ "chains", "independent ones", KB_CHOICE, "1,12", .choices = KB_PARALLEL_WIDTHS },
	},
	.events = { { "instructions:u", .per_op = 1, .tolerance = 0.1, .when = "op=add" } },
	.setup = setup, .op = op, .check = check,
);
