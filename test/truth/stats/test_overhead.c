/*
 * T-OVH: the net cost of an operation whose truth is known, 40 blocks of a grid of n, both sides in random order in
 * each block, with and without a drift of 1 % that both sides share.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "stats/comparison/overhead.h"
#include "truth/truth.h"
#include "unit/stats/draws.h"

#define BLOCKS 40
#define GRID 4
#define POINTS (BLOCKS * GRID)
#define FIXED 300.0             /* ticks of an interval */

struct side { double n[POINTS], y[POINTS]; uint32_t block[POINTS]; size_t count; };

static void add(struct side *side, struct kb_rng *rng, double n, double cost, uint32_t block)
{
	side->n[side->count] = n;
	side->y[side->count] = FIXED + cost * n + sqrt(2000 + 4 * n) * draw_normal(rng);
	side->block[side->count++] = block;
}

static void draw_sides(struct kb_rng *rng, struct side *op, struct side *base, double op_cost, double base_cost,
                       double drift)
{
	double level = draw_normal(rng);

	op->count = base->count = 0;
	for (uint32_t k = 0; k < BLOCKS; k++) {
		unsigned order[2 * GRID] = { 0, 1, 2, 3, 4, 5, 6, 7 };

		kb_rng_shuffle(rng, order, 2 * GRID, sizeof(*order));
		for (int i = 0; i < 2 * GRID; i++) {
			double n = 100 << order[i] % GRID, factor;

			level = 0.98 * level + sqrt(1 - 0.98 * 0.98) * draw_normal(rng);
			factor = 1 + drift * level;
			if (order[i] < GRID)
				add(op, rng, n, op_cost * factor, k);
			else
				add(base, rng, n, base_cost * factor, k);
		}
	}
}

static struct kb_points_of points_of(const struct side *side)
{
	return (struct kb_points_of){ side->n, side->y, side->block, side->count };
}

struct tally {
	int shown, covers, negative;
	double mean, square;
	int codes[3];           /* below_resolution, base_exceeds_op, none */
};

static struct tally simulate(uint64_t seed, double op_cost, double base_cost, double drift, int tries)
{
	static struct side op, base;
	struct tally tally = { 0 };
	struct kb_rng rng;

	kb_rng_seed(&rng, seed);
	for (int r = 0; r < tries; r++) {
		struct kb_points_of a, b;
		struct kb_overhead net;
		double truth = op_cost - base_cost, off;

		draw_sides(&rng, &op, &base, op_cost, base_cost, drift);
		a = points_of(&op);
		b = points_of(&base);
		assert_int_equal(kb_overhead_find(&a, &b, 0.95, 1, &net), 0);
		assert_int_equal(net.blocks, BLOCKS);
		off = net.net.value - truth;
		tally.shown += net.net.known;
		tally.covers += net.net.known && net.net.low <= truth && truth <= net.net.high;
		tally.negative += net.net.value < 0;
		tally.mean += off / tries;
		tally.square += off * off / tries;
		tally.codes[net.code == KB_CODE_below_resolution ? 0 : net.code == KB_CODE_base_exceeds_op ? 1 : 2]++;
	}
	return tally;
}

static double coverage(const struct tally *tally)
{
	return (double)tally->covers / tally->shown;
}

static void t_ovh_equal(void **state)
{
	int tries = truth_tries(2000, 300);
	struct tally tally = simulate(1, 40, 40, 0, tries);

	(void)state;
	truth_row("T-OVH", "op = base: net covers 0", 0.96, truth_tolerance(0.03), coverage(&tally));
	truth_at_most("T-OVH", "op = base: size of the mean net in standard errors", 3,
	              fabs(tally.mean) / sqrt(tally.square / tries));
	truth_row("T-OVH", "op = base: negative results", 0.5, truth_tolerance(0.05), (double)tally.negative / tries);
	truth_row("T-OVH", "op = base: below_resolution", 0.96, truth_tolerance(0.03), (double)tally.codes[0] / tries);
}

static void t_ovh_cost(void **state)
{
	int tries = truth_tries(2000, 300);
	struct tally still = simulate(2, 44, 40, 0, tries), drifting = simulate(3, 44, 40, 0.01, tries);
	struct tally less = simulate(4, 40, 44, 0, 50);

	(void)state;
	truth_at_least("T-OVH", "op = base + 4 of 40: coverage", truth_full() ? 0.93 : 0.90, coverage(&still));
	truth_at_least("T-OVH", "the same, 1 % drift of correlation .98: coverage", truth_full() ? 0.93 : 0.90,
	               coverage(&drifting));
	truth_at_least("T-OVH", "the same, drift: shown", 0.95, (double)drifting.shown / tries);
	truth_at_least("T-OVH", "op = base + 4 of 40: told apart from 0", 0.95, (double)still.codes[2] / tries);
	truth_at_least("T-OVH", "op = base - 4 of 44: base_exceeds_op", 0.95, (double)less.codes[1] / 50);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(t_ovh_equal), cmocka_unit_test(t_ovh_cost) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
