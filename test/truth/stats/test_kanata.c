/*
 * T-KANATA: method kanata over a machine whose spread, fixed cost and cost of an operation are known. The document's
 * statistics of each group must come back, its interval must cover as its equations say, our line through the groups
 * must separate what A/N mixes, and the group size must follow S' until the half-width or the budget is met.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "result/summary/kanata.h"
#include "stats/distribution/checks.h"
#include "stats/series/kanata.h"
#include "truth/engine_run.h"
#include "stats/stats.h"
#include "truth/truth.h"

#define GROUPS 6
#define SIZE 30                 /* the document's S */
#define PROCESSES 5
#define TESTS_MAX 20000         /* of op in one process */

static const struct kb_kanata_options usual = { 30, 30, SIZE, GROUPS, 0, 0.90, 0.02 };
/* So wide that every run ends after the processes it was asked for. */
static const struct kb_kanata_options wide = { 30, 30, SIZE, GROUPS, 0, 0.90, 0.2 };

/* Normal enough for z: what the skewness does to it is another matter than whether the numbers come back. */
static const struct kb_synthetic model = { .op = 120, .v0 = 4e4, .v1 = 3600 };
#define FIXED (SYNTHETIC_FIXED + SYNTHETIC_CLOCK_COST)

/* What many processes came to, group by group. */
struct tally {
	unsigned processes;
	double mean[GROUPS], variance[GROUPS], primary[GROUPS]; /* of A; var_P: sums over processes */
	unsigned z[GROUPS], t[GROUPS];  /* intervals of the mean of Y that hold the truth */
	unsigned slope, intercept;      /* intervals of the line that do */
	double slope_sum;
	unsigned sizes[64];             /* group size of each process of one run */
	unsigned uneven;                /* groups of another size than the first of their launch */
};

static double mean_of_a(double n)
{
	return FIXED + model.op * n;
}

static void add_group(struct tally *tally, unsigned g, const struct kb_kanata *k)
{
	double truth = mean_of_a(k->n) / k->n;

	tally->mean[g] += k->a.mean;
	tally->variance[g] += k->a.variance;
	tally->primary[g] += k->p.variance;
	tally->z[g] += k->low <= truth && truth <= k->high;
	tally->t[g] += k->t.known && k->t.low <= truth && truth <= k->t.high;
}

static void add_line(struct tally *tally, const struct kb_set *sets, size_t count)
{
	struct kb_growth growth = kb_check_growth(sets, count);
	struct kb_set_line line = kb_set_line(sets, count, growth.v0, growth.v1);
	double t = kb_t_quantile(0.975, (double)(count * (SIZE - 1)));

	assert_true(line.known);
	tally->slope += fabs(line.b - model.op) <= t * line.se_b;
	tally->intercept += fabs(line.a - FIXED) <= t * line.se_a;
	tally->slope_sum += line.b;
}

static void take(void *context, const struct kb_process_text *text)
{
	static double scratch[TESTS_MAX];
	struct kb_kanata_group groups[GROUPS];
	struct kb_set sets[GROUPS];
	struct tally *tally = context;
	struct kb_samples samples = { 0 };

	if (text->process == 0) /* a proof */
		return;
	assert_int_equal(kb_samples_load(&samples, text), 0);
	assert_int_equal(samples.state, KB_RECORD_WHOLE);
	assert_true(samples.op.count <= TESTS_MAX);
	size_t count = kb_kanata_groups(&samples.op, groups, GROUPS);

	assert_int_equal(count, GROUPS);
	for (unsigned g = 0; g < GROUPS; g++) {
		struct kb_kanata k = kb_kanata_group(groups[g].n, samples.op.ticks + groups[g].first, groups[g].count, 0.90,
		                                     0.02, scratch);

		assert_true(k.known);
		add_group(tally, g, &k);
		tally->uneven += groups[g].count != groups[0].count;
		sets[g] = (struct kb_set){
			.n = groups[g].n, .count = groups[g].count, .mean = k.a.mean, .variance = k.a.variance,
		};
	}
	add_line(tally, sets, GROUPS);
	if (tally->processes < 64)
		tally->sizes[tally->processes] = (unsigned)groups[0].count;
	tally->processes++;
	kb_samples_free(&samples);
}

/* ---- the document's statistics ------------------------------------------------------------------- */

