/*
 * A partner that gets on at the beginning of an observation only, as one whose CPU is taken away: what is measured then is the
 * work of one thread, and must not pass for that of two. partner=there: it gets on all the time, and as each look at it takes
 * time, intervals of all lengths must have equally many.
 */
#include <errno.h>

#include <kbench_spin.h>

#define WARM_UP 8u              /* intervals of more than one operation: by then all lengths were there */

static unsigned parts, looks;
static bool there;

static int setup(struct kb_run *run)
{
	there = kb_param_is(run, "partner", "there");
	return 0;
}

/* Long operations: the shortest interval then has a few dozen of them. */
static uint64_t work(uint64_t n)
{
	for (uint64_t i = 0; i < n * (there ? 1000 : 1); i++)
		kb_keep(i);
	parts++;
	return n;
}

static uint64_t progress(unsigned thread)
{
	(void)thread;
	return there ? ++looks : parts > 0;
}

static int observe(struct kb_run *run, uint64_t n, uint64_t *ticks)
{
	parts = 0;
	return kb_spin_observe(run, n, ticks, 2, work, progress);
}

static int check(struct kb_run *run, uint64_t n)
{
	static unsigned made, usual;

	if (!there || n == 1)
		return 0;
	if (++made > WARM_UP && parts != usual)
		return kb_fail(run, EPROTO, "%llu operations in %u parts, others in %u", (unsigned long long)n, parts, usual);
	usual = parts;
	return 0;
}

KB_BENCHMARK(.summary = "a partner that is away", .per = "turn", .expect = { { KB_SEEN, .per_op = 1 } },
	.params = { { "partner", "when it gets on", KB_CHOICE, "away", .choices = "away,there" } },
	.setup = setup, .observe = observe, .check = check);
