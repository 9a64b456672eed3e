/*
 * self.timer: an interval with nothing in it, as observe() takes its own: what every single reading contains and no slope.
 * It is a multiple of the clock's steps, so only its mean is finer than they are.
 */
#include <errno.h>

#include <kbench.h>

static int observe(struct kb_run *run, uint64_t n, uint64_t *ticks)
{
	*ticks = 0;
	for (uint64_t i = 0; i < n; i++) {
		uint64_t start = kb_now(run), end = kb_now(run);

		if (end < start)
			return kb_fail(run, ERANGE, "the clock stepped back");
		*ticks += end - start;
		kb_count(run, KB_SEEN, 1);
	}
	return 0;
}

KB_BENCHMARK(
	.summary = "an empty interval: what a single reading contains",
	.portability = KB_PLATFORM, .assumes = "a counter that is read in order, and never steps back", .lmbench = "timing_o",
	.per = "interval",
	.expect = { { KB_SEEN, .per_op = 1 } },
	.observe = observe,
);
