/*
 * self.timer: a sample with nothing in it, as observe() takes its own: what every single reading contains and no slope.
 * It is a multiple of the clock's steps, so only its mean is finer than they are.
 */
#include <errno.h>

#include <kbench.h>

/* Of the last sample. */
static uint64_t first, last, sum, samples;

static int observe(struct kb_run *run, uint64_t n, uint64_t *ticks)
{
	*ticks = samples = 0;
	first = kb_now(run);
	for (uint64_t i = 0; i < n; i++) {
		uint64_t start = kb_now(run), end = kb_now(run);

		if (end < start)
			return kb_fail(run, ERANGE, "the clock stepped back");
		*ticks += end - start;
		kb_count(run, KB_SEEN, 1);
		samples++;
	}
	last = kb_now(run);
	sum = *ticks;
	return 0;
}

/* All samples lie between the first reading and the last. */
static int check(struct kb_run *run, uint64_t n)
{
	return samples == n && sum <= last - first ? 0 : kb_fail(run, EILSEQ, "the samples are longer than the time they were in");
}

KB_BENCHMARK(
	.summary = "empty sample: what a single reading of the clock contains",
	.portability = KB_PLATFORM, .assumes = "the counter is read in program order and never goes backwards", .lmbench = "timing_o",
	.per = "sample",
	.expect = { { KB_SEEN, .per_op = 1 } },
	.observe = observe, .check = check,
);
