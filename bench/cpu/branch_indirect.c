/*
 * cpu.branch_indirect: a jump to one of several targets in random order, less the same jump that always goes to one. Over
 * targets and the length of the pattern: a few jumps are learned, of long patterns all but 1 / targets miss. Samples go on
 * where the last one stopped, or each would repeat one beginning that the predictor knows.
 */
#include <errno.h>
#include <sys/mman.h>

#include <kbench_code.h>
#include <kbench_files.h>

#define LENGTH_MAX (1u << 18)
#define TARGETS 64u

static unsigned char *random_targets, *one_target;
static uint32_t *before;        /* sum of target + 1 before each position */
static const struct kb_chain_code *code;
static struct kb_loop_state state;
static uint64_t length, from, done;

static int setup(struct kb_run *run)
{
	uint64_t random = run->seed, targets = kb_param_number(run, "targets");

	length = kb_param_number(run, "length");
	if (length & (length - 1))
		return kb_fail(run, EINVAL, "length=%llu must be a power of two", (unsigned long long)length);
	random_targets = kb_map_small(run, 2 * length, MAP_PRIVATE | MAP_ANONYMOUS, -1);
	before = random_targets ? kb_map_small(run, (length + 1) * sizeof *before, MAP_PRIVATE | MAP_ANONYMOUS, -1) : NULL;
	if (!before)
		return -ENOMEM;
	one_target = random_targets + length;
	for (uint64_t i = 0; i < length; i++) {
		random = random * 6364136223846793005u + 1442695040888963407u; /* Knuth's MMIX generator */
		random_targets[i] = (unsigned char)((random >> 33) % targets);
		before[i + 1] = before[i] + random_targets[i] + 1;
		one_target[i] = 0;
	}
	state.more[0] = length - 1;
	code = kb_code(KB_CODE_JUMP);
	return kb_code_ready(run, code, "jump");
}

static int op(struct kb_run *run, uint64_t n)
{
	(void)run;
	from = state.more[1];
	state.start = 0;
	state.operand = (uintptr_t)random_targets;
	done = kb_code_run(code, n, &state);
	return 0;
}

static int base(struct kb_run *run, uint64_t n)
{
	struct kb_loop_state constant = { .operand = (uintptr_t)one_target, .more = { length - 1 } };

	(void)run;
	return kb_code_run(code, n, &constant) == n && constant.start == n ? 0 : -EILSEQ;
}

/* Each target adds a number of its own: the sum over n places tells that all were reached. */
static int check(struct kb_run *run, uint64_t n)
{
	uint64_t end = from + n, sum = end / length * before[length] + before[end % length] - before[from];

	if (done != n || state.start != sum)
		return kb_fail(run, EILSEQ, "the targets of %llu jumps add up to %llu, not %llu", (unsigned long long)n,
			       (unsigned long long)state.start, (unsigned long long)sum);
	return 0;
}

KB_BENCHMARK(
	.summary = "indirect jump to random targets minus one to a fixed target, by number and pattern length",
	.portability = KB_PLATFORM,
	.assumes = "all but 1 / targets of the jumps miss once the pattern is longer than the predictor remembers",
	.per = "jump", .bound = KB_LATENCY, .granule = 64,
	.params = {
		{ "targets", "to jump to", KB_NUMBER, "2,16", 2, TARGETS, NULL },
		{ "length", "of the pattern, a power of two", KB_SIZE, "4,256K", 2, LENGTH_MAX, NULL },
	},
	.events = { { "branch-misses:u", .per_op = 15.0 / 16, .tolerance = 0.1, .when = "targets=16 length=256K" } },
	.setup = setup, .op = op, .base = base, .check = check,
);
