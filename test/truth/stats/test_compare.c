/*
 * Comparisons with known answers: how often identical sides are told apart, how often a true difference is decided
 * right, and whether nested variances come back. The figures are those of the method's own simulations.
 */
/* runs: full, 11 s; thousands of simulated comparisons; unit/stats/test_compare has the arithmetic */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "stats/comparison/compare.h"
#include "stats/comparison/levels.h"
#include "truth/truth.h"
#include "unit/stats/draws.h"

#define SEED 20260504

static double percent(double percentage)
{
	return log1p(percentage / 100);
}

/* ---- pairs of processes ---------------------------------------------------------------------------------- */

/* What makes one process dearer than another, as an sd or a distance in ln. */
enum noise { NORMAL, KINDS, OUTLIERS, WALK, NOISES };

static const char *const noise_names[NOISES] = {
	[NORMAL] = "normal", [KINDS] = "processes of two kinds", [OUTLIERS] = "a tenth ten times as far off", [WALK] = "the machine drifts",
};

/* Of one process. */
static double draw_process(struct kb_rng *rng, enum noise noise, double sd)
{
	double z = sd * draw_normal(rng);

	if (noise == KINDS)
		return z / 10 + (kb_rng_below(rng, 2) ? 10 * sd : 0);
	return noise == OUTLIERS && kb_rng_below(rng, 10) == 0 ? 10 * z : z;
}

/* Pairs whose first process is drawn by lot; each process is further along a machine that gets dearer all the time. */
static void draw_pairs(struct kb_rng *rng, enum noise noise, double sd, double truth, double *d, size_t pairs)
{
	for (size_t i = 0; i < pairs; i++) {
		double drift = noise == WALK ? sd / 2 : 0;

		d[i] = draw_process(rng, noise, sd) - draw_process(rng, noise, sd) + (kb_rng_below(rng, 2) ? drift : -drift) + truth;
	}
}

/* As the engine does: at each look, until decided, or until so many pairs. */
static struct kb_difference look_on(const double *d, size_t pairs, double margin)
{
	struct kb_difference difference;

	for (size_t n = KB_PAIRS_FEWEST; n < pairs; n++) {
		if (!kb_is_look(n))
			continue;
		difference = kb_compare_paired(d, n, margin);
		if (kb_decide(&difference, margin) != KB_INCONCLUSIVE)
			return difference;
	}
	return kb_compare_paired(d, pairs, margin);
}

static bool told_apart(const struct kb_difference *difference, double margin)
{
	enum kb_decision decision = kb_decide(difference, margin);

	return decision == KB_SLOWER || decision == KB_FASTER;
}

/* T-AB-1: equal sides, whatever the noise, looked at nine times and once more where the budget ends; and what the CI holds. */
static void equal_sides(void **state)
{
	static const size_t pairs[] = { 60, KB_PAIRS_MOST };
	struct kb_rng rng;

	(void)state;
	kb_rng_seed(&rng, SEED);
	for (int noise = 0; noise < NOISES; noise++) {
		for (size_t p = 0; p < sizeof pairs / sizeof *pairs; p++) {
			int tries = truth_tries(8000, 1500), wrong = 0, covered = 0;
			double d[KB_PAIRS_MOST];
			char what[100];

			for (int i = 0; i < tries; i++) {
				draw_pairs(&rng, noise, .005, 0, d, pairs[p]);
				struct kb_difference difference = look_on(d, pairs[p], 0);

				wrong += told_apart(&difference, 0);
				covered += difference.ln.low <= 0 && difference.ln.high >= 0;
			}
			snprintf(what, sizeof what, "A/A told apart, %s, %zu pairs", noise_names[noise], pairs[p]);
			truth_at_most("T-AB-1", what, truth_full() ? .004 : .006, (double)wrong / tries);
			snprintf(what, sizeof what, "CI at the end holds zero, %s, %zu pairs", noise_names[noise], pairs[p]);
			truth_at_least("T-AB-1", what, .95, (double)covered / tries);
		}
	}
}

/* The most pairs of n on one side at which the two are told apart; below 0: none may be. */
static int tolerated(size_t n)
{
	double d[KB_PAIRS_MOST];
	int most = -1;

	for (int below = 0; 2 * (size_t)below < n; below++) {
		for (size_t i = 0; i < n; i++)
			d[i] = i < (size_t)below ? -1 : 1;
		struct kb_difference difference = kb_compare_paired(d, n, 0);

		if (kb_decide(&difference, 0) == KB_SLOWER)
			most = below;
	}
	return most;
}

