/*
 * Nodes of a fleet: deviations and spreads by hand, and what must not change them. How often they are right: truth/stats/test_fleet.c.
 */
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "stats/comparison/fleet.h"
#include "stats/series/series.h"
#include "unit/stats/draws.h"

#define NODES 40u

static const struct kb_usual_spread nothing_usual = { 0, 4 };

static void is_near(double got, double wanted, double tolerance)
{
	if (!(fabs(got - wanted) <= tolerance))
		fail_msg("%.12g, not %.12g", got, wanted);
}

/* Values without errors of their own. */
static struct kb_fleet_spread judge(const double *x, size_t n, const struct kb_usual_spread *usual, struct kb_node_deviation *deviations)
{
	struct kb_node_value values[NODES];
	struct kb_fleet_spread spread;

	for (size_t i = 0; i < n; i++)
		values[i] = (struct kb_node_value){ x[i], 0, 5 };
	assert_int_equal(kb_fleet_deviations(values, n, usual, &spread, deviations), 0);
	return spread;
}

/* 1 2 3: each against the two others: 3 - 1.5 with variance .5 (1 + 1/2) and one degree of freedom, so t = sqrt(3), whose p is 1/3. Where .5 is
   usual, too, there are four more degrees of freedom, of which two others let 4.5 count. */
static void three_by_hand(void **state)
{
	const double x[] = { 1, 2, 3 };
	struct kb_node_deviation deviations[3];
	struct kb_fleet_spread spread = judge(x, 3, &nothing_usual, deviations);

	(void)state;
	is_near(deviations[2].ln.value, 1.5, 1e-12);
	is_near(deviations[2].se, sqrt(.75), 1e-12);
	is_near(deviations[2].df, 1, 1e-12);
	is_near(deviations[2].p, 1.0 / 3, 1e-9);
	is_near(deviations[2].p_above, 1.0 / 6, 1e-9);
	is_near(deviations[0].p_above, 5.0 / 6, 1e-9);
	is_near(deviations[1].ln.value, 0, 1e-12);
	is_near(deviations[1].p, 1, 1e-12);
	is_near(deviations[2].ln.high, 1.5 + kb_t_quantile(.975, 1) * sqrt(.75), 1e-6);
	is_near(spread.centre.value, 2, 1e-12);
	is_near(spread.centre.high, 2 + kb_t_quantile(.975, 2) * sqrt(1.0 / 3), 1e-9);
	is_near(spread.total, 1, 1e-12);
	assert_int_equal(spread.healthy, 3);

	judge(x, 3, &(struct kb_usual_spread){ sqrt(.5), 4 }, deviations);
	is_near(deviations[2].df, 4.5, 1e-12);
	is_near(deviations[2].p, 2 * kb_t_cdf(-sqrt(3), 4.5), 1e-12);
	/* A tenth of what is seen weighs a tenth: .4 of .05 and 1 of .5 are .52 / 1.4. */
	judge(x, 3, &(struct kb_usual_spread){ sqrt(.05), 4 }, deviations);
	is_near(deviations[2].df, 1.4, 1e-12);
	is_near(deviations[2].se, sqrt(1.5 * .52 / 1.4), 1e-12);
}

/* Between 1 2 3 with errors of .5 each: 1 - .25; chi-square of two degrees of freedom has its quantiles at -2 ln(1 - p). */
static void spread_by_hand(void **state)
{
	struct kb_node_value values[] = { { 1, .5, 1e6 }, { 2, .5, 1e6 }, { 3, .5, 1e6 } };
	struct kb_node_deviation deviations[3];
	struct kb_fleet_spread spread;
	double low = 2 / (-2 * log(.025)), high = 2 / (-2 * log(.975));

	(void)state;
	assert_int_equal(kb_fleet_deviations(values, 3, &nothing_usual, &spread, deviations), 0);
	is_near(spread.between.value, sqrt(.75), 1e-9);
	is_near(spread.between.low, sqrt(fmax(.75 - (1 - low), 0)), 1e-3);
	is_near(spread.between.high, sqrt(.75 + (high - 1)), 1e-3);
	/* What errors explain is nothing between nodes, but may be. */
	for (int i = 0; i < 3; i++)
		values[i].se = 2;
	assert_int_equal(kb_fleet_deviations(values, 3, &nothing_usual, &spread, deviations), 0);
	is_near(spread.between.value, 0, 0);
	is_near(spread.between.low, 0, 0);
	is_near(spread.between.high, sqrt(high - 1), 1e-2);
}

