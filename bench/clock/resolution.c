/*
 * clock.resolution: the smallest step that a clock is seen to make. Read until it changes, n times; the smallest change
 * counts, so it is the granularity where reading is fast enough to see it, else what a reading takes. Each sample turns
 * the clock's own unit into ticks by its whole length on both clocks.
 */
#include <errno.h>
#include <string.h>
#include <time.h>

#include <kbench_code.h>

static struct { const char *name; int id; } clocks[] = {
	{ "counter", -1 }, { "monotonic", CLOCK_MONOTONIC }, { "monotonic-raw", CLOCK_MONOTONIC_RAW },
	{ "realtime", CLOCK_REALTIME }, { "coarse", CLOCK_MONOTONIC_COARSE },
};
static int id;
static uint64_t first, last, smallest;

static int setup(struct kb_run *run)
{
	unsigned i = 0;

	while (strcmp(clocks[i].name, kb_param_text(run, "clock")))
		i++;
	id = clocks[i].id;
	return 0;
}

/* The counter between barriers, as samples read it: without, processors add 1 so that no two readings are equal. */
static uint64_t reading(void)
{
	struct timespec now;

	if (id < 0)
		return kb_read_clock(KB_READ_ORDERED, 1);
	clock_gettime(id, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static uint64_t changed(uint64_t from)
{
	uint64_t now;

	while ((now = reading()) == from)
		;
	return now;
}

static int observe(struct kb_run *run, uint64_t n, uint64_t *ticks)
{
	uint64_t start, steps = 0;

	last = first = changed(reading());
	start = kb_now(run);
	smallest = UINT64_MAX;
	for (uint64_t i = 0; i < n; i++) {
		uint64_t now = changed(last);

		if (now < last)
			return kb_fail(run, ERANGE, "the clock stepped back");
		smallest = now - last < smallest ? now - last : smallest;
		last = now;
		steps++;
	}
	kb_count(run, KB_SEEN, steps);
	*ticks = id < 0 ? n * smallest : (uint64_t)((double)n * (double)smallest * (double)(kb_now(run) - start) /
						    (double)(last - first));
	return 0;
}

/* So many steps, each at least the smallest, are so much time on the clock. */
static int check(struct kb_run *run, uint64_t n)
{
	return smallest > 0 && (last - first) / smallest >= n ? 0 : kb_fail(run, EILSEQ, "the clock did not make so many steps");
}

KB_BENCHMARK(
	.summary = "smallest observable step of a clock",
	.portability = KB_ASSUMING, .assumes = "the duration of a clock read does not hide a step",
	.per = "step", .max_n = 100000,
	.params = {
		{ "clock", "the processor's counter, or one of the system", KB_CHOICE, "counter,monotonic",
		  .choices = "counter,monotonic,monotonic-raw,realtime,coarse" },
	},
	.expect = { { KB_SEEN, .per_op = 1 } },
	.setup = setup, .observe = observe, .check = check,
);
