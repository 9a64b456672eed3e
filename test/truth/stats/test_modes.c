/* T-MM: how often one mode is taken for two, and how often two are seen. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "stats/distribution/modes.h"
#include "truth/truth.h"
#include "unit/stats/draws.h"

#define N_MAX 300

enum shape {
	NORMAL, LOGNORMAL_5, LOGNORMAL_10, EXPONENTIAL, UNIFORM, STUDENT_3, AR_9, TICKS, SKEWED_TICKS, SINGLE_MODES,
	FIVE_SD = SINGLE_MODES, SIX_SD, FOUR_SD, THREE_SD, SHAPES
};

static const char *const names[SHAPES] = {
	[NORMAL] = "normal", [LOGNORMAL_5] = "lognormal .5", [LOGNORMAL_10] = "lognormal 1",
	[EXPONENTIAL] = "exponential", [UNIFORM] = "uniform", [STUDENT_3] = "t3", [AR_9] = "AR .9",
	[TICKS] = "normal on steps of 1.7 sd", [SKEWED_TICKS] = "lognormal 1 on steps of .5",
	[FIVE_SD] = "5 sd apart, 20 %", [SIX_SD] = "6 sd apart, 10 %", [FOUR_SD] = "4 sd apart, 50 %",
	[THREE_SD] = "3 sd apart, 50 %",
};

static double student_3(struct kb_rng *rng, double z)
{
	double a = draw_normal(rng), b = draw_normal(rng), c = draw_normal(rng);

	return z / sqrt((a * a + b * b + c * c) / 3);
}

static double draw_one(struct kb_rng *rng, enum shape shape)
{
	double z = draw_normal(rng), u = draw_uniform(rng);

	switch (shape) {
	case LOGNORMAL_5: return exp(0.5 * z);
	case LOGNORMAL_10: return exp(z);
	case EXPONENTIAL: return -log(u);
	case UNIFORM: return u;
	case STUDENT_3: return student_3(rng, z);
	case TICKS: return floor(z / 1.7);
	case SKEWED_TICKS: return floor(2 * exp(z));
	case FIVE_SD: return z + (u < 0.2 ? 5 : 0);
	case SIX_SD: return z + (u < 0.1 ? 6 : 0);
	case FOUR_SD: return z + (u < 0.5 ? 4 : 0);
	case THREE_SD: return z + (u < 0.5 ? 3 : 0);
	default: return z;
	}
}

/* Shares with more than one mode; `strict`: and with at least 100 effective values, as published. */
struct shares { double more, strict, clustered; };

static struct shares simulate(enum shape shape, size_t n, int tries)
{
	struct shares shares = { 0 };
	struct kb_rng rng;
	double x[N_MAX];

	kb_rng_seed(&rng, 10 * n + shape);
	for (int r = 0; r < tries; r++) {
		struct kb_modes modes;

		for (size_t i = 0; i < n; i++)
			x[i] = draw_one(&rng, shape);
		if (shape == AR_9)
			draw_ar1(&rng, 0.9, x, n);
		modes = kb_modes_find(x, n, shape == TICKS || shape == SKEWED_TICKS ? 1 : 0);
		shares.more += (modes.count > 1) / (double)tries;
		shares.clustered += modes.clustered / (double)tries;
		shares.strict += (modes.count > 1 && kb_long_run_variance(x, n).n_eff >= 100) / (double)tries;
	}
	return shares;
}

static void t_mm_false(void **state)
{
	char what[80];

	(void)state;
	for (size_t n = 100; n <= 300; n += 200)
		for (int shape = 0; shape < SINGLE_MODES; shape++) {
			struct shares shares = simulate((enum shape)shape, n, truth_tries(2000, 300));

			snprintf(what, sizeof(what), "%s, n=%zu: more than one mode", names[shape], n);
			truth_at_most("T-MM", what, 0.05, shares.more);
		}
}

static void t_mm_found(void **state)
{
	static const struct { enum shape shape; size_t n; double found; } rows[] = {
		{ FIVE_SD, 100, 0.91 }, { FIVE_SD, 300, 1 }, { SIX_SD, 100, 0.93 }, { SIX_SD, 300, 1 },
		{ FOUR_SD, 100, 0.50 }, { FOUR_SD, 300, 0.91 },
	};
	char what[80];

	(void)state;
	for (size_t k = 0; k < sizeof(rows) / sizeof(*rows); k++) {
		struct shares shares = simulate(rows[k].shape, rows[k].n, truth_tries(2000, 300));

		snprintf(what, sizeof(what), "%s, n=%zu: found", names[rows[k].shape], rows[k].n);
		truth_row("T-MM", what, rows[k].found, truth_tolerance(0.05), shares.more);
		snprintf(what, sizeof(what), "%s, n=%zu: found if n_eff must be 100", names[rows[k].shape], rows[k].n);
		truth_note("T-MM", what, rows[k].found, shares.strict);
		/* The modes are mixed at random: a test at 1 %. */
		snprintf(what, sizeof(what), "%s, n=%zu: mixed, called clustered", names[rows[k].shape], rows[k].n);
		truth_at_most("T-MM", what, 0.03, shares.clustered);
	}
	truth_at_most("T-MM", "3 sd apart, 50 %, n=300: found", 0.05,
	              simulate(THREE_SD, 300, truth_tries(2000, 300)).more);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(t_mm_false), cmocka_unit_test(t_mm_found) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
