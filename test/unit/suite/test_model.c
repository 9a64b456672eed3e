/* Models: what is read, where what is wrong is wrong, what expressions come to, and that intervals cover what they should. */
#include "suite/model/model.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/rng.h"

#define HEAD "about a test\nwhole time sys.null\npart a time sys.fstat\npart b time sys.stat\n"

static struct kb_model model;

static int parse(const char *text, struct kb_model_error *error)
{
	return kb_model_parse(&model, "test", "test.model", text, strlen(text), error);
}

static void expect(const char *text)
{
	struct kb_model_error error;

	if (parse(text, &error))
		fail_msg("%u:%u: %s", error.line, error.column, error.what);
}

static void near(double a, double b, double by)
{
	if (!(fabs(a - b) <= by))
		fail_msg("%.12g, not %.12g", a, b);
}

/* ---- errors ---------------------------------------------------------------------------------------------- */

static void expect_error(const char *text, unsigned line, unsigned column, const char *words)
{
	struct kb_model_error error;

	if (!parse(text, &error))
		fail_msg("accepted: %s", text);
	if (error.line != line || error.column != column || !strstr(error.what, words))
		fail_msg("%u:%u: %s; not %u:%u: ...%s...", error.line, error.column, error.what, line, column, words);
}

static void errors_have_their_place(void **state)
{
	(void)state;
	expect_error("", 1, 1, "'about ...' is missing");
	expect_error("abuot x\n", 1, 1, "did you mean about");
	expect_error("about x\nabout y\n", 2, 1, "once");
	expect_error("about x\nwhole speed sys.null\n", 2, 7, "time or rate");
	expect_error("about x\nwhole switches sys.null\n", 2, 7, "of a part");
	expect_error("about x\nwhole time null\n", 2, 12, "name of a benchmark");
	expect_error("about x\nwhole time sys.null what\n", 2, 21, "NAME=VALUE");
	expect_error("about x\nwhole time sys.null a=$b\n", 2, 23, "over b");
	expect_error("about x\nwhole time sys.null via\n", 2, 24, "carries");
	expect_error("about x\npredict 1\n", 2, 1, "'whole ...'");
	expect_error(HEAD "part a time sys.read_zero\n", 5, 6, "taken");
	expect_error(HEAD "part min time sys.read_zero\n", 5, 6, "meaning");
	expect_error(HEAD "part a-b time sys.read_zero\n", 5, 7, "letters");
	expect_error(HEAD "suspect beside x\n", 5, 9, "above or below");
	expect_error(HEAD "note\n", 5, 5, "a note is missing");
	expect_error(HEAD "count c read\n", 5, 7, "part c");
	expect_error(HEAD "\tnote \x01\n", 5, 7, "no text");
}

static void expressions_point(void **state)
{
	(void)state;
	expect_error(HEAD "predict a +\n", 5, 12, "missing");
	expect_error(HEAD "predict a b\n", 5, 11, "operator");
	expect_error(HEAD "predict (a + b\n", 5, 15, "')'");
	expect_error(HEAD "predict a + c\n", 5, 13, "part c");
	expect_error(HEAD "predict a + whole\n", 5, 13, "itself");
	expect_error(HEAD "predict mean(a, b)\n", 5, 9, "no function");
	expect_error(HEAD "predict min(a)\n", 5, 9, "two arguments");
	expect_error(HEAD "predict a + 5kg\n", 5, 14, "a number ends in");
	expect_error(HEAD "predict a + 1.2.3\n", 5, 16, "not a number");
	expect_error(HEAD "predict a + $size\n", 5, 13, "over size");
	expect_error(HEAD "predict a ? b\n", 5, 11, "operator");
	expect_error(HEAD "predict a + b\npredict a\n", 6, 1, "line 5");
	expect_error(HEAD "predict a\n", 4, 13, "not used");
	expect_error(HEAD "fit u time\npredict a + b + u\n", 6, 1, "'over'");
	expect_error("about x\nover n = 1, 2\nwhole time sys.null\nfit u time\npredict u * $n\nleast 1ns\n", 6, 1, "no bounds");
}

