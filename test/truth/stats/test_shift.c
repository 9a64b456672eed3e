/*
 * SHIFT: ratios at deciles of single operations over pairs of processes. A change of the upper tail alone must show at the
 * upper deciles alone, and every interval must hold its truth, with processes that differ by layout.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "stats/comparison/compare.h"
#include "truth/truth.h"
#include "unit/stats/draws.h"

#define VALUES 200
#define PAIRS_MAX 10

/* Lognormal, shape .25 about 1000 ticks; of B all operations above the 75 % quantile are dearer by `tail`. */
static double draw_value(struct kb_rng *rng, double tail)
{
	double z = draw_normal(rng);

	return 1000 * exp(0.25 * z) * (z > 0.674489750196 ? 1 + tail : 1);
}

static void draw_deciles(struct kb_rng *rng, double layout_sd, double tail, double deciles[KB_DECILES])
{
	double x[VALUES], factor = 1 + layout_sd * draw_normal(rng);

	for (int i = 0; i < VALUES; i++)
		x[i] = factor * draw_value(rng, tail);
	assert_true(kb_deciles(x, VALUES, deciles));
}

static void one_row(size_t pairs, double layout_sd, double tail)
{
	int tries = truth_tries(4000, 1000);
	double held[KB_DECILES] = { 0 }, mean[KB_DECILES] = { 0 }, worst = 1;
	struct kb_rng rng;
	char what[100];

	kb_rng_seed(&rng, pairs + (uint64_t)(1000 * tail));
	for (int r = 0; r < tries; r++) {
		double a[KB_DECILES], b[KB_DECILES], ln[PAIRS_MAX][KB_DECILES];
		struct kb_interval shift[KB_DECILES];

		for (size_t i = 0; i < pairs; i++) {
			draw_deciles(&rng, layout_sd, 0, a);
			draw_deciles(&rng, layout_sd, tail, b);
			for (unsigned k = 0; k < KB_DECILES; k++)
				ln[i][k] = log(b[k] / a[k]);
		}
		kb_decile_shift((const double (*)[KB_DECILES])ln, pairs, 0.95, shift);
		for (unsigned k = 0; k < KB_DECILES; k++) {
			double truth = k >= 7 ? log1p(tail) : 0;

			held[k] += shift[k].known && shift[k].low <= truth && truth <= shift[k].high;
			mean[k] += shift[k].value;
		}
	}
	for (unsigned k = 0; k < KB_DECILES; k++)
		worst = fmin(worst, held[k] / tries);
	snprintf(what, sizeof what, "%zu pairs, layout sd %g %%, tail +%g %%: least coverage of nine deciles", pairs,
	         100 * layout_sd, 100 * tail);
	truth_row("SHIFT", what, 0.95, truth_tolerance(0.015), worst);
	snprintf(what, sizeof what, "%zu pairs, layout sd %g %%, tail +%g %%: ln ratio at 90 %%", pairs, 100 * layout_sd,
	         100 * tail);
	truth_row("SHIFT", what, log1p(tail), truth_tolerance(0.002), mean[8] / tries);
	snprintf(what, sizeof what, "%zu pairs, layout sd %g %%, tail +%g %%: ln ratio at 50 %%", pairs, 100 * layout_sd,
	         100 * tail);
	truth_row("SHIFT", what, 0, truth_tolerance(0.002), mean[4] / tries);
}

static void shift_of_deciles(void **state)
{
	(void)state;
	one_row(3, 0, 0);
	one_row(5, 0, 0.2);
	one_row(5, 0.02, 0.2);
	one_row(10, 0.02, 0.05);
}

static void too_few(void **state)
{
	double x[KB_DECILE_VALUES_MIN] = { 0 }, deciles[KB_DECILES], ln[1][KB_DECILES] = { { 0.1 } };
	struct kb_interval shift[KB_DECILES];

	(void)state;
	for (unsigned i = 0; i < KB_DECILE_VALUES_MIN; i++)
		x[i] = KB_DECILE_VALUES_MIN - i;
	assert_false(kb_deciles(x, KB_DECILE_VALUES_MIN - 1, deciles));
	assert_true(kb_deciles(x, KB_DECILE_VALUES_MIN, deciles));
	assert_float_equal(deciles[4], 10.5, 1e-12);
	kb_decile_shift((const double (*)[KB_DECILES])ln, 1, 0.95, shift);
	assert_false(shift[0].known);
	assert_float_equal(shift[0].value, 0.1, 1e-12);
	kb_decile_shift((const double (*)[KB_DECILES])ln, 0, 0.95, shift);
	assert_false(shift[0].known);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(shift_of_deciles),
		cmocka_unit_test(too_few),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
