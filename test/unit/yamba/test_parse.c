/* Trees of Yamba: what the emitter will find in them, where foreign text ends, and what is kept of a wrong file. */
#include "yamba/front/yamba.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static struct kb_arena arena;
static struct kb_yamba yamba;

/* Files that are no files: each a name and a text. */
static const char *const (*files)[2];

static int read_files(struct kb_arena *unused, const char *path, const char **text, size_t *length)
{
	(void)unused;
	for (size_t i = 0; files && files[i][0]; i++) {
		if (strcmp(files[i][0], path) == 0) {
			*text = files[i][1];
			*length = strlen(*text);
			return 0;
		}
	}
	return -ENOENT;
}

static void read_text(const char *text)
{
	kb_yamba_start(&yamba, &arena);
	yamba.read = read_files;
	kb_yamba_add_text(&yamba, "folder/input.yamba", text, strlen(text), false);
	kb_yamba_resolve(&yamba);
	kb_diagnostics_sort(&yamba.diagnostics);
}

/* The members of the only class of a file without errors. */
static const struct kb_member *members(const char *text)
{
	read_text(text);
	if (yamba.diagnostics.count)
		fail_msg("Y%u: %s", yamba.diagnostics.list[0]->number, yamba.diagnostics.list[0]->cause);
	assert_int_equal(yamba.class_count, 1);
	return yamba.classes[0]->members;
}

static void expect_span(struct kb_span span, const char *text)
{
	if (!kb_span_is(span, text))
		fail_msg("'%.*s' is not '%s'", (int)span.length, span.at, text);
}

static int clean(void **state)
{
	(void)state;
	kb_arena_free(&arena);
	files = NULL;
	return 0;
}

/* ---- trees ----------------------------------------------------------------------------------------------- */

static void test_data(void **state)
{
	const struct kb_member *m = members("yamba abstract X { param unsigned int n = 4 * (2, 3); // how many\n"
					    "/* all of\n them */\nconst char *const a[2] = { \";\", \"}\" };\n\n// "
					    "far\n\nint f(int b, char *);\n}");

	(void)state;
	assert_true(m->param && m->kind == KB_MEMBER_DATA);
	expect_span(m->name, "n");
	expect_span(m->type, "unsigned int n");
	expect_span(m->init, "4 * (2, 3)");
	expect_span(m->comment, "// how many");
	m = m->next;
	assert_false(m->param);
	expect_span(m->name, "a");
	expect_span(m->type, "const char *const a[2]");
	expect_span(m->init, "{ \";\", \"}\" }");
	expect_span(m->comment, "/* all of\n them */");
	m = m->next;
	assert_true(m->kind == KB_MEMBER_FUNCTION && m->abstract && m->parameter_count == 2);
	expect_span(m->type, "int");
	expect_span(m->parameters->name, "b");
	assert_int_equal(m->parameters->next->name.length, 0);
	assert_int_equal(m->comment.length, 0);
	assert_null(m->next);
}

static void test_entry(void **state)
{
	const struct kb_member *m =
		members("yamba X { bitstring<const char *g(byte_t **first, int (*f)(int x))> e(unsigned m, size_t) "
			"{ a b(1, (2)) X.c super.d(\")\") } }");
	const struct kb_item *item = m->items;

	(void)state;
	assert_int_equal(m->kind, KB_MEMBER_ENTRY);
	expect_span(m->signature_type, "const char *");
	expect_span(m->signature, "const char *g(byte_t **first, int (*f)(int x))");
	expect_span(m->signature_parameters->name, "first");
	expect_span(m->signature_parameters->next->name, "f");
	assert_int_equal(m->parameter_count, 2);
	expect_span(m->parameters->text, "unsigned m");
	assert_true(!item->c_text[0].at && item->reference.qualifier.length == 0);
	item = item->next;
	expect_span(item->c_text[0], "1, (2)");
	expect_span(item->text, "b(1, (2))");
	item = item->next;
	expect_span(item->reference.qualifier, "X");
	expect_span(item->reference.name, "c");
	item = item->next;
	expect_span(item->reference.qualifier, "super");
	expect_span(item->c_text[0], "\")\"");
	assert_null(item->next);
}

