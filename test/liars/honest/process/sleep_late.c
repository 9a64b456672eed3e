/* How late the end of a sleep of 50 us is noticed: the clock is read by the benchmark itself. */
#include <errno.h>
#include <time.h>

#include <kbench.h>

#define ASKED_NS 50000u

static uint64_t late;

static int observe(struct kb_run *run, uint64_t n, uint64_t *ticks)
{
	uint64_t asked = kb_ticks(run, ASKED_NS);

	*ticks = late = 0;
	for (uint64_t i = 0; i < n; i++) {
		struct timespec time = { 0, ASKED_NS };
		uint64_t begin = kb_now(run);

		if (clock_nanosleep(CLOCK_MONOTONIC, 0, &time, NULL))
			return kb_fail(run, EINTR, "a sleep");

		uint64_t passed = kb_now(run) - begin;

		if (passed < asked)
			return kb_fail(run, EPROTO, "woken early");
		*ticks += passed - asked;
		late++;
	}
	return 0;
}

static int check(struct kb_run *run, uint64_t n)
{
	return late == n ? 0 : kb_fail(run, EPROTO, "not all sleeps were made");
}

KB_BENCHMARK(
	.summary = "how late a sleep ends", .per = "sleep", .max_n = 10,
	.expect = { { KB_NVCSW, .per_op = 1, .tolerance = 0.1 } },
	.observe = observe, .check = check,
);
