/*
 * cpu.clock_series: a million dependent additions, a million core cycles, again and again: how the clock moves. The time in
 * us is 1000 divided by the clock in GHz; p1 to p99 and the modes are the clocks it had. Windows follow each other, or a
 * millisecond of sleep, or one of the widest vector multiply-adds, after which some cores run slower for a while.
 */
#include <errno.h>
#include <time.h>

#include <kbench_code.h>

#define ADDS 1000000u
#define OPERAND 0x9e3779b97f4a7c15u
#define BURST (4000 * KB_PARALLEL_UNROLL)       /* about a quarter of a ms */

static struct { double lanes[8]; } vectors[KB_ACCUMULATORS + 1] __attribute__((aligned(64)));
static const struct kb_chain_code *wide;
static uint64_t value, done;
static bool idle;

static int setup(struct kb_run *run)
{
	idle = kb_param_is(run, "after", "idle");
	for (unsigned bits = 512; kb_param_is(run, "after", "wide") && !wide && bits >= 128; bits /= 2)
		wide = kb_code_vector(64, bits);
	if (kb_param_is(run, "after", "wide") && !wide)
		return kb_skip(run, "no vectors with multiply-add on this processor");
	return kb_code_ready(run, kb_chain_code(KB_CHAIN_ADD), "add");
}

static int before(struct kb_run *run, uint64_t n)
{
	struct kb_loop_state burst = { .start = (uintptr_t)vectors };

	(void)run;
	(void)n;
	if (idle)
		nanosleep(&(struct timespec){ 0, 1000000 }, NULL);
	for (unsigned i = 0; wide && i < 4; i++)
		kb_code_run(wide, BURST, &burst);
	return 0;
}

static int op(struct kb_run *run, uint64_t n)
{
	struct kb_loop_state state = { .start = 1, .operand = OPERAND };

	(void)run;
	done = kb_code_run(kb_chain_code(KB_CHAIN_ADD), n * ADDS, &state);
	value = state.start;
	return 0;
}

static int check(struct kb_run *run, uint64_t n)
{
	if (done != n * ADDS || value != 1 + n * ADDS * OPERAND)
		return kb_fail(run, EILSEQ, "the sum of %llu additions is wrong", (unsigned long long)(n * ADDS));
	return 0;
}

KB_BENCHMARK(
	.summary = "a million core cycles: how the core clock changes under load, after sleep, after wide vectors",
	.portability = KB_PLATFORM,
	.assumes = "a dependent addition of two registers takes one cycle",
	.per = "window", .bound = KB_LATENCY,
	.params = { { "after", "what goes before a window", KB_CHOICE, "work,idle,wide", .choices = "work,idle,wide" } },
	.setup = setup, .before = before, .op = op, .check = check,
);
