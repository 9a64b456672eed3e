/*
 * T-QNT: type 7 on the inputs that break a percentile function which many copy from an article on timing in the kernel.
 * That function is not one of the nine definitions of Hyndman and Fan; what it returns stands beside each input as a
 * number, so that nobody takes its values for the right ones.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "draws.h"
#include "stats/stats.h"

#define PAST_THE_END -1         /* it reads behind the array */

struct vector {
	double first, step;     /* the sorted input: first, first + step, ... */
	size_t n;
	double p;
	double wrong;           /* of that function */
	double right;
};

static const struct vector vectors[] = {
	{ 42, 0, 1, .50, PAST_THE_END, 42 },
	{ 42, 0, 1, .99, PAST_THE_END, 42 },
	{ 10, 10, 2, .50, 20, 15 },
	{ 1, 1, 4, .50, 3, 2.5 },
	{ 10, 10, 3, .50, 25, 20 },
	{ 10, 10, 10, .50, 60, 55 },
	{ 10, 10, 10, .90, 100, 91 },
	{ 10, 10, 10, .95, PAST_THE_END, 95.5 },
	{ 10, 10, 100, .50, 510, 505 },
	{ 10, 10, 100, .90, 910, 901 },
	{ 10, 10, 100, .95, 960, 950.5 },
	/* Where p (n-1) / 100 is a whole number, it agrees. */
	{ 0, 1, 101, .50, 50, 50 },
	{ 0, 1, 101, .90, 90, 90 },
	{ 0, 1, 101, .95, 95, 95 },
};

static double quantile_of(const struct vector *v)
{
	double x[101];

	for (size_t i = 0; i < v->n; i++)
		x[i] = v->first + v->step * (double)i;
	return kb_quantile_sorted(x, v->n, v->p);
}

static void well_known_function(void **state)
{
	unsigned differ = 0;

	(void)state;
	for (size_t i = 0; i < sizeof(vectors) / sizeof(*vectors); i++) {
		double got = quantile_of(&vectors[i]);

		if (fabs(got - vectors[i].right) > 1e-12 * vectors[i].right)
			fail_msg("vector %zu: %g instead of %g", i, got, vectors[i].right);
		differ += fabs(got - vectors[i].wrong) > 1e-9;
	}
	assert_int_equal(differ, 11);
}

/* It reads behind the end for p50 with one value, p90 with up to 9, p95 with up to 19, p99 with up to 99, and for p100
   always. */
static void never_behind_the_end(void **state)
{
	static const struct {
		double p;
		size_t n;
	} last[] = { { .5, 1 }, { .9, 9 }, { .95, 19 }, { .99, 99 }, { 1, 100 } };

	(void)state;
	for (size_t k = 0; k < sizeof(last) / sizeof(*last); k++) {
		for (size_t n = 1; n <= last[k].n; n++) {
			/* As large as it is and no larger: a sanitizer sees one value too many. */
			double *x = malloc(n * sizeof(*x));

			assert_non_null(x);
			for (size_t i = 0; i < n; i++)
				x[i] = (double)i;
			assert_true(fabs(kb_quantile_sorted(x, n, last[k].p) - last[k].p * (double)(n - 1)) < 1e-9);
			free(x);
		}
	}
}

/* Its p * n wraps in 32 bits: p95 of 5e7 values becomes number 4 550 327. Of this array only the pages around the right
   place are ever touched. */
static void no_index_wraps(void **state)
{
	static const struct { size_t n; double p; } rows[] = {
		{ 50000000, .95 }, { 45210183, .95 }, { 85899346, .50 }
	};

	(void)state;
	for (size_t k = 0; k < sizeof(rows) / sizeof(*rows); k++) {
		double *x = calloc(rows[k].n, sizeof(*x)), h = (double)(rows[k].n - 1) * rows[k].p;
		size_t i = (size_t)h;

		if (!x)
			skip();
		x[i] = 1000;
		x[i + 1] = 2000;
		assert_true(fabs(kb_quantile_sorted(x, rows[k].n, rows[k].p) - 1000 - 1000 * (h - (double)i)) < 1e-6);
		free(x);
	}
	/* 47 499 999.05 */
	assert_int_equal((size_t)((50000000 - 1) * .95), 47499999);
}

static void edges(void **state)
{
	double top[] = { 18446744073709551615.0, 18446744073709551615.0, 18446744073709551615.0 };
	double half_tick[] = { 3, 4 };

	(void)state;
	assert_true(kb_quantile_sorted(top, 0, .5) == 0);
	for (double p = 0; p <= 1; p += .01)
		assert_true(kb_quantile_sorted(top, 3, p) == top[0]);
	/* Integer halving gives 3. */
	assert_true(kb_quantile_sorted(half_tick, 2, .5) == 3.5);
}

/* min <= Q(p) <= max, monotone in p, Q_p(a + b x) = a + b Q_p(x), for every n. */
static void properties(void **state)
{
	struct kb_rng rng;
	double x[40], moved[40];

	(void)state;
	kb_rng_seed(&rng, 4);
	for (size_t n = 1; n <= 40; n++) {
		double last = -INFINITY;

		for (size_t i = 0; i < n; i++)
			x[i] = floor(20 * draw_normal(&rng));
		kb_sort(x, n);
		for (size_t i = 0; i < n; i++)
			moved[i] = 1e6 + 3 * x[i];
		for (int p = 0; p <= 1000; p++) {
			double q = kb_quantile_sorted(x, n, p / 1000.0);

			assert_true(q >= x[0] && q <= x[n - 1] && q >= last);
			assert_true(fabs(kb_quantile_sorted(moved, n, p / 1000.0) - 1e6 - 3 * q) < 1e-8);
			last = q;
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(well_known_function), cmocka_unit_test(never_behind_the_end),
		cmocka_unit_test(no_index_wraps),
		cmocka_unit_test(edges), cmocka_unit_test(properties),
	};

	return cmocka_run_group_tests_name("T-QNT", tests, NULL, NULL);
}