/* A slip that no number would show. */
static void dimensions_are_checked(void **state)
{
	(void)state;
	expect_error(HEAD "predict a * b\n", 5, 9, "a product");
	expect_error(HEAD "part n switches sys.null\npredict a + b + n\n", 6, 15, "a time and a number");
	expect_error(HEAD "predict a + 2\n", 5, 11, "a time and a number");
	expect_error(HEAD "predict a + 64K\n", 5, 11, "a time and bytes");
	expect_error(HEAD "predict min(a, 2)\n", 5, 15, "a number next to a time");
	expect_error(HEAD "predict a / b\n", 5, 9, "a number, and the whole is a time");
	expect(HEAD "predict a + b + 100ns + 64K / (64K / 1us)\n");
	expect(HEAD "predict a * b / max(a, b)\n");
}

static void deep_and_long_ends(void **state)
{
	char text[4096] = HEAD "predict ";

	(void)state;
	for (int i = 0; i < 1000; i++)
		strcat(text, "(");
	expect_error(text, 5, 41, "levels");
	strcpy(text, HEAD "predict a");
	for (int i = 0; i < 200; i++)
		strcat(text, " + b");
	expect_error(text, 5, 327, "too long");
}

static void the_caret_stands_below(void **state)
{
	static const char text[] = HEAD "predict\ta + c # wrong\n";
	struct kb_model_error error;
	char message[400];
	struct kb_text out = kb_text_in(message, sizeof message);

	(void)state;
	assert_int_not_equal(parse(text, &error), 0);
	kb_model_error_format(&out, "test.model", (struct kb_span){ text, sizeof text - 1 }, &error);
	assert_string_equal(message, "test.model:5:13: no line 'part c ...' or 'fit c ...' stands above\n"
			    "  predict\ta + c # wrong\n         \t    ^");
}

/* ---- what is read ---------------------------------------------------------------------------------------- */

static void rows_and_instances(void **state)
{
	char text[100];
	struct kb_text out = kb_text_in(text, sizeof text);

	(void)state;
	expect("about x\nover size = 4K, 1M # two\nwhole rate mem.bw_copy size=$size store=plain via copy\n"
	       "part r rate mem.bw_read size=$size\npredict r\n");
	assert_int_equal(kb_model_instances(&model), 2);
	kb_model_row(&out, &model, 0, 1);
	assert_string_equal(text, "mem.bw_copy size=1M store=plain");
	out = kb_text_in(text, sizeof text);
	kb_model_instance_name(&out, &model, 0);
	assert_string_equal(text, "test size=4K");
	assert_false(model.circular);
}

static void a_part_of_the_wholes_carrier_is_circular(void **state)
{
	(void)state;
	expect("about x\nwhole time sys.null via pipe\npart a time sys.stat via pipe\npredict a\n");
	assert_true(model.circular);
	expect("about x\nwhole time sys.null via pipe\npart a time sys.stat via futex\npredict a\n");
	assert_false(model.circular);
	expect("about x\nwhole time sys.null\npart a time sys.null\npredict a\n");
	assert_true(model.circular);
}

static void events_are_paid(void **state)
{
	(void)state;
	expect("about x\npart n time sys.null\npart r time sys.read_zero\npart f time fault.anon\ncount n *\ncount r read pread64\n"
	       "count f @minor\n");
	assert_int_equal(kb_model_pays(&model, "pread64"), 1);
	assert_int_equal(kb_model_pays(&model, "write"), 0);
	assert_int_equal(kb_model_pays(&model, "@minor"), 2);
	assert_int_equal(kb_model_pays(&model, "@major"), -1);
}

/* ---- values ---------------------------------------------------------------------------------------------- */

static struct kb_estimate about(double value, double half)
{
	return (struct kb_estimate){ value, value - half, value + half, true, true };
}

