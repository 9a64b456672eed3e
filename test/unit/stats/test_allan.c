/* Allan variances: by hand, of independent and correlated series, against the operations of an observation. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "draws.h"
#include "stats/series/allan.h"
#include "stats/stats.h"

#define N 4096

static void by_hand(void **state)
{
	static const double x[] = { 1, 3, 2, 6, 4, 4, 0, 8 };
	struct kb_allan rows[KB_ALLAN_MAX];

	(void)state;
	/* Differences 2 -1 4 -2 0 -4 8: 105/14. Means 2 4 4 4: 4/6. */
	assert_int_equal(kb_allan_series(x, 8, 0.95, rows), 2);
	assert_true(fabs(rows[0].variance - 7.5) < 1e-12 && rows[0].pairs == 7);
	assert_true(fabs(rows[1].variance - 4.0 / 6) < 1e-12 && rows[1].pairs == 3);
	assert_true(fabs(rows[1].scaled - 8.0 / 6) < 1e-12);
	assert_true(rows[0].low < 7.5 && 7.5 < rows[0].high);
}

/* Independent: `scaled` stays; AR(1): it grows to (1 + phi)/(1 - phi) of the variance; a slow drift changes little. */
static void short_and_long(void **state)
{
	static double x[N];
	struct kb_allan rows[KB_ALLAN_MAX];
	struct kb_rng rng;
	unsigned count;

	(void)state;
	kb_rng_seed(&rng, 1);
	draw_ar1(&rng, 0, x, N);
	count = kb_allan_series(x, N, 0.999, rows);
	assert_int_equal(count, 11);
	for (unsigned k = 0; k < count; k++)
		assert_true(rows[k].low <= 1 && 1 <= rows[k].high);
	for (int i = 0; i < N; i++)
		x[i] += 0.002 * i;
	kb_allan_series(x, N, 0.95, rows);
	assert_true(fabs(rows[0].scaled - 1) < 0.1 && kb_variance(x, N) > 4);
	draw_ar1(&rng, 0.6, x, N);
	kb_allan_series(x, N, 0.999, rows);
	/* Neighbours of an AR(1) differ by less than its variance: 1 - phi. */
	assert_true(fabs(rows[0].scaled - 0.4) < 0.06);
	assert_true(rows[7].low <= 4 && 4 <= rows[7].high);
}

/* The interval covers, whatever the correlation of the differences. */
static void coverage(void **state)
{
	struct kb_allan rows[KB_ALLAN_MAX];
	struct kb_rng rng;
	int covers = 0;
	double x[20];

	(void)state;
	kb_rng_seed(&rng, 2);
	for (int r = 0; r < 2000; r++) {
		draw_ar1(&rng, 0, x, 20);
		assert_int_equal(kb_allan_series(x, 20, 0.95, rows), 3);
		covers += rows[0].low <= 1 && 1 <= rows[0].high;
	}
	assert_in_range(covers, 1860, 1960);
}

/* Var(A) = v0 + v1 n: divided by n it falls to v1. */
static void against_operations(void **state)
{
	static double y[4][400];
	struct kb_set sets[5] = { { .n = 0 } };
	struct kb_allan rows[KB_ALLAN_MAX];
	struct kb_rng rng;

	(void)state;
	kb_rng_seed(&rng, 3);
	for (int g = 0; g < 4; g++) {
		double n = 30 << g;

		for (int i = 0; i < 400; i++)
			y[g][i] = 1000 + 40 * n + sqrt(6e4 + 100 * n) * draw_normal(&rng);
		sets[g + 1] = (struct kb_set){ .n = n, .count = 400, .y = y[g] };
	}
	assert_int_equal(kb_allan_sets(sets, 5, 0.999, rows), 4);
	for (int g = 0; g < 4; g++) {
		double truth = 6e4 / rows[g].n + 100;

		assert_true(rows[g].low <= truth && truth <= rows[g].high);
	}
	assert_true(rows[3].scaled < rows[0].scaled / 3);
}

static void odd_values(void **state)
{
	double x[16] = { 0 };
	struct kb_allan rows[KB_ALLAN_MAX];
	struct kb_set set = { .n = 8, .count = 16, .y = x };

	(void)state;
	for (size_t n = 0; n < 4; n++)
		assert_int_equal(kb_allan_series(x, n, 0.95, rows), 0);
	assert_int_equal(kb_allan_series(x, 16, 0.95, rows), 3);
	assert_true(!(rows[0].variance > 0) && !(rows[0].high > 0) && isfinite(rows[0].low));
	for (int i = 0; i < 16; i++)
		x[i] = 9223372036854775808.0 * (i % 2);
	assert_int_equal(kb_allan_series(x, 16, NAN, rows), 3);
	assert_true(isfinite(rows[0].high));
	x[3] = NAN;
	assert_int_equal(kb_allan_series(x, 16, 0.95, rows), 0);
	assert_int_equal(kb_allan_sets(&set, 1, 0.95, rows), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(by_hand),
		cmocka_unit_test(short_and_long),
		cmocka_unit_test(coverage),
		cmocka_unit_test(against_operations),
		cmocka_unit_test(odd_values),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
