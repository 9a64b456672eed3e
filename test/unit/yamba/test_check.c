/* Choosing a program, starting it, the porting sheet, how messages look, and limits. Numbers and places of all diagnostics
   are in test/golden/yamba. */
#include "yamba/front/yamba.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "yamba/front/type.h"

static struct kb_arena arena;
static struct kb_yamba yamba;

static int clean(void **state)
{
	(void)state;
	kb_arena_free(&arena);
	arena = (struct kb_arena){ 0 };
	return 0;
}

static void check(const char *text)
{
	kb_yamba_start(&yamba, &arena);
	kb_yamba_add_text(&yamba, "input.yamba", text, strlen(text), false);
	kb_yamba_resolve(&yamba);
	for (size_t i = 0; i < yamba.class_count; i++)
		kb_yamba_check_class(&yamba, yamba.classes[i]);
}

static struct kb_yamba_class *find(const char *name)
{
	struct kb_yamba_class *class = kb_yamba_find(&yamba, (struct kb_span){ name, strlen(name) });

	assert_non_null(class);
	return class;
}

static void expect_only(unsigned number)
{
	kb_diagnostics_sort(&yamba.diagnostics);
	assert_int_equal(yamba.diagnostics.count, number ? 1 : 0);
	if (number)
		assert_int_equal(yamba.diagnostics.list[0]->number, number);
}

/* ---- choosing -------------------------------------------------------------------------------------------- */

static const char ports[] = "yamba x86_64 { } yamba aarch64 { } yamba linux { }\n"
			    "yamba abstract A { bitstring a; }\n"
			    "yamba X extends A { import(x86_64); bitstring a { } }\n"
			    "yamba XX extends X { }\n"
			    "yamba R extends A { import(aarch64); import(linux); bitstring a { } }\n";

static void test_choose(void **state)
{
	(void)state;
	check(ports);
	assert_ptr_equal(kb_yamba_choose(&yamba, find("A"), "x86_64", "linux"), find("XX"));
	assert_ptr_equal(kb_yamba_choose(&yamba, find("A"), "aarch64", "linux"), find("R"));
	assert_ptr_equal(kb_yamba_choose(&yamba, find("X"), "riscv64", "linux"), find("X"));
	assert_true(kb_yamba_fits(&yamba, find("X"), "x86_64", "linux"));
	expect_only(0);
	assert_null(kb_yamba_choose(&yamba, find("A"), "aarch64", "sel4"));
	expect_only(153);
}

static void test_missing(void **state)
{
	struct kb_member **missing;

	(void)state;
	check("yamba abstract A { bitstring a; void f(void); bitstring b; }\n"
	      "yamba abstract B extends A { bitstring c; void f(void) { } bitstring a; }");
	expect_only(0);
	missing = kb_yamba_missing(&yamba, find("B"));
	assert_true(kb_span_is(missing[0]->name, "b") && kb_span_is(missing[1]->name, "c") &&
		kb_span_is(missing[2]->name, "a"));
	assert_null(missing[3]);
}

static void test_start(void **state)
{
	static const char *const settings[] = { "n=4K", "m=3" };

	(void)state;
	check("yamba A { param int n; param int m; } yamba X extends A { m = 2; }");
	kb_yamba_check_start(&yamba, find("X"), settings, 2);
	expect_only(0);
	kb_yamba_check_start(&yamba, find("X"), settings + 1, 1);
	expect_only(160);
}

/* A word is a constant of an enumeration, which `int` is not. */
static void test_start_words(void **state)
{
	static const char *const constant[] = { "e=UP" }, *const word[] = { "n=q" };

	(void)state;
	check("enum order { UP };\nyamba A { param int n = 1; param unsigned long u = 1; param enum order e = UP; }");
	kb_yamba_check_start(&yamba, find("A"), constant, 1);
	expect_only(0);
	kb_yamba_check_start(&yamba, find("A"), word, 1);
	expect_only(162);
}

/* ---- types ----------------------------------------------------------------------------------------------- */

static enum kb_sameness compare(const char *a, const char *b)
{
	struct kb_yamba_source x = { .path = "a", .text = a, .length = strlen(a) },
			 y = { .path = "b", .text = b, .length = strlen(b) };
	struct kb_typed s = { &x, { a, x.length }, NULL }, t = { &y, { b, y.length }, NULL };

	return kb_types_compare(&arena, s, t);
}

static void test_types(void **state)
{
	(void)state;
	assert_int_equal(compare("unsigned long int", "long unsigned"), KB_SAME);
	assert_int_equal(compare("const char *", "char const*"), KB_SAME);
	assert_int_equal(compare("int", "signed"), KB_SAME);
	assert_int_equal(compare("static inline int", "int"), KB_SAME);
	assert_int_equal(compare("int", "unsigned"), KB_SAME_BUT_SIGN);
	assert_int_equal(compare("char", "signed char"), KB_SAME_BUT_SIGN);
	assert_int_equal(compare("long", "long long"), KB_DIFFERENT);
	assert_int_equal(compare("int", "short int"), KB_DIFFERENT);
	assert_int_equal(compare("char *", "const char *"), KB_DIFFERENT);
	assert_int_equal(compare("char *", "char **"), KB_DIFFERENT);
	assert_int_equal(compare("char *const", "char *"), KB_DIFFERENT);
	assert_int_equal(compare("struct a", "struct b"), KB_DIFFERENT);
}

/* ---- messages -------------------------------------------------------------------------------------------- */

static char *printed(size_t limit)
{
	char *text;
	size_t length;
	FILE *out = open_memstream(&text, &length);

	kb_diagnostics_sort(&yamba.diagnostics);
	kb_diagnostics_print(out, &yamba.diagnostics, limit);
	fclose(out);
	return text;
}

