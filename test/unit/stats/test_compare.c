/*
 * Comparison by vectors. Oracle: R 4.2.2, functions t.test and p.adjust, and the rank formula of Brunner and Munzel
 * written out in it (its pain scores give their published 3.1375, 17.683 degrees of freedom, .005786).
 */
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "stats/comparison/compare.h"
#include "stats/comparison/levels.h"

#define CLOSE(got, wanted) assert_true(fabs((got) - (double)(wanted)) <= 1e-9 * fmax(1e-3, fabs((double)(wanted))))

static const double margin = 0.00995033085316808285;    /* ln 1.01 */
static const struct kb_occasion one_occasion = { .sd = 0, .df = 1 };

static void logs(const double *x, size_t n, double *ln)
{
	for (size_t i = 0; i < n; i++)
		ln[i] = log(x[i]);
}

static void unpaired(void **state)
{
	static const double a[] = { 102.1, 101.7, 103.0, 101.9, 102.4 }, b[] = { 104.9, 104.2, 105.8, 104.4, 106.1, 104.0 };
	double ln_a[5], ln_b[6];

	(void)state;
	logs(a, 5, ln_a);
	logs(b, 6, ln_b);
	struct kb_difference difference = kb_compare_unpaired(ln_a, 5, ln_b, 6, &one_occasion, margin);

	CLOSE(difference.ln.value, 0.025861263534822321);
	CLOSE(difference.ln.low, 0.016585482824423219);
	CLOSE(difference.ln.high, 0.035137044245221426);
	CLOSE(difference.p_slower, 0.0020252733135784498);
	CLOSE(difference.p_faster, 0.99999165320973504);
	/* Beyond the margin at 95 %, and not where equals are told apart three times in a thousand. */
	assert_int_equal(kb_decide(&difference, margin), KB_INCONCLUSIVE);
	assert_int_equal(kb_decide(&difference, .008), KB_SLOWER);
	/* An occasion without spread has no degrees of freedom to give. */
	CLOSE(kb_compare_unpaired(ln_a, 5, ln_b, 6, &(struct kb_occasion){ .sd = 0 }, margin).ln.low, difference.ln.low);
	assert_false(kb_compare_unpaired(ln_a, 1, ln_b, 6, &one_occasion, margin).ln.known);
	assert_false(kb_compare_unpaired(NULL, 0, NULL, 0, &one_occasion, margin).ln.known);
	ln_b[3] = NAN;
	difference = kb_compare_unpaired(ln_a, 5, ln_b, 6, &one_occasion, margin);
	assert_false(difference.ln.known);
	CLOSE(difference.p_slower, 1);
}

/* Orders of a toss: 12 of 12 pairs have p = 2^-12 on one side, 4 of 28 tosses are as rare as .000181 on both. */
static void pairs(void **state)
{
	double d[KB_PAIRS_MOST];
	struct kb_difference difference;

	(void)state;
	for (int i = 0; i < 12; i++)
		d[i] = .02 + .001 * ((i * 7) % 12);
	difference = kb_compare_paired(d, 12, margin);
	CLOSE(difference.sure_low, .02);
	CLOSE(difference.sure_high, .031);
	CLOSE(difference.ln.value, .0255);
	CLOSE(difference.p_slower, 4. / 4096);
	assert_true(difference.p_faster == 1 && difference.ln.low > .02 && difference.ln.high < .031);
	assert_int_equal(kb_decide(&difference, margin), KB_SLOWER);
	assert_int_equal(kb_decide(&difference, .04), KB_EQUIVALENT);
	/* One pair on the other side, and a dozen tells nothing. */
	d[3] = .001;
	difference = kb_compare_paired(d, 12, margin);
	CLOSE(difference.sure_low, .001);
	assert_int_equal(kb_decide(&difference, margin), KB_INCONCLUSIVE);
	/* Fewer than a decision needs keep their value, and nothing is sure. */
	difference = kb_compare_paired(d, 11, margin);
	assert_true(difference.sure_low == -INFINITY && difference.sure_high == INFINITY && isnan(difference.detectable));
	assert_int_equal(kb_decide(&difference, margin), KB_INCONCLUSIVE);
	assert_int_equal(kb_decide(&difference, 1), KB_INCONCLUSIVE);
	assert_false(kb_compare_paired(d, 1, margin).ln.known);
	/* Without spread the value decides, and as little as the margin is found. */
	for (int i = 0; i < 12; i++)
		d[i] = .02;
	difference = kb_compare_paired(d, 12, margin);
	assert_true(kb_decide(&difference, margin) == KB_SLOWER && difference.detectable == margin);
	d[5] = NAN;
	assert_int_equal(kb_decide(&(struct kb_difference){ .ln = kb_compare_paired(d, 12, margin).ln, .sure_low = -INFINITY, .sure_high = INFINITY }, 1), KB_INCONCLUSIVE);
	assert_true(kb_is_look(12) && kb_is_look(KB_PAIRS_MOST) && !kb_is_look(13));
}

