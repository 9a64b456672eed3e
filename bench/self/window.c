/*
 * self.window: the frame of a timed loop, the loop that counts to n: what a benchmark without a base leaves in its
 * result. The count lives in a register that the compiler cannot see through, so it tells how often the loop ran.
 */
#include <errno.h>

#include <kbench.h>

static uint64_t iterations;

static int op(struct kb_run *run, uint64_t n)
{
	uint64_t count = 0;

	(void)run;
	for (uint64_t i = 0; i < n; i++) {
		count++;
		__asm__ volatile("" : "+r"(count));
	}
	iterations = count;
	return 0;
}

static int check(struct kb_run *run, uint64_t n)
{
	if (iterations != n)
		return kb_fail(run, EILSEQ, "%llu iterations instead of %llu", (unsigned long long)iterations, (unsigned long long)n);
	return 0;
}

KB_BENCHMARK(
	.summary = "loop overhead: one iteration of the empty loop",
	.portability = KB_ASSUMING, .assumes = "the compiler keeps the loop", .lmbench = "enough, loop_o",
	.per = "iteration", .bound = KB_LATENCY,
	.op = op, .check = check,
);
