/*
 * self.window: the frame of a timed loop, the loop that counts to n: what a benchmark without a base leaves in its
 * result. The count lives in a register that the compiler cannot see through, so it tells how often the loop ran.
 */
#include <errno.h>

#include <kbench.h>

static uint64_t turns;

static int op(struct kb_run *run, uint64_t n)
{
	uint64_t count = 0;

	(void)run;
	for (uint64_t i = 0; i < n; i++) {
		count++;
		__asm__ volatile("" : "+r"(count));
	}
	turns = count;
	return 0;
}

static int check(struct kb_run *run, uint64_t n)
{
	if (turns != n)
		return kb_fail(run, EILSEQ, "%llu turns instead of %llu", (unsigned long long)turns, (unsigned long long)n);
	return 0;
}

KB_BENCHMARK(
	.summary = "the frame of a timed loop: one turn of an empty loop",
	.portability = KB_ASSUMING, .assumes = "the compiler keeps the loop", .lmbench = "enough, loop_o",
	.per = "circle", .bound = KB_LATENCY,
	.op = op, .check = check,
);
