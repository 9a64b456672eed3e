/* Divisions that wait for each other. */
#include "sum.h"

static volatile uint64_t one = 1;

static uint64_t once(void)
{
	uint64_t value = 1000, divisor = one;

	for (int i = 0; i < 20; i++)
		value = value / divisor;
	return value;
}

static int check(struct kb_run *run, uint64_t n)
{
	return sums_to(run, n * 1000);
}

KB_BENCHMARK(
	.summary = "twenty dependent divisions", .per = "chain", .bound = KB_LATENCY,
	.op = add_up, .check = check,
);
