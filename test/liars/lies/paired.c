/*
 * Says: samples in pairs, of a chain of additions and of a short one; their difference is the operation. Hidden: the base does
 * a part of the work, or all of it.
 */
#include "liar.h"

#define GRANULE 64u
#define BASE_TURN 1u

static uint64_t sum;

static int before(struct kb_run *run, uint64_t n)
{
	(void)run;
	(void)n;
	sum = 0;
	return 0;
}

static int op(struct kb_run *run, uint64_t n)
{
	(void)run;
	for (uint64_t i = 0; i < n; i++)
		sum = chain(sum, TURN);
	return 0;
}

static int base(struct kb_run *run, uint64_t n)
{
	uint64_t turns = lie(run, "base_works") ? TURN * 45 / 100 : lie(run, "base_does_all") ? TURN : BASE_TURN;

	turns = lie(run, "base_does_more") ? 2 * TURN : turns;
	for (uint64_t i = 0; i < n; i++)
		sum = chain(sum, turns);
	return 0;
}

static int check(struct kb_run *run, uint64_t n)
{
	return sum == n * TURN * STEP ? 0 : kb_fail(run, EILSEQ, "the sum is wrong");
}

KB_BENCHMARK(
	.summary = "chains of additions in pairs", .per = "chain", .bound = KB_LATENCY, .method = KB_PAIRED, .granule = GRANULE,
	.params = { LIE_PARAM("base_works,base_does_all,base_does_more") },
	.before = before, .op = op, .base = base, .check = check,
);
