/*
 * Comparisons with known answers: how often identical sides are told apart, how often a true difference is decided
 * right, and whether nested variances come back. The figures are those of the method's own simulations.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "stats/compare.h"
#include "stats/levels.h"
#include "truth/truth.h"
#include "unit/stats/draws.h"

#define SEED 20260504
#define BLOCKS 30
#define BLOCKS_MOST 40
#define SPREAD .0037            /* sd of a block's difference on a quiet machine */

static double percent(double percentage)
{
	return log1p(percentage / 100);
}

/* ---- one launch ------------------------------------------------------------------------------------------ */

/* The machine between letters: an AR(1) of this spread over all letters of a launch, plus noise of each letter. Four
   letters make a block, so the noise of a letter is that of a block's difference. */
struct machine { double drift, phi; };

static void draw_blocks(struct kb_rng *rng, const struct machine *machine, double truth, double *d, size_t blocks)
{
	double z[4 * BLOCKS_MOST];

	draw_ar1(rng, machine->phi, z, 4 * blocks);
	for (size_t k = 0; k < blocks; k++) {
		bool baab = kb_rng_below(rng, 2);
		double side[2] = { 0, 0 };

		for (size_t i = 0; i < 4; i++) {
			bool b = (i == 1 || i == 2) != baab;

			side[b] += (machine->drift * z[4 * k + i] + SPREAD * draw_normal(rng)) / 2;
		}
		d[k] = side[1] - side[0] + truth;
	}
}

/* T-AB-1: identical sides; the interval must hold zero, however the machine drifts. */
static void false_differences(void **state)
{
	static const struct machine machines[] = { { 0, 0 }, { .01, .95 }, { .01, .99 }, { .03, .95 }, { .03, .99 } };
	static const size_t blocks[] = { 30, 20, 15 };
	struct kb_rng rng;

	(void)state;
	kb_rng_seed(&rng, SEED);
	for (size_t m = 0; m < sizeof machines / sizeof *machines; m++) {
		for (size_t b = 0; b < sizeof blocks / sizeof *blocks; b++) {
			int tries = truth_tries(4000, 500), wrong = 0;
			char what[100];
			double d[BLOCKS];

			for (int i = 0; i < tries; i++) {
				draw_blocks(&rng, &machines[m], 0, d, blocks[b]);
				struct kb_interval ln = kb_block_interval(d, blocks[b], .95);

				wrong += ln.known && (ln.low > 0 || ln.high < 0);
			}
			snprintf(what, sizeof what, "A/A told apart, drift %g %%, AR %g, %zu blocks", 100 * machines[m].drift,
			         machines[m].phi, blocks[b]);
			truth_at_most("T-AB-1", what, truth_full() ? .06 : .08, (double)wrong / tries);
		}
	}
}

/* T-AB-2: what a margin of 1 % decides about a true difference. */
static void decisions(void **state)
{
	static const struct { size_t blocks; double truth; enum kb_decision decision; double share; } rows[] = {
		{ 30, 1.5, KB_SLOWER, .986 }, { 30, 2, KB_SLOWER, .999 }, { 30, 0, KB_SLOWER, 0 }, { 30, 1, KB_SLOWER, .005 },
		{ 30, 0, KB_EQUIVALENT, .999 }, { 30, .5, KB_EQUIVALENT, .983 },
	};
	static const struct machine quiet = { 0, 0 };
	struct kb_rng rng;

	(void)state;
	kb_rng_seed(&rng, SEED + 2);
	for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
		int tries = truth_tries(4000, 500), seen = 0;
		char what[100];
		double d[BLOCKS];

		for (int i = 0; i < tries; i++) {
			draw_blocks(&rng, &quiet, percent(rows[r].truth), d, rows[r].blocks);
			struct kb_interval ln = kb_block_interval(d, rows[r].blocks, .95);

			seen += kb_decide(&ln, percent(1)) == rows[r].decision;
		}
		snprintf(what, sizeof what, "true %+g %%, %zu blocks: %s", rows[r].truth, rows[r].blocks,
		         kb_decision_name(rows[r].decision));
		truth_row("T-AB-2", what, rows[r].share, truth_tolerance(.03), (double)seen / tries);
	}
}

/* T-AB-2: fewer blocks. The method's own figure is .57, from refusing every launch whose differences seem correlated;
   taking the wider interval instead finds more and tells identical sides apart no more often (T-AB-1 above). */
static void few_blocks(void **state)
{
	static const struct machine quiet = { 0, 0 };
	int tries = truth_tries(4000, 500), slower = 0;
	struct kb_rng rng;
	double d[BLOCKS];

	(void)state;
	kb_rng_seed(&rng, SEED + 8);
	for (int i = 0; i < tries; i++) {
		draw_blocks(&rng, &quiet, percent(1.5), d, 15);
		struct kb_interval ln = kb_block_interval(d, 15, .95);

		slower += kb_decide(&ln, percent(1)) == KB_SLOWER;
	}
	truth_note("T-AB-2", "true +1.5 %, 15 blocks: slower, published", .57, (double)slower / tries);
	truth_at_least("T-AB-2", "true +1.5 %, 15 blocks: slower", .88, (double)slower / tries);
}

