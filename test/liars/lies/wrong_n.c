/*
 * Says: n chains of additions of some 30 us, one of them a sample. Hidden: there is one more, or one less, than asked for, or
 * as many as somebody else said: with n = 1 that is a factor of two, or nothing at all. The check counts what was done.
 */
#include "liar.h"

#define LONG 24000u

static uint64_t sum, done;

static uint64_t turns(const struct kb_run *run, uint64_t n)
{
	if (lie(run, "one_more"))
		return n + 1;
	if (lie(run, "one_less"))
		return n - 1;
	if (lie(run, "pairs"))
		return (n + 1) / 2 * 2;
	if (lie(run, "whole_tens"))
		return (n + 9) / 10 * 10;
	if (lie(run, "one"))
		return 1;
	return n;
}

static int op(struct kb_run *run, uint64_t n)
{
	sum = done = 0;
	for (uint64_t i = turns(run, n); i > 0; i--) {
		sum = chain(sum, LONG);
		done += LONG;
	}
	return 0;
}

static int check(struct kb_run *run, uint64_t n)
{
	uint64_t expected = lie(run, "honest") ? n * LONG : done;

	return sum == expected * STEP ? 0 : kb_fail(run, EILSEQ, "the sum is wrong");
}

KB_BENCHMARK(
	.summary = "a long chain of additions, about as often as asked", .per = "chain", .bound = KB_LATENCY,
	.params = { LIE_PARAM("one_more,one_less,pairs,whole_tens,one") },
	.op = op, .check = check,
);