static double value_of(const char *expression, double a, double b)
{
	struct kb_estimate quantities[KB_MODEL_QUANTITIES] = { about(1, 0), about(a, 0), about(b, 0) };
	double unknowns[KB_MODEL_UNKNOWNS] = { 0 };
	char text[400];

	snprintf(text, sizeof text, HEAD "predict (%s) * (a + b) / (a + b)\n", expression);
	expect(text);
	return kb_model_evaluate(&model, &model.predict, 0, quantities, unknowns).value;
}

static void expressions_have_values(void **state)
{
	(void)state;
	near(value_of("a + b * 2 - 3ns", 10, 4), 15, 1e-9);
	near(value_of("(a + b) * 2", 10, 4), 28, 1e-9);
	near(value_of("a - b - b", 10, 4), 2, 1e-9);
	near(value_of("a / 2 / 5 - -b", 10, 4), 5, 1e-9);
	near(value_of("min(a, b, 5ns)", 10, 6), 5, 1e-9);
	near(value_of("max(a, b, 5ns)", 10, 6), 10, 1e-9);
	near(value_of("harmonic(a, b)", 2, 6), 3, 1e-9);
	near(value_of("harmonic(a, b, 3ns)", 2, 6), 3, 1e-9);
	near(value_of("1us + 2K / (1K / 1ns) + 0.5s + 1ms", 1, 1), 501001002, 1e-3);
}

/* Against differences: one rule of the chain wrong is one slope wrong. */
static void slopes_are_those_of_the_function(void **state)
{
	static const char *const expressions[] = {
		"a * b / (a + 2 * b)", "harmonic(a, b, 3ns)", "min(a, b) + max(a, 2 * b)", "-a + b - a * 3", "a * a / b",
	};

	(void)state;
	for (size_t i = 0; i < sizeof expressions / sizeof expressions[0]; i++) {
		double a = 7, b = 5, h = 1e-5;
		double by_a = (value_of(expressions[i], a + h, b) - value_of(expressions[i], a - h, b)) / 2 / h;
		double by_b = (value_of(expressions[i], a, b + h) - value_of(expressions[i], a, b - h)) / 2 / h;
		struct kb_estimate quantities[KB_MODEL_QUANTITIES] = { about(1, 0), about(a, 0), about(b, 0) };
		double unknowns[KB_MODEL_UNKNOWNS] = { 0 };
		struct kb_dual dual = kb_model_evaluate(&model, &model.predict, 0, quantities, unknowns);

		near(dual.slope[1], by_a, 1e-6);
		near(dual.slope[2], by_b, 1e-6);
	}
}

/* ---- intervals ------------------------------------------------------------------------------------------- */

static struct kb_prediction predictions[KB_MODEL_VALUES];

static void prepare(unsigned instances)
{
	memset(predictions, 0, sizeof predictions);
	for (unsigned i = 0; i < instances; i++) {
		predictions[i].model = &model;
		predictions[i].instance = i;
		for (unsigned q = 0; q < model.quantity_count; q++)
			snprintf(predictions[i].quantities[q].row, sizeof predictions[i].quantities[q].row, "row %u %u", i, q);
	}
}

/* Box and Muller. */
static double normal(struct kb_rng *rng)
{
	double u = ((double)(kb_rng_next(rng) >> 11) + 1) / 9007199254740993.0, v = (double)(kb_rng_next(rng) >> 11) / 9007199254740992.0;

	return sqrt(-2 * log(u)) * cos(2 * 3.14159265358979 * v);
}

#define ROUNDS 2000

