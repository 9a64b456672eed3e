/*
 * Known costs through the whole engine, many seeds each: the numbers must come back, and an interval that is printed as
 * one of 95 % must hold the truth that often. Seeds are fixed; bounds leave room for the number of seeds.
 */
/* runs: full, 25 s; runs of the synthetic machine by the hundred */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "truth/engine_run.h"
#include "stats/stats.h"
#include "truth/truth.h"

#define COVERAGE 0.90           /* of all runs whose interval is one over processes */
#define COVERAGE_FEW 0.75       /* of the dozen or two of runs over one model: three errors of such a share */
#define SEEDS (truth_full() ? 60u : 15u)
#define SURE 0.9999             /* a single interval, made so wide, must hold the truth */

static double half(const struct kb_estimate *e)
{
	return (e->high - e->low) / 2;
}

static bool covers(const struct kb_estimate *e, double truth)
{
	return e->bounded && e->low <= truth && truth <= e->high;
}

/* Widening of the half-width from 95 % to SURE. */
static double widen_t(unsigned processes)
{
	return kb_t_quantile(0.5 + SURE / 2, processes - 1.0) / kb_t_quantile(0.975, processes - 1.0);
}

static bool surely(const struct kb_estimate *e, double truth, double factor)
{
	return e->bounded && fabs(e->value - truth) <= factor * half(e);
}

/* What many runs over one model came to. */
struct tally {
	unsigned runs;
	unsigned ok, noisy;
	unsigned held, sure;            /* intervals that hold the truth */
	unsigned narrow_wrong;          /* called ok, and yet the truth is surely outside */
	double worst;                   /* of the headline, relative */
};

static void add(struct tally *tally, const struct kb_result *result, double truth)
{
	bool sure = surely(&result->estimate, truth, widen_t(result->processes));

	tally->runs++;
	tally->ok += result->verdict.status == KB_OK;
	tally->noisy += result->verdict.status == KB_NOISY;
	tally->held += covers(&result->estimate, truth);
	tally->sure += sure;
	tally->narrow_wrong += result->verdict.status == KB_OK && !sure;
	tally->worst = fmax(tally->worst, fabs(result->estimate.value / truth - 1));
}

static struct tally tally_runs(const struct kb_synthetic *model, double truth, unsigned seeds, unsigned stop_after)
{
	struct tally tally = { 0 };

	for (unsigned seed = 1; seed <= seeds; seed++) {
		struct engine_wish wish = { .seed = seed, .stop_after = stop_after };
		struct engine_run run;

		engine_run(&run, model, &wish);
		assert_int_equal(run.status, 0);
		add(&tally, &run.row.result, truth);
		engine_run_close(&run);
	}
	return tally;
}

static void assert_share(unsigned count, unsigned of, double least)
{
	if (count < least * of)
		print_error("%u of %u\n", count, of);
	assert_true(count >= least * of);
}

static struct { unsigned runs, held; } pooled;

static void assert_held(const struct tally *tally, unsigned of_status)
{
	assert_int_equal(of_status, tally->runs);
	assert_int_equal(tally->sure, tally->runs);
	assert_share(tally->held, tally->runs, COVERAGE_FEW);
	pooled.runs += tally->runs;
	pooled.held += tally->held;
}

static void test_noise_of_intervals(void **state)
{
	const struct kb_synthetic model = { .v0 = 1e5, .v1 = 1e-9 };
	struct tally tally = tally_runs(&model, kb_synthetic_cost(&model), SEEDS, 0);

	(void)state;
	assert_held(&tally, tally.ok);
}

static void test_noise_of_operations(void **state)
{
	const struct kb_synthetic model = { .v1 = 400 };
	struct tally tally = tally_runs(&model, kb_synthetic_cost(&model), SEEDS, 0);

	(void)state;
	assert_held(&tally, tally.ok);
	assert_true(tally.worst < 0.01);
}

static void test_layout(void **state)
{
	const struct kb_synthetic model = { .process_sd = 0.01 };
	struct tally tally = tally_runs(&model, kb_synthetic_cost(&model), SEEDS, 0);

	(void)state;
	assert_held(&tally, tally.ok);
}

/* A circle that is nine tenths of all: the difference must carry the uncertainty of both. */
static void test_dear_base(void **state)
{
	const struct kb_synthetic model = { .op = 40, .base = 36, .v0 = 1e5, .v1 = 1e-9, .base_works = true };
	struct tally tally = tally_runs(&model, 4, SEEDS, 0);

	(void)state;
	assert_held(&tally, tally.noisy); /* base_dominates */
}

/* `single` subtracts nothing, and the median of lognormal noise lies below its mean. */
static void test_single(void **state)
{
	const struct kb_synthetic model = { .op = 40e3, .v0 = 1e6, .v1 = 1e-9, .no_base = true };
	double shape = exp(0.25), sd = sqrt(model.v0), median = sd * (1 - sqrt(shape)) / sqrt((shape - 1) * shape);
	double truth = model.op + SYNTHETIC_FIXED + SYNTHETIC_CLOCK_COST + median;
	struct tally tally = tally_runs(&model, truth, 20, 0);

	(void)state;
	assert_held(&tally, tally.ok);
}

