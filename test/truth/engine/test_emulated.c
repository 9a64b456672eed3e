/*
 * An emulated row says what happened and never how long it took: whatever the times are, no figure comes out, and nothing
 * is judged by them; what the program's own check says stays. By an emulator's clock that counts instructions it is told.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "result/json/json.h"
#include "run/backend/backend.h"
#include "truth/engine_run.h"

#define NOTE "emulated_clock \"W401: qemu-vax runs it\""

static struct kb_collector emulated = { .emulator = "qemu-riscv64" };

static void expect(const struct kb_synthetic *model, enum kb_status status, const char *codes)
{
	const struct engine_wish wish = { .processes = 2, .collector = &emulated };
	struct engine_run run;
	char seen[300];

	emulated.backend = kb_backend_find("riscv64");
	engine_run(&run, model, &wish);
	const struct kb_result *result = &run.row.result;
	json_t *json = kb_result_to_json(result);

	engine_codes(result, seen, sizeof seen);
	assert_int_equal(run.status, 0);
	assert_string_equal(seen, codes);
	assert_int_equal(result->verdict.status, status);
	assert_false(result->estimate.known || result->observed.known || result->mean.known || result->fixed.known);
	assert_false(result->estimate_cycles.known || result->observed_cycles.known || result->core_mhz.known);
	for (unsigned i = 0; i < KB_QUANTILES; i++)
		assert_false(result->quantile[i].known);
	assert_int_equal(result->process_cost_count, 0);
	assert_int_equal(result->covariate_count, 0);
	assert_false(result->levels.known || result->mode_count);
	assert_true(json_is_null(json_object_get(json_object_get(json, "estimate"), "value")));
	assert_true(run.processes <= 2);
	json_decref(json);
	engine_run_close(&run);
}

static void test_no_number(void **state)
{
	(void)state;
	expect(&(struct kb_synthetic){ .note = NOTE }, KB_UNVERIFIED, "emulated_clock");
	expect(&(struct kb_synthetic){ .note = NOTE, .bound = KB_LATENCY }, KB_UNVERIFIED, "emulated_clock");
	expect(&(struct kb_synthetic){ .note = NOTE, .op = 40e3, .no_base = true }, KB_UNVERIFIED, "emulated_clock");
	expect(&(struct kb_synthetic){ .note = NOTE, .paired = 100, .checked = true }, KB_UNVERIFIED, "emulated_clock");
}

/* Each of these is a reason of a row in real time. */
static void test_times_are_not_judged(void **state)
{
	(void)state;
	expect(&(struct kb_synthetic){ .note = NOTE, .folded = true, .v0 = 100 }, KB_UNVERIFIED, "emulated_clock");
	expect(&(struct kb_synthetic){ .note = NOTE, .base = 150 }, KB_UNVERIFIED, "emulated_clock");
	expect(&(struct kb_synthetic){ .note = NOTE, .drift = 3 }, KB_UNVERIFIED, "emulated_clock");
	expect(&(struct kb_synthetic){ .note = NOTE, .bursts = 0.3 }, KB_UNVERIFIED, "emulated_clock");
	expect(&(struct kb_synthetic){ .note = NOTE, .process_sd = 0.5 }, KB_UNVERIFIED, "emulated_clock");
}

static void test_what_happened_is_judged(void **state)
{
	(void)state;
	expect(&(struct kb_synthetic){ .note = NOTE, .missing = 1 }, KB_INVALID, "expect_failed emulated_clock");
	expect(&(struct kb_synthetic){ .note = NOTE, .claims_nothing = true }, KB_UNVERIFIED, "emulated_clock expect_unknown");
	expect(&(struct kb_synthetic){ .note = NOTE, .checked = true, .fails = "check", .fails_at = 20 }, KB_INVALID,
	       "check_failed emulated_clock");
	expect(&(struct kb_synthetic){ .note = NOTE, .checked = true, .paired = 100, .refutes = 3 }, KB_INVALID,
	       "emulated_clock refuted");
}

static void test_instructions_are_counted(void **state)
{
	const struct engine_wish wish = { .processes = 5 };
	struct engine_run run;

	(void)state;
	engine_run(&run, &(struct kb_synthetic){ .note = NOTE, .clock = "icount" }, &wish);
	assert_int_equal(run.row.result.verdict.status, KB_UNVERIFIED);
	assert_true(run.row.result.estimate.known);
	engine_run_close(&run);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_no_number), cmocka_unit_test(test_times_are_not_judged),
		cmocka_unit_test(test_what_happened_is_judged), cmocka_unit_test(test_instructions_are_counted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
