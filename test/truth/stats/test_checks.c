/*
 * The checks of assumptions: their values on published measurements, and how often they reject what is true.
 * Values come from R 4.2.2 (shapiro.test, Box.test, anova of lm) and from independent code where R has no such test.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "stats/distribution/checks.h"
#include "study/published.h"
#include "truth/truth.h"
#include "unit/stats/draws.h"
#include "unit/stats/published_sets.h"

static const double *published(const char *table, const char *name)
{
	for (size_t i = 0; i < KB_PUBLISHED_GROUPS; i++) {
		if (strcmp(kb_published_groups[i].table, table) == 0 && strcmp(kb_published_groups[i].name, name) == 0)
			return kb_published_groups[i].a;
	}
	fail_msg("no group %s %s", table, name);
	return NULL;
}

/* ---- T-CHK-1: growth of the variance, and the line --------------------------------------------------- */

static void relative(const char *test, const char *what, double wanted, double tolerance, double got)
{
	truth_row(test, what, wanted, tolerance * fabs(wanted), got);
}

static void growth_of_published_sets(void **state)
{
	struct kb_growth growth = kb_check_growth(published_sets, PUBLISHED_SETS);
	struct kb_set_line line = kb_set_line(published_sets + PUBLISHED_SMALL, PUBLISHED_SETS - PUBLISHED_SMALL,
	                                      growth.v0,
	                                      growth.v1);

	(void)state;
	relative("T-CHK-1", "v0", 114430.2, 1e-4, growth.v0);
	relative("T-CHK-1", "v1", 18711.81, 1e-4, growth.v1);
	relative("T-CHK-1", "LR of v0 + v1 N against v1 N", 127.1114, 1e-4, growth.proportional.statistic);
	assert_true(growth.proportional.p > 8e-30 && growth.proportional.p < 1e-29);
	/* .046 in the method's text; the printed digits are all there are. */
	truth_row("T-CHK-1", "p of a common-mode term", .0462, 5e-5, growth.common_mode.p);
	relative("T-CHK-1", "a, N >= 30", 1329.7255, 1e-4, line.a);
	relative("T-CHK-1", "se of a", 62.2618, 1e-4, line.se_a);
	relative("T-CHK-1", "b, N >= 30", 4535.9175, 1e-4, line.b);
	relative("T-CHK-1", "se of b", .958173, 1e-4, line.se_b);
	relative("T-CHK-1", "chi2, N >= 30", 14.8024, 1e-4, line.fit.statistic);
	assert_int_equal(line.df, 11);
	line = kb_set_line(published_sets, PUBLISHED_SETS, growth.v0, growth.v1);
	relative("T-CHK-1", "b, N >= 1", 4540.4708, 1e-4, line.b);
	relative("T-CHK-1", "chi2, N >= 1", 114.5356, 1e-4, line.fit.statistic);
	/* R's pchisq of that value: a tail that 1 - cdf has no digits of. */
	relative("T-CHK-1", "p of that chi2 over 16", 6.128e-17, 1e-3, line.fit.p);
	assert_int_equal(line.df, 16);
}

/* ---- T-CHK-2: single series ------------------------------------------------------------------------- */

static void series_of_published_sets(void **state)
{
	const double *one = published("3.4", "N=1"), *run = published("A.2", "run1");

	(void)state;
	relative("T-CHK-2", "Shapiro-Wilk W, N = 1", .688893153926696, 1e-9, kb_check_normal(one, 30).statistic);
	relative("T-CHK-2", "Shapiro-Wilk p, N = 1", 1.07971521235071e-06, 1e-9, kb_check_normal(one, 30).p);
	relative("T-CHK-2", "Shapiro-Wilk p, run 1", .00299340348502971, 1e-9, kb_check_normal(run, 30).p);
	truth_row("T-CHK-2", "von Neumann, N = 1", .862647, 5e-7, kb_check_von_neumann(one, 30).statistic);
	relative("T-CHK-2", "Ljung-Box Q, N = 1", 4.39645478201235, 1e-9, kb_check_ljung_box(one, 30, 6).statistic);
	relative("T-CHK-2", "Ljung-Box p, N = 1", .623189102026627, 1e-9, kb_check_ljung_box(one, 30, 6).p);
	relative("T-CHK-2", "Ljung-Box p, run 1", .881448179424961, 1e-9, kb_check_ljung_box(run, 30, 6).p);
	/* r by R's acf; p by its pnorm from mean -1/n and variance (n-2)^2/(n^2 (n-1)). */
	relative("T-CHK-2", "lag-1 r, N = 1", 0.228126096072044, 1e-9, kb_check_lag1(one, 30).statistic);
	relative("T-CHK-2", "lag-1 p, N = 1", 0.131407759997742, 1e-9, kb_check_lag1(one, 30).p);
	assert_true(kb_check_runs(run, 30).statistic == 20);
}

