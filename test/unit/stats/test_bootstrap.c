/* The stationary bootstrap: block length against independent code, coverage of a trimmed mean, seeds, refusals. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "draws.h"
#include "stats/distribution/bootstrap.h"
#include "truth/truth.h"

#define N_MAX 500

/* Computed in Python 3.11 straight from the papers, for AR(1)s of a linear congruential sequence. */
static void block_lengths(void **state)
{
	static const struct { size_t n; uint32_t quarters; double length; } rows[] = {
		{ 200, 2, 5.497210478093401 }, { 200, 3, 14.86409470636795 }, { 500, 3, 15.383736072941717 },
		{ 120, 0, 1 }, { 80, 1, 2.431972774054478 },
	};
	double x[N_MAX];

	(void)state;
	for (size_t k = 0; k < sizeof(rows) / sizeof(*rows); k++) {
		uint32_t draw = 1, last = 0;

		for (size_t i = 0; i < rows[k].n; i++) {
			draw = (draw * 1103515245u + 12345u) % 0x80000000u;
			last = last * rows[k].quarters / 4 + (draw >> 16) % 1000;
			x[i] = last;
		}
		assert_true(fabs(kb_block_length(x, rows[k].n) / rows[k].length - 1) < 1e-9);
	}
	/* A trend asks for the longest blocks there are; nothing to correlate, for single values. */
	for (int i = 0; i < N_MAX; i++)
		x[i] = i;
	assert_true(kb_block_length(x, N_MAX) > 40 && kb_block_length(x, N_MAX) <= 68);
	for (int i = 0; i < N_MAX; i++)
		x[i] = 7;
	for (size_t n = 0; n <= N_MAX; n += 3)
		assert_true(!(kb_block_length(x, n) > 1));
	x[3] = NAN;
	assert_true(!(kb_block_length(x, N_MAX) > 1));
}

struct values { const double *x, *y; double scratch[N_MAX]; };

/* The mean of the middle eight tenths. */
static double trimmed(const size_t *at, size_t n, void *context)
{
	struct values *values = context;

	for (size_t i = 0; i < n; i++)
		values->scratch[i] = values->x[at[i]];
	kb_sort(values->scratch, n);
	return kb_mean(values->scratch + n / 10, n - 2 * (n / 10));
}

static double ratio_of_means(const size_t *at, size_t n, void *context)
{
	struct values *values = context;
	double a = 0, b = 0;

	for (size_t i = 0; i < n; i++) {
		a += values->x[at[i]];
		b += values->y[at[i]];
	}
	return a / b;
}

static void coverage(void **state)
{
	static const double phis[] = { 0, 0.3, 0.6 };
	int tries = truth_tries(1000, 40);
	struct values values;
	struct kb_rng rng;
	double x[200];
	char what[80];

	(void)state;
	for (int k = 0; k < 3; k++) {
		int covers = 0;

		kb_rng_seed(&rng, 1 + (uint64_t)k);
		for (int r = 0; r < tries; r++) {
			struct kb_interval interval;

			draw_ar1(&rng, phis[k], x, 200);
			values.x = x;
			interval = kb_bootstrap_interval(x, 200, trimmed, &values, 0.95, 200, (uint64_t)r);
			covers += interval.known && interval.low <= 0 && 0 <= interval.high;
		}
		snprintf(what, sizeof(what), "trimmed mean, n=200, phi=%g: coverage", phis[k]);
		truth_at_least("bootstrap", what, truth_full() ? 0.92 : 0.85, (double)covers / tries);
	}
}

/* The share of the indices that follow their predecessor: 1 - 1/length, and by chance. */
static double followers(const size_t *at, size_t n, void *context)
{
	double *share = context;
	size_t count = 0;

	for (size_t i = 1; i < n; i++) {
		assert_true(at[i] < n);
		count += at[i] == (at[i - 1] + 1) % n;
	}
	*share = (double)count / (double)(n - 1);
	return *share;
}

