/* Method kanata: its plan, its numbers from records, S' and when it is met. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "result/summary/kanata.h"
#include "result/summary/summary.h"
#include "run/backend/sel4.h"
#include "run/method.h"

static char text[1 << 16];
static size_t used;

static int take(void *context, const char *bytes, size_t count)
{
	(void)context;
	assert_true(used + count < sizeof text);
	memcpy(text + used, bytes, count);
	used += count;
	return 0;
}

/* `groups` groups of four tests: 100, 110, 90, 100 ticks a tenth of N, and `fixed` on top; two skipped ones before. */
static struct kb_process_text make_record(unsigned process, unsigned groups, uint64_t delta, uint64_t fixed)
{
	static const uint64_t spread[4] = { 100, 110, 90, 100 };
	static struct kb_record_writer out;
	size_t from = used;

	kb_record_begin(&out, (struct kb_sink){ take, NULL });
	kb_record_line(&out, "bench", "some.row");
	kb_record_line(&out, "per", "circle");
	kb_record_line(&out, "bound", "kernel");
	kb_record_line(&out, "method", "kanata confidence=0.9 seed=1 process=1");
	kb_record_line(&out, "clock", "tsc hz=1000000000 quantum=1 cost=20 ordered=1 ladder=1");
	kb_record_line(&out, "env", "checked=1");
	for (uint64_t g = 0; g < groups; g++) {
		uint64_t n = 10 + g * delta;

		for (unsigned k = 0; k < 6; k++)
			kb_record_obs(&out, &(struct kb_obs){
				.role = KB_ROLE_OP, .n = n, .ticks = k < 2 ? 99999 : spread[k - 2] * n / 10 + fixed, .block = g + 1,
				.flags = k < 2 ? KB_FLAG_WARMUP : k == 5 ? KB_FLAG_GAP : 0,
			});
	}
	assert_int_equal(kb_record_end(&out), 0);
	return (struct kb_process_text){ process, "", text + from, used - from };
}

static int reset(void **state)
{
	(void)state;
	used = 0;
	return 0;
}

static const struct kb_kanata_options usual = { 10, 10, 4, 2, 2, 0.90, 0.02 };

static void plan_is_the_documents(void **state)
{
	char line[KB_PLAN_LINE_MAX];
	const struct kb_bench bench = { .name = "some.row" };
	struct kb_design design;
	static const char *const lines[] = { "block 0 p\n", "group 1 w2 t4 o10\n", "group 2 w2 t4 o20\n", "block 3 p\n" };

	(void)state;
	kb_kanata_design(&design, &bench, &usual);
	assert_string_equal(design.header, "kanata confidence=0.9");
	assert_int_equal(design.blocks, 4);
	for (uint64_t i = 0; i < design.blocks; i++) {
		struct kb_text out = kb_text_in(line, sizeof line);
		struct kb_block block;

		kb_design_block(&design, NULL, i, false, &block);
		kb_plan_format(&out, &block);
		line[out.used] = '\0';
		assert_string_equal(line, lines[i]);
	}
}

static void what_cannot_be_is_said(void **state)
{
	struct kb_bench bench = { .name = "some.row" };
	struct kb_kanata_options options = usual;
	char why[160];

	(void)state;
	assert_true(kb_method_possible(&bench, KB_METHOD_KANATA, &options, why));
	bench.max_n = 20;
	assert_true(kb_method_possible(&bench, KB_METHOD_KANATA, &options, why));
	bench.max_n = 19;
	assert_false(kb_method_possible(&bench, KB_METHOD_KANATA, &options, why));
	assert_string_equal(why, "some.row can do at most 19 operations in a sample, not 20");
	options.groups = 4000000000u;
	options.delta = UINT64_MAX / 2;
	assert_false(kb_method_possible(&bench, KB_METHOD_KANATA, &options, why));
	bench = (struct kb_bench){ .name = "some.row", .granule = 5 };
	options = usual;
	assert_true(kb_method_possible(&bench, KB_METHOD_KANATA, &options, why));
	options.delta = 3;
	assert_false(kb_method_possible(&bench, KB_METHOD_KANATA, &options, why));
	const struct kb_bench *const *any_n = kb_sel4_benches;

	while ((*any_n)->max_n)
		any_n++;
	options = usual;
	options.groups = KB_SEL4_TESTS_MAX / 6;
	assert_true(kb_method_possible(*any_n, KB_METHOD_KANATA, &options, why));
	options.groups++;
	assert_false(kb_method_possible(*any_n, KB_METHOD_KANATA, &options, why));
}