/* The share of equal sides that are told apart at a look before `end` or there, by counting tosses: no simulation. */
static double told_apart_until(size_t end)
{
	double share[KB_PAIRS_MOST + 2] = { 1 }, apart = 0;

	for (size_t n = 1; n <= end; n++) {
		int most = kb_is_look(n) || n == end ? tolerated(n) : -1;

		for (size_t k = n; k > 0; k--)
			share[k] = (share[k] + share[k - 1]) / 2;
		share[0] /= 2;
		for (size_t k = 0; k <= n; k++) {
			if ((int)k > most && (int)(n - k) > most)
				continue;
			apart += share[k];
			share[k] = 0;
		}
	}
	return apart;
}

/* T-AB-1, exactly: at all looks, and at those before the worst moment for a budget to end. */
static void tosses(void **state)
{
	double worst = 0;

	(void)state;
	for (size_t end = KB_PAIRS_FEWEST; end <= KB_PAIRS_MOST; end++)
		worst = fmax(worst, told_apart_until(end));
	truth_row("T-AB-1", "equal sides told apart at all evaluations together", .0023, .00005, told_apart_until(KB_PAIRS_MOST));
	truth_at_most("T-AB-1", "the same where a budget ends at the worst moment", .003, worst);
}

/* T-AB-2: how often a true difference is found, and within how many pairs. */
static void true_differences(void **state)
{
	static const struct { enum noise noise; double sd, truth, margin; size_t pairs; double found; } rows[] = {
		{ NORMAL, .1, .3, 0, 30, .95 }, { NORMAL, .17, .3, 0, 60, .95 }, { KINDS, .1, .3, 0, 118, .95 },
		{ OUTLIERS, .1, .3, 0, 37, .95 }, { NORMAL, .5, 1, 0, 60, .95 }, { NORMAL, .5, 3, 1, 37, .95 },
	};
	struct kb_rng rng;

	(void)state;
	kb_rng_seed(&rng, SEED + 2);
	for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
		int tries = truth_tries(4000, 500), found = 0;
		double d[KB_PAIRS_MOST];
		char what[120];

		for (int i = 0; i < tries; i++) {
			draw_pairs(&rng, rows[r].noise, rows[r].sd / 100, percent(rows[r].truth), d, rows[r].pairs);
			struct kb_difference difference = look_on(d, rows[r].pairs, percent(rows[r].margin));

			found += kb_decide(&difference, percent(rows[r].margin)) == KB_SLOWER;
		}
		snprintf(what, sizeof what, "true %+g %%, margin %g %%, sd of a process %g %%, %s, %zu pairs: found", rows[r].truth,
		         rows[r].margin, rows[r].sd, noise_names[rows[r].noise], rows[r].pairs);
		truth_at_least("T-AB-2", what, truth_full() ? rows[r].found : rows[r].found - .02, (double)found / tries);
	}
}

/* T-AB-6: what equal sides say that they could have found is found, four times in five at the least, and not twice as little, always. */
static void detectable_differences(void **state)
{
	static const size_t pairs[] = { 12, 21, 37, 66, 118 };
	struct kb_rng rng;

	(void)state;
	kb_rng_seed(&rng, SEED + 9);
	for (int noise = 0; noise < NOISES; noise++) {
		for (size_t p = 0; p < sizeof pairs / sizeof *pairs; p++) {
			int tries = truth_tries(2000, 400), found = 0;
			double d[KB_PAIRS_MOST];
			char what[100];

			for (int i = 0; i < tries; i++) {
				draw_pairs(&rng, noise, .005, 0, d, pairs[p]);
				double said = kb_compare_paired(d, pairs[p], 0).detectable;

				draw_pairs(&rng, noise, .005, said, d, pairs[p]);
				struct kb_difference difference = kb_compare_paired(d, pairs[p], 0);

				found += kb_decide(&difference, 0) == KB_SLOWER;
			}
			snprintf(what, sizeof what, "%s, %zu pairs: a difference as large as the printed finds is found", noise_names[noise], pairs[p]);
			truth_at_least("T-AB-6", what, truth_full() ? .8 : .75, (double)found / tries);
		}
	}
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
	assert_int_equal(kb_decide(ab, percent(1)), mirrored(kb_decide(ba, percent(1))));
	if (!ab->ln.known)
		return;
	assert_true(fabs(ab->ln.low + ba->ln.high) <= close && fabs(ab->ln.high + ba->ln.low) <= close);
	assert_true(fabs(ab->p_slower - ba->p_faster) < 1e-9 && fabs(ab->p_faster - ba->p_slower) < 1e-9);
}