/* Y of the groups from `first` on; rows has room for five. */
static void divide(size_t first, size_t count, struct kb_group *groups, double rows[][KB_PUBLISHED_TESTS])
{
	for (size_t g = 0; g < count; g++) {
		const struct kb_published_group *from = &kb_published_groups[first + g];

		for (size_t i = 0; i < KB_PUBLISHED_TESTS; i++)
			rows[g][i] = from->a[i] / from->n;
		groups[g] = (struct kb_group){ rows[g], KB_PUBLISHED_TESTS };
	}
}

static void groups_of_published_sets(void **state)
{
	double rows[5][KB_PUBLISHED_TESTS];
	struct kb_group groups[5];

	(void)state;
	divide(0, 5, groups, rows);
	relative("T-CHK-2", "ANOVA F, table 3.4", 12.7911359773799, 1e-9, kb_check_equal_means(groups, 5).statistic);
	relative("T-CHK-2", "ANOVA p, table 3.4", 6.07099059246449e-09, 1e-9, kb_check_equal_means(groups, 5).p);
	relative("T-CHK-2", "Brown-Forsythe p, table 3.4", 1.70119631122322e-4, 1e-9,
		kb_check_equal_spreads(groups, 5).p);
	divide(5, 5, groups, rows);
	relative("T-CHK-2", "ANOVA p, table 3.5", .226905418686285, 1e-9, kb_check_equal_means(groups, 5).p);
	divide(10, 3, groups, rows);
	relative("T-CHK-2", "ANOVA p, three runs", .845440789971274, 1e-9, kb_check_equal_means(groups, 3).p);
	relative("T-CHK-2", "Brown-Forsythe p, three runs", .397505880844485, 1e-9,
	         kb_check_equal_spreads(groups, 3).p);
}

/* R 4.2.2 at every branch of the approximation: 3, 4..5, 6..11, 12 and more. */
static void shapiro_wilk_sizes(void **state)
{
	static const struct { int n; double w, p; } rows[] = {
		{ 3, .999999707214355, .998966581365073 }, { 4, .992911307786361, .971873734146162 },
		{ 5, .986760937466003, .967168807570351 }, { 6, .981887578584067, .960546545080075 },
		{ 7, .966753814683881, .874137332203091 }, { 11, .980215422160859, .967348661480235 },
		{ 12, .968810146684419, .89794706699169 }, { 50, .957333592449623, .0687419213163365 },
		{ 500, .955030886542336, 3.2877723709775e-11 }, { 5000, .954997270071558, 1.0069149797546e-36 },
	};
	static double x[5001];

	(void)state;
	for (int i = 1; i <= 5001; i++)
		x[i - 1] = (i * 7919) % 1009 + (i * i) % 97 / 7.0;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct kb_check check = kb_check_normal(x, (size_t)rows[i].n);
		char what[40];

		snprintf(what, sizeof(what), "Shapiro-Wilk W, n = %d", rows[i].n);
		relative("T-CHK-2", what, rows[i].w, 1e-9, check.statistic);
		assert_true(fabs(check.p - rows[i].p) <= 1e-6 * rows[i].p);
	}
	assert_false(kb_check_normal(x, 5001).known);
}

/* ---- T-CHK-3: what is true is rejected in a twentieth ------------------------------------------------ */

enum { NORMAL, LAG1, VON_NEUMANN, LJUNG_BOX, RUNS, MEANS, SPREADS, PROPORTIONAL, COMMON_MODE, LINE, CHECKS };

static const char *const names[CHECKS] = {
	"Shapiro-Wilk", "lag-1 correlation", "von Neumann", "Ljung-Box", "runs", "ANOVA", "Brown-Forsythe",
	"Var(A) = v1 N", "no v2 N^2", "lack of fit",
};

#define SETS 6
#define SIZE_MAX_S 300

static const double grid[SETS] = { 30, 60, 120, 180, 240, 300 };