/* By hand: four steps of .02, .01, .01, .06 with a median of .015, and no errors of their own; what is usual has eight degrees of freedom
   where it is as large as what was seen, and fewer by as much as it is smaller. */
static void occasions(void **state)
{
	static const double ln[] = { 1, 1.02, 1.03, 1.02, 1.08 }, none[5] = { 0 }, wide[] = { .1, .1, .1, .1, .1 };
	double seen = 1.4826 * .015 * 1.4826 * .015 / 2, usual = 8 * 1e-4 / seen;
	struct kb_occasion occasion = kb_occasion_find(ln, none, 5, .01);

	(void)state;
	CLOSE(occasion.df, usual + 2);
	CLOSE(occasion.sd, sqrt((usual * 1e-4 + 2 * seen) / (usual + 2)));
	assert_int_equal(occasion.runs, 5);
	CLOSE(kb_occasion_find(ln, none, 5, .1).sd, sqrt((8 * .01 + 2 * seen) / 10));
	/* Four runs are too few to tell a change from an occasion. */
	assert_true(kb_occasion_find(ln, none, 4, .01).sd == .01 && kb_occasion_find(ln, none, 4, .01).runs == 0);
	/* What the runs' own intervals explain is no occasion. */
	CLOSE(kb_occasion_find(ln, wide, 5, .01).sd, sqrt(8 * 1e-4 / 10));
	occasion = kb_occasion_find(NULL, NULL, 0, .004);
	CLOSE(occasion.sd, .004);
	CLOSE(occasion.df, 8);
	/* It widens a comparison of two runs, and adds to what can be found. */
	static const double a[] = { 0, .001, .002 }, b[] = { .02, .021, .022 };

	assert_true(kb_compare_unpaired(a, 3, b, 3, &occasion, 0).ln.low < kb_compare_unpaired(a, 3, b, 3, &one_occasion, 0).ln.low);
	assert_true(kb_compare_unpaired(a, 3, b, 3, &occasion, 0).detectable > 3 * .004 * sqrt(2));
}

static void decisions(void **state)
{
	static const struct { double sure_low, low, high, sure_high; enum kb_decision decision; } rows[] = {
		{ .011, .012, .019, .02, KB_SLOWER }, { -.02, -.019, -.012, -.011, KB_FASTER }, { -.001, .001, .009, .02, KB_EQUIVALENT },
		{ -.01, -.009, .009, .01, KB_EQUIVALENT }, { .009, .0095, .0105, .011, KB_INCONCLUSIVE },
		{ .009, .011, .02, .03, KB_INCONCLUSIVE }, { -.03, -.02, .02, .03, KB_INCONCLUSIVE }, { .01, .011, .02, .03, KB_INCONCLUSIVE },
	};

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct kb_difference difference = {
			.ln = { .low = rows[i].low, .high = rows[i].high, .known = true }, .sure_low = rows[i].sure_low,
			.sure_high = rows[i].sure_high,
		};

		assert_int_equal(kb_decide(&difference, .01), rows[i].decision);
	}
	assert_string_equal(kb_decision_name(KB_INCONCLUSIVE), "inconclusive");
	assert_string_equal(kb_decision_name((enum kb_decision)9), "?");
}

static void ranks(void **state)
{
	static const double yes[] = { 1, 2, 1, 1, 1, 1, 1, 1, 1, 1, 2, 4, 1, 1 }, no[] = { 3, 3, 4, 3, 1, 2, 3, 1, 1, 5, 4 };
	static const double a[] = { 1, 2, 3, 4, 7 }, b[] = { 3, 5, 6, 6, 8, 9 }, far[] = { 10, 11, 12 };

	(void)state;
	CLOSE(kb_brunner_munzel(yes, 14, no, 11), 0.0057862086661514571);
	CLOSE(kb_brunner_munzel(a, 5, b, 6), 0.067647056637209296);
	CLOSE(kb_a12(a, 5, b, 6), 24.5 / 30);
	CLOSE(kb_brunner_munzel(a, 5, far, 3), 2. / 56);
	CLOSE(kb_brunner_munzel(far, 1, a, 5), 1);
	CLOSE(kb_brunner_munzel(yes + 2, 3, yes + 2, 3), 1);
	CLOSE(kb_a12(NULL, 0, b, 6), .5);
}

/* Benjamini and Hochberg's own example of 25 tests is not sorted here, as no family of ours is. */
static void families(void **state)
{
	static const double p[] = { .94, .041, .001, .569, .008, .042, .039 };
	static const double holm[] = { 1, .195, .007, 1, .048, .195, .195 };
	static const double bh[] = { .94, .0588, .007, .66383333333333333, .028, .0588, .0588 };
	double got[7];

	(void)state;
	assert_int_equal(kb_holm(p, 7, got), 0);
	for (int i = 0; i < 7; i++)
		CLOSE(got[i], holm[i]);
	assert_int_equal(kb_benjamini_hochberg(p, 7, got), 0);
	for (int i = 0; i < 7; i++)
		CLOSE(got[i], bh[i]);
	assert_int_equal(kb_holm(p, 0, got), 0);
}

