/* What the pilot makes of an operation: whichever part of a sample is not made of operations is not in their cost, and how many
   operations a sample has stays within bounds. */
#define _GNU_SOURCE
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "truth/engine_run.h"

/* The cost relative to the truth, by this method and with no n above `most`. */
static void expect(const struct kb_synthetic *model, enum kb_method method, double off, uint64_t most)
{
	const struct engine_wish wish = { .processes = 5 };
	struct engine_run run;

	engine_run(&run, model, &wish);
	assert_int_equal(run.row.result.method, method);
	assert_true(run.row.result.estimate.known);
	assert_true(fabs(run.row.result.estimate.value - kb_synthetic_cost(model)) <= off * kb_synthetic_cost(model));
	assert_true(run.row.result.n_max <= most);
	engine_run_close(&run);
}

/* In each sample, beside an operation of 118 ns. */
static void test_fixed_cost(void **state)
{
	static const double fixed[] = { 5e3, 15e3, 22e3, 30e3, 100e3, 1e6, 4e6 };

	(void)state;
	for (size_t i = 0; i < sizeof fixed / sizeof *fixed; i++)
		expect(&(struct kb_synthetic){ .fixed = fixed[i] }, KB_METHOD_SLOPE, 0.02, 1u << 17);
	/* As much as the operation itself, and more. */
	expect(&(struct kb_synthetic){ .fixed = 40e3, .op = 40e3, .no_base = true }, KB_METHOD_SLOPE, 0.02, 1u << 10);
	expect(&(struct kb_synthetic){ .fixed = 400e3, .op = 40e3, .no_base = true }, KB_METHOD_SLOPE, 0.02, 1u << 10);
	expect(&(struct kb_synthetic){ .fixed = 40e3, .max_n = 400 }, KB_METHOD_SLOPE, 0.02, 400);
}

/* A long operation, whose samples hold a little beside it, is measured one by one as ever. */
static void test_long_operation(void **state)
{
	static const double op[] = { 30e3, 300e3, 5e6, 20e6 };

	(void)state;
	for (size_t i = 0; i < sizeof op / sizeof *op; i++)
		expect(&(struct kb_synthetic){ .op = op[i], .no_base = true, .fixed = op[i] / 20 }, KB_METHOD_SINGLE, 0.06, 1);
	expect(&(struct kb_synthetic){ .op = 30e3, .no_base = true, .fixed = 100e3, .max_n = 1 }, KB_METHOD_SINGLE, 4, 1);
}

/* One less is done than asked for: of one nothing, which would be the result of samples of one. */
static void test_nothing_alone(void **state)
{
	static const double op[] = { 30e3, 80e3, 500e3 };

	(void)state;
	for (size_t i = 0; i < sizeof op / sizeof *op; i++)
		expect(&(struct kb_synthetic){ .op = op[i], .no_base = true, .fewer = 1 }, KB_METHOD_SLOPE, 0.02, 1u << 10);
}

static void find_most(void *context, const struct kb_process_text *text)
{
	uint64_t *most = context;

	for (const char *at = text->record, *end = at + text->length; (at = memmem(at, (size_t)(end - at), "\no ", 3)); at += 3)
		*most = strtoull(at + 3, NULL, 10) > *most ? strtoull(at + 3, NULL, 10) : *most;
}

/* What takes no time would be repeated for ever; its empty loop takes time. */
static void test_no_time(void **state)
{
	uint64_t most = 0;
	const struct engine_wish wish = { .processes = 5, .record = find_most, .context = &most };
	const struct kb_synthetic model = { .folded = true, .v0 = 1e-9, .v1 = 1e-9, .fixed = 1e-9 };
	struct engine_run run;

	(void)state;
	engine_run(&run, &model, &wish);
	assert_int_equal(run.row.result.verdict.status, KB_INVALID);
	assert_true(most > 0 && most <= 1u << 21);
	engine_run_close(&run);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_fixed_cost), cmocka_unit_test(test_long_operation), cmocka_unit_test(test_nothing_alone), cmocka_unit_test(test_no_time),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