static void test_asm(void **state)
{
	static const char text[] =
		"yamba X { bitstring a(int n) { 0x48_8B05; asm { @top: mov eax, [rbx + $(8 * (n + ')'))]\n"
		"jmp @top // @no }\n call foo@PLT; vaddps zmm1 {k1}, zmm2, $(\"}\"[0]) } align(8 * 2) } }";
	const struct kb_item *item = members(text)->items, *assembly = item->next;
	const struct kb_asm_label *label = assembly->assembly.labels;
	const struct kb_asm_hole *hole = assembly->assembly.holes;

	(void)state;
	assert_int_equal(item->kind, KB_ITEM_HEX);
	expect_span(item->text, "0x48_8B05");
	assert_int_equal(assembly->kind, KB_ITEM_ASM);
	expect_span(label->name, "top");
	assert_true(label->defines && !label->next->defines && !label->next->next);
	expect_span(label->next->text, "@top");
	expect_span(hole->text, "$(8 * (n + ')'))");
	expect_span(hole->expression, "8 * (n + ')')");
	expect_span(hole->next->expression, "\"}\"[0]");
	assert_null(hole->next->next);
	expect_span(assembly->next->c_text[0], "8 * 2");
}

static void test_blocks(void **state)
{
	const struct kb_item *item =
		members("yamba X { bitstring a(int n) { unroll(int i = \";\"[0]; i < (n); i++, n--) { le8(i) } "
			"if (n) { } else if (n > 1) { le8(2) } else { le8(3) le8(4) } } }")
			->items;

	(void)state;
	assert_int_equal(item->kind, KB_ITEM_UNROLL);
	expect_span(item->c_text[0], "int i = \";\"[0]");
	expect_span(item->c_text[1], " i < (n)");
	expect_span(item->c_text[2], " i++, n--");
	assert_non_null(item->body);
	item = item->next;
	assert_int_equal(item->kind, KB_ITEM_IF);
	assert_null(item->body);
	item = item->otherwise;
	expect_span(item->c_text[0], "n > 1");
	expect_span(item->body->text, "le8(2)");
	expect_span(item->otherwise->next->text, "le8(4)");
}

/* Each is one function with this body, in front of another member that must be found. */
static void test_c_text(void **state)
{
	static const char *const bodies[] = {
		"return '}';",
		"return \"}\\\"}\"[0];",
		"/* } */ // }\n",
		"// } \\\n }\n",
		"\n#error don't }\n",
		"\n#error don't /* }\n } */\n",
		"\n#define A \\\n }\n",
		"\n#define A \"/*\"\n",
		"\n#define A /* }\n } */ {\n",
		"1'000; 0x1'0'0; 'x';",
		"R\"(}\")\" ;",
		"u8R\"a(})\" )a\";",
		"\"\\\n}\";",
		"{ } <% %>",
		"asm(\"...{\");",
		"'\\'' ; '\"';",
		"\r\n#if 0 // {\r\n",
		"L\"}\" u'}'",
		"a /*/ } */ b",
	};

	(void)state;
	for (size_t i = 0; i < sizeof bodies / sizeof bodies[0]; i++) {
		char text[200];
		const struct kb_member *m;

		snprintf(text, sizeof text, "yamba X { void f(void) {%s} int last; }", bodies[i]);
		m = members(text);
		expect_span(m->body, bodies[i]);
		expect_span(m->next->name, "last");
		kb_arena_free(&arena);
	}
}

static void test_top_level(void **state)
{
	const struct kb_yamba_source *source;

	(void)state;
	read_text("#include <x.h>\nint yamba;\nyamba A { }\nstatic int f(void) { yamba B; }\nyamba C { };\n");
	source = yamba.sources;
	assert_int_equal(yamba.diagnostics.count, 0);
	assert_int_equal(yamba.class_count, 2);
	expect_span(source->texts->text, "#include <x.h>\nint yamba;");
	expect_span(source->texts->next->text, "static int f(void) { yamba B; }");
	assert_null(source->texts->next->next);
	kb_arena_free(&arena);
	/* A byte order mark is no letter of the first word. */
	read_text("\xef\xbb\xbfyamba A { }");
	assert_int_equal(yamba.class_count, 1);
}

/* ---- files ----------------------------------------------------------------------------------------------- */