/* One whose own error is larger than the others' may be farther off; with the p value of that error. */
static void wide_error(void **state)
{
	struct kb_node_value values[] = { { 0, .1, 5 }, { .1, .1, 5 }, { -.1, .1, 5 }, { 0, .1, 5 }, { 1, 1, 5 } };
	struct kb_node_deviation deviations[5];
	struct kb_fleet_spread spread;

	(void)state;
	assert_int_equal(kb_fleet_deviations(values, 5, &nothing_usual, &spread, deviations), 0);
	assert_true(deviations[4].p > .3);
	values[4].se = .1;
	assert_int_equal(kb_fleet_deviations(values, 5, &nothing_usual, &spread, deviations), 0);
	assert_true(deviations[4].p < .01);
}

/* A quarter of the nodes, all at one place, moves neither centre nor spread of the others, and hides nobody. */
static void sick_are_apart(void **state)
{
	double x[NODES], healthy[NODES];
	struct kb_node_deviation deviations[NODES];
	struct kb_fleet_spread with, without;
	struct kb_rng rng;

	(void)state;
	kb_rng_seed(&rng, 3);
	for (size_t i = 0; i < NODES; i++)
		x[i] = .003 * draw_normal(&rng) + (i % 4 == 0 ? .03 : 0);
	for (size_t i = 0, k = 0; i < NODES; i++) {
		if (i % 4)
			healthy[k++] = x[i];
	}
	without = judge(healthy, 3 * NODES / 4, &nothing_usual, deviations);
	with = judge(x, NODES, &nothing_usual, deviations);
	assert_int_equal(with.healthy, 3 * NODES / 4);
	is_near(with.centre.value, without.centre.value, 1e-12);
	is_near(with.total, without.total, 1e-12);
	for (size_t i = 0; i < NODES; i++) {
		assert_int_equal(deviations[i].apart, i % 4 == 0);
		assert_true(i % 4 ? deviations[i].p > 1e-3 : deviations[i].p < 1e-6);
	}
}

/* Shifted, scaled, in another order: the same p values. */
static void invariances(void **state)
{
	double x[8] = { .1, -.3, .25, .05, -.12, 1.9, .2, -.04 }, other[8];
	struct kb_usual_spread usual = { .3, 4 }, scaled = { 300, 4 };
	struct kb_node_deviation before[8], after[8];
	struct kb_fleet_spread spread = judge(x, 8, &usual, before), moved;

	(void)state;
	for (int i = 0; i < 8; i++)
		other[i] = 1000 * x[i] + 5000;
	moved = judge(other, 8, &scaled, after);
	for (int i = 0; i < 8; i++) {
		is_near(after[i].p, before[i].p, 1e-9);
		is_near(after[i].ln.value, 1000 * before[i].ln.value, 1e-7);
		is_near(after[i].se, 1000 * before[i].se, 1e-7);
	}
	is_near(moved.centre.value, 1000 * spread.centre.value + 5000, 1e-7);
	is_near(moved.between.value, 1000 * spread.between.value, 1e-7);
	for (int i = 0; i < 8; i++)
		other[i] = x[3 * i % 8];
	judge(other, 8, &usual, after);
	for (int i = 0; i < 8; i++)
		is_near(after[i].p, before[3 * i % 8].p, 1e-12);
	for (int i = 0; i < 8; i++)
		other[i] = -x[i];
	judge(other, 8, &usual, after);
	for (int i = 0; i < 8; i++) {
		is_near(after[i].p, before[i].p, 1e-12);
		is_near(after[i].p_above, 1 - before[i].p_above, 1e-12);
	}
}

