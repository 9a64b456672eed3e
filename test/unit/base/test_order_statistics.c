/*
 * Integer order statistics: the vectors on which a well-known kernel module goes wrong, a slow and independent definition on
 * random data, and the two texts as they are printed in the article that the module is from.
 */
#include "base/order_statistics.h"
#include "base/error.h"
#include "base/rng.h"
#include "helpers.h"

#include <stdlib.h>
#include <string.h>

#define MANY 3000u

static void sequence(uint64_t *values, size_t count, uint64_t first, uint64_t step)
{
	for (size_t i = 0; i < count; i++)
		values[i] = first + i * step;
}

/* Hyndman and Fan's type 7, a half tick rounded upwards. */
static void known_quantiles(void **state)
{
	static const struct { size_t count; uint64_t first, step; unsigned percent; uint64_t wanted; } rows[] = {
		{ 1, 42, 0, 0, 42 }, { 1, 42, 0, 50, 42 }, { 1, 42, 0, 95, 42 }, { 1, 42, 0, 100, 42 },
		{ 2, 10, 10, 50, 15 }, { 4, 1, 1, 50, 3 /* 2.5 */ }, { 3, 10, 10, 50, 20 },
		{ 10, 10, 10, 50, 55 }, { 10, 10, 10, 90, 91 }, { 10, 10, 10, 95, 96 /* 95.5 */ }, { 10, 10, 10, 100, 100 },
		{ 100, 10, 10, 50, 505 }, { 100, 10, 10, 90, 901 }, { 100, 10, 10, 95, 951 /* 950.5 */ },
		{ 101, 0, 1, 50, 50 }, { 101, 0, 1, 90, 90 }, { 101, 0, 1, 95, 95 }, { 101, 0, 1, 0, 0 },
		{ 19, 1, 1, 95, 18 /* 18.1 */ },
	};
	uint64_t values[101];

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		sequence(values, rows[i].count, rows[i].first, rows[i].step);
		if (kb_order_quantile(values, rows[i].count, rows[i].percent) != rows[i].wanted)
			fail_msg("%zu values, p%u: %llu, not %llu", rows[i].count, rows[i].percent,
				 (unsigned long long)kb_order_quantile(values, rows[i].count, rows[i].percent),
				 (unsigned long long)rows[i].wanted);
	}
}

/* Where count x percent leaves 32 bits: 45 210 183 values at 95. Only two of them are ever read. */
static void no_wrap(void **state)
{
	size_t count = 50000000;
	uint64_t *values = calloc(count, sizeof *values);

	(void)state;
	assert_non_null(values);
	values[47499999] = 7;
	values[47500000] = 9;
	assert_int_equal(kb_order_quantile(values, count, 95), 7); /* (n - 1) x .95 = 47499999.05 */
	free(values);
}

static void extremes(void **state)
{
	uint64_t values[3] = { 0, UINT64_MAX - 1, UINT64_MAX };
	struct kb_order_statistics order;

	(void)state;
	assert_int_equal(kb_order_compute(values, 0, &order), -KB_EINVAL);
	assert_true(kb_order_quantile(values, 3, 50) == UINT64_MAX - 1);
	assert_true(kb_order_quantile(values + 1, 2, 100) == UINT64_MAX);
	assert_true(kb_order_quantile(values, 2, 50) == UINT64_MAX / 2);
	kb_order_sort(values, 0, NULL);
	kb_order_sort(values, 1, NULL);
}

