/* qsort of the C library, in disorder anew each time. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <kbench.h>

#define COUNT 1000u

static int disorder[COUNT], numbers[COUNT];

static int setup(struct kb_run *run)
{
	uint64_t state = run->seed;

	for (unsigned i = 0; i < COUNT; i++) {
		state = state * 6364136223846793005u + 1442695040888963407u;
		disorder[i] = (int)(state >> 40);
	}
	return 0;
}

static int compare(const void *a, const void *b)
{
	int x = *(const int *)a, y = *(const int *)b;

	return (x > y) - (x < y);
}

static int op(struct kb_run *run, uint64_t n)
{
	(void)run;
	for (uint64_t i = 0; i < n; i++) {
		memcpy(numbers, disorder, sizeof numbers);
		qsort(numbers, COUNT, sizeof *numbers, compare);
		kb_clobber();
	}
	return 0;
}

static int check(struct kb_run *run, uint64_t n)
{
	for (unsigned i = 1; i < COUNT; i++) {
		if (numbers[i - 1] > numbers[i])
			return kb_fail(run, EILSEQ, "the numbers are in disorder");
	}
	/* The next sample must sort again. */
	memcpy(numbers, disorder, sizeof numbers);
	return n > 0 ? 0 : kb_fail(run, EINVAL, "nothing was sorted");
}

KB_BENCHMARK(
	.summary = "qsort of 1000 numbers", .per = "sort", .bound = KB_LATENCY,
	.setup = setup, .op = op, .check = check,
);