/* One table of groups on a line, with variances v0 + v1 N; as sets of A, and as groups of standard normal values. */
static void draw_table(struct kb_rng *rng, size_t size, double v0, struct kb_set *sets, struct kb_group *groups,
                       double rows[SETS][SIZE_MAX_S])
{
	static double a[SIZE_MAX_S];

	for (size_t g = 0; g < SETS; g++) {
		double sd = sqrt(v0 + 2e4 * grid[g]);

		for (size_t i = 0; i < size; i++) {
			rows[g][i] = draw_normal(rng);
			a[i] = 1330 + 4536 * grid[g] + sd * rows[g][i];
		}
		groups[g] = (struct kb_group){ rows[g], size };
		sets[g] = (struct kb_set){
			.n = grid[g], .count = size, .mean = kb_mean(a, size), .variance = kb_variance(a, size)
		};
	}
}

static void count(int *rejected, const struct kb_check *check)
{
	assert_true(check->known && check->p >= 0 && check->p <= 1);
	*rejected += check->p < .05;
}

static void one_table(struct kb_rng *rng, size_t size, int rejected[CHECKS])
{
	static double rows[SETS][SIZE_MAX_S];
	struct kb_set sets[SETS];
	struct kb_group groups[SETS];
	struct kb_check check[CHECKS];
	struct kb_growth growth;

	draw_table(rng, size, 0, sets, groups, rows);
	check[NORMAL] = kb_check_normal(rows[0], size);
	check[LAG1] = kb_check_lag1(rows[0], size);
	check[VON_NEUMANN] = kb_check_von_neumann(rows[0], size);
	check[LJUNG_BOX] = kb_check_ljung_box(rows[0], size, 6);
	check[RUNS] = kb_check_runs(rows[0], size);
	check[MEANS] = kb_check_equal_means(groups, SETS);
	check[SPREADS] = kb_check_equal_spreads(groups, SETS);
	check[PROPORTIONAL] = kb_check_growth(sets, SETS).proportional;
	draw_table(rng, size, 1e6, sets, groups, rows);
	growth = kb_check_growth(sets, SETS);
	check[COMMON_MODE] = growth.common_mode;
	check[LINE] = kb_set_line(sets, SETS, growth.v0, growth.v1).fit;
	for (int i = 0; i < CHECKS; i++)
		count(&rejected[i], &check[i]);
}

static void rejection_rates(void **state)
{
	int tries = truth_tries(2000, 400);
	struct kb_rng rng;

	(void)state;
	for (size_t size = 30; size <= SIZE_MAX_S; size *= 10) {
		int rejected[CHECKS] = { 0 };

		kb_rng_seed(&rng, 3 + size);
		for (int r = 0; r < tries; r++)
			one_table(&rng, size, rejected);
		for (int i = 0; i < CHECKS; i++) {
			char what[60];

			snprintf(what, sizeof(what), "%s false rejections, S = %zu", names[i], size);
			/* 2 to 8 %; a fixed seed makes twice the tolerance needless in the short form. */
			truth_row("T-CHK-3", what, .05, .03, (double)rejected[i] / tries);
		}
	}
}

/* ---- and what is false is seen ---------------------------------------------------------------------- */

static void violations_are_seen(void **state)
{
	static double rows[SETS][SIZE_MAX_S], ar[SIZE_MAX_S], skewed[SIZE_MAX_S];
	struct kb_set sets[SETS];
	struct kb_group groups[SETS];
	struct kb_rng rng;

	(void)state;
	kb_rng_seed(&rng, 5);
	draw_ar1(&rng, .6, ar, SIZE_MAX_S);
	for (int i = 0; i < SIZE_MAX_S; i++)
		skewed[i] = exp(.5 * draw_normal(&rng));
	assert_true(kb_check_lag1(ar, SIZE_MAX_S).p < 1e-6 && kb_check_von_neumann(ar, SIZE_MAX_S).p < 1e-6);
	assert_true(kb_check_ljung_box(ar, SIZE_MAX_S, 6).p < 1e-6 && kb_check_runs(ar, SIZE_MAX_S).p < 1e-6);
	assert_true(kb_check_normal(skewed, SIZE_MAX_S).p < 1e-6 && kb_skewness(skewed, SIZE_MAX_S) > 1);
	draw_table(&rng, SIZE_MAX_S, 1e7, sets, groups, rows);
	assert_true(kb_check_growth(sets, SETS).proportional.p < 1e-6);
	for (int i = 0; i < SETS; i++)
		sets[i].variance += 4000 * sets[i].n * sets[i].n;
	assert_true(kb_check_growth(sets, SETS).common_mode.p < 1e-3);
	sets[0].mean += 20000;
	assert_true(kb_set_line(sets, SETS, 1e7, 2e4).fit.p < 1e-6);
	for (int i = 0; i < SIZE_MAX_S; i++)
		rows[1][i] = rows[1][i] * 3 + 1;
	assert_true(kb_check_equal_means(groups, SETS).p < 1e-6 && kb_check_equal_spreads(groups, SETS).p < 1e-6);
}

