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

#include "stats/compare.h"
#include "stats/levels.h"

#define CLOSE(got, wanted) assert_true(fabs((got) - (double)(wanted)) <= 1e-9 * fmax(1e-3, fabs((double)(wanted))))

static const double margin = 0.00995033085316808285;    /* ln 1.01 */

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
	struct kb_difference difference = kb_compare_unpaired(ln_a, 5, ln_b, 6, margin);

	CLOSE(difference.ln.value, 0.025861263534822321);
	CLOSE(difference.ln.low, 0.016585482824423219);
	CLOSE(difference.ln.high, 0.035137044245221426);
	CLOSE(difference.p_slower, 0.0020252733135784498);
	CLOSE(difference.p_faster, 0.99999165320973504);
	assert_int_equal(kb_decide(&difference.ln, margin), KB_SLOWER);
	assert_false(kb_compare_unpaired(ln_a, 1, ln_b, 6, margin).ln.known);
	assert_false(kb_compare_unpaired(NULL, 0, NULL, 0, margin).ln.known);
	ln_b[3] = NAN;
	difference = kb_compare_unpaired(ln_a, 5, ln_b, 6, margin);
	assert_false(difference.ln.known);
	CLOSE(difference.p_slower, 1);
}

static void launches(void **state)
{
	static const double d[] = { .0213, .0187, .0241, .0165, .0228 }, same[] = { .02, .02, .02 };
	struct kb_difference difference = kb_compare_launches(d, 5, margin);

	(void)state;
	CLOSE(difference.ln.low, 0.016854546266616151);
	CLOSE(difference.ln.high, 0.024505453733383847);
	CLOSE(difference.p_slower, 0.00073325564659179956);
	/* Without spread the value decides alone, and nothing is divided by it. */
	difference = kb_compare_launches(same, 3, margin);
	assert_true(difference.ln.known && difference.p_slower == 0 && difference.p_faster == 1);
	difference = kb_compare_launches(same, 3, .03);
	assert_true(difference.p_slower == 1 && kb_decide(&difference.ln, .03) == KB_EQUIVALENT);
	assert_false(kb_compare_launches(d, 1, margin).ln.known);
	assert_int_equal(kb_decide(&(struct kb_interval){ .value = 1, .low = 1, .high = 1 }, margin), KB_INCONCLUSIVE);
}

/* The p of blocks inverts the interval: at confidence 1 - 2p its lower end just reaches the margin. */
static void blocks(void **state)
{
	double d[40];

	(void)state;
	for (int i = 0; i < 40; i++)
		d[i] = .012 + .001 * ((i * 17) % 40 - 20) / 4;
	struct kb_difference difference = kb_compare_blocks(d, 40, margin);
	double confidence = 1 - 2 * difference.p_slower;

	assert_true(difference.p_slower > 1e-6 && difference.p_slower < .5);
	assert_true(kb_block_interval(d, 40, confidence - 1e-9).low > margin);
	assert_true(kb_block_interval(d, 40, confidence + 1e-9).low <= margin);
	assert_true(difference.p_faster > .5);
	difference = kb_compare_blocks(d, 14, margin);
	assert_true(!difference.ln.known && difference.ln.why == KB_CODE_too_few_effective && difference.p_slower == 1);
	/* A margin at the very value is beyond by half the chances, either way. */
	difference = kb_compare_blocks(d, 20, kb_block_interval(d, 20, .95).value);
	CLOSE(difference.p_slower, .5);
	for (int i = 0; i < 40; i++)
		d[i] = .02;
	difference = kb_compare_blocks(d, 20, margin);
	assert_true(difference.ln.known && difference.ln.low > margin);
}

static void decisions(void **state)
{
	static const struct { double low, high; enum kb_decision decision; } rows[] = {
		{ .011, .02, KB_SLOWER }, { -.02, -.011, KB_FASTER }, { .001, .009, KB_EQUIVALENT }, { -.009, .009, KB_EQUIVALENT },
		{ .009, .011, KB_INCONCLUSIVE }, { -.02, .02, KB_INCONCLUSIVE }, { .01, .02, KB_INCONCLUSIVE },
	};

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct kb_interval ln = { .low = rows[i].low, .high = rows[i].high, .known = true };

		assert_int_equal(kb_decide(&ln, .01), rows[i].decision);
	}
	assert_string_equal(kb_decision_name(KB_INCONCLUSIVE), "inconclusive");
	assert_string_equal(kb_decision_name((enum kb_decision)9), "?");
}

static void floors(void **state)
{
	static const double earlier[] = { .001, -.004, .002 };
	struct kb_interval self = { .value = 0, .low = -.006, .high = .003, .known = true };

	(void)state;
	CLOSE(kb_noise_floor(&self, NULL, 0), .006);
	CLOSE(kb_noise_floor(&self, earlier, 3), .006);
	self.known = false;
	CLOSE(kb_noise_floor(&self, earlier, 3), .0038);        /* type 7 at .95: .002 + .9 (.004 - .002) */
	CLOSE(kb_noise_floor(&self, NULL, 0), 0);
	CLOSE(kb_compare_margin(.01, .006), .01);
	CLOSE(kb_compare_margin(.01, .02), .02);
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

/* Kalibera and Jones by hand: two launches of two blocks, then a third level. */
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
	split.t2[1] = -.5;                      /* launches add nothing: all repeats in them, yet three launches */
	kb_levels_plan(&split, (const double[]){ 1, 25 }, 1000, next);
	assert_int_equal(next[0], 308);
	assert_int_equal(next[1], 3);
	split.t2[0] = 0;
	kb_levels_plan(&split, (const double[]){ 1, 25 }, 1000, next);
	assert_int_equal(next[0], 1);
	kb_levels_plan(&split, (const double[]){ 0, 0 }, 0, next);
	assert_int_equal(next[1], 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(unpaired), cmocka_unit_test(launches), cmocka_unit_test(blocks), cmocka_unit_test(decisions),
		cmocka_unit_test(floors), cmocka_unit_test(ranks), cmocka_unit_test(families), cmocka_unit_test(levels),
		cmocka_unit_test(plan),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