/* T-AB-3: swapping the sides negates the difference and mirrors the decision, ties and odd numbers included. */
static void swapped_sides(void **state)
{
	const struct kb_occasion none = { .sd = 0, .df = 8 }, some = { .sd = .002, .df = 8 };
	int tries = truth_tries(4000, 400);
	struct kb_rng rng;

	(void)state;
	kb_rng_seed(&rng, SEED + 3);
	for (int i = 0; i < tries; i++) {
		size_t pairs = KB_PAIRS_FEWEST + (size_t)i % 20;
		double d[KB_PAIRS_MOST], mirror[KB_PAIRS_MOST];

		draw_pairs(&rng, i % NOISES, .004, percent((double)(i % 7) - 3), d, pairs);
		for (size_t k = 0; k < pairs; k++) {
			d[k] = i % 3 ? d[k] : round(d[k] * 500) / 500;
			mirror[k] = -d[k];
		}
		struct kb_difference ab = kb_compare_paired(d, pairs, percent(1)), ba = kb_compare_paired(mirror, pairs, percent(1));

		assert_mirrored(&ab, &ba);
		ab = kb_compare_unpaired(d, 5, d + 5, 7, i % 2 ? &none : &some, percent(1));
		ba = kb_compare_unpaired(d + 5, 7, d, 5, i % 2 ? &none : &some, percent(1));
		assert_mirrored(&ab, &ba);
		assert_true(fabs(kb_a12(d, 5, d + 5, 7) + kb_a12(d + 5, 7, d, 5) - 1) < 1e-12);
	}
	truth_row("T-AB-3", "swapped sides that are not mirrored", 0, 0, 0);
}

/* T-AB-7: two runs of equal code whose occasions differ: the store knows by how much, and equals are told apart seldom. */
static void occasions(void **state)
{
	static const double spreads[] = { 0, .004, .02 };
	enum { RUNS = 20, PROCESSES = 12 };
	struct kb_rng rng;

	(void)state;
	kb_rng_seed(&rng, SEED + 10);
	for (size_t s = 0; s < sizeof spreads / sizeof *spreads; s++) {
		int tries = truth_tries(4000, 400), wrong = 0, blind = 0;
		double se[RUNS];
		char what[100];

		for (size_t run = 0; run < RUNS; run++)
			se[run] = .003 / sqrt(PROCESSES);
		for (int i = 0; i < tries; i++) {
			double ln[RUNS], x[RUNS][PROCESSES];

			for (size_t run = 0; run < RUNS; run++) {
				double occasion = spreads[s] * draw_normal(&rng);

				for (size_t k = 0; k < PROCESSES; k++)
					x[run][k] = occasion + .003 * draw_normal(&rng);
				ln[run] = kb_mean(x[run], PROCESSES);
			}
			const struct kb_occasion with = kb_occasion_find(ln, se, RUNS, .004), without = { .sd = 0, .df = 1 };
			const double *a = x[RUNS - 2], *b = x[RUNS - 1];
			struct kb_difference known = kb_compare_unpaired(a, PROCESSES, b, PROCESSES, &with, 0);
			struct kb_difference unknown = kb_compare_unpaired(a, PROCESSES, b, PROCESSES, &without, 0);

			wrong += told_apart(&known, 0);
			blind += told_apart(&unknown, 0);
		}
		snprintf(what, sizeof what, "runs of equal code told apart, occasions differ by %g %%", 100 * spreads[s]);
		truth_at_most("T-AB-7", what, truth_full() ? .01 : .015, (double)wrong / tries);
		snprintf(what, sizeof what, "the same without a term for occasions, %g %%", 100 * spreads[s]);
		truth_note("T-AB-7", what, 0, (double)blind / tries);
	}
}

/* ---- many rows ------------------------------------------------------------------------------------------- */

/* T-AB-4: 200 identical rows, 12 pairs each: how often does any of them fire the gate? */
static void any_gate(void **state)
{
	static const double spreads[] = { .002, .01, .05 };
	enum { ROWS = 200, PAIRS = KB_PAIRS_FEWEST };
	struct kb_rng rng;

	(void)state;
	kb_rng_seed(&rng, SEED + 4);
	for (size_t s = 0; s < sizeof spreads / sizeof *spreads; s++) {
		int tries = truth_tries(1000, 100), fired = 0;
		char what[80];

		for (int i = 0; i < tries; i++) {
			double p[ROWS], d[PAIRS];
			bool slower[ROWS], any = false;

			for (size_t row = 0; row < ROWS; row++) {
				for (size_t k = 0; k < PAIRS; k++)
					d[k] = spreads[s] * draw_normal(&rng);
				struct kb_difference difference = kb_compare_paired(d, PAIRS, percent(1));

				p[row] = difference.p_slower;
				slower[row] = kb_decide(&difference, percent(1)) == KB_SLOWER;
			}
			assert_int_equal(kb_holm(p, ROWS, p), 0);
			for (size_t row = 0; row < ROWS; row++)
				any = any || (slower[row] && p[row] <= .05);
			fired += any;
		}
		snprintf(what, sizeof what, "any of 200 A/A results fires, process sd %g %%", 100 * spreads[s]);
		truth_at_most("T-AB-4", what, truth_full() ? .05 : .07, (double)fired / tries);
	}
}

