/* Robust location and scale of a group. Oracle of the trimmed mean: R 4.2.2, mean(x, trim = 0.2). */
#include "analysis/analysis.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static const double published[] = { /* twenty values with an unruly end */
	3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3, 2, 3, 8, 4,
};
#define COUNT (sizeof published / sizeof *published)

static void test_oracle(void **state)
{
	struct kb_robust robust = kb_robust_of(published, COUNT, .95);

	(void)state;
	assert_true(fabs(robust.trimmed.value - 4.666666666666667) < 1e-12);
	assert_true(fabs(robust.median.value - 4.5) < 1e-12);
	assert_true(fabs(robust.mad_sigma - 1.4826 * 2) < 1e-12);
}

/* One value may be anything: it moves the mean without end, and neither of these. */
static void test_wild(void **state)
{
	double x[100], wild[100];

	(void)state;
	for (int i = 0; i < 100; i++)
		x[i] = wild[i] = 50 + i * 37 % 100 / 10.;
	wild[40] = 1e12;

	struct kb_robust calm = kb_robust_of(x, 100, .95), robust = kb_robust_of(wild, 100, .95);

	assert_true(robust.trimmed.known && robust.median.known);
	assert_true(fabs(robust.trimmed.value - calm.trimmed.value) < .1 && fabs(robust.median.value - calm.median.value) < .1);
	assert_true(robust.trimmed.high - robust.trimmed.low < 3);
	assert_true(robust.trimmed.low < calm.trimmed.value && calm.trimmed.value < robust.trimmed.high);
}

static void test_few(void **state)
{
	double one = 7;
	struct kb_robust none = kb_robust_of(&one, 0, .95), single = kb_robust_of(&one, 1, .95);

	(void)state;
	assert_false(none.median.known || none.trimmed.known);
	assert_false(single.trimmed.known);
	assert_true(single.trimmed.value == 7 && single.median.value == 7 && single.mad_sigma == 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_oracle), cmocka_unit_test(test_wild), cmocka_unit_test(test_few),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
