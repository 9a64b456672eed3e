/*
 * T-MED: the interval of a median over 5 to 12 processes, whatever they are drawn from: how often it holds the median of all processes
 * that there could be. With a number that was fixed before, and drawing on until it is as narrow as asked.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "stats/stats.h"
#include "truth/truth.h"
#include "unit/stats/draws.h"

#define COST 100.0
#define FEWEST 5
#define PLANNED 6
#define MOST 12
#define CONFIDENCE 0.95

typedef double draw_process(struct kb_rng *rng);

static double uniform(struct kb_rng *rng)
{
	return ((double)(kb_rng_next(rng) >> 11) + 0.5) * 0x1p-53;
}

static double alike(struct kb_rng *rng) { return COST * (1 + 0.007 * draw_normal(rng)); }
static double outliers(struct kb_rng *rng) { return alike(rng) * (uniform(rng) < 0.1 ? 1.07 : 1); }
static double two_states(struct kb_rng *rng) { return COST * (1 + 0.002 * draw_normal(rng) + (uniform(rng) < 0.3 ? 0.02 : 0)); }
static double skewed(struct kb_rng *rng) { return COST * (1 + 0.01 * exp(draw_normal(rng))); }
static double heavy(struct kb_rng *rng) { return COST * (1 + 0.003 * tan(M_PI * (uniform(rng) - 0.5))); }

static const struct { const char *name; draw_process *draw; } kinds[] = {
	{ "normal", alike }, { "one in ten costs 7 % more", outliers }, { "two states, 30 and 70 %", two_states }, { "lognormal", skewed },
	{ "Cauchy", heavy },
};

#define KINDS (sizeof kinds / sizeof *kinds)

/* Of so many that it is known ten times better than any interval here is wide. */
static double median_of_all(draw_process *draw)
{
	static double x[200001], scratch[200001];
	struct kb_rng rng;

	kb_rng_seed(&rng, 1);
	for (size_t i = 0; i < sizeof x / sizeof *x; i++)
		x[i] = draw(&rng);
	return kb_median(x, sizeof x / sizeof *x, scratch);
}

static bool holds(const struct kb_interval *interval, double truth)
{
	return interval->known && interval->low <= truth && truth <= interval->high;
}

static double fixed(draw_process *draw, double truth, size_t n, int tries)
{
	struct kb_rng rng;
	int count = 0;

	kb_rng_seed(&rng, 100 + n);
	for (int r = 0; r < tries; r++) {
		double x[MOST];

		for (size_t i = 0; i < n; i++)
			x[i] = draw(&rng);
		struct kb_interval interval = kb_median_interval(x, n, CONFIDENCE);

		count += holds(&interval, truth);
	}
	return (double)count / tries;
}

/* As a row is measured: planned processes, then one more until its interval is narrow enough or there is no more time. */
static double until_narrow(draw_process *draw, double truth, double target, int tries)
{
	struct kb_rng rng;
	int count = 0;

	kb_rng_seed(&rng, 200);
	for (int r = 0; r < tries; r++) {
		struct kb_interval interval = { .known = false };
		double x[MOST];

		for (size_t n = 0; n < MOST; n++) {
			x[n] = draw(&rng);
			if (n + 1 < PLANNED)
				continue;
			interval = kb_median_interval(x, n + 1, CONFIDENCE);
			if ((interval.high - interval.low) / 2 <= target * interval.value)
				break;
		}
		count += holds(&interval, truth);
	}
	return (double)count / tries;
}

static void t_med(void **state)
{
	int tries = truth_tries(40000, 8000);
	char what[100];

	(void)state;
	for (size_t k = 0; k < KINDS; k++) {
		double truth = median_of_all(kinds[k].draw), least = 1;

		for (size_t n = FEWEST; n <= MOST; n++)
			least = fmin(least, fixed(kinds[k].draw, truth, n, tries));
		snprintf(what, sizeof what, "processes %s: coverage, the least of 5 to 12", kinds[k].name);
		truth_at_least("T-MED", what, 0.93, least);
		snprintf(what, sizeof what, "processes %s: coverage of 6", kinds[k].name);
		truth_note("T-MED", what, CONFIDENCE, fixed(kinds[k].draw, truth, PLANNED, tries));
	}
}

static void t_med_stop(void **state)
{
	static const double targets[] = { 0.005, 0.01 };
	int tries = truth_tries(40000, 8000);
	char what[100];

	(void)state;
	for (size_t k = 0; k < KINDS; k++) {
		double truth = median_of_all(kinds[k].draw);

		for (size_t i = 0; i < sizeof targets / sizeof *targets; i++) {
			snprintf(what, sizeof what, "processes %s: coverage of 6 to 12, until +-%g %%", kinds[k].name, 100 * targets[i]);
			truth_at_least("T-MED", what, 0.93, until_narrow(kinds[k].draw, truth, targets[i], tries));
		}
	}
}

/* Fewer than five have none, and order does not matter. */
static void t_med_few(void **state)
{
	double up[] = { 1, 2, 3, 4, 5, 6 }, mixed[] = { 4, 1, 6, 3, 5, 2 };
	struct kb_interval a = kb_median_interval(up, 6, CONFIDENCE), b = kb_median_interval(mixed, 6, CONFIDENCE);

	(void)state;
	assert_false(kb_median_interval(up, FEWEST - 1, CONFIDENCE).known);
	assert_true(kb_median_interval(up, FEWEST, CONFIDENCE).known);
	assert_true(a.low == b.low && a.value == b.value && a.high == b.high);
	assert_true(a.low >= 1 && a.high <= 6 && a.value == 3.5);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(t_med), cmocka_unit_test(t_med_stop), cmocka_unit_test(t_med_few) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
