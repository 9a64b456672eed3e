/*
 * Says: an operation costs so and so much. Hidden: what it costs depends on how many there are in a sample or how many there
 * were before; there is no such number.
 */
#include "liar.h"

#define UNIT (TURN / 7)

static uint64_t samples, sum, added;

static unsigned log_of(uint64_t n)
{
	return n > 1 ? 64 - (unsigned)__builtin_clzll(n) : 1;
}

static void add(uint64_t turns)
{
	sum = chain(sum, turns);
	added += turns;
}

/* Turns of operation i of n. */
static uint64_t turns(const struct kb_run *run, uint64_t n, uint64_t i)
{
	if (lie(run, "log"))
		return UNIT * log_of(n);
	if (lie(run, "square"))
		return UNIT + 2 * i;
	if (lie(run, "ages"))
		return UNIT + samples / 20;
	return lie(run, "two_kinds") && samples & 1 ? 2 * TURN : TURN;
}

static int op(struct kb_run *run, uint64_t n)
{
	uint64_t fixed = turns(run, n, 0);
	bool varies = lie(run, "square");

	sum = added = 0;
	samples++;
	for (uint64_t i = 0; i < n; i++)
		add(varies ? turns(run, n, i) : fixed);
	return 0;
}

/* Of what was done, it was all done. */
static int check(struct kb_run *run, uint64_t n)
{
	return n > 0 && sum == added * STEP ? 0 : kb_fail(run, EILSEQ, "the sum is wrong");
}

KB_BENCHMARK(
	.summary = "operations that are not alike", .per = "operation", .bound = KB_LATENCY,
	.params = { LIE_PARAM("log,square,ages,two_kinds") },
	.op = op, .check = check,
);
