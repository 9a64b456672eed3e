/*
 * lib.rand: the C library's generators of random numbers, summed up; the check draws the same numbers again from
 * the same seed. rand may take a lock, lrand48 and drand48 share a state of 48 bits.
 */
#include <errno.h>
#include <stdlib.h>

#include <kbench.h>

static enum { RAND, LRAND48, DRAND48 } what;
static double sum;
static uint64_t seed;

static int setup(struct kb_run *run)
{
	static const char *const names[] = { "rand", "lrand48", "drand48" };

	while (!kb_param_is(run, "function", names[what]))
		what++;
	seed = run->seed;
	return 0;
}

static int before(struct kb_run *run, uint64_t n)
{
	(void)run;
	srand((unsigned)(seed + n));
	srand48((long)(seed + n));
	return 0;
}

static double draw(uint64_t n)
{
	uint64_t whole = 0;
	double real = 0;

	switch (what) {
	case RAND:
		for (uint64_t i = 0; i < n; i++)
			whole += (uint64_t)rand();
		break;
	case LRAND48:
		for (uint64_t i = 0; i < n; i++)
			whole += (uint64_t)lrand48();
		break;
	case DRAND48:
		for (uint64_t i = 0; i < n; i++)
			real += drand48();
		break;
	}
	return real + (double)whole;
}

static int op(struct kb_run *run, uint64_t n)
{
	(void)run;
	sum = draw(n);
	return 0;
}

static int check(struct kb_run *run, uint64_t n)
{
	double drawn = sum;

	before(run, n);
	if (drawn != draw(n))
		return kb_fail(run, EILSEQ, "the sum is not that of %llu draws", (unsigned long long)n);
	return 0;
}

KB_BENCHMARK(
	.summary = "one number from rand, lrand48 or drand48",
	.portability = KB_PORTABLE, .lmbench = "lat_rand",
	.per = "number", .bound = KB_LATENCY,
	.params = {
		{ "function", "of the library", KB_CHOICE, "rand,lrand48,drand48", 0, 0, "rand,lrand48,drand48" },
	},
	.expect = { { KB_SYSCALLS, .per_op = 0, .who = KB_ALL } },
	.setup = setup, .before = before, .op = op, .check = check,
);
