/* Selections: which benchmarks are in which, and that one which only runs when asked is in none. */
#include "suite/select.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static const struct kb_bench quick = { .name = "sys.null", .suite = KB_QUICK, .lmbench = "lat_syscall null" };
static const struct kb_bench standard = { .name = "clock.read", .suite = KB_STANDARD };
static const struct kb_bench full = { .name = "ctx.ring", .suite = KB_FULL, .lmbench = "lat_ctx" };
static const struct kb_bench asked = { .name = "disk.seek", .suite = KB_MANUAL, .lmbench = "seek" };

static void test_nested(void **state)
{
	static const struct { const struct kb_bench *bench; bool in[KB_SELECT_NAMED + 1]; } cases[] = {
		/*            quick standard full lmbench named */
		{ &quick,    { true, true, true, true, true } },
		{ &standard, { false, true, true, false, true } },
		{ &full,     { false, false, true, true, true } },
		{ &asked,    { false, false, false, false, false } },
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		for (enum kb_selection selection = 0; selection < KB_SELECTIONS; selection++)
			assert_int_equal(kb_selection_has(selection, cases[i].bench, NULL, 0), cases[i].in[selection]);
	}
}

/* A glob may be a slip; a whole name is meant. */
static void test_asked(void **state)
{
	static const char *const name[] = { "sys.null", "disk.seek" }, *const glob[] = { "disk.*", "disk", "*" };

	(void)state;
	assert_true(kb_selection_has(KB_SELECT_NAMED, &asked, name, 2));
	assert_true(kb_selection_has(KB_SELECT_FULL, &asked, name, 2));
	assert_false(kb_selection_has(KB_SELECT_NAMED, &asked, glob, 3));
}

static void test_names(void **state)
{
	(void)state;
	assert_string_equal(kb_selection_name(KB_SELECT_QUICK), "quick");
	assert_string_equal(kb_selection_name(KB_SELECT_LMBENCH), "lmbench");
	assert_string_equal(kb_selection_name(KB_SELECT_STANDARD), "standard");
	assert_null(kb_selection_name(KB_SELECT_NAMED));
}

static void test_keep(void **state)
{
	struct kb_row rows[] = { { .key = "a", .settings.bench = &full }, { .key = "b", .settings.bench = &quick },
				 { .key = "c", .settings.bench = &asked }, { .key = "d", .settings.bench = &standard },
				 { .key = "e", .settings.bench = &standard, .reach = KB_REACH_STANDARD },
				 { .key = "f", .settings.bench = &standard, .reach = KB_REACH_FULL } };

	(void)state;
	assert_int_equal(kb_selection_keep(KB_SELECT_FULL, KB_REACH_FULL, NULL, 0, rows, 6), 5);
	assert_int_equal(kb_selection_keep(KB_SELECT_STANDARD, KB_REACH_FULL, NULL, 0, rows, 5), 3);
	assert_string_equal(rows[0].key, "b");
	assert_string_equal(rows[1].key, "d");
	assert_string_equal(rows[2].key, "e");
	assert_int_equal(kb_selection_keep(KB_SELECT_STANDARD, KB_REACH_FIRST, NULL, 0, rows, 3), 2);
	assert_string_equal(rows[1].key, "d");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_nested), cmocka_unit_test(test_asked), cmocka_unit_test(test_names),
		cmocka_unit_test(test_keep),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