static enum kb_decision mirrored(enum kb_decision decision)
{
	return decision == KB_SLOWER ? KB_FASTER : decision == KB_FASTER ? KB_SLOWER : decision;
}

static void assert_mirrored(const struct kb_difference *ab, const struct kb_difference *ba)
{
	double close = 1e-12 * (1 + fabs(ab->ln.value));

	assert_int_equal(ab->ln.known, ba->ln.known);
	assert_true(fabs(ab->ln.value + ba->ln.value) <= close);
	assert_int_equal(kb_decide(&ab->ln, percent(1)), mirrored(kb_decide(&ba->ln, percent(1))));
	if (!ab->ln.known)
		return;
	assert_true(fabs(ab->ln.low + ba->ln.high) <= close && fabs(ab->ln.high + ba->ln.low) <= close);
	assert_true(fabs(ab->p_slower - ba->p_faster) < 1e-9 && fabs(ab->p_faster - ba->p_slower) < 1e-9);
}

/* T-AB-3: swapping the sides negates the difference and mirrors the decision, ties and odd numbers included. */
static void swapped_sides(void **state)
{
	static const struct machine drifting = { .01, .95 };
	int tries = truth_tries(4000, 400);
	struct kb_rng rng;

	(void)state;
	kb_rng_seed(&rng, SEED + 3);
	for (int i = 0; i < tries; i++) {
		size_t blocks = i % 2 ? 31 + 2 * ((size_t)i % 5) : BLOCKS - (size_t)i % 16;
		double d[BLOCKS_MOST], mirror[BLOCKS_MOST];

		draw_blocks(&rng, &drifting, percent((double)(i % 7) - 3), d, blocks);
		for (size_t k = 0; k < blocks; k++) {
			d[k] = i % 3 ? d[k] : round(d[k] * 500) / 500;
			mirror[k] = -d[k];
		}
		struct kb_difference ab = kb_compare_blocks(d, blocks, percent(1)), ba = kb_compare_blocks(mirror, blocks, percent(1));

		assert_mirrored(&ab, &ba);
		ab = kb_compare_launches(d, 5, percent(1)), ba = kb_compare_launches(mirror, 5, percent(1));
		assert_mirrored(&ab, &ba);
		ab = kb_compare_unpaired(d, 5, d + 5, 7, percent(1)), ba = kb_compare_unpaired(d + 5, 7, d, 5, percent(1));
		assert_mirrored(&ab, &ba);
		assert_true(fabs(kb_a12(d, 5, d + 5, 7) + kb_a12(d + 5, 7, d, 5) - 1) < 1e-12);
	}
	truth_row("T-AB-3", "swapped sides that are not mirrored", 0, 0, 0);
}

/* ---- many rows ------------------------------------------------------------------------------------------- */

/* T-AB-4: 200 identical rows, five launches each: how often does any of them fire the gate? */
static void any_gate(void **state)
{
	static const double spreads[] = { .002, .01, .05 };
	enum { ROWS = 200, LAUNCHES = 5 };
	struct kb_rng rng;

	(void)state;
	kb_rng_seed(&rng, SEED + 4);
	for (size_t s = 0; s < sizeof spreads / sizeof *spreads; s++) {
		int tries = truth_tries(4000, 300), fired = 0;
		char what[80];

		for (int i = 0; i < tries; i++) {
			double p[ROWS], d[LAUNCHES];
			bool slower[ROWS], any = false;

			for (size_t row = 0; row < ROWS; row++) {
				for (size_t k = 0; k < LAUNCHES; k++)
					d[k] = spreads[s] * draw_normal(&rng);
				struct kb_difference difference = kb_compare_launches(d, LAUNCHES, percent(1));

				p[row] = difference.p_slower;
				slower[row] = kb_decide(&difference.ln, percent(1)) == KB_SLOWER;
			}
			assert_int_equal(kb_holm(p, ROWS, p), 0);
			for (size_t row = 0; row < ROWS; row++)
				any = any || (slower[row] && p[row] <= .05);
			fired += any;
		}
		snprintf(what, sizeof what, "any of 200 A/A rows fires, launch sd %g %%", 100 * spreads[s]);
		truth_at_most("T-AB-4", what, truth_full() ? .05 : .07, (double)fired / tries);
	}
}

/* ---- levels ---------------------------------------------------------------------------------------------- */

struct nest { size_t blocks, launches; double block_sd, launch_sd; };

static void draw_nest(struct kb_rng *rng, const struct nest *nest, double *x)
{
	for (size_t l = 0; l < nest->launches; l++) {
		double launch = nest->launch_sd * draw_normal(rng);

		for (size_t k = 0; k < nest->blocks; k++)
			x[l * nest->blocks + k] = launch + nest->block_sd * draw_normal(rng);
	}
}

