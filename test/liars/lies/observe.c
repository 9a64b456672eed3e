/*
 * Says: it reads the clock itself, for a chain of some 0.5 us. Hidden: what it reports is not the time between two readings
 * around the work.
 */
#include "liar.h"

#define WORK 400u

static uint64_t sum, prepared, mixed = 88172645463325252u;

static void work(uint64_t n)
{
	sum = 0;
	for (uint64_t i = 0; i < n; i++)
		sum = chain(sum, WORK);
}

static uint64_t timed(struct kb_run *run, uint64_t n)
{
	uint64_t begin = kb_now(run);

	work(n);
	return kb_now(run) - begin;
}

static int before(struct kb_run *run, uint64_t n)
{
	prepared = kb_now(run);
	if (lie(run, "since_before"))
		work(n);
	return 0;
}

/* Numbers around a line, made without any clock. */
static uint64_t invented(uint64_t n)
{
	mixed ^= mixed << 13;
	mixed ^= mixed >> 7;
	mixed ^= mixed << 17;
	work(n);
	return 60 + n * 300 + mixed % (3 + n);
}

static uint64_t reported(struct kb_run *run, uint64_t n, uint64_t ticks)
{
	if (lie(run, "ten_times"))
		return ticks * 10;
	if (lie(run, "both_sides"))
		return ticks * 2;
	if (lie(run, "of_one"))
		return ticks / n;
	if (lie(run, "constant"))
		return 1000;
	if (lie(run, "nothing"))
		return 0;
	if (lie(run, "swapped"))
		return -ticks;
	return lie(run, "since_before") ? kb_now(run) - prepared : ticks;
}

static int observe(struct kb_run *run, uint64_t n, uint64_t *ticks)
{
	if (lie(run, "invented"))
		*ticks = invented(n);
	else
		*ticks = reported(run, n, timed(run, n));
	return 0;
}

static int check(struct kb_run *run, uint64_t n)
{
	return sum == n * WORK * STEP ? 0 : kb_fail(run, EILSEQ, "the sum is wrong");
}

KB_BENCHMARK(
	.summary = "a chain of additions, timed by itself", .per = "chain", .bound = KB_LATENCY,
	.params = { LIE_PARAM("ten_times,both_sides,of_one,constant,nothing,swapped,since_before,invented") },
	.before = before, .observe = observe, .check = check,
);
