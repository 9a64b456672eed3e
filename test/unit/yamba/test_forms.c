/* Templates of instructions: which forms and measures come of them, what the instructions look like, and what a wrong line is told. */
#include "yamba/forms/forms.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct kb_arena arena;
static struct kb_forms forms;

#define HEAD                                                                                                              \
	"frame none\n"                                                                                                    \
	"register r32 g 32 r8d r9d r10d constant edx\n"                                                                   \
	"register r64 g 64 r8 r9 r10 constant rdx\n"                                                                      \
	"register xmm v 128 xmm0 xmm1 constant xmm15 xmm14 needs sse9\n"                                                        \
	"memory m32 32 \"dword ptr [rbx + @]\" \"dword ptr [rbx + %]\"\n"                                                 \
	"memory m64 64 \"qword ptr [rbx + @]\" \"qword ptr [rbx + %]\"\n"                                                 \
	"value i8 3\n"                                                                                                    \
	"group q r32 r64\n"                                                                                               \
	"group mq m32 m64\n"

static bool read_forms(const char *text)
{
	kb_arena_free(&arena);
	return kb_forms_read(&forms, &arena, "x.forms", text);
}

static const char *names(void)
{
	static char text[2000];
	size_t used = 0;

	text[0] = '\0';
	for (const struct kb_form_measure *measure = forms.measures; measure; measure = measure->next)
		used += (size_t)snprintf(text + used, sizeof text - used, "%s%s", used ? " " : "", measure->name);
	return text;
}

static void measures(void **state)
{
	(void)state;
	assert_true(read_forms(HEAD "add : +q q\nneeds bmi9\nandn : =q q mq # comment\n"));
	assert_int_equal(forms.form_count, 4);
	kb_forms_have(&forms, "sse2 bmi8");
	kb_forms_measures(&forms);
	assert_string_equal(names(), "add_r32_r32:1-1 add_r32_r32:2-1 add_r32_r32:throughput add_r64_r64:1-1 add_r64_r64:2-1 add_r64_r64:throughput");
	kb_arena_free(&arena);
	assert_true(read_forms(HEAD "andn : =r64 r64 m64\nadd : +m64 r64\nmov : =m64 r64\n"));
	kb_forms_have(&forms, "");
	kb_forms_measures(&forms);
	assert_string_equal(names(), "andn_r64_r64_m64:a-1 andn_r64_r64_m64:2-1 andn_r64_r64_m64:throughput add_m64_r64:1-1 add_m64_r64:throughput "
				     "mov_m64_r64:throughput");
}

/* Between register files nothing leads, and what a kind needs is needed by the form. */
static void kinds(void **state)
{
	(void)state;
	assert_true(read_forms(HEAD "movq : =xmm r64\n"));
	kb_forms_have(&forms, "sse2");
	kb_forms_measures(&forms);
	assert_null(forms.measures);
	kb_forms_have(&forms, "sse2 sse9");
	kb_forms_measures(&forms);
	assert_string_equal(names(), "movq_xmm_r64:throughput");
}

/* The lines of a block of the program. */
static void expect_block(const char *measure, const char *lines)
{
	char mark[80], *program;
	size_t length;
	FILE *out = open_memstream(&program, &length);
	const char *at;

	kb_forms_program(out, &forms, "X");
	fclose(out);

	snprintf(mark, sizeof mark, "// %s\n", measure);
	at = strstr(program, mark);
	assert_non_null(at);
	at = strstr(at, "asm {\n") + 6;
	if (strncmp(at, lines, strlen(lines)))
		fail_msg("%s: %.200s", measure, at);
	free(program);
}

