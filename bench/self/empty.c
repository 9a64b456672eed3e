/*
 * self.empty: operation and base are the same empty timed loop, so their difference is 0. Where its CI excludes 0,
 * what is wrong is the measurement, and no other row of that run deserves trust.
 */
#include <kbench.h>

static int empty_loop(struct kb_run *run, uint64_t n)
{
	(void)run;
	for (uint64_t i = 0; i < n; i++)
		kb_keep(i);
	return 0;
}

KB_BENCHMARK(
	.summary = "no operation: the self-test, must cost 0",
	.suite = KB_QUICK, .portability = KB_PORTABLE,
	.per = "iteration",
	.bound = KB_NOTHING,
	.op = empty_loop,
	.base = empty_loop,
);