static void equal_nodes(void **state)
{
	const double same[] = { 7, 7, 7, 7 }, one[] = { 7, 7, 7, 8 };
	struct kb_node_deviation deviations[4];
	struct kb_node_value bad[] = { { 1, 0, 5 }, { NAN, 0, 5 }, { 1, 0, 5 } };
	struct kb_fleet_spread spread;

	(void)state;
	judge(same, 4, &nothing_usual, deviations);
	is_near(deviations[0].p, 1, 0);
	judge(one, 4, &nothing_usual, deviations);
	is_near(deviations[3].p, 0, 0);
	is_near(deviations[0].p, 1, 0);
	assert_int_equal(kb_fleet_deviations(bad, 3, &nothing_usual, &spread, deviations), -EINVAL);
	assert_int_equal(kb_fleet_deviations(bad, 2, &nothing_usual, &spread, deviations), -EINVAL);
}

/* Median of chi-square over its degrees of freedom, by Wilson and Hilferty. */
static double middle(double df)
{
	return pow(1 - 2 / (9 * df), 3);
}

/* Two boots, 1 and 3: their variance is 2, over the median of chi-square of one degree of freedom. The errors have five a run. */
static void boots_by_hand(void **state)
{
	struct kb_node_value runs[] = { { 1, .1, 5 }, { 3, .1, 5 }, { 11, .1, 5 }, { 13, .1, 5 }, { 21, .1, 4 } }, values[3];
	const size_t ones[] = { 1, 1, 1, 1, 1 }, boots[] = { 2, 2, 1 }, empty[] = { 2, 0, 3 };
	double pooled = 2 / middle(1), error = .01 / middle(10);
	struct kb_level_spread of_boots, of_runs;

	(void)state;
	assert_int_equal(kb_fleet_boots(&(struct kb_fleet_runs){ runs, ones, boots, 3 }, values, &of_boots, &of_runs), 0);
	is_near(values[0].x, 2, 1e-12);
	is_near(values[1].x, 12, 1e-12);
	is_near(values[2].x, 21, 1e-12);
	is_near(values[0].se, sqrt(pooled / 2), 1e-12);
	is_near(values[2].se, sqrt(pooled), 1e-12);
	is_near(of_boots.sd, sqrt(pooled - error), 1e-12);
	assert_int_equal(of_boots.nodes, 2);
	assert_true(isnan(of_runs.sd) && of_runs.nodes == 0);
	/* A boot each: what is known is the error of the run. */
	assert_int_equal(kb_fleet_boots(&(struct kb_fleet_runs){ runs, ones, ones, 3 }, values, &of_boots, &of_runs), 0);
	assert_true(isnan(of_boots.sd));
	is_near(values[1].se, .1, 1e-12);
	is_near(values[1].df, 5, 0);
	assert_int_equal(kb_fleet_boots(&(struct kb_fleet_runs){ runs, ones, empty, 3 }, values, &of_boots, &of_runs), -EINVAL);
	assert_int_equal(kb_fleet_boots(&(struct kb_fleet_runs){ runs, empty, ones, 3 }, values, &of_boots, &of_runs), -EINVAL);
	runs[4].x = NAN;
	assert_int_equal(kb_fleet_boots(&(struct kb_fleet_runs){ runs, ones, boots, 3 }, values, &of_boots, &of_runs), -EINVAL);
}

/*
 * Of one node the runs 0 2 in a boot, and 3 in another; of the other one the runs 10 12 14 in one boot. Runs have variances of 2 and 4, with one and two
 * degrees of freedom, of which the median is the mean; the boots 1 and 3 one of 2, in which half of a run's is, and a whole one.
 */
