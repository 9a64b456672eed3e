/*
 * T-QUIET. Through the whole engine: 60 % of the intervals are lengthened by bursts of 10 us .. 3 ms, half of them
 * without evidence; `quiet` must hold the undisturbed cost, and the verdict must say that it was noisy. By the
 * statistics alone: launches whose layout makes them dearer or cheaper, and the interval that knows of launches.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "engine_run.h"
#include "stats/stats.h"
#include "truth.h"
#include "unit/stats/draws.h"

/* Noise of the interval alone moves every low quantile alike, so that the line has the truth as its slope. */
static void t_quiet(void **state)
{
	const struct kb_synthetic model = { .bursts = 0.6, .blind = 0.5, .v1 = 1e-9 };
	double truth = kb_synthetic_cost(&model), mean = 0, worst = 0, share;
	int tries = truth_tries(300, 30), covers = 0, noisy = 0;

	(void)state;
	for (int seed = 1; seed <= tries; seed++) {
		struct engine_wish wish = { .seed = (uint64_t)seed };
		const struct kb_estimate *quiet;
		struct engine_run run;

		engine_run(&run, &model, &wish);
		assert_int_equal(run.status, 0);
		quiet = &run.row.result.quiet;
		mean += quiet->value / truth / tries;
		worst = fmax(worst, fabs(quiet->value / truth - 1));
		covers += quiet->bounded && quiet->low <= truth && truth <= quiet->high;
		noisy += run.row.result.verdict.status == KB_NOISY;
		engine_run_close(&run);
	}
	share = (double)covers / tries;
	truth_row("T-QUIET", "engine, 5 launches: quiet over the truth", 1, 0.01, mean);
	truth_at_most("T-QUIET", "engine, 5 launches: the worst run is off by", 0.02, worst);
	truth_at_least("T-QUIET", "engine, 5 launches: coverage of quiet", 0.90, share);
	truth_row("T-QUIET", "engine, 5 launches: verdict noisy", 1, 0, (double)noisy / tries);
}

/* All bursts without a trace: more than half of what is left is lengthened, and medians are lost. */
static void t_quiet_blind(void **state)
{
	const struct kb_synthetic model = { .bursts = 0.6, .blind = 1, .v1 = 1e-9 };
	double truth = kb_synthetic_cost(&model), worst = 0;
	int tries = truth_tries(100, 20);

	(void)state;
	for (int seed = 1; seed <= tries; seed++) {
		struct engine_wish wish = { .seed = (uint64_t)seed };
		struct engine_run run;

		engine_run(&run, &model, &wish);
		worst = fmax(worst, fabs(run.row.result.quiet.value / truth - 1));
		engine_run_close(&run);
	}
	truth_at_most("T-QUIET", "no burst leaves a trace: the worst run is off by", 0.01, worst);
}

/* ---- layout -------------------------------------------------------------------------------------- */

#define COST 120.0
#define BLOCKS 100
#define GRID 4
#define MANY 4000               /* launches of which few blocks each are taken for the truth */

struct points { double n[MANY * 25 * GRID], y[MANY * 25 * GRID]; uint32_t launch[MANY * 25 * GRID]; size_t count; };

/* One more launch, of a noise as the synthetic machine has it: sd 200 ticks an interval, skewed. */
static void draw_launch(struct kb_rng *rng, struct points *points, uint32_t launch, double layout_sd, int blocks)
{
	double cost = COST * (1 + layout_sd * draw_normal(rng));

	for (int i = 0; i < blocks * GRID; i++) {
		size_t at = points->count++;

		points->n[at] = 30 << i % GRID;
		points->y[at] = 300 + cost * points->n[at] + 331 * (exp(0.5 * draw_normal(rng)) - 1);
		points->launch[at] = launch;
	}
}

/* What all launches together would give: of a mixture the low quantile belongs to its cheap members. */
static double truth_of(struct points *points, double layout_sd)
{
	struct kb_rng rng;

	kb_rng_seed(&rng, 7);
	points->count = 0;
	for (uint32_t launch = 1; launch <= MANY; launch++)
		draw_launch(&rng, points, launch, layout_sd, 25);
	return kb_quantile_line(points->n, points->y, points->count, 0.1, 0.95).value;
}

static struct points points;

static bool covers(struct kb_interval line, double truth)
{
	return line.known && line.low <= truth && truth <= line.high;
}

static void t_quiet_layout(void **state)
{
	static const struct { double layout_sd; unsigned launches; } rows[] = {
		{ 0, 5 }, { 0.01, 5 }, { 0.05, 5 }, { 0.002, 5 }, { 0.01, 3 }, { 0.01, 10 },
	};
	size_t count = truth_full() ? sizeof rows / sizeof *rows : 3;
	int tries = truth_tries(1000, 150);
	char what[100];

	(void)state;
	for (size_t k = 0; k < count; k++) {
		double truth = truth_of(&points, rows[k].layout_sd), pooled = 0, over = 0;
		struct kb_rng rng;

		kb_rng_seed(&rng, 100 + k);
		for (int r = 0; r < tries; r++) {
			points.count = 0;
			for (uint32_t launch = 1; launch <= rows[k].launches; launch++)
				draw_launch(&rng, &points, launch, rows[k].layout_sd, BLOCKS);
			pooled += covers(kb_quantile_line(points.n, points.y, points.count, 0.1, 0.95), truth);
			over += covers(kb_quantile_line_over(points.n, points.y, points.launch, points.count, 0.1, 0.95), truth);
		}
		snprintf(what, sizeof what, "layout sd %g %%, %u launches: coverage, pooled points alone",
		         100 * rows[k].layout_sd, rows[k].launches);
		truth_note("T-QUIET", what, 0.95, pooled / tries);
		snprintf(what, sizeof what, "layout sd %g %%, %u launches: coverage with the launches' spread",
		         100 * rows[k].layout_sd, rows[k].launches);
		truth_at_least("T-QUIET", what, truth_full() ? 0.90 : 0.87, over / tries);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(t_quiet),
		cmocka_unit_test(t_quiet_blind),
		cmocka_unit_test(t_quiet_layout),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
