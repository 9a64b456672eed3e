/*
 * What kbench trace func makes of times: without the probe's cost, no better known than the clock's step, the null's drift and what differs from
 * process to process allow.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/rng.h"
#include "trace/func/func.h"

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

/* ---- the clock's step ------------------------------------------------------------------------------------------- */

static double step_of(double step, double from)
{
	double differences[500];

	for (int i = 0; i < 500; i++) {
		double begin = from + i * 3.7, end = begin + 50 + i * 0.77;

		differences[i] = floor(floor(end / step) * step) - floor(floor(begin / step) * step);
	}
	return kb_func_step_of(differences, 500);
}

static void steps_are_found(void **state)
{
	double equal[] = { 7, 7, 7 }, none[] = { 0, 0, 1000000, 0 };

	(void)state;
	assert_true(fabs(step_of(1, 1e6) - 1) < .01);
	assert_true(fabs(step_of(10, 1e6) - 10) < .01);
	/* 24 MHz: 41 and 42 are one step. */
	assert_true(fabs(step_of(1e9 / 24e6, 1e6) - 41.67) < 1);
	assert_true(fabs(kb_func_step_of(equal, 3)) < .01);
	assert_true(fabs(kb_func_step_of(none, 4) - 1e6) < 1);
	assert_true(kb_func_clock_step() >= 1);
}

/* ---- statistics ---------------------------------------------------------------------------------------------- */

#define CALLS 4000

/* Around `middle`, an integer number of ns, with a tail. */
static void draw(struct kb_rng *rng, double *values, size_t count, double middle, double spread)
{
	for (size_t i = 0; i < count; i++) {
		double u = ((double)kb_rng_below(rng, 1000000) + .5) / 1e6;

		values[i] = round(middle + spread * kb_normal_quantile(u) + (u > .99 ? 500 : 0));
	}
}

static struct kb_func_summary summary_of(double function, double probe_before, double probe_after, double spread)
{
	static double call[CALLS], null[CALLS];
	struct kb_func_process process;
	struct kb_func_summary summary;
	struct kb_rng rng;

	kb_rng_seed(&rng, 11);
	draw(&rng, call, CALLS, (probe_before + probe_after) / 2 + function, spread);
	draw(&rng, null, CALLS / 2, probe_before, spread);
	draw(&rng, null + CALLS / 2, CALLS / 2, probe_after, spread);
	assert_int_equal(kb_func_side_of_times(&summary.call, call, CALLS, 1) + kb_func_side_of_times(&summary.clean, call, CALLS / 2, 1) +
			 kb_func_side_of_times(&summary.null, null, CALLS, 1) + kb_func_side_of_times(&process.before, null, CALLS / 2, 1) +
			 kb_func_side_of_times(&process.behind, null + CALLS / 2, CALLS / 2, 1), 0);
	process.call = summary.call;
	process.clean = summary.clean;
	kb_func_summarise(&summary, &process, 1, 1);
	return summary;
}

static void the_probe_is_taken_off(void **state)
{
	struct kb_func_summary summary = summary_of(180, 290, 290, 5);

	(void)state;
	assert_true(summary.resolved);
	assert_true(fabs(summary.call.quantiles[0].value - 470) <= 1);
	assert_true(fabs(summary.net.median.value - 180) <= 1);
	assert_true(summary.net.median.known && summary.net.median.low <= 180 && summary.net.median.high >= 180);
	assert_true(summary.net.median.high - summary.net.median.low < 5);
	assert_true(fabs(summary.null.spread - 5 * 1.349) < 1);
	assert_true(fabs(summary.resolution - 2 * summary.null.spread) < 1e-9);
	assert_true(summary.drift <= 1);
	/* Half of the calls are clean: the same function, less well known. */
	assert_int_equal(summary.clean.count, CALLS / 2);
	assert_true(fabs(summary.net_clean.median.value - 180) <= 1);
	assert_true(summary.net_clean.mean.high - summary.net_clean.mean.low > summary.net.mean.high - summary.net.mean.low);
}

static void a_small_function_is_not_resolved(void **state)
{
	struct kb_func_summary summary = summary_of(4, 290, 290, 5);

	(void)state;
	assert_false(summary.resolved);
	assert_true(summary.net.median.low <= 4 && summary.net.median.high >= 4);
}

/* A null that is another afterwards: its middle is no better known than that. */
static void a_drift_widens_the_interval(void **state)
{
	struct kb_func_summary still = summary_of(500, 120, 120, 5), moved = summary_of(500, 100, 140, 5);

	(void)state;
	assert_true(fabs(moved.drift - 40) <= 1);
	assert_true(moved.net.median.high - moved.net.median.low >= still.net.median.high - still.net.median.low + 39);
	assert_true(moved.net.median.low <= 500 && moved.net.median.high >= 500);
}