/* ---- edges ------------------------------------------------------------------------------------------ */

static void refused(struct kb_check check, enum kb_reason_code why)
{
	assert_false(check.known);
	assert_int_equal(check.why, why);
	assert_true(check.statistic == 0 && check.p == 0);
}

static void too_short_constant_and_unusable(void **state)
{
	double same[40], bad[40], huge[40];
	struct kb_group groups[2] = { { same, 40 }, { same, 40 } }, short_ones[2] = { { huge, 1 }, { huge + 1, 1 } };

	(void)state;
	for (int i = 0; i < 40; i++) {
		same[i] = 7;
		bad[i] = i == 20 ? (double)INFINITY : i;
		huge[i] = 9223372036854775808.0 + 4096.0 * ((i * 7) % 11);
	}
	refused(kb_check_normal(same, 40), KB_CODE_tick_limited);
	refused(kb_check_lag1(same, 40), KB_CODE_tick_limited);
	refused(kb_check_von_neumann(same, 40), KB_CODE_tick_limited);
	refused(kb_check_ljung_box(same, 40, 6), KB_CODE_tick_limited);
	refused(kb_check_runs(same, 40), KB_CODE_tick_limited);
	refused(kb_check_equal_means(groups, 2), KB_CODE_tick_limited);
	refused(kb_check_equal_spreads(groups, 2), KB_CODE_tick_limited);
	refused(kb_check_normal(bad, 40), KB_CODE_too_few_effective);
	refused(kb_check_runs(bad, 40), KB_CODE_too_few_effective);
	for (size_t n = 0; n < 3; n++) {
		refused(kb_check_normal(huge, n), KB_CODE_too_few_effective);
		refused(kb_check_lag1(huge, n), KB_CODE_too_few_effective);
		refused(kb_check_ljung_box(huge, n, 6), KB_CODE_too_few_effective);
		refused(kb_check_equal_means(groups, n / 2), KB_CODE_too_few_effective);
	}
	refused(kb_check_equal_means(short_ones, 2), KB_CODE_too_few_effective);
	refused(kb_check_equal_spreads(short_ones, 2), KB_CODE_too_few_effective);
	/* Ticks near 2^63 keep the digits of their differences. */
	assert_true(kb_check_normal(huge, 40).known && kb_check_lag1(huge, 40).known);
	assert_true(kb_skewness(same, 40) == 0 && kb_skewness(bad, 40) == 0 && kb_skewness(same, 0) == 0);
}

static void sets_that_say_nothing(void **state)
{
	struct kb_set one[] = { { .n = 30, .count = 30, .mean = 5, .variance = 1 } };
	struct kb_set same[] = { { .n = 30, .count = 30, .mean = 5 }, { .n = 60, .count = 30, .mean = 9 } };
	struct kb_set single[] = { { .n = 30, .count = 1, .mean = 5 }, { .n = 60, .count = 1, .mean = 9 } };
	struct kb_set zero[] = { { .n = 0, .count = 30, .variance = 1 }, { .n = 60, .count = 30, .variance = 9 } };
	struct kb_growth growth;

	(void)state;
	refused(kb_check_growth(one, 1).proportional, KB_CODE_too_few_effective);
	refused(kb_check_growth(one, 0).proportional, KB_CODE_tick_limited);
	refused(kb_check_growth(same, 2).proportional, KB_CODE_tick_limited);
	refused(kb_check_growth(single, 2).common_mode, KB_CODE_tick_limited);
	refused(kb_check_growth(zero, 2).proportional, KB_CODE_tick_limited);
	same[0].variance = same[1].variance = 4;
	growth = kb_check_growth(same, 2);
	assert_true(growth.proportional.known && !growth.common_mode.known);
	assert_false(kb_set_line(one, 1, 1, 1).known);
	assert_false(kb_set_line(same, 2, 0, 0).known);
	assert_true(kb_set_line(same, 2, 1, 1).known);
	refused(kb_set_line(same, 2, 1, 1).fit, KB_CODE_too_few_effective);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(growth_of_published_sets), cmocka_unit_test(series_of_published_sets),
		cmocka_unit_test(groups_of_published_sets), cmocka_unit_test(shapiro_wilk_sizes),
		cmocka_unit_test(rejection_rates), cmocka_unit_test(violations_are_seen),
		cmocka_unit_test(too_short_constant_and_unusable), cmocka_unit_test(sets_that_say_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