static void runs_by_hand(void **state)
{
	struct kb_node_value runs[] = { { 0, .1, 5 }, { 2, .1, 5 }, { 3, .1, 5 }, { 10, .1, 5 }, { 12, .1, 5 }, { 14, .1, 5 } }, values[2];
	const size_t counts[] = { 2, 1, 3 }, boots[] = { 2, 1 }, one[] = { 3, 3 }, ones[] = { 1, 1 };
	double run = (2 / middle(1) + 4 / middle(2)) / 2, boot = 2 / middle(1) - .75 * run;
	struct kb_level_spread of_boots, of_runs;

	(void)state;
	assert_int_equal(kb_fleet_boots(&(struct kb_fleet_runs){ runs, counts, boots, 2 }, values, &of_boots, &of_runs), 0);
	is_near(values[0].x, 2, 1e-12);
	is_near(values[1].x, 12, 1e-12);
	is_near(of_boots.sd, sqrt(boot), 1e-12);
	is_near(of_runs.sd, sqrt(run - .01 / middle(15)), 1e-12);
	assert_true(of_boots.nodes == 1 && of_runs.nodes == 2);
	is_near(values[0].se, sqrt((boot + .75 * run) / 2), 1e-12);
	is_near(values[1].se, sqrt(boot + run / 3), 1e-12);
	is_near(values[0].df, .4, 1e-12);
	is_near(values[1].df, .2, 1e-12);

	/* One boot each: only runs show how well a node is known. */
	assert_int_equal(kb_fleet_boots(&(struct kb_fleet_runs){ runs, one, ones, 2 }, values, &of_boots, &of_runs), 0);
	run = (7.0 / 3 + 4) / 2 / middle(2);
	assert_true(isnan(of_boots.sd));
	is_near(values[0].x, 5.0 / 3, 1e-12);
	is_near(values[0].se, sqrt(run / 3), 1e-12);
	is_near(values[0].df, .8, 1e-12);
}

/* The runs of a boot differ by 2: a variance of 2. What runs show is not what one that is measured worse would; and never less than errors are. */
static void errors_of_runs(void **state)
{
	struct kb_node_value runs[] = { { 0, 10, 5 }, { 2, 10, 5 }, { 10, .1, 5 }, { 12, .1, 5 }, { 20, .1, 5 }, { 22, .1, 5 } }, values[3];
	const size_t twos[] = { 2, 2, 2 }, ones[] = { 1, 1, 1 };
	struct kb_level_spread of_boots, of_runs;

	(void)state;
	assert_int_equal(kb_fleet_boots(&(struct kb_fleet_runs){ runs, twos, ones, 3 }, values, &of_boots, &of_runs), 0);
	is_near(values[0].se, sqrt(50), 1e-12);
	is_near(values[0].df, 5, 0);
	is_near(values[1].se, sqrt(2 / middle(1) / 2), 1e-12);
	is_near(values[1].df, .4, 1e-12);
	for (int i = 0; i < 6; i++)
		runs[i].se = 10;
	assert_int_equal(kb_fleet_boots(&(struct kb_fleet_runs){ runs, twos, ones, 3 }, values, &of_boots, &of_runs), 0);
	is_near(of_runs.sd, 0, 0);
	is_near(values[1].se, sqrt(100 / middle(10) / 2), 1e-12);
}

/* 1 2 3 10: their median is 2.5, and they lie 1.5 .5 .5 7.5 from it, 1 in the middle. */
static void whole_by_hand(void **state)
{
	double off[] = { 10, 1, 3, 2 };
	struct kb_node_value whole = kb_fleet_whole(off, 4);

	(void)state;
	is_near(whole.x, 2.5, 1e-12);
	is_near(whole.se, 1.2533 * 1.4826 / 2, 1e-9);
	is_near(whole.df, 3, 0);
}

