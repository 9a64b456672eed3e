/*
 * cpu.call: a call and its return, nested `depth` deep. Beyond the return stack of the predictor (16 to 64 entries) the
 * outer returns miss. In machine code, since a compiler would inline some of it. Each function adds to a register; it saves
 * what its architecture makes a function that calls another save.
 */
#include <errno.h>

#include <kbench_code.h>

#define DEPTHS "1,2,4,8,16,32,64"
#define OPERAND 0x9e3779b97f4a7c15u

static const struct kb_chain_code *code;
static struct kb_loop_state state;
static uint64_t depth, calls;

static int setup(struct kb_run *run)
{
	for (const char *digit = kb_param_text(run, "depth"); *digit; digit++)
		depth = 10 * depth + (uint64_t)(*digit - '0');
	code = kb_code(KB_CODE_CALL);
	return kb_code_ready(run, code, "call");
}

static int op(struct kb_run *run, uint64_t n)
{
	(void)run;
	state.start = 1;
	state.operand = OPERAND;
	state.more[0] = depth;
	calls = depth * kb_code_run(code, n / depth, &state);
	return 0;
}

static int check(struct kb_run *run, uint64_t n)
{
	if (calls != n || state.start != 1 + n * OPERAND)
		return kb_fail(run, EILSEQ, "the sum of %llu calls is wrong", (unsigned long long)n);
	return 0;
}

KB_BENCHMARK(
	.summary = "call and return by depth of nesting",
	.portability = KB_PLATFORM, .lmbench = "lat_proc procedure",
	.assumes = "returns are predicted up to some depth",
	.per = "call", .bound = KB_LATENCY, .granule = 64,
	.params = { { "depth", "functions that call each other", KB_CHOICE, "1,8,64", .choices = DEPTHS } },
	.setup = setup, .op = op, .check = check,
);
