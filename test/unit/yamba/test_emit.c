/* From classes to C text: names, places, and what the assembler says. What the text does when it is compiled is in
   test/integration/yamba/build.sh. */
#define _GNU_SOURCE
#include "yamba/emit/emit.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct kb_arena arena;
static struct kb_yamba yamba;
static struct kb_assembly assembly;
static char *output;

static int clean(void **state)
{
	(void)state;
	kb_assemble_free(&assembly);
	kb_arena_free(&arena);
	arena = (struct kb_arena){ 0 };
	free(output);
	output = NULL;
	return 0;
}

static struct kb_yamba_class *check(const char *text, const char *name)
{
	struct kb_yamba_class *class;

	kb_yamba_start(&yamba, &arena);
	kb_yamba_add_text(&yamba, "input.yamba", text, strlen(text), false);
	kb_yamba_resolve(&yamba);
	class = kb_yamba_find(&yamba, (struct kb_span){ name, strlen(name) });
	assert_non_null(class);
	kb_yamba_check_class(&yamba, class);
	kb_diagnostics_sort(&yamba.diagnostics);
	kb_diagnostics_print(stdout, &yamba.diagnostics, 9);
	assert_int_equal(kb_diagnostics_errors(&yamba.diagnostics), 0);
	return class;
}

/* Of a program without asm, which needs no assembler. */
static void emit(const char *text, const struct kb_emit_options *options)
{
	struct kb_yamba_class *class = check(text, "P");
	size_t length;
	FILE *file = open_memstream(&output, &length);

	assert_int_equal(kb_yamba_assemble(&yamba, class, &assembly), 0);
	kb_yamba_emit(file, &yamba, class, &assembly, options);
	assert_int_equal(fclose(file), 0);
}

static void emit_plain(const char *text)
{
	static const struct kb_emit_options options = { 0 };

	emit(text, &options);
}

static void has(const char *text)
{
	if (!strstr(output, text))
		fail_msg("lacks %s in\n%s", text, output);
}

static void lacks(const char *text)
{
	if (strstr(output, text))
		fail_msg("has %s in\n%s", text, output);
}

#define has_all(...) each(has, (const char *const[]){ __VA_ARGS__, NULL })
#define lacks_all(...) each(lacks, (const char *const[]){ __VA_ARGS__, NULL })

static void each(void (*judge)(const char *text), const char *const *texts)
{
	while (*texts)
		judge(*texts++);
}

/* ---- names ----------------------------------------------------------------------------------------------- */

#define OTHER "yamba linux { int faults; int twice(int n) { return 2 * n; }\n" \
	"bitstring<int c(int x)> f(int n) { }\n"

static void test_imported(void **state)
{
	(void)state;
	emit_plain(OTHER "}\nyamba P { import(linux);\n"
		"int a(void) { linux.f_t g = linux . f(1); return linux/* b */.twice(linux\n.faults) + g(1); } }\n");
	has("{ y_linux__f_t g = y_linux__f(1); return y_linux__twice(y_linux__faults) + g(1); }");
	has("static int y_linux__faults __attribute__((unused));");
	has("static y_linux__f_t y_linux__f(int n)");
}

/* gcc defines the word as 1. */
static void test_no_bare_linux(void **state)
{
	(void)state;
	emit_plain(OTHER "}\nyamba P { import(linux); int a(void) { return linux.twice(2); } }\n");
	for (const char *at = output; (at = strstr(at, "linux")); at++)
		assert_true(at[-1] == '_' || at[-1] == '"');
}

static void test_not_rewritten(void **state)
{
	(void)state;
	emit_plain(OTHER "}\nyamba P { import(linux); int faults; void a(void) {\n"
		"#define Z linux.faults\n"
		"puts(\"linux.faults\"); /* linux.faults */ // linux.faults\n"
		"x.linux.faults = '.'; p->linux.faults = 2; } }\n");
	has("#define Z linux.faults\n");
	has("puts(\"linux.faults\"); /* linux.faults */ // linux.faults\n");
	has("x.linux.faults = '.'; p->linux.faults = 2; }");
}

/* A local that hides the import is a structure of C (Y124). */
static void test_shadowed(void **state)
{
	(void)state;
	emit_plain(OTHER "}\nyamba P { import(linux); int a(void) { int b = linux.faults; struct s linux; return linux.faults; }\n"
		"int c(struct s linux) { return linux.faults; } bitstring d(struct s linux) { le8(linux.faults) } }\n");
	has("KB_VALUE((linux.faults))");
	has("{ int b = y_linux__faults; struct s linux; return linux.faults; }");
	has("c(struct s linux) { return linux.faults; }");
}

