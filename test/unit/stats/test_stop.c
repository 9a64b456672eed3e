/* The stopping rule: each thing that can speak against a stop, by itself. Coverage at the stop: truth/test_stop.c. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "draws.h"
#include "stats/stop.h"

#define N 400

static void draw(double *x, double spread, double phi, uint64_t seed)
{
	struct kb_rng rng;

	kb_rng_seed(&rng, seed);
	draw_ar1(&rng, phi, x, N);
	for (int i = 0; i < N; i++)
		x[i] = 1 + spread * x[i];
}

static enum kb_stop why(const double *x, size_t n)
{
	return kb_stop_check(x, n, 0.01, 0.95, 0).stop;
}

static void each_reason(void **state)
{
	struct kb_stop_state stop;
	double x[N];

	(void)state;
	draw(x, 0.01, 0, 1);
	assert_int_equal(why(x, 0), KB_STOP_FEW);
	assert_int_equal(why(x, 29), KB_STOP_FEW);
	stop = kb_stop_check(x, 100, 0.01, 0.95, 0);
	assert_int_equal(stop.stop, KB_STOP_MET);
	assert_true(stop.relative > 0.001 && stop.relative < 0.004);
	draw(x, 0.01, 0.9, 2);
	assert_int_equal(why(x, 100), KB_STOP_FEW);
	draw(x, 0.3, 0, 3);
	assert_int_equal(why(x, N), KB_STOP_WIDE);
	/* A slow rise, small against the spread: no change that the search would see, but the halves differ. */
	draw(x, 0.02, 0, 4);
	for (int i = 0; i < N; i++)
		x[i] += i < N / 2 ? 0 : 0.009;
	assert_int_equal(why(x, N), KB_STOP_HALVES);
	/* A step in the last quarter; it is forgotten once it lies before. */
	draw(x, 0.01, 0, 5);
	for (int i = 0; i < N; i++)
		x[i] += i >= 170 && i < 190 ? 0.03 : 0;
	assert_int_equal(why(x, 210), KB_STOP_CHANGE);
	assert_int_equal(why(x, N), KB_STOP_MET);
	x[5] = NAN;
	assert_int_equal(why(x, N), KB_STOP_FEW);
}

/* All equal: the clock's step is the half-width. A mean of 0 has no relative width. */
static void constant(void **state)
{
	double x[N];

	(void)state;
	for (int i = 0; i < N; i++)
		x[i] = 500;
	assert_int_equal(kb_stop_check(x, N, 0.01, 0.95, 1).stop, KB_STOP_MET);
	assert_int_equal(kb_stop_check(x, N, 0.01, 0.95, 10).stop, KB_STOP_WIDE);
	for (int i = 0; i < N; i++)
		x[i] = i % 2 ? 1 : -1;
	assert_int_equal(kb_stop_check(x, N, 0.01, 0.95, 1).stop, KB_STOP_WIDE);
	assert_true(!(kb_stop_check(x, N, 0.01, 0.95, 1).relative > 0));
	assert_int_equal(kb_stop_check(x, N, NAN, 0.95, 1).stop, KB_STOP_WIDE);
}

static void after_block(void **state)
{
	struct kb_stop_state met = { .stop = KB_STOP_MET }, wide = { .stop = KB_STOP_WIDE };

	(void)state;
	assert_int_equal(kb_stop_after_block(&met, 99, 10), KB_CODE_target_met);
	assert_int_equal(kb_stop_after_block(&wide, 9.9, 10), KB_CODE_COUNT);
	assert_int_equal(kb_stop_after_block(&wide, 10, 10), KB_CODE_budget_exhausted);
	assert_int_equal(kb_stop_after_block(&wide, NAN, 10), KB_CODE_budget_exhausted);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_reason),
		cmocka_unit_test(constant),
		cmocka_unit_test(after_block),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