/* On a clock of 10 ns many calls look alike: one process's interval would be of no width, and the true time is not what it shows. */
static void a_coarse_clock_widens_the_interval(void **state)
{
	const double truth = 54.3, probe = 93.1, step = 10;
	unsigned covered = 0, known_exact = 0;
	enum { RUNS = 200, N = 400 };

	(void)state;
	for (unsigned run = 0; run < RUNS; run++) {
		double call[N], null[N];
		struct kb_func_process process;
		struct kb_func_summary summary;
		struct kb_rng rng;

		kb_rng_seed(&rng, 100 + run);
		for (int i = 0; i < N; i++) {
			double begin = (double)kb_rng_below(&rng, 1000000) / 100;

			call[i] = (floor((begin + truth + probe) / step) - floor(begin / step)) * step;
			null[i] = (floor((begin + probe) / step) - floor(begin / step)) * step;
		}
		assert_int_equal(kb_func_side_of_times(&summary.call, call, N, step) + kb_func_side_of_times(&summary.clean, call, N, step) +
				 kb_func_side_of_times(&summary.null, null, N, step) +
				 kb_func_side_of_times(&process.before, null, N, step) + kb_func_side_of_times(&process.behind, null, N, step), 0);
		process.call = summary.call;
		process.clean = summary.clean;
		kb_func_summarise(&summary, &process, 1, step);
		covered += summary.net.median.low <= truth && summary.net.median.high >= truth;
		known_exact += summary.net.median.high - summary.net.median.low < step;
	}
	assert_int_equal(covered, RUNS);
	assert_int_equal(known_exact, 0);
}

/* Processes of which each has another middle: the interval is theirs, and covers the middle of all as often as it claims. */
static void processes_widen_the_interval(void **state)
{
	enum { RUNS = 400, PROCESSES = 5, N = 200 };
	const double truth = 300, between = 30;
	unsigned covered = 0, alone = 0;

	(void)state;
	for (unsigned run = 0; run < RUNS; run++) {
		static double call[PROCESSES * N], null[N];
		struct kb_func_process processes[PROCESSES];
		struct kb_func_summary summary, one;
		struct kb_rng rng;
		int error = 0;

		kb_rng_seed(&rng, 1000 + run);
		draw(&rng, null, N, 100, 3);
		for (unsigned i = 0; i < PROCESSES; i++) {
			double shift = between * kb_normal_quantile(((double)kb_rng_below(&rng, 1000000) + .5) / 1e6);

			draw(&rng, call + i * N, N, 100 + truth + shift, 3);
			error += kb_func_side_of_times(&processes[i].call, call + i * N, N, 1) +
				 kb_func_side_of_times(&processes[i].before, null, N, 1);
			processes[i].clean = processes[i].call;
			processes[i].behind = processes[i].before;
		}
		error += kb_func_side_of_times(&summary.call, call, PROCESSES * N, 1) + kb_func_side_of_times(&summary.null, null, N, 1);
		assert_int_equal(error, 0);
		summary.clean = summary.call;
		one = summary;
		one.call = one.clean = processes[0].call;
		kb_func_summarise(&summary, processes, PROCESSES, 1);
		kb_func_summarise(&one, processes, 1, 1);
		covered += summary.net.median.known && summary.net.median.low <= truth && summary.net.median.high >= truth;
		alone += one.net.median.low <= truth && one.net.median.high >= truth;
	}
	assert_in_range(covered, (unsigned)(.92 * RUNS), RUNS);
	/* That is what a single process cannot know. */
	assert_true(alone < RUNS / 4);
}

static void without_a_null_nothing_is_taken_off(void **state)
{
	double call[] = { 5, 6, 7, 8, 9 };
	struct kb_func_process process = { 0 };
	struct kb_func_summary summary = { 0 };

	(void)state;
	assert_int_equal(kb_func_side_of_times(&summary.call, call, COUNT(call), 1), 0);
	process.call = summary.call;
	kb_func_summarise(&summary, &process, 1, 1);
	assert_int_equal(summary.null.count, 0);
	assert_false(summary.resolved);
	assert_true(fabs(summary.call.quantiles[0].value - 7) < 1e-9);
	assert_int_equal(kb_func_side_of_times(&summary.call, NULL, 0, 1), 0);
	kb_func_summarise(&summary, &process, 0, 1);
	assert_int_equal(summary.call.count, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(steps_are_found), cmocka_unit_test(the_probe_is_taken_off), cmocka_unit_test(a_small_function_is_not_resolved),
		cmocka_unit_test(a_drift_widens_the_interval), cmocka_unit_test(a_coarse_clock_widens_the_interval),
		cmocka_unit_test(processes_widen_the_interval), cmocka_unit_test(without_a_null_nothing_is_taken_off),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
