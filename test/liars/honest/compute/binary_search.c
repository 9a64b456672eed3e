/* A number among 4096, another one each time. */
#include "sum.h"

#define COUNT 4096u

static unsigned numbers[COUNT], wanted;

/* 0 where the number stands at its place. */
static uint64_t find(unsigned number)
{
	unsigned low = 0, high = COUNT;

	while (high - low > 1) {
		unsigned middle = (low + high) / 2;

		if (numbers[middle] <= number)
			low = middle;
		else
			high = middle;
	}
	return low == number / 3 ? 1 : 1000;
}

static uint64_t once(void)
{
	wanted = (wanted * 1103515245u + 12345u) % (3 * COUNT);
	return find(wanted);
}

static int setup(struct kb_run *run)
{
	(void)run;
	for (unsigned i = 0; i < COUNT; i++)
		numbers[i] = 3 * i;
	return 0;
}

static int check(struct kb_run *run, uint64_t n)
{
	return sums_to(run, n);
}

KB_BENCHMARK(
	.summary = "binary search among 4096 numbers", .per = "search", .bound = KB_LATENCY,
	.setup = setup, .op = add_up, .check = check,
);