static void runs_have_the_block_length(void **state)
{
	double x[200], share;
	struct kb_interval interval;
	struct kb_rng rng;

	(void)state;
	kb_rng_seed(&rng, 7);
	draw_ar1(&rng, 0.6, x, 200);
	interval = kb_bootstrap_interval(x, 200, followers, &share, 0.5, 400, 3);
	/* Of the series itself all follow; `share` is that of the last draw. */
	assert_true(interval.value > 0.999);
	assert_true(fabs(share - (1 - 1 / kb_block_length(x, 200))) < 0.1);
}

static double mean(const size_t *at, size_t n, void *context)
{
	struct values *values = context;
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += values->x[at[i]];
	return sum / (double)n;
}

/* Of independent values it is the t interval. */
static void independent_values(void **state)
{
	double x[400], ratio = 0;
	struct values values = { .x = x };
	struct kb_rng rng;

	(void)state;
	kb_rng_seed(&rng, 8);
	for (int r = 0; r < 20; r++) {
		struct kb_interval interval, known;

		draw_ar1(&rng, 0, x, 400);
		interval = kb_bootstrap_interval(x, 400, mean, &values, 0.95, 400, (uint64_t)r);
		known = kb_t_interval(x, 400, 0.95);
		ratio += (interval.high - interval.low) / (known.high - known.low) / 20;
	}
	assert_true(ratio > 0.97 && ratio < 1.12);
}

/* x and y share what is large in both; drawn together it cancels. */
static void pairs_stay_together(void **state)
{
	struct kb_interval interval;
	double x[200], y[200], d[200];
	struct values values = { .x = x, .y = y };
	struct kb_rng rng;

	(void)state;
	kb_rng_seed(&rng, 5);
	for (int i = 0; i < 200; i++) {
		double shared = 100 * exp(draw_normal(&rng));

		x[i] = 1.1 * shared + 0.01 * draw_normal(&rng);
		y[i] = shared;
		d[i] = x[i] - y[i];
	}
	interval = kb_bootstrap_interval(d, 200, ratio_of_means, &values, 0.95, 500, 1);
	assert_true(interval.known && interval.low > 1.0999 && interval.high < 1.1001);
}

static void seeds_and_refusals(void **state)
{
	struct kb_interval a, b;
	double x[200];
	struct values values = { .x = x };
	struct kb_rng rng;

	(void)state;
	kb_rng_seed(&rng, 6);
	draw_ar1(&rng, 0.3, x, 200);
	a = kb_bootstrap_interval(x, 200, trimmed, &values, 0.95, 200, 9);
	b = kb_bootstrap_interval(x, 200, trimmed, &values, 0.95, 200, 9);
	assert_memory_equal(&a.low, &b.low, sizeof(a.low));
	assert_memory_equal(&a.high, &b.high, sizeof(a.high));
	b = kb_bootstrap_interval(x, 200, trimmed, &values, 0.95, 200, 10);
	assert_true(a.low < b.low || a.low > b.low);
	assert_true(a.n_eff > 50 && a.n_eff < 200 && a.low < a.value && a.value < a.high);
	for (size_t n = 0; n < 15; n++)
		assert_false(kb_bootstrap_interval(x, n, trimmed, &values, 0.95, 200, 9).known);
	assert_false(kb_bootstrap_interval(x, 200, trimmed, &values, 0.95, 0, 9).known);
	x[7] = INFINITY;
	a = kb_bootstrap_interval(x, 200, trimmed, &values, 0.95, 200, 9);
	assert_true(!a.known && a.why == KB_CODE_too_few_effective);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(block_lengths),
		cmocka_unit_test(coverage),
		cmocka_unit_test(runs_have_the_block_length),
		cmocka_unit_test(independent_values),
		cmocka_unit_test(pairs_stay_together),
		cmocka_unit_test(seeds_and_refusals),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