static void judge_groups(const struct tally *tally)
{
	double processes = tally->processes, z = 0, t = 0;
	char what[100];

	for (unsigned g = 0; g < GROUPS; g++) {
		double n = 30 + 30 * g, variance = model.v0 + model.v1 * n, error = 1 / sqrt(processes);

		z += tally->z[g] / processes / GROUPS;
		t += tally->t[g] / processes / GROUPS;
		/* Five errors of the mean; of the variance as well, with the kurtosis of the noise. */
		snprintf(what, sizeof what, "N = %.0f: mean of A over the truth", n);
		truth_row("T-KANATA", what, 1, 5 * error * sqrt(variance / SIZE) / mean_of_a(n),
		          tally->mean[g] / processes / mean_of_a(n));
		snprintf(what, sizeof what, "N = %.0f: variance of A over the truth", n);
		truth_row("T-KANATA", what, 1, 5 * error * sqrt(6.0 / SIZE), tally->variance[g] / processes / variance);
		snprintf(what, sizeof what, "N = %.0f: N var_Y over v0/N + v1", n);
		truth_row("T-KANATA", what, 1, 5 * error * sqrt(6.0 / SIZE),
		          tally->primary[g] / processes / (variance / n));
	}
	truth_row("T-KANATA", "coverage of its 90 % interval, z, S = 30", 0.889, truth_tolerance(0.015), z);
	truth_row("T-KANATA", "the same with t for z", 0.90, truth_tolerance(0.015), t);
}

static void document_and_line(void **state)
{
	int tries = truth_tries(400, 60), covers = 0, bias = 0;
	struct tally tally = { 0 };
	double last = mean_of_a(30 * GROUPS) / (30 * GROUPS);

	(void)state;
	for (int seed = 1; seed <= tries; seed++) {
		struct engine_wish wish = {
			.seed = (uint64_t)seed, .processes = PROCESSES, .kanata = &wide, .record = take, .context = &tally,
		};
		struct engine_run run;

		engine_run(&run, &model, &wish);
		assert_int_equal(run.status, 0);
		assert_int_equal(run.row.result.method, KB_METHOD_KANATA);
		assert_true(run.row.result.estimate.bounded);
		covers += run.row.result.estimate.low <= last && last <= run.row.result.estimate.high;
		bias += kb_verdict_has(&run.row.result.verdict, KB_CODE_intercept_bias);
		engine_run_close(&run);
	}
	double processes = tally.processes;

	assert_int_equal(tally.processes, tries * PROCESSES);
	assert_int_equal(tally.uneven, 0);
	judge_groups(&tally);
	truth_row("T-KANATA", "mean slope of the line through the groups, ticks", model.op, truth_tolerance(0.05),
	          tally.slope_sum / processes);
	truth_row("T-KANATA", "coverage of the slope", 0.95, truth_tolerance(0.02), tally.slope / processes);
	truth_row("T-KANATA", "coverage of the intercept", 0.95, truth_tolerance(0.02), tally.intercept / processes);
	truth_row("T-KANATA", "engine, 5 processes: observed covers mean of A over N of the last group", 0.95,
	          truth_tolerance(0.04), (double)covers / tries);
	truth_row("T-KANATA", "engine: intercept in A/N is reported", 1, 0, (double)bias / tries);
}

/* ---- S' ------------------------------------------------------------------------------------------ */

static bool has_detail(const struct kb_result *result, enum kb_reason_code code, const char *words)
{
	for (unsigned i = 0; i < result->verdict.count; i++)
		if (result->verdict.reasons[i].code == code && strstr(result->verdict.reasons[i].detail, words))
			return true;
	return false;
}

/* sd of Y in the widest group: what (3.3) makes of it, S' = (1.645 sd / (0.02 mean))^2. */
static double next_size(const struct kb_synthetic *of, double n)
{
	double root = 1.645 * sqrt(of->v0 + of->v1 * n) / (0.02 * (FIXED + of->op * n));

	return root * root;
}

