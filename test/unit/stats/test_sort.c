/* Sorting doubles by their bits: against comparing, around every sign, with equal values and what is no number. */
#include "stats/distribution/rank.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/rng.h"
#include "stats/stats.h"

#define MOST 5000

static double value(struct kb_rng *rng, unsigned kind)
{
	switch (kind) {
	case 0: return (double)kb_rng_below(rng, 50);                           /* ties */
	case 1: return (double)kb_rng_below(rng, UINT64_MAX) - 9e18;
	case 2: return ldexp(1 + (double)kb_rng_below(rng, 1000) / 1000, (int)kb_rng_below(rng, 1800) - 900) * (kb_rng_below(rng, 2) ? 1 : -1);
	default: {
		static const double special[] = { 0, -0.0, 1, -1, INFINITY, -INFINITY, 5e-324, -5e-324, 1.7e308 };

		return special[kb_rng_below(rng, sizeof special / sizeof *special)];
	}
	}
}

/* Short arrays take another way than long ones. */
static void test_order(void **state)
{
	static const size_t lengths[] = { 0, 1, 2, 255, 256, 257, MOST };
	struct kb_rng rng;

	(void)state;
	kb_rng_seed(&rng, 7);
	for (size_t l = 0; l < sizeof lengths / sizeof *lengths; l++) {
		for (unsigned kind = 0; kind < 4; kind++) {
			size_t n = lengths[l];
			double x[MOST + 1], sorted[MOST + 1];
			struct kb_ranked ranked[MOST + 1];

			for (size_t i = 0; i < n; i++) {
				sorted[i] = x[i] = value(&rng, kind);
				ranked[i] = (struct kb_ranked){ x[i], i };
			}
			kb_sort(sorted, n);
			kb_sort_ranked(ranked, n);
			for (size_t i = 0; i < n; i++) {
				assert_true(sorted[i] == ranked[i].x && x[ranked[i].at] == ranked[i].x);
				assert_true(i == 0 || sorted[i - 1] <= sorted[i]);
				/* Every place once: with stable ties a repeated one would be out of order. */
				assert_true(i == 0 || ranked[i - 1].x < ranked[i].x || ranked[i - 1].at < ranked[i].at ||
					    ranked[i].x == 0);
			}
		}
	}
}

static void test_nan(void **state)
{
	(void)state;
	for (size_t n = 4; n <= 4000; n += 1998) {
		double x[4000];

		for (size_t i = 0; i < n; i++)
			x[i] = i % 2 ? -(double)i : (i % 4 ? (double)NAN : -(double)NAN);
		kb_sort(x, n);
		assert_true(x[0] == -(double)(n - 1) && x[n / 2 - 1] == -1);
		for (size_t i = n / 2; i < n; i++)
			assert_true(isnan(x[i]));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_order), cmocka_unit_test(test_nan) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