/* Parts and whole vary about true values for which the model holds: 95 % of the deviation's intervals must hold 0. */
static void intervals_cover(void **state)
{
	struct kb_rng rng;
	struct kb_fit fit;
	unsigned held = 0;

	(void)state;
	kb_rng_seed(&rng, 4711);
	expect(HEAD "predict a * b / (a + b) + 2 * a\n");
	for (int i = 0; i < ROUNDS; i++) {
		double a = 100 + 3 * normal(&rng), b = 50 + 2 * normal(&rng), w = 100. * 50 / 150 + 200 + 5 * normal(&rng);

		prepare(1);
		predictions[0].quantities[0].estimate = about(w, 1.96 * 5);
		predictions[0].quantities[1].estimate = about(a, 1.96 * 3);
		predictions[0].quantities[2].estimate = about(b, 1.96 * 2);
		kb_model_judge(&model, predictions, &fit);
		held += predictions[0].deviation.low <= 0 && predictions[0].deviation.high >= 0;
	}
	assert_in_range(held, ROUNDS * 0.93, ROUNDS * 0.97);
}

/* Counts of the whole itself are no prediction of its time, and are no more uncertain than they were counted. */
static void counts_of_the_whole_are_parts(void **state)
{
	struct kb_fit fit;

	(void)state;
	expect(HEAD "part n switches sys.null\npredict a + b * n\n");
	assert_false(model.circular);
	assert_true(kb_span_is(model.quantities[3].counter, "switches"));
	prepare(1);
	for (unsigned q = 0; q < 3; q++)
		predictions[0].quantities[q].estimate = about(q ? 100 : 400, 10);
	predictions[0].quantities[3].estimate = about(3, 0);
	strcpy(predictions[0].quantities[3].row, predictions[0].quantities[0].row);
	kb_model_judge(&model, predictions, &fit);
	assert_false(predictions[0].circular);
	near(predictions[0].predicted.value, 400, 1e-9);
	near(predictions[0].predicted.high - predictions[0].predicted.value, 10 * sqrt(10), 1e-9);
}

/* Two names of one row move together: their difference is exact. */
static void the_same_row_is_no_second_source(void **state)
{
	struct kb_fit fit;

	(void)state;
	expect(HEAD "predict 5us + a - b\n");
	prepare(1);
	for (unsigned q = 1; q <= 2; q++) {
		predictions[0].quantities[q].estimate = about(1000, 100);
		strcpy(predictions[0].quantities[q].row, "one");
	}
	predictions[0].quantities[0].estimate = about(5000, 0);
	kb_model_judge(&model, predictions, &fit);
	near(predictions[0].predicted.high - predictions[0].predicted.low, 0, 1e-9);
	strcpy(predictions[0].quantities[2].row, "other");
	kb_model_judge(&model, predictions, &fit);
	near(predictions[0].predicted.high - predictions[0].predicted.low, 2 * 100 * sqrt(2), 1e-9);
}

static enum kb_judgement judged(double whole, double half)
{
	struct kb_fit fit;

	prepare(1);
	predictions[0].quantities[0].estimate = about(whole, half);
	predictions[0].quantities[1].estimate = about(60, 0);
	predictions[0].quantities[2].estimate = about(40, 0);
	kb_model_judge(&model, predictions, &fit);
	return predictions[0].judgement;
}

static void judgement_needs_the_interval(void **state)
{
	struct kb_fit fit;

	(void)state;
	expect(HEAD "predict a + b\nleast a\nmost 2 * b\n");
	assert_int_equal(judged(105, 2), KB_JUDGED_FITS);
	assert_int_equal(judged(105, 20), KB_JUDGED_UNSETTLED);
	assert_int_equal(judged(130, 2), KB_JUDGED_INTERACTION);
	assert_int_equal(judged(70, 2), KB_JUDGED_INTERACTION);
	assert_int_equal(judged(130, 40), KB_JUDGED_UNSETTLED);
	near(predictions[0].most.value, 80, 1e-9);
	prepare(1);
	predictions[0].quantities[0].estimate = predictions[0].quantities[1].estimate = about(1, 0);
	strcpy(predictions[0].quantities[2].why, "skipped: no such call");
	kb_model_judge(&model, predictions, &fit);
	assert_int_equal(predictions[0].judgement, KB_JUDGED_NOT);
	assert_non_null(strstr(predictions[0].why, "no such call"));
}

/* ---- fits ------------------------------------------------------------------------------------------------ */

