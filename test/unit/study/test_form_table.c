/* A table of forms: documented values of one processor among several, what is held against them, and what wrong lines are told. */
#include "study/forms.h"
#include "study/pipes_table.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct kb_arena arena;
static bool is_here(const char *processors)
{
	return !strcmp(processors, "Maker 6 7 9");
}

static const char known_text[] =
	"# a comment\n"
	"cpu old Maker 6 0 6\n"
	"cpu new Maker 6 7 9\n"
	"cpu other Maker 7 7 9\n"
	"source old of the old\n"
	"source new of the new # one\n"
	"why old latency * of the old\n"
	"why new latency add_* it is new\n"
	"pipes new P0,P1 add_* sub_r64\n"
	"cores old new\n"
	"add_r64 9/9 1/0.25\n"
	"sub_r64 - 1/-\n"
	"mul_r64 3/1 -\n";

static const char forms_text[] = "frame none\nregister r64 g 64 r8 r9 constant rdx\nadd sub mul : +r64\n";

static void known_values(void **state)
{
	struct kb_known known;

	(void)state;
	assert_true(kb_known_read(&known, &arena, "x.known", known_text, is_here));
	assert_string_equal(known.core, "new");
	assert_string_equal(known.source, "of the new ");
	assert_true(kb_known_of(&known, "add_r64")->latency == 1 && kb_known_of(&known, "add_r64")->throughput == 0.25);
	assert_true(isnan(kb_known_of(&known, "sub_r64")->throughput));
	assert_null(kb_known_of(&known, "mul_r64"));
	assert_string_equal(known.reasons->text, "it is new");
	assert_null(known.reasons->next);
	assert_string_equal(known.pipes->forms, "add_* sub_r64");
	kb_arena_free(&arena);
}

static void expect_error(const char *text, unsigned line)
{
	struct kb_known known;
	char begin[40];

	snprintf(begin, sizeof begin, "x.known:%u: ", line);
	assert_false(kb_known_read(&known, &arena, "x.known", text, is_here));
	assert_true(!strncmp(known.error, begin, strlen(begin)));
	kb_arena_free(&arena);
}

static void wrong_lines(void **state)
{
	(void)state;
	expect_error("add_r64 1/1\n", 1);       /* of which core? */
	expect_error("cpu new Maker 6 7 9\ncores new\nadd_r64 1\n", 3);
	expect_error("cpu new Maker 6 7 9\ncores new\nadd_r64 x/1\n", 3);
	expect_error("cpu new Maker six 7 9\n", 1);
	expect_error("cpu new Maker 6 7 9\nwhy new cost add_* it is\n", 2);
}

static struct kb_result *result_of(double cycles, enum kb_bound bound)
{
	struct kb_result *result = kb_arena_take(&arena, sizeof *result);

	result->bound = bound;
	result->estimate_cycles = (struct kb_estimate){ cycles, 0.99 * cycles, 1.01 * cycles, true, true };
	return result;
}

/* add: 1.02 of 1 and 0.3 of 0.25; sub: renamed. */
static void table(void **state)
{
	const struct kb_result *results[8] = { NULL };
	struct kb_form_table made;
	struct kb_forms forms;
	struct kb_known known;
	struct kb_result *renamed;
	char *text, cell[KB_FORM_CELL];
	size_t length;
	FILE *out;

	(void)state;
	assert_true(kb_known_read(&known, &arena, "x.known", known_text, is_here) && kb_forms_read(&forms, &arena, "x.forms", forms_text));
	kb_forms_have(&forms, "a b");
	kb_forms_measures(&forms);
	assert_int_equal(forms.measure_count, 6);
	results[0] = result_of(1.02, KB_LATENCY);
	results[1] = result_of(0.3, KB_ISSUE);
	results[2] = renamed = result_of(0.1, KB_LATENCY);
	kb_verdict_add(&renamed->verdict, KB_CODE_dead_code, NULL);
	kb_form_table_make(&made, &forms, results, &known);
	assert_int_equal(made.count, 2);
	assert_null(made.lines[0].why_latency);
	assert_string_equal(made.lines[0].why_throughput, "nobody knows why");
	assert_int_equal(made.latency.rows, 1);  /* what is renamed has no latency to compare */
	assert_int_equal(made.latency.near, 0);
	assert_int_equal(made.throughput.ok, 1);
	assert_string_equal(kb_form_cell(cell, results[0]), "1.020 ±1.0 %");
	assert_string_equal(kb_form_cell(cell, renamed), "renamed");
	assert_int_equal(kb_form_worst(&made.lines[1]), KB_OK);

	out = open_memstream(&text, &length);
	kb_form_table_csv(out, &made);
	fclose(out);
	assert_string_equal(text, "form,measure,cycles,low,high,verdict,documented,why_it_differs\n"
				  "add_r64,1-1,1.02,1.0098,1.0302,ok,1,\n"
				  "add_r64,throughput,0.3,0.297,0.303,ok,0.25,\"nobody knows why\"\n"
				  "sub_r64,1-1,,,,renamed,1,\n");
	free(text);
	kb_arena_free(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(known_values), cmocka_unit_test(wrong_lines), cmocka_unit_test(table) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