static void instructions(void **state)
{
	(void)state;
	assert_true(read_forms(HEAD "add : +q q\nimul : =q q i8\nadd : +q mq\nadd : +mq q\n"));
	kb_forms_have(&forms, "");
	kb_forms_measures(&forms);
	expect_block("add_r64_r64:1-1", "\t\t\tadd r8, rdx\n\t\t\tadd r8, rdx\n");
	expect_block("add_r64_r64:2-1", "\t\t\tadd r8, r9\n\t\t\tadd r9, r8\n\t\t\tadd r8, r9\n");
	expect_block("add_r32_r32:throughput", "\t\t\tadd r8d, edx\n\t\t\tadd r9d, edx\n\t\t\tadd r10d, edx\n\t\t\tadd r8d, edx\n");
	expect_block("imul_r64_r64_i8:2-1", "\t\t\timul r8, r9, 3\n\t\t\timul r9, r8, 3\n");
	expect_block("add_r32_m32:a-1", "\t\t\tadd r8d, dword ptr [rbx + r8]\n\t\t\tadd r8d, dword ptr [rbx + r8]\n");
	expect_block("add_r32_m32:throughput", "\t\t\tadd r8d, dword ptr [rbx + 0]\n\t\t\tadd r9d, dword ptr [rbx + 0]\n");
	expect_block("add_m64_r64:1-1", "\t\t\tadd qword ptr [rbx + 0], rdx\n\t\t\tadd qword ptr [rbx + 0], rdx\n");
	expect_block("add_m64_r64:throughput", "\t\t\tadd qword ptr [rbx + 0], rdx\n\t\t\tadd qword ptr [rbx + 8], rdx\n");
	assert_true(read_forms(HEAD "vpxor : =xmm xmm xmm\n"));
	kb_forms_have(&forms, "sse9");
	kb_forms_measures(&forms);
	expect_block("vpxor_xmm_xmm_xmm:throughput", "\t\t\tvpxor xmm0, xmm15, xmm14\n\t\t\tvpxor xmm1, xmm15, xmm14\n");
	expect_block("vpxor_xmm_xmm_xmm:3-1", "\t\t\tvpxor xmm0, xmm15, xmm1\n\t\t\tvpxor xmm1, xmm15, xmm0\n");
	assert_true(read_forms(HEAD "xchg : +r64 +r64\n"));
	kb_forms_have(&forms, "");
	kb_forms_measures(&forms);
	expect_block("xchg_r64_r64:throughput", "\t\t\txchg r8, r9\n\t\t\txchg r10, r8\n");
}

static void expect_error(const char *text, const char *error)
{
	assert_false(read_forms(text));
	assert_string_equal(forms.error, error);
}

static void errors(void **state)
{
	(void)state;
	expect_error("frame f\nregister r8 g\n", "x.forms:2: a register is: register NAME FILE BITS WRITTEN... constant READ...; the file is one letter");
	expect_error("frame f\nregister r8 g 8 al\n",
		     "x.forms:2: the register r8 needs registers that are written, and behind 'constant' some that are not");
	expect_error("frame f\nmemory m 8 \"[rbx]\" \"[rbx]\"\n", "x.forms:2: the second address of m needs a % for the register that it waits for");
	expect_error("frame f\nadd : +r9\n", "x.forms:2: there is no kind and no group 'r9'");
	expect_error("frame f\ngroup q r9\n", "x.forms:2: there is no kind 'r9'; kinds stand above the groups");
	expect_error("frame f\nad r8 r8\n", "x.forms:2: 'ad' begins no line; write 'INSTRUCTION... : OPERAND ...', or frame, register, memory, "
					     "value, group, needs, pipes or dispatch");
	expect_error(HEAD "add : +q q\nadd : +r32 r32\n", "x.forms:11: add_r32_r32 is there already, by line 10");
	expect_error(HEAD "group w r32\nadd : +q q\nsub : +q w\n", "x.forms:12: the groups of a template are taken in step; 'w' has 1 kinds, the one before 2");
	expect_error(HEAD "group w r32\nsub : +w q\n", "x.forms:11: the groups of a template are taken in step; 'q' has 2 kinds, the one before 1");
	expect_error(HEAD "add : r32 r32 r32 r32 r32\n", "x.forms:10: an instruction has at most 4 operands");
	expect_error("# nothing\n", "x.forms:1: a file of templates needs a 'frame CLASS' and templates");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(measures), cmocka_unit_test(kinds), cmocka_unit_test(instructions), cmocka_unit_test(errors),
	};
	int failed = cmocka_run_group_tests(tests, NULL, NULL);

	kb_arena_free(&arena);
	return failed;
}
