/*
 * A partner that gets on at the beginning of an observation only, as one whose CPU is taken away: what is measured then is the
 * work of one thread, and must not pass for that of two.
 */
#include <kbench_spin.h>

static unsigned parts;

static uint64_t work(uint64_t n)
{
	for (uint64_t i = 0; i < n; i++)
		kb_keep(i);
	parts++;
	return n;
}

static uint64_t progress(unsigned thread)
{
	(void)thread;
	return parts > 0;
}

static int observe(struct kb_run *run, uint64_t n, uint64_t *ticks)
{
	parts = 0;
	return kb_spin_observe(run, n, ticks, 2, work, progress);
}

KB_BENCHMARK(.summary = "a partner that is away", .per = "turn", .expect = { { KB_SEEN, .per_op = 1 } }, .observe = observe);