/* Distances from the median in half ticks, sorted by the library: another way to the same number. */
static int by_value(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

static uint64_t slow_mad(const uint64_t *sorted, size_t count)
{
	uint64_t *distances = malloc(count * sizeof *distances), middle = sorted[(count - 1) / 2] + sorted[count / 2], sum;

	for (size_t i = 0; i < count; i++)
		distances[i] = 2 * sorted[i] > middle ? 2 * sorted[i] - middle : middle - 2 * sorted[i];
	qsort(distances, count, sizeof *distances, by_value);
	sum = distances[(count - 1) / 2] + distances[count / 2];
	free(distances);
	return (sum + 2) / 4;
}

static void random_data(void **state)
{
	static uint64_t values[MANY], oracle[MANY];
	struct kb_rng rng;

	(void)state;
	kb_rng_seed(&rng, 5);
	for (size_t count = 1; count < MANY; count = count * 3 / 2 + 1) {
		uint64_t range = count % 3 == 0 ? 4 : 100000, last = 0;

		for (size_t i = 0; i < count; i++)
			oracle[i] = values[i] = kb_rng_below(&rng, range) * kb_rng_below(&rng, 30);
		qsort(oracle, count, sizeof oracle[0], by_value);
		kb_order_sort(values, count, NULL);
		assert_memory_equal(values, oracle, count * sizeof values[0]);
		assert_int_equal(kb_order_mad(values, count), slow_mad(values, count));
		for (unsigned percent = 0; percent <= 100; percent++) {
			uint64_t quantile = kb_order_quantile(values, count, percent);

			assert_true(quantile >= last && quantile >= values[0] && quantile <= values[count - 1]);
			last = quantile;
		}
	}
}

static void known_mad(void **state)
{
	static const uint64_t odd[] = { 1, 1, 2, 2, 4, 6, 9 }, even[] = { 1, 2, 3, 4 }, same[] = { 8, 8, 8 };

	(void)state;
	assert_int_equal(kb_order_mad(odd, 7), 1);
	assert_int_equal(kb_order_mad(even, 4), 1); /* 1.5 .5 .5 1.5 */
	assert_int_equal(kb_order_mad(same, 3), 0);
	assert_int_equal(kb_order_mad(odd, 1), 0);
	assert_int_equal(kb_order_mad(even, 2), 1); /* .5 */
}

static unsigned asked;

static bool not_for_long(void)
{
	return ++asked < 3;
}

static void sorting_can_be_stopped(void **state)
{
	uint64_t *values = malloc(100000 * sizeof *values);

	(void)state;
	sequence(values, 100000, 0, 1);
	kb_order_sort(values, 100000, not_for_long);
	assert_in_range(asked, 3, 4);
	free(values);
}

/* ---- the article's output ------------------------------------------------------------------------ */

/* How often each value stands there; what is above the last row lies between 157 and the maximum. */
static const struct { uint64_t value; size_t count; } article[] = {
	{ 72, 51 }, { 77, 3548 }, { 82, 4773 }, { 87, 5918 }, { 92, 1207 }, { 97, 437 }, { 102, 12164 }, { 107, 15508 },
	{ 112, 23014 }, { 117, 6297 }, { 122, 905 }, { 127, 3845 }, { 132, 6687 }, { 137, 4884 }, { 142, 4133 }, { 147, 1015 },
	{ 154, 1123 }, { 200, 4490 }, { 33364, 1 },
};

static const char printed[] =
	"min=72 max=33364 count=100000 95th=154 90th=142 50th=112 mad=10\n"
	"    value │                      ┊                         count\n"
	"       72 │                                                   51\n"
	"       77 │▒                                                3548\n"
	"       82 │▒▒░░                                             4773\n"
	"       87 │▒▒░░░░░                                          5918\n"
	"       92 │░░░░░░░                                          1207\n"
	"       97 │░░░░░░░                                           437\n"
	"      102 │▒▒▒▒▒▒░░░░░░░░                                  12164\n"
	"      107 │▒▒▒▒▒▒▒░░░░░░░░░░░░░░                           15508\n"
	"      112 │▒▒▒▒▒▒▒▒▒▒▒░░░░░░░░░░░░░░░░░░░░░░               23014\n"
	"      117 │▒▒▒░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░             6297\n"
	"      122 │░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░              905\n"
	"      127 │▒░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░           3845\n"
	"      132 │▒▒▒░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░       6687\n"
	"      137 │▒▒░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░     4884\n"
	"      142 │▒▒░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░   4133\n"
	"      147 │░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░  1015\n"
	"      152 │░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░  1123\n";

static void as_printed(void **state)
{
	static uint64_t values[100000];
	char page[4096];
	struct kb_text text = kb_text_in(page, sizeof page);
	struct kb_order_statistics order;
	size_t at = 0;

	(void)state;
	for (size_t i = 0; i < sizeof article / sizeof article[0]; i++)
		for (size_t k = 0; k < article[i].count; k++)
			values[at++] = article[i].value;
	assert_int_equal(at, 100000);
	kb_order_sort(values, at, NULL);
	assert_int_equal(kb_order_compute(values, at, &order), 0);
	kb_order_line(&text, &order);
	kb_order_graph(&text, values, at, &order);
	assert_false(text.cut);
	assert_string_equal(page, printed);
}

/* A page of the kernel holds it whatever the numbers are. */
static void fits_a_page(void **state)
{
	uint64_t values[200];
	char page[4096];
	struct kb_order_statistics order;

	(void)state;
	for (uint64_t step = 0; step < (uint64_t)1 << 54; step = step * 5 + 1) {
		struct kb_text text = kb_text_in(page, sizeof page);

		sequence(values, 200, step, step);
		assert_int_equal(kb_order_compute(values, 200, &order), 0);
		kb_order_line(&text, &order);
		kb_order_graph(&text, values, 200, &order);
		assert_false(text.cut);
		assert_int_equal(page[text.used - 1], '\n');
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(known_quantiles), cmocka_unit_test(no_wrap), cmocka_unit_test(extremes),
		cmocka_unit_test(random_data), cmocka_unit_test(known_mad), cmocka_unit_test(sorting_can_be_stopped),
		cmocka_unit_test(as_printed), cmocka_unit_test(fits_a_page),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
