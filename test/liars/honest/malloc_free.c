/* A block of memory, and back. */
#include <errno.h>
#include <stdlib.h>

#include <kbench.h>

static uint64_t sum;

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

static int setup(struct kb_run *run)
{
	(void)run;
	return 0;
}

static int op(struct kb_run *run, uint64_t n)
{
	(void)run;
	sum = 0;
	for (uint64_t i = 0; i < n; i++) {
		sum += once();
		kb_clobber();
	}
	return 0;
}

static int check(struct kb_run *run, uint64_t n)
{
	return sum == n * 1 ? 0 : kb_fail(run, EILSEQ, "a result is wrong");
}

KB_BENCHMARK(
	.summary = "malloc and free of 100 bytes", .per = "pair", .bound = KB_LATENCY,
	.expect = { { .counter = KB_MINFLT }, { KB_SYSCALLS, .who = KB_ALL } },
	.setup = setup, .op = op, .check = check,
);
