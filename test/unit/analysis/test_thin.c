/* Fewer values for all: shares of kinds, first and last, equal distances, nothing lost over many lists. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "analysis/thin.h"

#define COUNT 1000u

static size_t kept_of(const unsigned char *kind, const bool *kept, unsigned char which)
{
	size_t n = 0;

	for (size_t i = 0; i < COUNT; i++)
		n += kept[i] && kind[i] == which;
	return n;
}

static void shares_and_ends(void **state)
{
	double owed[KB_THIN_KINDS] = { 0 };
	unsigned char kind[COUNT];
	bool kept[COUNT];

	(void)state;
	for (unsigned i = 0; i < COUNT; i++)
		kind[i] = i < 300 ? 1 : 0;
	assert_in_range(kb_thin(kind, COUNT, 100, kept, owed), 100, 102);
	assert_true(kept[0] && kept[COUNT - 1]);
	assert_in_range(kept_of(kind, kept, 1), 30, 31);
	assert_in_range(kept_of(kind, kept, 0), 70, 71);
}

static void equal_distances(void **state)
{
	double owed[KB_THIN_KINDS] = { 0 };
	unsigned char kind[COUNT] = { 0 };
	bool kept[COUNT];
	size_t last = 0;

	(void)state;
	kb_thin(kind, COUNT, 50, kept, owed);
	for (size_t i = 1; i < COUNT; i++) {
		if (!kept[i])
			continue;
		assert_in_range(i - last, 1, 21);
		last = i;
	}
}

/* One value in a thousand of a kind, and room for a tenth: in ten lists it is kept once. */
static void rare_kinds(void **state)
{
	double owed[KB_THIN_KINDS] = { 0 };
	unsigned char kind[COUNT] = { 0 };
	bool kept[COUNT];
	size_t seen = 0, all = 0;

	(void)state;
	kind[500] = 7;
	for (unsigned list = 0; list < 40; list++) {
		all += kb_thin(kind, COUNT, 100, kept, owed);
		seen += kept[500];
	}
	assert_int_equal(seen, 4);
	assert_in_range(all, 4000, 4100);
}

static void few(void **state)
{
	double owed[KB_THIN_KINDS] = { 0 };
	unsigned char kind[4] = { 0, 1, 2, 3 };
	bool kept[4] = { false };

	(void)state;
	assert_int_equal(kb_thin(kind, 0, 10, kept, owed), 0);
	assert_int_equal(kb_thin(kind, 4, 10, kept, owed), 4);
	assert_int_equal(kb_thin(kind, 1, 10, kept, owed), 1);
	assert_int_equal(kb_thin(kind, 4, 0, kept, owed), 2); /* the ends */
}

static void quantiles(void **state)
{
	double sorted[101], out[101];

	(void)state;
	for (unsigned i = 0; i <= 100; i++)
		sorted[i] = i;
	assert_int_equal(kb_thin_sorted(sorted, 101, 5, out), 5);
	for (unsigned i = 0; i < 5; i++)
		assert_true(out[i] == 25.0 * i);
	assert_int_equal(kb_thin_sorted(sorted, 3, 5, out), 3);
	assert_true(out[0] == 0 && out[1] == 1 && out[2] == 2);
	assert_int_equal(kb_thin_sorted(sorted, 101, 1, out), 1);
	assert_true(out[0] == 50);
	assert_int_equal(kb_thin_sorted(sorted, 0, 5, out), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(shares_and_ends), cmocka_unit_test(equal_distances), cmocka_unit_test(rare_kinds), cmocka_unit_test(few),
		cmocka_unit_test(quantiles),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
