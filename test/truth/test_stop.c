/* T-STP: a series of spread 4 % is measured until the half-width is 2 %; does the interval at the stop cover? */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "stats/stop.h"
#include "truth.h"
#include "unit/stats/draws.h"

#define N_MAX 4000
#define TARGET 0.02
#define SPREAD 0.04

/* Measures block after block; the number of values at the stop. */
static size_t measure(struct kb_rng *rng, double phi, struct kb_stop_state *state)
{
	static double x[N_MAX];
	double level = draw_normal(rng);
	size_t n = 0;

	do {
		x[n++] = 1 + SPREAD * level;
		level = phi * level + sqrt(1 - phi * phi) * draw_normal(rng);
		if (n >= KB_STOP_LEAST)
			*state = kb_stop_check(x, n, TARGET, 0.95, 0);
	} while (n < KB_STOP_LEAST || (state->stop != KB_STOP_MET && n < N_MAX));
	return n;
}

static void t_stp_coverage(void **state)
{
	static const struct { double phi, coverage, n; int full, brief; } rows[] = {
		{ 0, 0.972, 41, 2000, 500 }, { 0.3, 0.960, 64, 2000, 400 }, { 0.6, 0.940, 123, 2000, 150 },
		{ 0.9, 0.948, 587, 500, 15 },
	};
	char what[80];

	(void)state;
	for (size_t k = 0; k < sizeof(rows) / sizeof(*rows); k++) {
		int tries = truth_tries(rows[k].full, rows[k].brief), covers = 0;
		struct kb_rng rng;
		double mean = 0;

		kb_rng_seed(&rng, 40 + k);
		for (int r = 0; r < tries; r++) {
			struct kb_stop_state stop;

			mean += (double)measure(&rng, rows[k].phi, &stop) / tries;
			assert_int_equal(stop.stop, KB_STOP_MET);
			assert_true(stop.relative <= TARGET && stop.mean.n_eff >= KB_STOP_LEAST);
			covers += stop.mean.low <= 1 && 1 <= stop.mean.high;
		}
		snprintf(what, sizeof(what), "phi=%g: coverage at the stop", rows[k].phi);
		truth_at_least("T-STP", what, truth_full() ? 0.92 : tries < 100 ? 0.8 : 0.89, (double)covers / tries);
		snprintf(what, sizeof(what), "phi=%g: coverage published", rows[k].phi);
		truth_note("T-STP", what, rows[k].coverage, (double)covers / tries);
		snprintf(what, sizeof(what), "phi=%g: mean n at the stop", rows[k].phi);
		truth_note("T-STP", what, rows[k].n, mean);
	}
}

/* Blocks of random length until the rule or the budget ends it: what is used beyond the budget is part of one block. */
static void t_stp_budget(void **state)
{
	double worst = 0;
	struct kb_rng rng;

	(void)state;
	kb_rng_seed(&rng, 50);
	for (int r = 0; r < 300; r++) {
		double x[200], used = 0, block = 0;
		struct kb_stop_state stop = { .stop = KB_STOP_FEW };
		enum kb_code code = KB_CODE_COUNT;
		size_t n = 0;

		while (code == KB_CODE_COUNT) {
			x[n++] = 1 + draw_normal(&rng);
			block = draw_uniform(&rng);
			used += block;
			stop = kb_stop_check(x, n, 0.01, 0.95, 0);
			code = kb_stop_after_block(&stop, used, 50);
		}
		assert_int_equal(code, KB_CODE_budget_exhausted);
		worst = fmax(worst, (used - 50) / block);
	}
	truth_at_most("T-STP", "overshoot of the budget, blocks", 1, worst);
}

/* The same seed, the same data, the same stop. */
static void t_stp_repeats(void **state)
{
	int differ = 0;

	(void)state;
	for (uint64_t seed = 0; seed < 20; seed++) {
		struct kb_rng a, b;
		struct kb_stop_state first, second;

		kb_rng_seed(&a, seed);
		kb_rng_seed(&b, seed);
		differ += measure(&a, 0.3, &first) != measure(&b, 0.3, &second);
		differ += memcmp(&first.mean.value, &second.mean.value, sizeof(double)) != 0;
	}
	truth_row("T-STP", "stops that differ for one seed", 0, 0, differ);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(t_stp_coverage),
		cmocka_unit_test(t_stp_budget),
		cmocka_unit_test(t_stp_repeats),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