/* Bare names of an imported class mean its own members, but no fields and tags. */
static void test_inner_names(void **state)
{
	(void)state;
	emit_plain(OTHER "struct faults { int faults; } *where; void fill(f_t g) { struct { int faults, n; } s = { .faults = 1 };\n"
		"where->faults = s.faults + faults; struct faults *twice_ = where; twice(twice_->faults); f_t h = f(3); } }\n"
		"yamba P { import(linux); int faults; int n; }\n");
	has("struct faults { int faults; } *y_linux__where __attribute__((unused));");
	has("y_linux__fill(y_linux__f_t g) { struct { int faults, n; } s = { .faults = 1 };");
	has("y_linux__where->faults = s.faults + y_linux__faults; struct faults *twice_ = y_linux__where; "
	    "y_linux__twice(twice_->faults); y_linux__f_t h = y_linux__f(3);");
}

static void test_super_and_virtual(void **state)
{
	(void)state;
	emit_plain("yamba x86_64 { }\n"
		"yamba abstract A { import(x86_64); int one = 1; int two(void) { return three(); } int three(void) { return 3; }\n"
		"bitstring b { 0x90 } bitstring<void c(void)> e { b } }\n"
		"yamba P extends A { one = 11; int three(void) { return super.three() + one; } bitstring b { super.b 0xCC } }\n");
	has("static int one __attribute__((unused)) =\n#line 4 \"input.yamba\"\n");
	has("11;\n");
	has("int y_P__A__three(void) { return 3; }");
	has("int three(void) { return y_P__A__three() + one; }");
	has("int two(void) { return three(); }");
	has("y_bits_P__A__b(y_bits);\n");
	has("0xCC,");
}

/* A definition that was replaced is there for those that call it, and only if they are there themselves. */
static void test_replaced(void **state)
{
	(void)state;
	emit_plain("yamba x86_64 { }\n"
		"yamba abstract A { import(x86_64); int f(void) { return 10; } int g(void) { return 20; } int h(void) { return 30; }\n"
		"bitstring b { 0x90 } bitstring c { 0x91 } bitstring<void x(void)> e { b } }\n"
		"yamba abstract B extends A { int f(void) { return super.f() + 11; } int g(void) { return super.g() + 21; }\n"
		"bitstring b { super.b } bitstring<void x(void)> e { super.e } }\n"
		"yamba P extends B { int f(void) { return super.f() + 12; } int g(void) { return 22; } int h(void) { return 32; }\n"
		"bitstring b { super.b } bitstring c { 0xCC } bitstring<void x(void)> e { 0xCD } }\n");
	has_all("int y_P__A__f(void) { return 10; }",
		"int y_P__B__f(void) { return y_P__A__f() + 11; }",
		"int f(void) { return y_P__B__f() + 12; }");
	lacks_all("return 20;",
		"+ 21;",
		"return 30;",
		"__g(");
	has("static void y_bits_P__A__b(struct kb_bits *y_bits)\n{");
	has("static void y_bits_P__B__b(struct kb_bits *y_bits)\n{");
	lacks_all("0x91,",
		"__c(",
		"__e(");
}

static void test_circle(void **state)
{
	(void)state;
	emit_plain("yamba a { import(b); int x(void) { return b.y(); } }\nyamba b { import(a); int y(void) { return a.x(); } }\n"
		"yamba P { import(a); int z(void) { return a.x(); } }\n");
	has("y_a__x(void) { return y_b__y(); }");
	has("y_b__y(void) { return y_a__x(); }");
}

/* ---- params ---------------------------------------------------------------------------------------------- */

static void test_params(void **state)
{
	(void)state;
	emit("enum kind { ONE, TWO = 5, THREE };\ntypedef enum { FOUR } other_t;\n/* What it costs. And more. */\n"
		"yamba P { param enum kind k = TWO; /* which */ param other_t o; param unsigned long long big = 0x10uLL;\n"
		"param const int small = -3; param double d = 0.5; param char *word = \"a\"; const char word_values[] = \"a,b;c\";\n"
		"const char per[] = \"fault\"; const char dummy[] = \"half\"; const char suite[] = \"standard\"; void benchmark(void) { } void before(void) { } }\n",
		&(struct kb_emit_options){ .benchmark = true });
	has_all("static const struct kb_yamba_constant y_constants_k[] = {\n\t{ \"ONE\", ONE },\n\t{ \"TWO\", TWO },\n\t{ \"THREE\", THREE },\n",
		"y_constants_o[] = {\n\t{ \"FOUR\", FOUR },\n",
		".summary = \"which\"",
		".set = 1, .at = (void *)&k, .constants = y_constants_k,",
		".set = 0, .at = (void *)&o,",
		"static int small __attribute__((unused)) =\n",
		"{ .name = \"k\", .summary = \"which\", .kind = KB_TEXT, .values = \"TWO\"",
		"{ .name = \"o\", .summary = \"\", .kind = KB_TEXT, .values = \"default\"",
		".kind = KB_SIZE, .values = \"16\"",
		"{ .name = \"small\", .summary = \"\", .kind = KB_TEXT, .values = \"-3\"",
		".kind = KB_TEXT, .values = \"0.5\"",
		".kind = KB_CHOICE, .values = \"a,b;c\", .choices = \"a,b,c\"",
		".summary = \"What it costs\",\n\t.per = \"fault\", .suite = KB_STANDARD,",
		".method = KB_PAIRED,\n\t.half_base = true,",
		".before = y_before,",
		".base = y_base,\n");
	lacks(".check = ");
}