/* ---- levels ---------------------------------------------------------------------------------------------- */

struct nest { size_t blocks, processes; double block_sd, process_sd; };

static void draw_nest(struct kb_rng *rng, const struct nest *nest, double *x)
{
	for (size_t l = 0; l < nest->processes; l++) {
		double process = nest->process_sd * draw_normal(rng);

		for (size_t k = 0; k < nest->blocks; k++)
			x[l * nest->blocks + k] = process + nest->block_sd * draw_normal(rng);
	}
}

static void split_nest(const struct nest *nest, const double *x, struct kb_levels *levels)
{
	size_t sizes[16];

	for (size_t l = 0; l < nest->processes; l++)
		sizes[l] = nest->blocks;
	assert_int_equal(kb_levels_split(x, nest->blocks * nest->processes, (const size_t *const[]){ sizes }, &nest->processes, 2,
	                                 .95, levels), 0);
}

/* T-AB-5: the processes' own variance comes back on average, and is not clamped where it is none. */
static void variance_of_processes(void **state)
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
		double t2 = 0, t1 = 0, truth = nests[n].process_sd * nests[n].process_sd;
		char what[80];

		for (int i = 0; i < tries; i++) {
			draw_nest(&rng, &nests[n], x);
			split_nest(&nests[n], x, &levels);
			t1 += levels.t2[0];
			t2 += levels.t2[1];
		}
		snprintf(what, sizeof what, "T_2^2 over truth, process sd %g block sd", nests[n].process_sd);
		truth_row("T-AB-5", what, 1, truth_tolerance(.05), t2 / tries / truth);
		truth_row("T-AB-5", "T_1^2 over truth", 1, truth_tolerance(.02), t1 / tries);
	}
	for (int i = 0; i < tries; i++) {
		draw_nest(&rng, &alike, x);
		split_nest(&alike, x, &levels);
		negative += levels.t2[1] < 0;
		sum += levels.t2[1];
	}
	truth_row("T-AB-5", "T_2^2 of processes that add nothing", 0, truth_tolerance(.01), sum / tries);
	truth_at_least("T-AB-5", "of these below zero", .4, (double)negative / tries);
}

static int ascending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* KJ: what processes are worth. Blocks of all processes in one pot look like many values and are few. */
static void processes_and_blocks(void **state)
{
	static const struct { size_t processes; double half; } rows[] = { { 2, 6.2 }, { 3, 2.1 }, { 5, 1.15 }, { 10, .70 } };
	static double half[4000];
	struct kb_rng rng;

	(void)state;
	kb_rng_seed(&rng, SEED + 6);
	for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
		const struct nest nest = { 30, rows[r].processes, 1, 1 };
		int tries = truth_tries(4000, 500), covered = 0, pooled = 0;
		double x[16 * 30];
		char what[80];

		for (int i = 0; i < tries; i++) {
			struct kb_levels levels;

			draw_nest(&rng, &nest, x);
			split_nest(&nest, x, &levels);
			half[i] = (levels.mean.high - levels.mean.low) / 2;
			covered += levels.mean.low <= 0 && levels.mean.high >= 0;
			struct kb_interval all = kb_t_interval(x, 30 * rows[r].processes, .95);

			pooled += all.low <= 0 && all.high >= 0;
		}
		qsort(half, (size_t)tries, sizeof *half, ascending);
		snprintf(what, sizeof what, "median half-width over sd, %zu processes", rows[r].processes);
		truth_row("KJ", what, rows[r].half, truth_tolerance(.05) * rows[r].half, half[tries / 2]);
		truth_row("KJ", "coverage of t on process means", .95, truth_tolerance(.02), (double)covered / tries);
		truth_row("KJ", "coverage of all blocks pooled", .35, truth_tolerance(.04), (double)pooled / tries);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(equal_sides), cmocka_unit_test(tosses), cmocka_unit_test(true_differences),
		cmocka_unit_test(detectable_differences),
		cmocka_unit_test(swapped_sides), cmocka_unit_test(occasions),
		cmocka_unit_test(any_gate), cmocka_unit_test(variance_of_processes), cmocka_unit_test(processes_and_blocks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
