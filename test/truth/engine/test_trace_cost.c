/*
 * A pair of trace points against the two readings of the clock that it contains, measured in turn so that both have the same
 * machine: at most a quarter more, with ordered and with light stamps. A point that is switched off: fewer than 5 ticks.
 */
/* runs: alone */
#include "truth/trace_cost.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include "stats/stats.h"

#define TURNS 2001u
#define TRIES 20
#define MOST 1.25       /* 1.03 to 1.12 were seen; with a third reading in the pair 1.51 and 1.63 */

uint64_t pairs_light(void);
uint64_t readings_light(void);
uint64_t pairs_switch(void);

static uint64_t memory[2 * PAIRS];

/* Ratio of the medians. The log is emptied before each turn: it never is full. */
static double ratio(uint64_t (*pair)(void), uint64_t (*reading)(void), const char *name)
{
	static double with[TURNS], without[TURNS], scratch[TURNS];
	double a, b;

	for (unsigned i = 0; i < TURNS; i++) {
		kb_trace_thread.used = 0;
		with[i] = (double)pair() / PAIRS;
		without[i] = (double)reading() / PAIRS;
		assert_int_equal(kb_trace_thread.used, PAIRS);
	}
	a = kb_median(with, TURNS, scratch);
	b = kb_median(without, TURNS, scratch);
	print_message("%-8s pair %7.2f ticks, its two readings %7.2f ticks: %.1f %%\n", name, a, b, 100 * a / b);
	return a / b;
}

/* The least of a few tries: another program on the core's other thread slows the additional instructions, not the fences. */
static void within(uint64_t (*pair)(void), uint64_t (*reading)(void), const char *name)
{
	double best = 100;

	for (int i = 0; i < TRIES && best > MOST; i++) {
		double now = ratio(pair, reading, name);

		best = now < best ? now : best;
	}
	assert_true(best <= MOST);
}

static void test_ordered(void **state)
{
	(void)state;
	within(pairs, readings, "ordered");
}

static void test_light(void **state)
{
	(void)state;
	within(pairs_light, readings_light, "light");
}

/* The turn without points. */
static uint64_t nothing(void)
{
	uint64_t start = kb_stamp_begin();

	for (unsigned i = 0; i < PAIRS; i++)
		__asm__ volatile("" : : "r"(i));
	return kb_stamp_end() - start;
}

/* Ticks of a point, of two in each turn; the least of a few tries. */
static void test_off(void **state)
{
	static double with[TURNS], without[TURNS], scratch[TURNS];
	double best = 100;

	(void)state;
	kb_trace_off();
	for (int try = 0; try < TRIES && best >= 5; try++) {
		for (unsigned i = 0; i < TURNS; i++) {
			kb_trace_thread.used = 0;
			with[i] = (double)pairs_switch() / PAIRS;
			without[i] = (double)nothing() / PAIRS;
			assert_int_equal(kb_trace_thread.used, 0);
		}

		double turn = kb_median(with, TURNS, scratch), now = (turn - kb_median(without, TURNS, scratch)) / 2;

		print_message("off      a turn of two points %7.2f ticks, a point %7.2f ticks\n", turn, now);
		best = now < best ? now : best;
	}
	pairs();
	assert_int_equal(kb_trace_thread.used, PAIRS);
	kb_trace_on();
	assert_true(best < 5);
	kb_trace_thread.used = 0;
	pairs_switch();
	assert_int_equal(kb_trace_thread.used, PAIRS);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_ordered), cmocka_unit_test(test_light), cmocka_unit_test(test_off) };

	if (kb_trace_set_log_buffer(memory, sizeof memory) != 0)
		return 1;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
