/* Clocks of known properties: what is found out about them must be what they are. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/error.h"
#include "measure/measure.h"

/* A counter that shows every `step`-th value. An interval costs `cost` and, to walk over the steps, a little more each
   time, as the growing work of the calibration does. */
static struct { uint64_t now, step, cost, reads; bool stands, steps_back; } fake;

static uint64_t shown(void)
{
	return fake.stands ? 1000 : fake.now / fake.step * fake.step;
}

static uint64_t begin(void)
{
	fake.now += 1000;
	return shown();
}

static uint64_t end(void)
{
	fake.now += fake.cost + fake.reads++ % 64;
	if (fake.steps_back && fake.reads == 500)
		fake.now -= 5000;
	return shown();
}

static struct kb_clock clock_of(uint64_t step, uint64_t cost)
{
	fake.now = 1000000;
	fake.step = step;
	fake.cost = cost;
	fake.reads = 0;
	fake.stands = fake.steps_back = false;
	return (struct kb_clock){ .name = "fake", .begin = begin, .end = end };
}

static void test_step(void **state)
{
	static const uint64_t steps[] = { 1, 2, 10, 26, 40 };

	(void)state;
	for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
		struct kb_clock clock = clock_of(steps[i], 100);

		assert_int_equal(kb_clock_measure(&clock), 0);
		assert_int_equal(clock.quantum, steps[i]);
		assert_in_range(clock.cost, 100 + 32 - steps[i], 100 + 32 + steps[i]); /* the median of 0..63 more */
	}
}

/* 3 % of slow intervals must not move the cost. */
static uint64_t slow_end(void)
{
	uint64_t stop = end();

	return fake.reads % 33 ? stop : (fake.now += 50000);
}

static void test_interrupted(void **state)
{
	struct kb_clock clock = clock_of(1, 100);

	(void)state;
	clock.end = slow_end;
	assert_int_equal(kb_clock_measure(&clock), 0);
	assert_in_range(clock.cost, 125, 140);
}

static void test_refused(void **state)
{
	struct kb_clock clock = clock_of(1, 100);

	(void)state;
	fake.stands = true;
	assert_int_equal(kb_clock_measure(&clock), -KB_ERANGE);
	clock = clock_of(1, 100);
	fake.steps_back = true;
	assert_int_equal(kb_clock_measure(&clock), -KB_ERANGE);
}

/* ---- the ladder ---------------------------------------------------------------------------------- */

#define RUNGS 4

/* Rung r costs 100 r. Two slow spells take the first two tries and the last whole, another one rung 2 of the third. */
static uint64_t rung_end(void)
{
	uint64_t try = fake.reads / RUNGS, rung = fake.reads++ % RUNGS;

	fake.now += 100 * (rung + 1) + (try < 2 || try > 3 ? 777 : try == 2 && rung == 2 ? 50 : 0);
	return fake.now;
}

static void test_ladder(void **state)
{
	struct kb_clock clock = clock_of(1, 0);
	uint64_t ticks[RUNGS];

	(void)state;
	clock.end = rung_end;
	kb_clock_ladder(&clock, 10, RUNGS, 2, ticks);
	for (uint64_t i = 0; i < RUNGS; i++)
		assert_int_equal(ticks[i], 100 * (i + 1) + 777);
	fake.reads = 0;
	kb_clock_ladder(&clock, 10, RUNGS, 5, ticks);
	for (uint64_t i = 0; i < RUNGS; i++)
		assert_int_equal(ticks[i], 100 * (i + 1));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_step), cmocka_unit_test(test_interrupted), cmocka_unit_test(test_refused),
		cmocka_unit_test(test_ladder),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
