/*
 * sched.noise: a window of fixed work that nothing in it can make longer: a chain of dependent additions without memory
 * or calls. What a window takes above the shortest ones, the core clock apart, was taken by interrupts, other tasks, the
 * host: compare p99 with quiet. Windows that were disturbed are what is asked for, and are kept: see the expectation.
 */
#include <errno.h>

#include <kbench_code.h>

#define STEP 3u

static uint64_t adds, expected, value, windows;

static int setup(struct kb_run *run)
{
	adds = kb_param_number(run, "adds") / KB_CHAIN_UNROLL * KB_CHAIN_UNROLL;
	expected = kb_chain_expect(KB_CHAIN_ADD, adds, 1, STEP);
	return 0;
}

static int op(struct kb_run *run, uint64_t n)
{
	windows = 0;
	for (uint64_t i = 0; i < n; i++) {
		value = kb_chain(KB_CHAIN_ADD, adds, 1, STEP);
		if (value != expected)
			return kb_fail(run, EILSEQ, "the sum of a window is wrong");
		windows++;
	}
	kb_count(run, KB_SEEN, windows);
	return 0;
}

static int check(struct kb_run *run, uint64_t n)
{
	return windows == n && value == expected ? 0 : kb_fail(run, EILSEQ, "windows are missing");
}

/* Any number of switches is right. That some are expected at all keeps the samples in which there were some. */
KB_BENCHMARK(
	.summary = "a window of fixed work, and the time that other tasks took from it", .per = "window",
	.suite = KB_FULL, .portability = KB_ASSUMING, .assumes = "the core clock stays as it is",
	.params = { { "adds", "of one window, one cycle each", KB_NUMBER, "3000000", KB_CHAIN_UNROLL, 1000000000, NULL } },
	.expect = { { KB_SEEN, .per_op = 1 }, { KB_SWITCHES, .per_op = 1000, .tolerance = 1000 } },
	.setup = setup, .op = op, .check = check,
);
