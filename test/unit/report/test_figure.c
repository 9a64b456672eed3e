/* Figures: the digits that are shown are those that the interval supports, and never a narrower interval. */
#include "report/figure.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void expect(double low, double value, double high, const char *text)
{
	struct kb_estimate estimate = { value, low, high, true, true };
	char figure[KB_FIGURE_ROOM];

	kb_figure_estimate(figure, &estimate, 1, false);
	assert_string_equal(figure, text);
}

static void intervals(void **state)
{
	(void)state;
	expect(102.1, 102.4, 102.7, "102.4 +-0.3");
	expect(102.3, 102.4, 102.9, "102.4 +-0.5");             /* the wider half */
	expect(102.25, 102.4, 102.55, "102.40 +-0.15");         /* two digits after a leading 1 */
	expect(102.079, 102.4, 102.721, "102.4 +-0.4");         /* rounded up */
	expect(850, 1000, 1150, "1000 +-150");
	expect(-0.0004, 0, 0.0004, "0.0000 +-0.0004");
	expect(-0.0004, -0.00001, 0.0004, "0.0000 +-0.0005");    /* no negative zero */
	expect(100.12345678, 100.12345679, 100.1234568, "100.123 +-0.001");
	expect(5, 5, 5, "5.000 +-0.000");
	expect(-13, -12, -11, "-12.0 +-1.0");
}

static void no_interval(void **state)
{
	struct kb_estimate estimate = { .value = 102.4, .known = true };
	char figure[KB_FIGURE_ROOM];

	(void)state;
	kb_figure_estimate(figure, &estimate, 1, true);
	assert_string_equal(figure, "102.4");
	estimate.known = false;
	kb_figure_estimate(figure, &estimate, 1, true);
	assert_string_equal(figure, "-");
	estimate = (struct kb_estimate){ .value = NAN, .known = true };
	kb_figure_estimate(figure, &estimate, 1, true);
	assert_string_equal(figure, "-");
	kb_figure_plain(figure, INFINITY, 4);
	assert_string_equal(figure, "-");
	kb_figure_plain(figure, 1234.5678, 6);
	assert_string_equal(figure, "1234.57");
	kb_figure_plain(figure, -1e-9, 4);
	assert_string_equal(figure, "0.000000");
}

static void sign(void **state)
{
	struct kb_estimate estimate = { 1.5, 1.2, 1.8, true, true };
	char figure[KB_FIGURE_ROOM];

	(void)state;
	kb_figure_estimate(figure, &estimate, 1, true);
	assert_string_equal(figure, "1.5 \u00b10.3");
	assert_int_equal(strlen(figure), 9);
	assert_int_equal(kb_figure_width(figure), 8);
}

static void expect_unit(double ns, double rate, const char *unit)
{
	struct kb_result result = { .ticks_per_ns = rate, .typical = { .value = ns, .known = true } };

	assert_string_equal(kb_scale_of(&result).unit, unit);
}

static void units(void **state)
{
	(void)state;
	expect_unit(0.2, 1, "ns");
	expect_unit(999.9, 1, "ns");
	expect_unit(1000, 1, "us");
	expect_unit(-5e6, 1, "ms");
	expect_unit(2e9, 1, "s");
	expect_unit(5000, 0, "ticks");
	expect_unit(0, 1, "ns");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(intervals), cmocka_unit_test(no_interval), cmocka_unit_test(sign),
		cmocka_unit_test(units),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
