/*
 * Says: a chain of additions. Hidden: samples that are not to its liking are refuted, or it says things of them that are no
 * numbers: what is left is a choice.
 */
#include "liar.h"

static uint64_t sum, began, best = UINT64_MAX, samples;

static int before(struct kb_run *run, uint64_t n)
{
	(void)run;
	(void)n;
	samples++;
	began = wall_ns();
	return 0;
}

static int op(struct kb_run *run, uint64_t n)
{
	(void)run;
	sum = 0;
	for (uint64_t i = 0; i < n; i++)
		sum = chain(sum, TURN);
	return 0;
}

static int check(struct kb_run *run, uint64_t n)
{
	uint64_t each = (wall_ns() - began) / n;

	best = each < best ? each : best;
	if (sum != n * TURN * STEP)
		return kb_fail(run, EILSEQ, "the sum is wrong");
	if (lie(run, "slow_ones") && each > best + best / 10)
		return kb_refute(run, "");
	if (lie(run, "all_but_some") && samples % 10)
		return kb_refute(run, "not this one");
	if (lie(run, "no_number"))
		kb_covariate(run, "share", __builtin_nan(""));
	if (lie(run, "twice_said")) {
		kb_covariate(run, "share", 1);
		kb_covariate(run, "share", 2);
	}
	return 0;
}

KB_BENCHMARK(
	.summary = "a chain of additions, of which some please", .per = "chain", .bound = KB_LATENCY,
	.params = { LIE_PARAM("slow_ones,all_but_some,no_number,twice_said") },
	.before = before, .op = op, .base = kb_empty_loop, .check = check,
);