static void test_transclude(void **state)
{
	static const char *const virtual[][2] = {
		{ "folder/a.yamba", "#transclude \"../folder/./b.yamba\"\nyamba A extends B { }" },
		{ "folder/b.yamba", "#transclude \"a.yamba\"\nyamba B { }" }, { NULL, NULL },
	};

	(void)state;
	files = virtual;
	read_text("#transclude \"a.yamba\"\n#transclude \"b.yamba\"\nyamba X extends A { }");
	assert_int_equal(yamba.source_count, 3);
	assert_int_equal(yamba.class_count, 3);
	assert_int_equal(yamba.diagnostics.count, 1);
	assert_int_equal(yamba.diagnostics.list[0]->number, 104);
	assert_string_equal(yamba.diagnostics.list[0]->at.source->path, "folder/b.yamba");
}

/* A class of the file goes before one of the library, without a word. */
static void test_shipped(void **state)
{
	static const char mine[] = "yamba X { int mine; }",
			  theirs[] = "yamba X { int theirs; } yamba Y { bitstring a { b } }";

	(void)state;
	kb_yamba_start(&yamba, &arena);
	kb_yamba_add_text(&yamba, "mine", mine, strlen(mine), false);
	kb_yamba_add_text(&yamba, "theirs", theirs, strlen(theirs), true);
	kb_yamba_resolve(&yamba);
	assert_int_equal(yamba.class_count, 2);
	expect_span(yamba.classes[0]->members->name, "mine");
	/* What is wrong in the library is told to those who use it. */
	kb_yamba_check_class(&yamba, yamba.classes[0]);
	kb_diagnostics_sort(&yamba.diagnostics);
	assert_int_equal(yamba.diagnostics.count, 0);
	kb_yamba_check_class(&yamba, yamba.classes[1]);
	kb_diagnostics_sort(&yamba.diagnostics);
	assert_int_equal(yamba.diagnostics.count, 1);
	assert_int_equal(yamba.diagnostics.list[0]->number, 125);
}

/* ---- hostile --------------------------------------------------------------------------------------------- */

/* Every text that is cut off somewhere ends without a crash, and with something said where it is cut inside a class. */
static void test_cut(void **state)
{
	static const char text[] =
		"yamba X extends Y { import(x86_64); param int n = (4); bitstring<void f(int a)> e(int m) { 0x8B83 asm "
		"{ mov eax, $(n + '}') /* } */ \"}\" } unroll(int i = 0; i < 4; i++) { le8(i) } if (n) { } else { } } "
		"void f(void) { return; } }";

	(void)state;
	for (size_t length = 7; length < sizeof text - 1; length++) {
		kb_yamba_start(&yamba, &arena);
		kb_yamba_add_text(&yamba, "cut", text, length, false);
		if (yamba.diagnostics.count == 0)
			fail_msg("nothing is said of '%.*s'", (int)length, text);
		kb_yamba_resolve(&yamba);
		kb_arena_free(&arena);
	}
}

/* A byte that belongs nowhere, at every place. */
static void test_noise(void **state)
{
	static const char text[] = "yamba X { int a; bitstring b(int n) { le8(n) asm { nop } } void f(void) { } }";

	(void)state;
	for (size_t at = 0; at < sizeof text - 1; at++) {
		for (const char *noise = "}{)\"'#\\/\x80\x01@$"; *noise; noise++) {
			char noisy[sizeof text];

			memcpy(noisy, text, sizeof text);
			noisy[at] = *noise;
			read_text(noisy);
			for (size_t i = 0; i < yamba.class_count; i++)
				kb_yamba_check_class(&yamba, yamba.classes[i]);
			kb_arena_free(&arena);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(test_data, clean),
		cmocka_unit_test_teardown(test_entry, clean),
		cmocka_unit_test_teardown(test_asm, clean),
		cmocka_unit_test_teardown(test_blocks, clean),
		cmocka_unit_test_teardown(test_c_text, clean),
		cmocka_unit_test_teardown(test_top_level, clean),
		cmocka_unit_test_teardown(test_transclude, clean),
		cmocka_unit_test_teardown(test_shipped, clean),
		cmocka_unit_test_teardown(test_cut, clean),
		cmocka_unit_test_teardown(test_noise, clean),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
