/* Modes: where they are, how much they hold, whether they come in clusters; odd values. Rates: truth/stats/test_modes.c. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "draws.h"
#include "stats/distribution/modes.h"

#define N 1000

/* A share of the values 10 sd further up, in runs of this length. */
static void draw_modes(struct kb_rng *rng, double *x, double share, double run)
{
	bool second = false;

	for (int i = 0; i < N; i++) {
		if (i == 0 || draw_uniform(rng) < 1 / run)
			second = draw_uniform(rng) < share;
		x[i] = 100 + draw_normal(rng) + (second ? 10 : 0);
	}
}

static void two_modes(void **state)
{
	struct kb_modes modes;
	struct kb_rng rng;
	double x[N], upper = 0;

	(void)state;
	kb_rng_seed(&rng, 1);
	draw_modes(&rng, x, 0.3, 1);
	for (int i = 0; i < N; i++)
		upper += (x[i] > 105) / (double)N;
	modes = kb_modes_find(x, N, 0);
	assert_true(modes.known && modes.count == 2 && !modes.lattice && !modes.clustered);
	assert_true(fabs(modes.mode[0].location - 100) < 0.5 && fabs(modes.mode[1].location - 110) < 0.5);
	assert_true(fabs(modes.mode[1].weight - upper) < 1e-9 && fabs(modes.mode[0].weight + upper - 1) < 1e-9);
	assert_true(modes.mode[0].high > 103 && modes.mode[0].high < 107);
	assert_true(!(modes.mode[0].high < modes.mode[1].low) && !(modes.mode[0].high > modes.mode[1].low));
	assert_true(modes.runs.known && modes.runs.p > 0.01);
}

static void clusters(void **state)
{
	struct kb_modes modes;
	struct kb_rng rng;
	double x[N];

	(void)state;
	kb_rng_seed(&rng, 2);
	draw_modes(&rng, x, 0.5, 4);
	modes = kb_modes_find(x, N, 0);
	assert_int_equal(modes.count, 2);
	assert_true(modes.clustered && modes.runs.p < 1e-6);
	/* Strict alternation is not chance either, but no cluster. */
	for (int i = 0; i < N; i++)
		x[i] = draw_normal(&rng) + 10 * (i % 2);
	modes = kb_modes_find(x, N, 0);
	assert_int_equal(modes.count, 2);
	assert_true(!modes.clustered && modes.runs.p < 1e-6);
}

/* Modes mixed at random: the runs test rejects as often as it should. */
static void runs_test_is_fair(void **state)
{
	struct kb_rng rng;
	int rejected = 0;
	double x[N];

	(void)state;
	kb_rng_seed(&rng, 6);
	for (int r = 0; r < 400; r++) {
		struct kb_modes modes;

		draw_modes(&rng, x, 0.15, 1);
		modes = kb_modes_find(x, 300, 0);
		assert_int_equal(modes.count, 2);
		rejected += modes.runs.p < 0.1;
	}
	/* 40 of 400, with a standard deviation of 6. */
	assert_in_range(rejected, 22, 60);
}

/* Three of them, and a far outlier that must not blur them. The bandwidth comes from the quartiles, which lie in
   different modes: it takes more values to separate three than two. */
static void three_modes_and_outliers(void **state)
{
	static double x[4 * N];
	struct kb_modes modes;
	struct kb_rng rng;

	(void)state;
	kb_rng_seed(&rng, 3);
	for (int i = 0; i < 4 * N; i++)
		x[i] = 500 + draw_normal(&rng) + 12 * (double)kb_rng_below(&rng, 3);
	x[77] = 1e9;
	modes = kb_modes_find(x, 4 * N, 0);
	assert_int_equal(modes.count, 3);
	assert_true(fabs(modes.mode[1].location - 512) < 1 && fabs(modes.mode[2].location - 524) < 1);
	assert_true(modes.mode[2].high > 9e8);
}

static void lattice(void **state)
{
	struct kb_modes modes;
	struct kb_rng rng;
	double x[N];

	(void)state;
	kb_rng_seed(&rng, 4);
	/* Steps of 26 ticks, values on three of them: a comb, but one mode. */
	for (int i = 0; i < N; i++)
		x[i] = 26 * floor(40 + 0.7 * draw_normal(&rng));
	modes = kb_modes_find(x, N, 26);
	assert_true(modes.lattice);
	assert_int_equal(modes.count, 1);
	/* Judged without the step the comb shows. */
	assert_true(kb_modes_find(x, N, 0).count > 1);
	for (int i = 0; i < N; i++)
		x[i] = 26 * (draw_uniform(&rng) < 0.8 ? 40 : 50);
	modes = kb_modes_find(x, N, 26);
	assert_int_equal(modes.count, 2);
	assert_true(fabs(modes.mode[0].location - 1040) < 13 && fabs(modes.mode[1].location - 1300) < 13);
}

static void refused_and_degenerate(void **state)
{
	static const double odd[] = { NAN, INFINITY, 1e300 };
	struct kb_modes modes;
	struct kb_rng rng;
	double x[N];

	(void)state;
	kb_rng_seed(&rng, 5);
	draw_modes(&rng, x, 0.5, 1);
	modes = kb_modes_find(x, 99, 0);
	assert_true(!modes.known && modes.count == 0 && modes.why == KB_CODE_too_few_effective);
	draw_ar1(&rng, 0.97, x, N);
	assert_false(kb_modes_find(x, N, 0).known);
	for (size_t k = 0; k < sizeof(odd) / sizeof(*odd); k++) {
		draw_modes(&rng, x, 0.5, 1);
		x[9] = odd[k];
		assert_false(kb_modes_find(x, N, 0).known);
	}
	for (int i = 0; i < N; i++)
		x[i] = 0.1;
	modes = kb_modes_find(x, N, 0);
	assert_true(modes.known && modes.count == 1 && !(modes.mode[0].location > 0.1) && modes.mode[0].weight > 0.99);
	/* All but a few equal, without a step; and as large as a clock can count. */
	x[5] = 7;
	x[6] = 9;
	assert_int_equal(kb_modes_find(x, N, 0).count, 1);
	for (int i = 0; i < N; i++)
		x[i] = 9223372036854775808.0 + 4096 * (double)kb_rng_below(&rng, 2000);
	modes = kb_modes_find(x, N, 1);
	assert_true(modes.count == 1 && isfinite(modes.mode[0].location) && isfinite(modes.mode[0].low));
	assert_true(kb_modes_find(x, N, -1).count == 1 && kb_modes_find(x, N, NAN).count == 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(two_modes),
		cmocka_unit_test(clusters),
		cmocka_unit_test(runs_test_is_fair),
		cmocka_unit_test(three_modes_and_outliers),
		cmocka_unit_test(lattice),
		cmocka_unit_test(refused_and_degenerate),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
