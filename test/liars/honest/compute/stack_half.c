/* Two steps in op for one in base: what loop and calls cost cancels. */
#include <errno.h>

#include <kbench.h>

static uint64_t value, steps;

static inline uint64_t step(uint64_t x)
{
	x = x * 3 + 1;
	__asm__ volatile("" : "+r"(x));
	return x;
}

static int op(struct kb_run *run, uint64_t n)
{
	uint64_t x = run->seed;

	for (uint64_t i = 0; i < n; i++)
		x = step(step(x));
	value = x;
	steps = 2 * n;
	return 0;
}

static int base(struct kb_run *run, uint64_t n)
{
	uint64_t x = run->seed;

	for (uint64_t i = 0; i < n; i++)
		x = step(x);
	value = x;
	steps = n;
	return 0;
}

static int check(struct kb_run *run, uint64_t n)
{
	uint64_t x = run->seed;

	for (uint64_t i = 0; i < steps; i++)
		x = x * 3 + 1;
	return x == value && steps == 2 * n ? 0 : kb_fail(run, EILSEQ, "the chain is wrong");
}

KB_BENCHMARK(
	.summary = "a multiplication and an addition", .per = "step", .bound = KB_LATENCY, .half_base = true,
	.op = op, .base = base, .check = check,
);
