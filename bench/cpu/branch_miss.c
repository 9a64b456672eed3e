/*
 * cpu.branch_miss: a branch that follows random bits, less the same branch that always goes one way. Over the length of the
 * pattern, after which it repeats: predictors learn thousands of bits, so short ones cost nothing; beyond the knee half of
 * the branches miss, and a miss costs twice this value. Samples go on where the last one stopped.
 */
#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include <kbench_code.h>
#include <kbench_files.h>

#define BITS_MAX (1u << 20)

static unsigned char *random_bits, *constant_bits;
static uint32_t *before;        /* ones before each position */
static const struct kb_chain_code *code;
static struct kb_loop_state state;
static uint64_t length, from, done;

static int setup(struct kb_run *run)
{
	uint64_t random = run->seed;

	length = kb_param_number(run, "length");
	if (length & (length - 1))
		return kb_fail(run, EINVAL, "length=%llu must be a power of two", (unsigned long long)length);
	random_bits = kb_map_small(run, 2 * length, MAP_PRIVATE | MAP_ANONYMOUS, -1);
	before = random_bits ? kb_map_small(run, (length + 1) * sizeof *before, MAP_PRIVATE | MAP_ANONYMOUS, -1) : NULL;
	if (!before)
		return -ENOMEM;
	constant_bits = random_bits + length;
	memset(constant_bits, 1, length);
	for (uint64_t i = 0; i < length; i++) {
		random = random * 6364136223846793005u + 1442695040888963407u; /* Knuth's MMIX generator */
		random_bits[i] = (unsigned char)(random >> 63);
		before[i + 1] = before[i] + random_bits[i];
	}
	state.more[0] = length - 1;
	code = kb_code(KB_CODE_BRANCH);
	return kb_code_ready(run, code, "branch");
}

static int op(struct kb_run *run, uint64_t n)
{
	(void)run;
	from = state.more[1];
	state.start = 0;
	state.operand = (uintptr_t)random_bits;
	done = kb_code_run(code, n, &state);
	return 0;
}

static int base(struct kb_run *run, uint64_t n)
{
	struct kb_loop_state constant = { .operand = (uintptr_t)constant_bits, .more = { length - 1 } };

	(void)run;
	return kb_code_run(code, n, &constant) == n ? 0 : -EILSEQ;
}

/* Ones in n bits from a position: whole patterns, and the difference of two places. */
static int check(struct kb_run *run, uint64_t n)
{
	uint64_t end = from + n, ones = end / length * before[length] + before[end % length] - before[from];

	if (done != n || state.start != ones)
		return kb_fail(run, EILSEQ, "%llu of %llu branches fell through, not %llu", (unsigned long long)state.start,
			       (unsigned long long)n, (unsigned long long)ones);
	return 0;
}

KB_BENCHMARK(
	.summary = "conditional branch on random bits minus a constant one, by length of the pattern",
	.portability = KB_PLATFORM,
	.assumes = "half of the branches miss once the pattern is longer than the predictor remembers",
	.per = "branch", .bound = KB_LATENCY, .granule = 64,
	.params = { { "length", "bits, a power of two", KB_SIZE, "64,4K,1M", 1, BITS_MAX, NULL } },
	.events = { { "branch-misses:u", .per_op = 0.5, .tolerance = 0.05, .when = "length=1M" } },
	.setup = setup, .op = op, .base = base, .check = check,
);