/* Of four families one has a small p. Simes: min(.001 2/1, .5 2/2) = .002, adjusted .008; inside it 4 of 4 families over 1 that is named. */
static void selection_by_hand(void **state)
{
	const double p[] = { .001, .5, .3, .9, .6, .8, NAN, .7 }, sorted[] = { .01, .02, .9 };
	double family_q[4], q[8];

	(void)state;
	is_near(kb_simes(sorted, 3), .03, 1e-12);
	is_near(kb_simes(sorted, 0), 1, 0);
	assert_int_equal(kb_fleet_select(p, 4, 2, family_q), 0);
	assert_int_equal(kb_fleet_select_inside(p, 4, 2, .05, family_q, q), 0);
	is_near(family_q[0], .008, 1e-12);
	is_near(family_q[1], .8, 1e-12);
	is_near(family_q[3], .8, 1e-12);
	is_near(q[0], .008, 1e-12);
	is_near(q[1], 1, 1e-12);
	assert_true(q[2] >= .8 && q[4] >= .8 && isnan(q[6]));
}

/* A family without any p value is none, and is not counted. */
static void absent_families(void **state)
{
	const double p[] = { .02, NAN, NAN, NAN };
	double family_q[2], q[4];

	(void)state;
	assert_int_equal(kb_fleet_select(p, 2, 2, family_q), 0);
	assert_int_equal(kb_fleet_select_inside(p, 2, 2, .05, family_q, q), 0);
	is_near(family_q[0], .02, 1e-12);
	assert_true(isnan(family_q[1]));
	is_near(q[0], .02, 1e-12);
}

/* Weights of four: the whole 2, the others 2/3. */
static void weights(void **state)
{
	const struct kb_node_deviation off = { .ln = { .value = .02 }, .p = .03, .p_above = .015 }, less = { .ln = { .value = -.02 }, .p = .03, .p_above = .985 };

	(void)state;
	is_near(kb_fleet_weighted(&off, .01, false, true, 4), .015, 1e-12);
	is_near(kb_fleet_weighted(&off, .01, false, false, 4), .045, 1e-12);
	is_near(kb_fleet_weighted(&off, .01, false, false, 0), .03, 1e-12);
	is_near(kb_fleet_weighted(&off, .01, true, false, 0), .015, 1e-12);
	is_near(kb_fleet_weighted(&off, .03, false, false, 0), 1, 0);
	is_near(kb_fleet_weighted(&less, .01, false, false, 0), .03, 1e-12);
	is_near(kb_fleet_weighted(&less, .01, true, false, 0), 1, 0);
}

/* Equal errors of nothing: the t interval of the mean. Errors that explain all: their own, and never less. */
static void two_sides(void **state)
{
	const double d[] = { .01, .02, .03, .04 }, exact[] = { 0, 0, 0, 0 }, wide[] = { .1, .1, .1, .1 };
	struct kb_interval t = kb_t_interval(d, 4, .95);
	struct kb_difference difference;
	double between;

	(void)state;
	difference = kb_fleet_difference(d, exact, 4, .01, &between);
	is_near(difference.ln.value, .025, 1e-9);
	is_near(difference.ln.low, t.low, 1e-6);
	is_near(between, sqrt(kb_variance(d, 4)), 1e-6);
	difference = kb_fleet_difference(d, wide, 4, .01, &between);
	is_near(between, 0, 0);
	is_near(difference.ln.high, .025 + kb_t_quantile(.975, 3) * .05, 1e-9);
	difference = kb_fleet_difference(d, wide, 1, .01, &between);
	assert_false(difference.ln.known);
	assert_int_equal(kb_decide(&difference, .01), KB_INCONCLUSIVE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(three_by_hand), cmocka_unit_test(spread_by_hand), cmocka_unit_test(wide_error), cmocka_unit_test(sick_are_apart),
		cmocka_unit_test(invariances), cmocka_unit_test(equal_nodes), cmocka_unit_test(boots_by_hand), cmocka_unit_test(runs_by_hand), cmocka_unit_test(errors_of_runs), cmocka_unit_test(selection_by_hand),
		cmocka_unit_test(absent_families), cmocka_unit_test(whole_by_hand), cmocka_unit_test(weights), cmocka_unit_test(two_sides),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