static void split_nest(const struct nest *nest, const double *x, struct kb_levels *levels)
{
	size_t sizes[16];

	for (size_t l = 0; l < nest->launches; l++)
		sizes[l] = nest->blocks;
	assert_int_equal(kb_levels_split(x, nest->blocks * nest->launches, (const size_t *const[]){ sizes }, &nest->launches, 2,
	                                 .95, levels), 0);
}

/* T-AB-5: the launches' own variance comes back on average, and is not clamped where it is none. */
static void variance_of_launches(void **state)
{
	static const struct nest nests[] = { { 30, 5, 1, 1 }, { 30, 5, 1, .3 }, { 10, 8, 1, 1 } };
	static const struct nest alike = { 30, 5, 1, 0 };
	int tries = truth_tries(4000, 500), negative = 0;
	double x[16 * 30], sum = 0;
	struct kb_levels levels;
	struct kb_rng rng;

	(void)state;
	kb_rng_seed(&rng, SEED + 5);
	for (size_t n = 0; n < sizeof nests / sizeof *nests; n++) {
		double t2 = 0, t1 = 0, truth = nests[n].launch_sd * nests[n].launch_sd;
		char what[80];

		for (int i = 0; i < tries; i++) {
			draw_nest(&rng, &nests[n], x);
			split_nest(&nests[n], x, &levels);
			t1 += levels.t2[0];
			t2 += levels.t2[1];
		}
		snprintf(what, sizeof what, "T_2^2 over truth, launch sd %g block sd", nests[n].launch_sd);
		truth_row("T-AB-5", what, 1, truth_tolerance(.05), t2 / tries / truth);
		truth_row("T-AB-5", "T_1^2 over truth", 1, truth_tolerance(.02), t1 / tries);
	}
	for (int i = 0; i < tries; i++) {
		draw_nest(&rng, &alike, x);
		split_nest(&alike, x, &levels);
		negative += levels.t2[1] < 0;
		sum += levels.t2[1];
	}
	truth_row("T-AB-5", "T_2^2 of launches that add nothing", 0, truth_tolerance(.01), sum / tries);
	truth_at_least("T-AB-5", "of these below zero", .4, (double)negative / tries);
}

static int ascending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* KJ: what launches are worth. Blocks of all launches in one pot look like many values and are few. */
static void launches_and_blocks(void **state)
{
	static const struct { size_t launches; double half; } rows[] = { { 2, 6.2 }, { 3, 2.1 }, { 5, 1.15 }, { 10, .70 } };
	static double half[4000];
	struct kb_rng rng;

	(void)state;
	kb_rng_seed(&rng, SEED + 6);
	for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
		const struct nest nest = { 30, rows[r].launches, 1, 1 };
		int tries = truth_tries(4000, 500), covered = 0, pooled = 0;
		double x[16 * 30];
		char what[80];

		for (int i = 0; i < tries; i++) {
			struct kb_levels levels;

			draw_nest(&rng, &nest, x);
			split_nest(&nest, x, &levels);
			half[i] = (levels.mean.high - levels.mean.low) / 2;
			covered += levels.mean.low <= 0 && levels.mean.high >= 0;
			struct kb_interval all = kb_t_interval(x, 30 * rows[r].launches, .95);

			pooled += all.low <= 0 && all.high >= 0;
		}
		qsort(half, (size_t)tries, sizeof *half, ascending);
		snprintf(what, sizeof what, "median half-width over sd, %zu launches", rows[r].launches);
		truth_row("KJ", what, rows[r].half, truth_tolerance(.05) * rows[r].half, half[tries / 2]);
		truth_row("KJ", "coverage of t on launch means", .95, truth_tolerance(.02), (double)covered / tries);
		truth_row("KJ", "coverage of all blocks in one pot", .35, truth_tolerance(.04), (double)pooled / tries);
	}
}

/* KJ: one launch of identical sides that only memory layout tells apart. */
static void layout_luck(void **state)
{
	static const struct machine quiet = { 0, 0 };
	int tries = truth_tries(4000, 500), off = 0;
	struct kb_rng rng;
	double d[BLOCKS];

	(void)state;
	kb_rng_seed(&rng, SEED + 7);
	for (int i = 0; i < tries; i++) {
		draw_blocks(&rng, &quiet, .02 * sqrt(2) * draw_normal(&rng), d, BLOCKS);
		struct kb_interval ln = kb_block_interval(d, BLOCKS, .95);

		off += ln.known && (ln.low > 0 || ln.high < 0);
	}
	/* The published figure used the mean's interval, which is narrower than the median's. */
	truth_note("KJ", "one launch off zero, layout sd 2 %, published", .96, (double)off / tries);
	truth_at_least("KJ", "one launch off zero, layout sd 2 %", .88, (double)off / tries);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(false_differences), cmocka_unit_test(decisions), cmocka_unit_test(few_blocks),
		cmocka_unit_test(swapped_sides),
		cmocka_unit_test(any_gate), cmocka_unit_test(variance_of_launches), cmocka_unit_test(launches_and_blocks),
		cmocka_unit_test(layout_luck),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