/* Declared again below, it is still one param, with the value of the last declaration. */
static void test_param_again(void **state)
{
	const char *at;

	(void)state;
	emit_plain("yamba abstract A { param int n = 1; // how many\n}\nyamba P extends A { param int n = 2; }\n");
	at = strstr(output, "{ .name = \"n\"");
	assert_non_null(at);
	assert_null(strstr(at + 1, "{ .name = \"n\""));
	has("{ .name = \"n\", .summary = \"how many\",\n\t  .class_name = \"A\"");
	has("static int n __attribute__((unused)) =\n#line 3 ");
	lacks("static int n __attribute__((unused)) =\n#line 1 ");
}

/* ---- the header ------------------------------------------------------------------------------------------ */

/* Types and lines of the preprocessor; functions and objects exist once, in the C text. */
static void test_header(void **state)
{
	struct kb_yamba_class *class = check("#include <stdio.h>\ntypedef struct { int a; } a_t; struct b { int b; };\n"
		"enum c { D }; struct e;\nstatic int f(void) { return 1; }\nstruct b g(int h) { }\nint i = 3; static struct b j = { 1 }; struct { int k; } l;\n"
		"yamba P { bitstring<void c(a_t *)> entry(struct b x, int y) { } }\n", "P");
	size_t length;
	FILE *file = open_memstream(&output, &length);

	(void)state;
	kb_yamba_emit_header(file, &yamba, class);
	assert_int_equal(fclose(file), 0);
	has("#include <stdio.h>\n");
	has("typedef struct { int a; } a_t;\nstruct b { int b; };\nenum c { D };\nstruct e;\n");
	lacks_all("return 1",
		" g(int",
		"int i",
		"j = ",
		"int k;");
	has_all("typedef void (*entry_t)(a_t *);\n",
		"struct yamba_P {\n\tentry_t (*entry)(struct b x, int y);\n",
		"extern const struct yamba_P P;\n");
}

static void test_constant(void **state)
{
	(void)state;
	emit("yamba P { bitstring<void c(void)> entry { } }\n", &(struct kb_emit_options){ .exported = true });
	has("const struct yamba_P P = {\n\t.entry = entry,\n\t.program = &y_program,\n};\n");
}

/* ---- places ---------------------------------------------------------------------------------------------- */

static const char placed[] = "#include <stdint.h>\n"
	"yamba x86_64 { bitstring le(int v) { le32(v\n\t+ 1) } }\n"
	"yamba P {\n"
	"\timport(x86_64);\n"
	"\tint\tx = 3; int far(int a,\n\t\tint b)\n\t{\n\t\treturn a + b; }\n"
	"\tbitstring b(int n) { unroll(int i = 0; i < n; i++) { if (i > 2) { x86_64.le(i * n) } else { 0x9090 } } align(16) }\n"
	"\tbitstring<int c(int)> e(const int n, unsigned char *p) { b(n) }\n"
	"}\n";

/* The text of a line of the source. */
static const char *source_line(unsigned number, size_t *length)
{
	const char *at = placed;

	for (unsigned line = 1; line < number; line++)
		at = strchr(at, '\n') + 1;
	*length = strcspn(at, "\n");
	return at;
}

/* What follows a #line of the source stands there in the source; one of the C text says where it is itself. */
static void test_lines(void **state)
{
	unsigned line = 0, said, tried = 0;
	char path[64];

	(void)state;
	emit(placed, &(struct kb_emit_options){ .name = "out.c", .line = 100 });
	for (char *at = output, *end; (end = strchr(at, '\n')); at = end + 1) {
		line++;
		*end = '\0';
		if (sscanf(at, "#line %u \"%63[^\"]\"", &said, path) != 2)
			continue;
		if (!strcmp(path, "out.c"))
			assert_int_equal(said, 100 + line);
		else
			assert_string_equal(path, "input.yamba");
		tried++;
	}
	assert_true(tried > 20);
}

static void test_prefix(void **state)
{
	(void)state;
	emit(placed, &(struct kb_emit_options){ .prefix = "up/" });
	has("#line 1 \"up/input.yamba\"\n");
	has(".file = \"up/input.yamba\"");
	lacks("\"input.yamba\"");
}

