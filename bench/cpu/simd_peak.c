/*
 * cpu.simd_peak: floating point operations by fused multiply-add on whole vectors, twelve accumulators: more than latency
 * times issue rate of any core so far. An instruction counts two operations for each element, as peak figures do. What
 * would make it wrong: fewer accumulators (the latency shows), and cores that lower their clock for wide vectors.
 */
#include <errno.h>

#include <kbench_code.h>

union vector { float singles[16]; double doubles[8]; };

static union vector memory[KB_ACCUMULATORS + 1] __attribute__((aligned(64)));
static const struct kb_chain_code *code;
static unsigned element, width, flops;
static uint64_t done;

static int setup(struct kb_run *run)
{
	element = kb_param_is(run, "type", "float") ? 32 : 64;
	width = kb_param_is(run, "bits", "128") ? 128 : kb_param_is(run, "bits", "256") ? 256 : 512;
	flops = 2 * width / element;
	code = kb_code_vector(element, width);
	return kb_code_ready(run, code, "fused multiply-add of such vectors");
}

static int before(struct kb_run *run, uint64_t n)
{
	(void)run;
	(void)n;
	for (unsigned i = 0; i < KB_ACCUMULATORS + 1; i++) {
		for (unsigned lane = 0; lane < width / element; lane++) {
			if (element == 32)
				memory[i].singles[lane] = 1;
			else
				memory[i].doubles[lane] = 1;
		}
	}
	return 0;
}

static int op(struct kb_run *run, uint64_t n)
{
	struct kb_loop_state state = { .start = (uintptr_t)memory };

	(void)run;
	done = kb_code_run(code, n / flops, &state) * flops;
	return 0;
}

/* Each element counts: a = a x 1 + 1. A float does so up to 2^24. */
static int check(struct kb_run *run, uint64_t n)
{
	uint64_t steps = n / flops / KB_ACCUMULATORS, wrong = done != n;

	for (unsigned i = 0; i < KB_ACCUMULATORS; i++) {
		for (unsigned lane = 0; lane < width / element; lane++) {
			double value = element == 32 ? (double)memory[i].singles[lane] : memory[i].doubles[lane];

			wrong += value < (double)(1 + steps) || value > (double)(1 + steps);
		}
	}
	return wrong ? kb_fail(run, EILSEQ, "%llu elements are wrong after %llu operations", (unsigned long long)wrong,
			       (unsigned long long)n) : 0;
}

KB_BENCHMARK(
	.summary = "peak rate of floating point operations: fused multiply-add on vectors",
	.portability = KB_PLATFORM,
	.assumes = "a multiply-add is two operations an element, and all accumulators advance",
	.per = "flop", .bound = KB_ISSUE,
	.granule = KB_PARALLEL_UNROLL * 32,     /* of the widest, 16 floats: two operations each */
	.max_n = KB_PARALLEL_UNROLL * 32 * 20000,
	.params = {
		{ "type", "of an element", KB_CHOICE, "float,double", .choices = "float,double" },
		{ "bits", "of a vector", KB_CHOICE, "128,256,512", .choices = "128,256,512" },
	},
	.setup = setup, .before = before, .op = op, .check = check,
);
