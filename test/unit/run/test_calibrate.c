/* What the clock is worth: the judgement on made-up ladders, and the real clock by what must hold on every machine. */
#define _GNU_SOURCE
#include <errno.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "run/calibrate.h"

#define RUNGS 8

static bool fits(double a, double b, unsigned bent, double by)
{
	uint64_t ticks[RUNGS];
	char text[120];

	for (unsigned i = 0; i < RUNGS; i++)
		ticks[i] = (uint64_t)(a + b * (i + 1) + (i == bent ? by : 0) + 0.5);
	bool result = kb_ladder_fits(ticks, RUNGS, text, sizeof text);

	assert_true(strlen(text) > 10);
	return result;
}

static void test_ladder(void **state)
{
	(void)state;
	assert_true(fits(100, 5000, 0, 0));
	assert_true(fits(1e6, 5000, 0, 0));
	assert_true(fits(100, 5000, 4, 100));
	assert_false(fits(100, 5000, 4, 1000));
	assert_false(fits(100, 5000, 4, -1000));
	assert_false(fits(100, 5000, 7, 5000));
	assert_false(fits(100, 0, 0, 0));
	assert_false(fits(100000, -5000, 0, 0));
	assert_false(fits(100, 0, 7, 1)); /* one step in all: a clock that hardly runs */
}

/* The caller's place is given back: a run that stays pinned would measure on one CPU all the time. */
static int calibrate(const char *name, struct kb_run_outcome *outcome)
{
	cpu_set_t before, after;
	unsigned cpu = 0;

	*outcome = (struct kb_run_outcome){ .processes = 0 };
	sched_getaffinity(0, sizeof before, &before);
	while (!CPU_ISSET(cpu, &before))
		cpu++;
	int error = kb_calibrate(name, cpu, outcome);

	sched_getaffinity(0, sizeof after, &after);
	assert_true(CPU_EQUAL(&before, &after));
	return error;
}

static void test_named(void **state)
{
	struct kb_run_outcome outcome;

	(void)state;
	assert_int_equal(calibrate("sundial", &outcome), -EINVAL);
}

static void assert_sane(const struct kb_run_outcome *outcome)
{
	assert_true(outcome->clock.hz >= 1000000);
	assert_true(outcome->clock.quantum > 0);
	assert_non_null(outcome->clock.begin);
	assert_non_null(outcome->clock.end);
	assert_true(strlen(outcome->ladder) > 10);
}

static void test_real(void **state)
{
	struct kb_run_outcome outcome;

	(void)state;
	assert_int_equal(calibrate(NULL, &outcome), 0);
	assert_sane(&outcome);
	assert_int_equal(calibrate("ns", &outcome), 0);
	assert_sane(&outcome);
	assert_int_equal(outcome.clock.hz, 1000000000);
	assert_string_equal(outcome.clock.name, "ns");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ladder), cmocka_unit_test(test_named), cmocka_unit_test(test_real),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
