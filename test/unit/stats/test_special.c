/* Special functions against oracle values, and their behaviour at the edges of their domains. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stddef.h>

#include <cmocka.h>

#include "stats/stats.h"
#include "truth/truth.h"
#include "vectors_special.h"

static const char *const names[FUNCTIONS] = {
	[LGAMMA] = "lgamma", [NORMAL_CDF] = "normal_cdf", [NORMAL_QUANTILE] = "normal_quantile",
	[BETA_INC] = "beta_inc", [GAMMA_INC] = "gamma_inc", [T_CDF] = "t_cdf",
	[T_QUANTILE] = "t_quantile", [CHI2_CDF] = "chi2_cdf", [F_CDF] = "f_cdf",
};

static double call(enum function function, double a, double b, double x)
{
	switch (function) {
	case LGAMMA: return kb_lgamma(x);
	case NORMAL_CDF: return kb_normal_cdf(x);
	case NORMAL_QUANTILE: return kb_normal_quantile(x);
	case BETA_INC: return kb_beta_inc(a, b, x);
	case GAMMA_INC: return kb_chi2_cdf(2 * x, 2 * a);
	case T_CDF: return kb_t_cdf(x, a);
	case T_QUANTILE: return kb_t_quantile(x, a);
	case CHI2_CDF: return kb_chi2_cdf(x, a);
	case F_CDF: return kb_f_cdf(x, a, b);
	default: return NAN;
	}
}

/* T-SF. The oracle: mpmath 1.3.0. */
static void oracle_vectors(void **state)
{
	char what[80];
	unsigned counts[FUNCTIONS] = { 0 }, off = 0;
	double worst[FUNCTIONS] = { 0 };

	(void)state;
	for (size_t i = 0; i < sizeof(vectors) / sizeof(*vectors); i++) {
		double value = call(vectors[i].function, vectors[i].a, vectors[i].b, vectors[i].x);
		double error = fabs(value - vectors[i].value);

		if (vectors[i].value != 0)
			error /= fabs(vectors[i].value);
		counts[vectors[i].function]++;
		worst[vectors[i].function] = fmax(worst[vectors[i].function], error);
		if (!(error <= 1e-10)) {
			off++;
			print_error("%s(%g, %g, %.17g) = %.17g, oracle %.17g, error %.2g\n", names[vectors[i].function],
			            vectors[i].a, vectors[i].b, vectors[i].x, value, vectors[i].value, error);
		}
	}
	for (int f = 0; f < FUNCTIONS; f++) {
		assert_true(counts[f] >= 10);
		snprintf(what, sizeof(what), "%s: largest relative error of %u", names[f], counts[f]);
		truth_row("T-SF", what, 0, 1e-10, worst[f]);
	}
	assert_int_equal(off, 0);
}

/* The inverse and the function agree where the vectors do not look: through all orders of magnitude of p. */
static void inverses_return(void **state)
{
	static const double dfs[] = { 1, 1.5, 4, 14, 60, 999, 54321, 1e6 };

	(void)state;
	for (double p = 1e-12; p < 0.5; p *= 3.7)
		for (size_t i = 0; i < sizeof(dfs) / sizeof(*dfs); i++) {
			assert_true(fabs(kb_t_cdf(kb_t_quantile(p, dfs[i]), dfs[i]) / p - 1) < 1e-9);
			assert_true(fabs(kb_t_quantile(p, dfs[i]) + kb_t_quantile(1 - p, dfs[i])) <=
			            1e-3 * fabs(kb_t_quantile(p, dfs[i])));
			assert_true(fabs(kb_normal_cdf(kb_normal_quantile(p)) / p - 1) < 1e-12);
		}
}

static void t_factors_of_the_tables(void **state)
{
	(void)state;
	/* Any printed table. */
	assert_true(fabs(kb_t_quantile(0.975, 4) - 2.776445) < 1e-6);
	assert_true(fabs(kb_t_quantile(0.95, 29) - 1.699127) < 1e-6);
	assert_true(fabs(kb_normal_quantile(0.975) - 1.959964) < 1e-6);
	assert_true(kb_t_quantile(0.5, 7) == 0 && kb_normal_quantile(0.5) == 0);
}

static void outside_the_domain_there_is_no_nan(void **state)
{
	static const double odd[] = { -INFINITY, -1, -0.0, 0, 1e-320, 0.5, 1, 2, 1e300, INFINITY, NAN };
	size_t count = sizeof(odd) / sizeof(*odd);

	(void)state;
	for (size_t i = 0; i < count; i++)
		for (size_t j = 0; j < count; j++)
			for (int f = NORMAL_CDF; f < FUNCTIONS; f++) {
				double value = call((enum function)f, odd[i], 2.5, odd[j]);

				if (isnan(value))
					fail_msg("%s(%g, 2.5, %g) is NaN", names[f], odd[i], odd[j]);
			}
	assert_true(kb_normal_quantile(0) == -INFINITY && kb_t_quantile(1, 3) == INFINITY);
	assert_true(kb_t_cdf(INFINITY, 3) == 1 && kb_t_cdf(-INFINITY, 3) == 0);
	/* The odds of a denormal overflow. */
	assert_true(kb_chi2_cdf(2e-320, 4) == 0 && kb_beta_inc(2, 3, 1e-320) == 0);
	assert_true(kb_beta_inc(2, 3, 0) == 0 && kb_beta_inc(2, 3, 1) == 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(oracle_vectors),
		cmocka_unit_test(inverses_return),
		cmocka_unit_test(t_factors_of_the_tables),
		cmocka_unit_test(outside_the_domain_there_is_no_nan),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