#define LINE "about a line\nover size = 0, 4M, 16M, 64M\nwhole time proc.fork_exit resident=$size\nfit base time\n" \
	     "fit mega time\npredict base + mega * $size / 1M\n"

static void a_line_gives_back_its_parameters(void **state)
{
	static const double megas[] = { 0, 4, 16, 64 };
	struct kb_rng rng;
	struct kb_fit fit;
	unsigned held = 0, within = 0;

	(void)state;
	kb_rng_seed(&rng, 42);
	expect(LINE);
	for (int i = 0; i < ROUNDS; i++) {
		prepare(4);
		for (unsigned k = 0; k < 4; k++)
			predictions[k].quantities[0].estimate = about(80000 + 9000 * megas[k] + 1000 * normal(&rng), 1960);
		kb_model_judge(&model, predictions, &fit);
		held += fit.unknowns[1].low <= 9000 && fit.unknowns[1].high >= 9000;
		within += predictions[1].deviation.low <= 0 && predictions[1].deviation.high >= 0;
	}
	/* Not below 95 %: the scatter widens what is wide enough already. */
	assert_in_range(held, ROUNDS * 0.94, ROUNDS);
	assert_in_range(within, ROUNDS * 0.94, ROUNDS);
}

/* A value far off the line moves the line of the others, never its own prediction. */
static void no_value_predicts_itself(void **state)
{
	static const double megas[] = { 0, 4, 16, 64 };
	struct kb_fit fit;

	(void)state;
	expect(LINE);
	prepare(4);
	for (unsigned k = 0; k < 4; k++)
		predictions[k].quantities[0].estimate = about((80000 + 9000 * megas[k]) * (k == 2 ? 1.5 : 1), 100);
	kb_model_judge(&model, predictions, &fit);
	near(predictions[2].predicted.value, 80000 + 9000 * 16, 1e-3);
	near(predictions[2].deviation.value, 0.5, 1e-9);
	assert_int_equal(predictions[2].judgement, KB_JUDGED_INTERACTION);
}

static void what_is_no_line_is_refused(void **state)
{
	static const char *const expressions[] = {
		"base + mega * mega / base * $size / 1M", "base + mega * mega / 1us * $size / 1M", "min(base, mega * $size / 1M)",
		"max(base, mega)", "mega * $size / 1M + 1ns * (base / base)",
	};
	struct kb_fit fit;
	char text[400];

	(void)state;
	for (size_t i = 0; i < sizeof expressions / sizeof expressions[0]; i++) {
		snprintf(text, sizeof text, "about no line\nover size = 1M, 4M, 16M, 64M\nwhole time proc.fork_exit resident=$size\n"
			 "fit base time\nfit mega time\npredict %s\n", expressions[i]);
		expect(text);
		prepare(4);
		for (unsigned k = 0; k < 4; k++)
			predictions[k].quantities[0].estimate = about(80000 + 100 * k, 100);
		kb_model_judge(&model, predictions, &fit);
		if (predictions[1].judgement != KB_JUDGED_NOT || !predictions[1].why[0])
			fail_msg("%s is taken as a line", expressions[i]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(errors_have_their_place), cmocka_unit_test(expressions_point),
		cmocka_unit_test(dimensions_are_checked), cmocka_unit_test(deep_and_long_ends),
		cmocka_unit_test(the_caret_stands_below), cmocka_unit_test(rows_and_instances),
		cmocka_unit_test(a_part_of_the_wholes_carrier_is_circular), cmocka_unit_test(counts_of_the_whole_are_parts), cmocka_unit_test(events_are_paid),
		cmocka_unit_test(expressions_have_values), cmocka_unit_test(slopes_are_those_of_the_function),
		cmocka_unit_test(intervals_cover), cmocka_unit_test(the_same_row_is_no_second_source),
		cmocka_unit_test(judgement_needs_the_interval), cmocka_unit_test(a_line_gives_back_its_parameters),
		cmocka_unit_test(no_value_predicts_itself), cmocka_unit_test(what_is_no_line_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
