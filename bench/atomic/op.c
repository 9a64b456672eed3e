/*
 * atomic.op: one atomic operation on a line that nobody else wants, each waiting for the one before. xadd: both exchanged,
 * the cell then their sum; swap; cas: read, add, compare-and-swap; llsc: load-linked, add, store-conditional; fence: a store
 * and a full barrier; plain: read, add and write without any order, for comparison. The cell tells how many there were.
 */
#include <errno.h>

#include <kbench_code.h>

#define OPERAND 0x9e3779b97f4a7c15u

static struct { uint64_t value; unsigned char pad[120]; } cell __attribute__((aligned(128)));
static const struct kb_chain_code *code;
static enum kb_code name = KB_CODE_XADD;
static uint64_t done;

static int setup(struct kb_run *run)
{
	static const char *const names[] = {
		[KB_CODE_XADD] = "xadd", [KB_CODE_SWAP] = "swap", [KB_CODE_CAS] = "cas", [KB_CODE_LLSC] = "llsc",
		[KB_CODE_FENCE] = "fence", [KB_CODE_PLAIN] = "plain",
	};

	while (!kb_param_is(run, "op", names[name]))
		name++;
	code = kb_code(name);
	return kb_code_ready(run, code, names[name]);
}

static int op(struct kb_run *run, uint64_t n)
{
	struct kb_loop_state state = { .start = 1, .operand = OPERAND, .more = { (uintptr_t)&cell } };

	(void)run;
	cell.value = 1;
	done = kb_code_run(code, n, &state);
	return 0;
}

/* The cell after n operations, all in one thread. */
static uint64_t expected(uint64_t n)
{
	uint64_t memory = 1, value = 1, old;

	if (name == KB_CODE_FENCE)
		return n ? 1 + (n - 1) * OPERAND : 1;
	if (name != KB_CODE_XADD && name != KB_CODE_SWAP)
		return 1 + n * OPERAND;
	for (; n; n--) {
		old = memory;
		memory = name == KB_CODE_XADD ? memory + value : value;
		value = name == KB_CODE_XADD ? old : old + OPERAND;
	}
	return memory;
}

static int check(struct kb_run *run, uint64_t n)
{
	if (done != n || cell.value != expected(n))
		return kb_fail(run, EILSEQ, "the cell after %llu operations is wrong", (unsigned long long)n);
	return 0;
}

KB_BENCHMARK(
	.summary = "atomic operation on a private line by kind, and a store with a full barrier",
	.portability = KB_PLATFORM, .assumes = "the line stays in the L1 cache of this core",
	.per = "operation", .bound = KB_LATENCY, .granule = KB_CHAIN_UNROLL,
	.params = {
		{ "op", "the operation", KB_CHOICE, "xadd,swap,cas,llsc,fence,plain", .choices = "xadd,swap,cas,llsc,fence,plain" },
	},
	.setup = setup, .op = op, .check = check,
);
