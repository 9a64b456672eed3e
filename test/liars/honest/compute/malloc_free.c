/* A block of memory, and back. */
#include <stdlib.h>

#include "sum.h"

static uint64_t once(void)
{
	char *block = malloc(100);

	if (!block)
		return 0;
	*block = 1;
	kb_keep(block);

	uint64_t got = (uint64_t)*block;

	free(block);
	return got;
}

static int check(struct kb_run *run, uint64_t n)
{
	return sums_to(run, n);
}

KB_BENCHMARK(
	.summary = "malloc and free of 100 bytes", .per = "pair", .bound = KB_LATENCY,
	.expect = { { .counter = KB_MINFLT }, { KB_SYSCALLS, .who = KB_ALL } },
	.op = add_up, .check = check,
);
