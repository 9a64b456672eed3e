/*
 * clock.read: what reading the processor's counter costs: plain, with the barriers that keep it in order, and as the
 * pair around an empty sample, which every measurement contains once.
 */
#include <errno.h>

#include <kbench_code.h>

struct reading {
	enum kb_reading way;
	uint64_t last, now, made;
};

static struct reading state;

static int setup(struct kb_run *run)
{
	static const char *const names[] = {
		[KB_READ_LIGHT] = "plain", [KB_READ_ORDERED] = "ordered", [KB_READ_PAIR] = "pair",
	};

	while (!kb_param_is(run, "way", names[state.way]))
		state.way++;
	run->state = &state;
	return 0;
}

static int op(struct kb_run *run, uint64_t n)
{
	struct reading *s = run->state;

	s->made = kb_count_readings(s->way, n, &s->now);
	return 0;
}

/* A counter that steps back, within a sample or since the one before, measures nothing. */
static int check(struct kb_run *run, uint64_t n)
{
	struct reading *s = run->state;

	if (s->made != n)
		return kb_fail(run, ERANGE, "%llu readings in order instead of %llu", (unsigned long long)s->made,
			       (unsigned long long)n);
	if (s->now < s->last)
		return kb_fail(run, ERANGE, "the clock stepped back: %llu after %llu",
			       (unsigned long long)s->now, (unsigned long long)s->last);
	s->last = s->now;
	return 0;
}

KB_BENCHMARK(
	.summary = "reading the time stamp counter",
	.suite = KB_STANDARD, .portability = KB_PLATFORM,
	.assumes = "a counter that is read in order, and never steps back",
	.per = "reading",
	.bound = KB_LATENCY,
	.params = {
		{ "way", "plain, ordered by barriers, or the pair around a sample", KB_CHOICE,
		  .values = "plain,ordered,pair", .choices = "plain,ordered,pair" },
	},
	.setup = setup,
	.op = op,
	.check = check,
);