/* Kalibera and Jones by hand: two processes of two blocks, then a third level. */
static void levels(void **state)
{
	static const double x[] = { 1, 3, 6, 10, 2, 4, 4, 8 };
	static const size_t blocks[] = { 2, 2, 2, 2 }, boots[] = { 2, 2 }, uneven[] = { 1, 3, 4 };
	struct kb_levels split;

	(void)state;
	assert_int_equal(kb_levels_split(x, 4, (const size_t *const[]){ blocks }, (const size_t[]){ 2 }, 2, .95, &split), 0);
	CLOSE(split.s2[0], 5);
	CLOSE(split.s2[1], 18);
	CLOSE(split.t2[1], 18 - 2.5);
	CLOSE(split.mean.value, 5);
	assert_int_equal(kb_levels_split(x, 8, (const size_t *const[]){ blocks, boots }, (const size_t[]){ 4, 2 }, 3, .95,
	                                 &split), 0);
	CLOSE(split.s2[0], 5);
	CLOSE(split.s2[1], (18 + 4.5) / 2);
	CLOSE(split.t2[1], 11.25 - 2.5);
	CLOSE(split.s2[2], .125);
	CLOSE(split.t2[2], .125 - 11.25 / 2);   /* below zero, and stays there */
	assert_int_equal(kb_levels_split(x, 8, (const size_t *const[]){ uneven }, (const size_t[]){ 3 }, 2, .95, &split), 0);
	CLOSE(split.repeats[0], 3 / (1 + 1. / 3 + 1. / 4));
	assert_int_equal(kb_levels_split(x, 7, (const size_t *const[]){ blocks }, (const size_t[]){ 4 }, 2, .95, &split), -EINVAL);
	assert_int_equal(kb_levels_split(x, 8, (const size_t *const[]){ blocks }, (const size_t[]){ 4 }, 1, .95, &split), -EINVAL);
	assert_int_equal(kb_levels_split(x, 0, NULL, NULL, 2, .95, &split), -EINVAL);
}

static void plan(void **state)
{
	struct kb_levels split = { .count = 2, .t2 = { 4, 1 } };
	size_t next[KB_LEVELS_MAX];

	(void)state;
	kb_levels_plan(&split, (const double[]){ 1, 25 }, 1000, next);
	assert_int_equal(next[0], 10);          /* sqrt(25/1 * 4/1) */
	assert_int_equal(next[1], 1000 / 35);
	split.t2[1] = -.5;                      /* processes add nothing: all repeats in them, yet three processes */
	kb_levels_plan(&split, (const double[]){ 1, 25 }, 1000, next);
	assert_int_equal(next[0], 308);
	assert_int_equal(next[1], 3);
	split.t2[0] = 0;
	kb_levels_plan(&split, (const double[]){ 1, 25 }, 1000, next);
	assert_int_equal(next[0], 1);
	kb_levels_plan(&split, (const double[]){ 0, 0 }, 0, next);
	assert_int_equal(next[1], 3);
}

/* Costs that only have an interval: half-widths of 3 and 4 % of a logarithm are 5 % of the ratio's, by hand. */
static void intervals_alone(void **state)
{
	struct kb_interval a = { .value = 200, .low = 200 * exp(-.03), .high = 200 * exp(.03), .known = true };
	struct kb_interval b = { .value = 100, .low = 100 * exp(-.04), .high = 100 * exp(.04), .known = true };
	struct kb_interval ratio = kb_ratio_interval(&a, &b);
	struct kb_difference difference = kb_compare_bounded(&a, &b, &one_occasion, margin);

	(void)state;
	CLOSE(ratio.value, 2);
	CLOSE(ratio.low, 2 * exp(-.05));
	CLOSE(ratio.high, 2 * exp(.05));
	CLOSE(difference.ln.value, -log(2));
	assert_true(difference.ln.known && fabs(difference.ln.high - difference.ln.value - .05) < 1e-6);
	/* An occasion makes it wider. */
	difference = kb_compare_bounded(&a, &b, &(struct kb_occasion){ .sd = .01, .df = 8 }, margin);
	assert_true(difference.ln.high - difference.ln.value > .055);
	b.known = false;
	assert_false(kb_ratio_interval(&a, &b).known);
	CLOSE(kb_ratio_interval(&a, &b).value, 2);
	assert_false(kb_compare_bounded(&a, &b, &one_occasion, margin).ln.known);
	b = (struct kb_interval){ .value = 100, .low = 0, .high = 200, .known = true };
	assert_false(kb_ratio_interval(&a, &b).known);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(unpaired), cmocka_unit_test(pairs), cmocka_unit_test(occasions), cmocka_unit_test(decisions),
		cmocka_unit_test(ranks), cmocka_unit_test(families), cmocka_unit_test(levels),
		cmocka_unit_test(plan), cmocka_unit_test(intervals_alone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
