/* The kinds of interference: names and back, nothing but the whole name; and the word of version 1. */
#include "base/interference.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static void names_and_back(void **state)
{
	(void)state;
	static const char *const names[KB_INTERFERENCES] = { "memory", "cache", "syscalls", "spin" };

	for (enum kb_interference kind = 0; kind < KB_INTERFERENCES; kind++) {
		assert_int_equal(kb_interference_find(names[kind], strlen(names[kind])), kind);
		assert_int_equal(kb_interference_find(names[kind], strlen(names[kind]) - 1), KB_INTERFERENCES);
	}
	assert_int_equal(kb_interference_find("memory,cache", 6), KB_INTERFERENCE_MEMORY);
	assert_int_equal(kb_interference_find("memory,cache", 12), KB_INTERFERENCES);
	assert_int_equal(kb_interference_find("", 0), KB_INTERFERENCES);
	assert_int_equal(kb_interference_find("nothing", 7), KB_INTERFERENCES);
}

static void renamed(const char *from, const char *expected)
{
	char room[80];
	struct kb_text text = kb_text_in(room, sizeof room);

	kb_interference_rename(&text, from);
	assert_string_equal(room, expected);
	assert_true(strlen(room) <= strlen(from) + KB_INTERFERENCE_GROWS);
}

/* Only the last word, and only with the name of a kind: a benchmark has a parameter of that name, a size. */
static void word_of_version_1(void **state)
{
	(void)state;
	renamed("mem.latency size=16K beside=memory", "mem.latency size=16K interference=memory");
	renamed("beside=nothing", "interference=nothing");
	renamed("a.b beside=cache x=1", "a.b beside=cache x=1");
	renamed("param.sharing beside=4K", "param.sharing beside=4K");
	renamed("a.b alongside=spin", "a.b alongside=spin");
	renamed("a.b interference=spin", "a.b interference=spin");
	renamed("", "");
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(names_and_back), cmocka_unit_test(word_of_version_1) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