/* mean 10, sd of A 8.164966, z 1.645: half-width 6.7157 %; S' = (8.164966 * 1.645 / 2)^2 = 45.1. */
static void size_follows_equation(void **state)
{
	struct kb_process_text record = make_record(1, 2, 10, 0);
	const struct kb_bench bench = { .name = "some.row" };
	struct kb_kanata_options options = usual;
	struct kb_design design;

	(void)state;
	kb_kanata_design(&design, &bench, &options);
	assert_false(kb_kanata_met(&options, &record, &design));
	assert_int_equal(design.tests, 46);
	options.half_width = 0.0672;
	kb_kanata_design(&design, &bench, &options);
	assert_true(kb_kanata_met(&options, &record, &design));
	assert_int_equal(design.tests, 4);
	options.half_width = 1e-4; /* more tests than a group can have */
	assert_false(kb_kanata_met(&options, &record, &design));
	assert_int_equal(design.tests + design.skip, KB_GROUP_TESTS_MAX);

	options.groups = 5; /* nor a process */
	kb_kanata_design(&design, kb_sel4_benches[0], &options);
	assert_false(kb_kanata_met(&options, &record, &design));
	assert_int_equal(design.tests + design.skip, KB_SEL4_TESTS_MAX / 5);

	record.outcome = "timeout";
	kb_kanata_design(&design, &bench, &usual);
	assert_false(kb_kanata_met(&usual, &record, &design));
	assert_int_equal(design.tests, 4);
}

static void result_is_the_last_groups_mean(void **state)
{
	struct kb_process_text records[3];
	struct kb_result result;

	(void)state;
	for (unsigned i = 0; i < 3; i++)
		records[i] = make_record(i + 1, 2, 10, 0);
	kb_summarise(records, 3, &(struct kb_summary_rules){ .planned = 3, .precision = 0.07 }, &result);
	assert_int_equal(result.method, KB_METHOD_KANATA);
	assert_true(result.estimate.known && result.estimate.bounded);
	assert_float_equal(result.estimate.value, 10, 1e-9);
	assert_false(result.quiet.known || result.fixed.known);
	assert_int_equal(result.observations, 3 * 2 * 4);
	assert_int_equal(result.n_min, 10);
	assert_int_equal(result.n_max, 20);
	assert_true(kb_verdict_has(&result.verdict, KB_CODE_target_met));
	assert_false(kb_verdict_has(&result.verdict, KB_CODE_timer_bound));
	assert_false(kb_verdict_has(&result.verdict, KB_CODE_intercept_bias));
	kb_summarise(records, 3, &(struct kb_summary_rules){ .planned = 3, .precision = 0.02 }, &result);
	assert_true(kb_verdict_has(&result.verdict, KB_CODE_budget_exhausted));
	for (unsigned i = 0; i < result.verdict.count; i++) {
		if (result.verdict.reasons[i].code == KB_CODE_budget_exhausted)
			assert_string_equal(result.verdict.reasons[i].detail,
			                    "half-width 6.72 % of the mean at 90 %, 2.00 % asked; S' 46");
	}
}

/* A fixed cost of 500 ticks is 2.4 times the 200 of the operations; the line through the groups sees it. */
static void fixed_cost_is_spoken_of(void **state)
{
	struct kb_process_text records[3];
	struct kb_result result;

	(void)state;
	for (unsigned i = 0; i < 3; i++)
		records[i] = make_record(i + 1, 5, 10, 500);
	kb_summarise(records, 3, &(struct kb_summary_rules){ .planned = 3, .precision = 0.5 }, &result);
	assert_float_equal(result.estimate.value, (500 + 500) / 50.0, 1e-9);
	assert_true(kb_verdict_has(&result.verdict, KB_CODE_intercept_bias));
}

static void short_groups_do_not_speak(void **state)
{
	static struct kb_record_writer out;
	struct kb_process_text record = { 1, "", text, 0 };
	struct kb_result result;

	(void)state;
	kb_record_begin(&out, (struct kb_sink){ take, NULL });
	kb_record_line(&out, "method", "kanata seed=1 process=1");
	kb_record_obs(&out, &(struct kb_obs){ .role = KB_ROLE_OP, .n = 10, .ticks = 100, .block = 1 });
	kb_record_end(&out);
	record.length = used;
	kb_summarise(&record, 1, &(struct kb_summary_rules){ .planned = 1, .precision = 0.02 }, &result);
	assert_false(result.estimate.known);
	assert_true(kb_verdict_has(&result.verdict, KB_CODE_too_few_effective));
	used = 0;
	kb_record_begin(&out, (struct kb_sink){ take, NULL });
	kb_record_line(&out, "method", "kanata seed=1 process=1");
	kb_record_end(&out);
	record.length = used;
	kb_summarise(&record, 1, &(struct kb_summary_rules){ .planned = 1, .precision = 0.02 }, &result);
	assert_false(result.estimate.known);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(plan_is_the_documents, reset),
		cmocka_unit_test_setup(what_cannot_be_is_said, reset),
		cmocka_unit_test_setup(size_follows_equation, reset),
		cmocka_unit_test_setup(result_is_the_last_groups_mean, reset),
		cmocka_unit_test_setup(fixed_cost_is_spoken_of, reset),
		cmocka_unit_test_setup(short_groups_do_not_speak, reset),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
