/* A product of two small matrices. */
#include "sum.h"

#define SIDE 16

static double left[SIDE][SIDE], right[SIDE][SIDE], product[SIDE][SIDE];

static uint64_t once(void)
{
	for (int i = 0; i < SIDE; i++) {
		for (int j = 0; j < SIDE; j++) {
			double entry = 0;

			for (int k = 0; k < SIDE; k++)
				entry += left[i][k] * right[k][j];
			product[i][j] = entry;
		}
	}
	kb_clobber();
	return (uint64_t)product[SIDE - 1][SIDE - 1];
}

static int setup(struct kb_run *run)
{
	(void)run;
	for (int i = 0; i < SIDE * SIDE; i++) {
		left[i / SIDE][i % SIDE] = 1;
		right[i / SIDE][i % SIDE] = 2;
	}
	return 0;
}

static int check(struct kb_run *run, uint64_t n)
{
	return sums_to(run, n * (2 * SIDE));
}

KB_BENCHMARK(
	.summary = "product of 16 by 16 matrices", .per = "product", .bound = KB_ISSUE,
	.setup = setup, .op = add_up, .check = check,
);