/* Columns agree, too, with tabs as they are. */
static void test_columns(void **state)
{
	static const struct { unsigned line; const char *text; } parts[] = {
		{ 2, "v\n" }, { 6, "int far(int a,\n" }, { 10, "i < n" }, { 10, "i > 2" }, { 10, "i * n" }, { 10, "16" }, { 11, "n" } };

	(void)state;
	emit_plain(placed);
	for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
		char mark[48];
		size_t length;
		const char *line = source_line(parts[i].line, &length), *at = output;
		bool found = false;

		snprintf(mark, sizeof mark, "#line %u \"input.yamba\"\n", parts[i].line);
		while (!found && (at = strstr(at, mark))) {
			size_t words = strlen(parts[i].text);

			at += strlen(mark);
			for (size_t column = 0; column < length && !found && at[column] != '\n'; column++)
				found = !strncmp(at + column, parts[i].text, words) && !strncmp(line + column, parts[i].text, words);
		}
		if (!found)
			fail_msg("%s of line %u stands in another column:\n%s", parts[i].text, parts[i].line, output);
	}
}

/* ---- what the assembler says ----------------------------------------------------------------------------- */

static void expect(const char *body, unsigned number, unsigned line, unsigned column)
{
	char *text;
	unsigned found_line, found_column;
	struct kb_yamba_class *class;
	int result;

	assert_true(asprintf(&text, "yamba x86_64 { }\nyamba P { import(x86_64);\n%s\n}\n", body) > 0);
	class = check(text, "P");
	result = kb_yamba_assemble(&yamba, class, &assembly);
	kb_diagnostics_sort(&yamba.diagnostics);
	if (result == -ENOSYS) {
		assert_int_equal(yamba.diagnostics.list[0]->number, 201);
		free(text);
		clean(NULL);
		skip();
	}
	kb_diagnostics_print(stdout, &yamba.diagnostics, 9);
	assert_int_equal(result, -EINVAL);
	assert_int_equal(yamba.diagnostics.count, 1);
	assert_int_equal(yamba.diagnostics.list[0]->number, number);
	kb_place_find(yamba.diagnostics.list[0]->at, &found_line, &found_column);
	assert_int_equal(found_line, line);
	assert_int_equal(found_column, column);
	free(text);
	clean(NULL);
}

/* An error in a base or an import, which the check of the program alone does not see. */
static void test_checks_all(void **state)
{
	struct kb_yamba_class *class =
		check("yamba i { bitstring c { none } }\nyamba A { bitstring b { nothing } }\nyamba P extends A { import(i); }\n", "P");

	(void)state;
	assert_int_equal(kb_yamba_assemble(&yamba, class, &assembly), -EINVAL);
	kb_diagnostics_sort(&yamba.diagnostics);
	assert_int_equal(yamba.diagnostics.count, 2);
	assert_int_equal(yamba.diagnostics.list[0]->number, 125);
	assert_int_equal(yamba.diagnostics.list[1]->number, 125);
}

static void test_messages(void **state)
{
	(void)state;
	expect("bitstring a { asm { nop\n\t  bogus rax\n} asm { nop } }", 200, 4, 4);
	expect("bitstring a { asm { .data; .byte 1; .text } }", 210, 3, 21);
	expect("bitstring a { 0x90 asm { nop; .balign 8 } }", 211, 3, 31);
	expect("bitstring a { asm { nop }\nunroll(int i = 0; i < 3; i++) { if (i) { } else { asm { add rax, ebxx } } } }", 212, 4, 66);
	expect("bitstring a(int n) { asm { nop\nlea rax, [rip + $(n)] } }", 220, 4, 17);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(test_imported, clean),
		cmocka_unit_test_teardown(test_no_bare_linux, clean),
		cmocka_unit_test_teardown(test_not_rewritten, clean),
		cmocka_unit_test_teardown(test_shadowed, clean),
		cmocka_unit_test_teardown(test_inner_names, clean),
		cmocka_unit_test_teardown(test_super_and_virtual, clean),
		cmocka_unit_test_teardown(test_replaced, clean),
		cmocka_unit_test_teardown(test_circle, clean),
		cmocka_unit_test_teardown(test_params, clean),
		cmocka_unit_test_teardown(test_param_again, clean),
		cmocka_unit_test_teardown(test_header, clean),
		cmocka_unit_test_teardown(test_constant, clean),
		cmocka_unit_test_teardown(test_lines, clean),
		cmocka_unit_test_teardown(test_prefix, clean),
		cmocka_unit_test_teardown(test_columns, clean),
		cmocka_unit_test_teardown(test_checks_all, clean),
		cmocka_unit_test_teardown(test_messages, clean),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
