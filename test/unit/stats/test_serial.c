/* Mean and median of values in order of time: how often the interval holds the truth, where neighbours are independent and where they are not. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "draws.h"
#include "stats/stats.h"

#define SERIES 2000u
#define MOST 118u

typedef struct kb_interval interval_of(const double *x, size_t n, double confidence);

/* Share of the series of n values whose interval holds 0, which is mean and median of all. */
static double coverage(interval_of *interval, double phi, size_t n)
{
	struct kb_rng rng;
	unsigned held = 0;
	double z[MOST];

	kb_rng_seed(&rng, 3);
	for (unsigned i = 0; i < SERIES; i++) {
		draw_ar1(&rng, phi, z, n);

		struct kb_interval found = interval(z, n, .95);

		assert_true(found.known && found.low < found.value && found.value < found.high);
		held += found.low <= 0 && found.high >= 0;
	}
	return held / (double)SERIES;
}

static void check(interval_of *interval, double phi, size_t n, double least)
{
	double share = coverage(interval, phi, n);

	if (share < least)
		fail_msg("%zu values of correlation %g: %g", n, phi, share);
}

static void test_independent(void **state)
{
	(void)state;
	check(kb_serial_mean, 0, 12, .94);
	check(kb_serial_mean, 0, 118, .94);
	check(kb_serial_median, 0, 12, .94);
	check(kb_serial_median, 0, 118, .94);
}

/* Of few values the correlation is badly known; an interval that ignores it holds the truth in 72 of 100. */
static void test_correlated(void **state)
{
	(void)state;
	check(kb_serial_mean, .5, 10, .89);
	check(kb_serial_mean, .5, 20, .905);
	check(kb_serial_mean, .5, 118, .93);
	check(kb_serial_median, .5, 10, .91);
	check(kb_serial_median, .5, 20, .925);
	check(kb_serial_median, .5, 118, .945);
	assert_true(coverage(kb_t_interval, .5, 118) < .80);
}

static void test_few(void **state)
{
	static const double x[] = { 1, 2, 3, 4 };

	(void)state;
	assert_false(kb_serial_mean(x, 1, .95).known);
	assert_true(kb_serial_mean(x, 2, .95).known);
	assert_false(kb_serial_median(x, 4, .95).known);
	assert_false(kb_serial_mean(x, 0, .95).known);
	assert_false(kb_serial_median(x, 0, .95).known);
}

/* The table of doc/cmd.md, which test/golden/cmd_doc.sh holds to it. */
static void print_table(void)
{
	static const double phi[] = { 0, .3, .5, .7, .9 };

	for (size_t i = 0; i < sizeof phi / sizeof *phi; i++)
		printf("| %g | %.1f %% | %.1f %% | %.1f %% | %.1f %% |\n", phi[i], 100 * coverage(kb_serial_median, phi[i], 10),
		       100 * coverage(kb_serial_median, phi[i], 30), 100 * coverage(kb_serial_mean, phi[i], 10),
		       100 * coverage(kb_serial_mean, phi[i], 30));
}

int main(int argc, char **argv)
{
	if (argc > 1 && strcmp(argv[1], "--table") == 0) {
		print_table();
		return 0;
	}

	const struct CMUnitTest tests[] = { cmocka_unit_test(test_independent), cmocka_unit_test(test_correlated), cmocka_unit_test(test_few) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
