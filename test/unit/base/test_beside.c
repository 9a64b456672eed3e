/* The kinds of neighbours: names and back, and nothing but the whole name. */
#include "base/beside.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static void names_and_back(void **state)
{
	(void)state;
	static const char *const names[KB_BESIDES] = { "memory", "cache", "syscalls", "spin" };

	for (enum kb_beside kind = 0; kind < KB_BESIDES; kind++) {
		assert_int_equal(kb_beside_find(names[kind], strlen(names[kind])), kind);
		assert_int_equal(kb_beside_find(names[kind], strlen(names[kind]) - 1), KB_BESIDES);
	}
	assert_int_equal(kb_beside_find("memory,cache", 6), KB_BESIDE_MEMORY);
	assert_int_equal(kb_beside_find("memory,cache", 12), KB_BESIDES);
	assert_int_equal(kb_beside_find("", 0), KB_BESIDES);
	assert_int_equal(kb_beside_find("nothing", 7), KB_BESIDES);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(names_and_back) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