/* One process has no interval: what of it is the reading of the clock is said where the printed figures show it. */
static void test_reading_of_one_process(void **state)
{
	static const double costs[] = { 40e3, 40e6 };

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		const struct kb_synthetic model = { .op = costs[i], .v0 = 1e6, .v1 = 1e-9, .no_base = true };
		const struct engine_wish wish = { .processes = 1, .stop_after = 1 };
		struct engine_run run;

		engine_run(&run, &model, &wish);
		assert_true(run.row.result.estimate.known && !run.row.result.estimate.bounded);
		assert_int_equal(kb_verdict_has(&run.row.result.verdict, KB_CODE_clock_included), i == 0);
		engine_run_close(&run);
	}
}

static void test_core_cycles(void **state)
{
	const struct kb_synthetic model = { .bound = KB_LATENCY, .slow_process = 2, .slow_add = 1.5, .slow_op = 1.5 };
	double truth = kb_synthetic_cost(&model) / SYNTHETIC_ADD;

	(void)state;
	for (unsigned seed = 1; seed <= SEEDS / 2; seed++) {
		struct engine_wish wish = { .seed = seed };
		struct engine_run run;

		engine_run(&run, &model, &wish);
		assert_true(surely(&run.row.result.estimate_cycles, truth, widen_t(5)));
		assert_true(fabs(run.row.result.estimate_cycles.value / truth - 1) < 0.01);
		assert_int_equal(run.row.result.verdict.status, KB_OK);
		engine_run_close(&run);
	}
}

/* Preempted intervals have a trace. */
static void test_preempted(void **state)
{
	const struct kb_synthetic model = { .bursts = 0.2, .v0 = 1e5, .v1 = 1e-9 };
	struct tally tally = tally_runs(&model, kb_synthetic_cost(&model), SEEDS, 0);
	struct engine_wish wish = { .seed = 1 };
	struct engine_run run;

	(void)state;
	assert_held(&tally, tally.ok); /* what was preempted is left out, and said */

	engine_run(&run, &model, &wish);
	double all = (double)(run.row.result.observations + run.row.result.disturbed);

	assert_true(fabs((double)run.row.result.disturbed / all - model.bursts) < 0.05);
	engine_run_close(&run);
}

/* Dear intervals without a trace move the plain slope; the robust one must not follow. */
static void test_outliers(void **state)
{
	const struct kb_synthetic model = { .outliers = 0.04, .outlier = 400 };
	double truth = kb_synthetic_cost(&model);
	struct engine_wish wish = { .seed = 1 };
	struct engine_run run;

	(void)state;
	engine_run(&run, &model, &wish);
	assert_true(fabs(run.row.result.estimate.value / truth - 1) < 0.002);
	assert_true(run.row.result.mean.value > 1.05 * truth);
	engine_run_close(&run);
}

/* Costs that wander: the interval may be wide or the row noisy, but a narrow wrong one must not be called ok. With a drift
   of 1 a row is invalid: its last level is 18 % above the first. */
static void test_drift(void **state)
{
	static const struct kb_synthetic models[] = {
		{ .drift = 0.1 }, { .drift = 0.5 }, { .ar = 0.5, .ar_sd = 0.01 }, { .ar = 0.95, .ar_sd = 0.01 },
		{ .ar = 0.99, .ar_sd = 0.03 }, { .ar = 0.999, .ar_sd = 0.03 }, { .creep = 0.01 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof models / sizeof *models; i++) {
		/* A launch lasts about 0.064 s; processes are numbered 1 to 5. */
		double middle = 1 + models[i].drift * 0.0322 + models[i].creep * 3;
		struct tally tally = tally_runs(&models[i], 120 * middle - 2 * middle, truth_full() ? 12 : 6, 5);

		assert_int_equal(tally.narrow_wrong, 0);
		assert_share(tally.held + tally.noisy, tally.runs, truth_full() ? COVERAGE : COVERAGE_FEW);
	}
}

static void test_coverage(void **state)
{
	(void)state;
	assert_true(pooled.runs >= (truth_full() ? 250 : 75));
	assert_share(pooled.held, pooled.runs, COVERAGE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_noise_of_intervals),
		cmocka_unit_test(test_noise_of_operations),
		cmocka_unit_test(test_layout),
		cmocka_unit_test(test_dear_base),
		cmocka_unit_test(test_single),
		cmocka_unit_test(test_reading_of_one_process),
		cmocka_unit_test(test_core_cycles),
		cmocka_unit_test(test_preempted),
		cmocka_unit_test(test_outliers),
		cmocka_unit_test(test_drift),
		cmocka_unit_test(test_coverage), /* of the tests above */
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