/* Much spread at N = 30: S grows from 30 to about S', and then the half-width is met. */
static void size_follows(void **state)
{
	const struct kb_synthetic noisy = { .op = 120, .v0 = 2.5e5, .v1 = 3600 };
	int tries = truth_tries(200, 40), met = 0, grown = 0;
	double sum = 0, wanted = next_size(&noisy, 30), runs = 0;

	(void)state;
	for (int seed = 1; seed <= tries; seed++) {
		struct tally tally = { 0 };
		struct engine_wish wish = {
			.seed = (uint64_t)seed, .processes = 3, .kanata = &usual, .record = take, .context = &tally,
		};
		struct engine_run run;

		engine_run(&run, &noisy, &wish);
		assert_int_equal(tally.sizes[0], SIZE);
		met += kb_verdict_has(&run.row.result.verdict, KB_CODE_target_met);
		grown += tally.sizes[tally.processes - 1] > SIZE;
		sum += tally.sizes[tally.processes - 1];
		runs += run.processes;
		for (unsigned i = 1; i < tally.processes && i < 64; i++)
			assert_true(tally.sizes[i] >= tally.sizes[i - 1]);
		engine_run_close(&run);
	}
	truth_row("T-KANATA", "wide groups: ends with target_met", 1, 0, (double)met / tries);
	truth_row("T-KANATA", "wide groups: S grew", 1, 0, (double)grown / tries);
	truth_row("T-KANATA", "wide groups: last S over the S' of the true spread", 1.2, 0.25, sum / tries / wanted);
	truth_at_most("T-KANATA", "wide groups: processes until then", 8, runs / tries);
}

/* Narrow groups need no more processes than asked for, and the same S. */
static void narrow_groups_stay(void **state)
{
	struct engine_wish wish = { .processes = 3, .kanata = &wide };
	struct tally tally = { 0 };
	struct engine_run run;

	(void)state;
	wish.record = take;
	wish.context = &tally;
	engine_run(&run, &model, &wish);
	assert_int_equal(run.processes, 3);
	for (unsigned i = 0; i < 3; i++)
		assert_int_equal(tally.sizes[i], SIZE);
	assert_true(has_detail(&run.row.result, KB_CODE_target_met, "at 90 %"));
	engine_run_close(&run);
}

/* The budget ends before the groups are narrow: said with the S' that would have been needed. */
static void budget_ends(void **state)
{
	const struct kb_synthetic noisy = { .op = 120, .v0 = 2.5e5, .v1 = 3600 };
	struct kb_kanata_options narrow = usual;
	struct engine_wish wish = { .processes = 3, .kanata = &narrow, .stop_after = 3 };
	struct engine_run run;

	(void)state;
	narrow.half_width = 0.001;
	engine_run(&run, &noisy, &wish);
	assert_int_equal(run.processes, 3);
	assert_true(has_detail(&run.row.result, KB_CODE_budget_exhausted, "0.10 % asked; S' "));
	assert_false(kb_verdict_has(&run.row.result.verdict, KB_CODE_target_met));
	engine_run_close(&run);
}

/* ---- the first tests of a group ------------------------------------------------------------------ */

static double typical_with(unsigned skip, uint64_t *observations)
{
	const struct kb_synthetic cold = { .op = 120, .v0 = 4e4, .v1 = 3600, .cold = 2, .cold_op = 60 };
	struct kb_kanata_options options = wide;
	struct engine_wish wish = { .kanata = &options };
	struct engine_run run;
	double typical;

	options.skip = skip;
	engine_run(&run, &cold, &wish);
	typical = run.row.result.estimate.value;
	*observations = run.row.result.observations;
	engine_run_close(&run);
	return typical;
}

/* Two of 30 tests are half as dear again: a mean that takes both in is 2/30 of 60 ticks too high. */
static void skipped_tests_do_not_count(void **state)
{
	double n = 30 * GROUPS, plain = mean_of_a(n) / n, sd = sqrt((model.v0 / n + model.v1) / n / SIZE / PROCESSES);
	static const struct { unsigned skip; double off; } rows[] = { { 0, 4 }, { 1, 2 }, { 2, 0 }, { 5, 0 } };
	char what[80];

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		uint64_t observations;
		double got = typical_with(rows[i].skip, &observations);

		snprintf(what, sizeof what, "two cold tests a group, --skip %u: observed, ticks", rows[i].skip);
		truth_row("T-KANATA", what, plain + rows[i].off, 4 * sd, got);
		assert_int_equal(observations, PROCESSES * GROUPS * SIZE);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(document_and_line),
		cmocka_unit_test(size_follows),
		cmocka_unit_test(narrow_groups_stay),
		cmocka_unit_test(budget_ends),
		cmocka_unit_test(skipped_tests_do_not_count),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