static void test_message(void **state)
{
	char *text;

	(void)state;
	check("yamba X {\n\tconst char *s = \"\xc3\xa4\"; bitstring a { nothing }\n}");
	text = printed(10);
	assert_string_equal(text,
		"input.yamba:2:38: error Y125: there is no bitstring 'nothing' in this class or above\n"
		"    \tconst char *s = \"\xc3\xa4\"; bitstring a { nothing }\n"
		"    \t                                   ^\n"
		"    declare it: bitstring nothing;\n");
	free(text);
}

/* By place, though the parser and the checks find them in another order. */
static void test_order(void **state)
{
	char *text;

	(void)state;
	check("yamba X {\n bitstring a { b }\n int 4;\n bitstring c { d }\n int 5;\n}");
	text = printed(3);
	assert_int_equal(yamba.diagnostics.count, 4);
	for (size_t i = 0; i < 4; i++)
		assert_int_equal(yamba.diagnostics.list[i]->number, i % 2 ? 100 : 125);
	assert_non_null(strstr(text, "\nand 1 more\n"));
	free(text);
}

/* ---- limits ---------------------------------------------------------------------------------------------- */

/* Grows a text by a part that is repeated. */
static char *repeated(const char *before, const char *part, size_t count, const char *after)
{
	size_t length = strlen(before), each = strlen(part);
	char *text = malloc(length + count * each + strlen(after) + 1);

	memcpy(text, before, length);
	for (size_t i = 0; i < count; i++)
		memcpy(text + length + i * each, part, each);
	strcpy(text + length + count * each, after);
	return text;
}

/* As large as a file may be; it must end, in the memory that is allowed, and stay off the end of the stack. */
static void test_large(void **state)
{
	static const struct { const char *before, *part, *after;
	} texts[] = {
		{ "yamba X { bitstring a {", "if (1) {", "" },
		{ "yamba X { bitstring a { if (1) { }", "else if (1) { }", "} }" },
		{ "yamba X { bitstring a { asm {", "$(", "" },
		{ "yamba X { bitstring a { asm {", "yamba-", "" },
		{ "yamba X { void f(void) {", "(", "" },
		{ "", "yamba X {", "" },
		{ "yamba X { int a = ", "\"", "" },
		{ "yamba X { import(x86_64); bitstring a {", "x86_64.b ", "} }" },
		{ "int a;", "\nyamba ", "" },
		{ "yamba X {", "bitstring a { b }", "}" },
		{ "yamba X { bitstring a(", "int a, ", "int b) { le8(a) } }" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
		char *text = repeated(texts[i].before, texts[i].part, (KB_YAMBA_FILE_MAX - 200) / strlen(texts[i].part),
			texts[i].after);

		arena.limit = 128u << 20;
		check(text);
		free(printed(20));
		kb_arena_free(&arena);
		free(text);
	}
}

/* A chain of calls as long as the file, and classes that all see all of it. */
static void test_chain(void **state)
{
	char text[KB_YAMBA_FILE_MAX];
	size_t used = (size_t)snprintf(text, sizeof text, "yamba A {");

	(void)state;
	for (unsigned i = 0; i < 1200; i++)
		used += (size_t)snprintf(text + used, sizeof text - used, "bitstring b%u { b%u }", i, i + 1);
	used += (size_t)snprintf(text + used, sizeof text - used, "bitstring b1200 { } }");
	for (unsigned i = 0; i < 500; i++)
		used += (size_t)snprintf(
			text + used, sizeof text - used, "yamba C%u extends A { bitstring c { b0 } }", i);
	used += (size_t)snprintf(text + used, sizeof text - used, "yamba Last extends A { bitstring b1200 { b0 } }");
	arena.limit = 64u << 20;
	check(text);
	expect_only(121);
}

/* More than are kept: what is only counted stays a warning. */
static void test_many_warnings(void **state)
{
	char text[KB_YAMBA_FILE_MAX];
	size_t used = (size_t)snprintf(text, sizeof text, "yamba a { } yamba X { import(a);");

	(void)state;
	for (unsigned i = 0; i < 2100; i++)
		used += (size_t)snprintf(text + used, sizeof text - used, "void f%u(int a) { }", i);
	snprintf(text + used, sizeof text - used, "}");
	check(text);
	kb_diagnostics_sort(&yamba.diagnostics);
	assert_int_equal(yamba.diagnostics.count + yamba.diagnostics.dropped, 2100);
	assert_int_equal(kb_diagnostics_errors(&yamba.diagnostics), 0);
}

static jmp_buf full;

static void no_memory(struct kb_arena *unused)
{
	(void)unused;
	longjmp(full, 1);
}

static void test_no_memory(void **state)
{
	(void)state;
	arena = (struct kb_arena){ .limit = 64u << 10, .no_memory = no_memory };
	if (setjmp(full) == 0) {
		for (unsigned i = 0; i < 1000; i++)
			memset(kb_arena_take(&arena, 1000), 1, 1000);
		fail_msg("the limit does not hold");
	}
	assert_true(arena.taken <= 64u << 10);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(test_choose, clean),
		cmocka_unit_test_teardown(test_missing, clean),
		cmocka_unit_test_teardown(test_start, clean),
		cmocka_unit_test_teardown(test_start_words, clean),
		cmocka_unit_test_teardown(test_types, clean),
		cmocka_unit_test_teardown(test_message, clean),
		cmocka_unit_test_teardown(test_order, clean),
		cmocka_unit_test_teardown(test_large, clean),
		cmocka_unit_test_teardown(test_chain, clean),
		cmocka_unit_test_teardown(test_many_warnings, clean),
		cmocka_unit_test_teardown(test_no_memory, clean),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
