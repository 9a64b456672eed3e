/* Figures: the digits that are shown are those that the interval supports, and never a narrower interval. */
#include "report/text/number_format.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "report/text/columns.h"

static void expect(double low, double value, double high, const char *text)
{
	struct kb_estimate estimate = { value, low, high, true, true };
	char figure[KB_NUMBER_ROOM];

	kb_format_estimate(figure, &estimate, 1, false);
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

static void expect_ends(double low, double value, double high, const char *text)
{
	struct kb_estimate estimate = { value, low, high, true, true };
	char middle[KB_NUMBER_ROOM], ends[2][KB_NUMBER_ROOM], all[4 * KB_NUMBER_ROOM];

	kb_format_interval(middle, ends[0], ends[1], &estimate);
	snprintf(all, sizeof all, "%s [%s, %s]", middle, ends[0], ends[1]);
	assert_string_equal(all, text);
}

/* One side may be much wider than the other: both ends are there, none of them inside of the interval. */
static void both_ends(void **state)
{
	(void)state;
	expect_ends(1.0698, 1.1164, 1.1355, "1.12 [1.06, 1.14]");
	expect_ends(1.0312, 1.1, 1.4, "1.10 [1.03, 1.40]");
	expect_ends(0.99212, 1.0004, 1.0083, "1.000 [0.992, 1.009]");
	expect_ends(0.0001, 1, 50, "1 [0, 50]");
}

static void expect_number(double value, double half, int least, int most, const char *text)
{
	struct kb_estimate estimate = { value, value - half, value + half, true, half > 0 };
	char figure[KB_NUMBER_ROOM];

	kb_format_number(figure, &estimate, 1, least, most);
	assert_string_equal(figure, text);
}

/* Without its interval: as many digits as that supports, within limits. */
static void numbers(void **state)
{
	(void)state;
	expect_number(187.14, 0.4, 2, 4, "187.1");
	expect_number(1.066234, 0.00001, 2, 4, "1.066");
	expect_number(77.2, 5, 2, 4, "77");
	expect_number(3.5, 2, 2, 4, "3.5");
	expect_number(3.0011, 0.5, 4, 6, "3.001");
	expect_number(3.0000123, 0.00001, 4, 6, "3.00001");
	expect_number(20500, 3000, 2, 4, "20500");
	expect_number(102.44, 0, 2, 4, "102.4");
	expect_number(-0.00008, 0.0139, 1, 4, "0.000");         /* less than its interval */
}

static void percents(void **state)
{
	static const struct { double percent; const char *text; } cases[] = {
		{ 0.014, "0.01 %" }, { 0.2, "0.2 %" }, { 9.94, "9.9 %" }, { 9.96, "10 %" }, { 57.6, "58 %" }, { 1500, ">999 %" }, { NAN, "-" },
	};
	char figure[KB_NUMBER_ROOM];

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		kb_format_percent(figure, cases[i].percent);
		assert_string_equal(figure, cases[i].text);
	}
}

static void no_interval(void **state)
{
	struct kb_estimate estimate = { .value = 102.4, .known = true };
	char figure[KB_NUMBER_ROOM];

	(void)state;
	kb_format_estimate(figure, &estimate, 1, true);
	assert_string_equal(figure, "102.4");
	estimate.known = false;
	kb_format_estimate(figure, &estimate, 1, true);
	assert_string_equal(figure, "-");
	estimate = (struct kb_estimate){ .value = NAN, .known = true };
	kb_format_estimate(figure, &estimate, 1, true);
	assert_string_equal(figure, "-");
	kb_format_value(figure, INFINITY, 4);
	assert_string_equal(figure, "-");
	kb_format_value(figure, 1234.5678, 6);
	assert_string_equal(figure, "1234.57");
	kb_format_value(figure, -1e-9, 4);
	assert_string_equal(figure, "0.000000");
}

static void sign(void **state)
{
	struct kb_estimate estimate = { 1.5, 1.2, 1.8, true, true };
	char figure[KB_NUMBER_ROOM];

	(void)state;
	kb_format_estimate(figure, &estimate, 1, true);
	assert_string_equal(figure, "1.5 \u00b10.3");
	assert_int_equal(strlen(figure), 9);
	assert_int_equal(kb_text_width(figure), 8);
}

static void expect_unit(double ns, double rate, const char *unit)
{
	struct kb_result result = { .ticks_per_ns = rate, .estimate = { .value = ns, .known = true } };

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
		cmocka_unit_test(intervals), cmocka_unit_test(both_ends), cmocka_unit_test(numbers), cmocka_unit_test(percents), cmocka_unit_test(no_interval),
		cmocka_unit_test(sign), cmocka_unit_test(units),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
