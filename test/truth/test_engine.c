/*
 * The whole engine against known truths: each case injects one thing into the synthetic machine and says which verdict
 * and which reasons, no more and no fewer, that earns. Seeds are fixed, so a case passes always or never.
 */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "engine_run.h"

struct truth {
	const char *name;
	enum kb_status status;
	const char *codes;              /* in the order of base/verdict.h, notes left out */
	struct kb_synthetic model;
	struct engine_wish wish;
};

static const struct truth truths[] = {
	{ "healthy", KB_OK, "", .wish = { .launches = 5 } },
	{ "healthy, checked, no claim", KB_OK, "", .model = { .claims_nothing = true, .checked = true } },
	{ "healthy, proof", KB_OK, "", .model = { .proves = true } },
	{ "healthy, in core cycles", KB_OK, "", .model = { .bound = KB_LATENCY } },
	{ "healthy, one operation an interval", KB_OK, "",
	  .model = { .op = 40e3, .v0 = 1e5, .v1 = 1e5, .no_base = true } },
	{ "healthy, without a base", KB_OK, "", .model = { .no_base = true } },

	/* Lies. */
	{ "does nothing", KB_INVALID, "expect_failed base_dominates", .model = { .op = 2, .missing = 1 } },
	{ "claims what it does not do", KB_INVALID, "expect_failed", .model = { .missing = 1 } },
	{ "faults once where it claims 118 times", KB_INVALID, "expect_failed", .model = { .missing = 0.9915 } },
	{ "faults in all but 0.85 %", KB_INVALID, "expect_failed", .model = { .missing = 0.0085 } },
	{ "within its tolerance", KB_OK, "", .model = { .missing = 0.0009 } },
	{ "folded by the compiler", KB_INVALID, "dead_code", .model = { .folded = true, .v0 = 100 } },
	{ "folded beside independent adds", KB_INVALID, "dead_code",
	  .model = { .folded = true, .v0 = 100, .bound = KB_ISSUE } },
	{ "folded to less than a cycle", KB_INVALID, "dead_code", .model = { .op = 0.4, .base = 0.01 } },
	{ "a proof that disagrees", KB_INVALID, "expect_failed", .model = { .proves = true, .missing = 0.5 } },
	{ "a proof that is refused", KB_UNVERIFIED, "expect_unknown",
	  .model = { .proves = true, .proof_refused = true } },
	{ "claims nothing", KB_UNVERIFIED, "expect_unknown", .model = { .claims_nothing = true } },
	{ "claims what cannot be read", KB_UNVERIFIED, "expect_unknown", .model = { .unreadable = true } },

	/* Failures. */
	{ "set-up fails", KB_INVALID, "setup_failed", .model = { .fails = "setup" } },
	{ "a need is unmet", KB_SKIPPED, "need_unmet", .model = { .fails = "skip" } },
	{ "fails at once", KB_INVALID, "op_failed", .model = { .fails = "op" } },
	{ "fails half-way", KB_INVALID, "op_failed", .model = { .fails = "op", .fails_at = 300 } },
	{ "its base fails", KB_INVALID, "op_failed", .model = { .fails = "base", .fails_at = 30 } },
	{ "its preparation fails", KB_INVALID, "op_failed", .model = { .fails = "before", .fails_at = 30 } },
	{ "its clearing up fails", KB_INVALID, "op_failed", .model = { .fails = "after", .fails_at = 30 } },
	{ "its check fails", KB_INVALID, "check_failed",
	  .model = { .fails = "check", .fails_at = 200, .checked = true } },
	{ "crashes at once", KB_INVALID, "crashed",
	  .model = { .bad_launch = 1, .outcome = "signal=11 SIGSEGV", .cut = true } },
	{ "crashes later", KB_INVALID, "crashed",
	  .model = { .bad_launch = 3, .outcome = "signal=11 SIGSEGV", .cut = true } },
	{ "hangs", KB_INVALID, "timeout",
	  .model = { .bad_launch = 2, .outcome = "timeout after 1.0 s", .cut = true } },
	{ "leaves a process", KB_INVALID, "left_behind",
	  .model = { .bad_launch = 2, .outcome = "left 1 process behind" } },
	{ "its record is cut off at once", KB_INVALID, "record_truncated",
	  .model = { .bad_launch = 1, .cut = true } },
	{ "its record is cut off", KB_INVALID, "record_truncated", .model = { .bad_launch = 4, .cut = true } },
	{ "its record is garbled", KB_INVALID, "record_truncated", .model = { .bad_launch = 2, .garbled = true } },

	/* The circle. */
	{ "base above op", KB_INVALID, "base_exceeds_op base_dominates", .model = { .base = 150 } },
	{ "base is op", KB_NOISY, "below_resolution base_dominates", .model = { .base = 120 }, .wish = { .seed = 2 } },
	{ "base is op and may be", KB_OK, "", .model = { .base = 120, .bound = KB_NOTHING } },
	{ "empty and yet it costs", KB_INVALID, "check_failed", .model = { .bound = KB_NOTHING } },
	{ "base is half of op", KB_NOISY, "base_dominates", .model = { .base = 60 } },
	{ "not proportional to n", KB_NOISY, "nonlinear", .model = { .bend = 0.02 } },

	/* The clock. */
	{ "coarse clock", KB_NOISY, "clock_coarse", .model = { .quantum = 1000, .max_n = 800 } },
	{ "clock fails its self-test", KB_NOISY, "ladder_failed", .model = { .ladder_fails = true } },
	{ "clock steps back", KB_INVALID, "clock_backwards", .model = { .back_at = 100 } },

	/* The machine. */
	{ "preempted", KB_NOISY, "ctx_switch gap", .model = { .bursts = 0.2 } },
	{ "preempted in short intervals", KB_NOISY, "ctx_switch gap",
	  .model = { .bursts = 0.6, .blind = 0.5, .max_n = 64 } },
	{ "preempted rarely", KB_OK, "", .model = { .bursts = 0.03 } },
	{ "migrated", KB_NOISY, "migrated", .model = { .bursts = 0.1, .burst_flags = KB_FLAG_MIGRATED } },
	{ "interrupted", KB_NOISY, "irq_hit", .model = { .bursts = 0.1, .burst_flags = KB_FLAG_IRQ } },
	{ "foreign faults", KB_NOISY, "page_fault", .model = { .bursts = 0.1, .burst_flags = KB_FLAG_FAULT } },
	{ "stolen by flag", KB_NOISY, "steal", .model = { .bursts = 0.1, .burst_flags = KB_FLAG_STEAL } },
	{ "stolen by count", KB_NOISY, "steal", .model = { .steal = 1 } },
	{ "dearer at times", KB_NOISY, "robust_disagrees", .model = { .outliers = 0.04, .outlier = 400 } },
	{ "launches differ", KB_NOISY, "too_wide", .model = { .launch_sd = 0.2 } },
	{ "drifts slowly in a launch", KB_NOISY, "too_few_effective partial_run",
	  .model = { .ar = 0.999, .ar_sd = 0.02 }, .wish = { .stop_after = 5 } },
	{ "a debug kernel", KB_NOISY, "debug_kernel", .model = { .note = "debug_kernel" } },
	{ "an emulator", KB_UNVERIFIED, "emulated_clock", .model = { .note = "emulated_clock \"icount\"" } },
	{ "a slow core in one of six launches", KB_NOISY, "sentinel_off",
	  .model = { .slow_launch = 3, .slow_add = 1.5, .slow_issue = 1.5, .slow_op = 1.5 },
	  .wish = { .launches = 6 } },
	{ "a busy sibling in one of six", KB_NOISY, "sentinel_off",
	  .model = { .slow_launch = 3, .slow_issue = 1.5, .slow_op = 1.3 }, .wish = { .launches = 6 } },
	{ "a sibling beside independent adds", KB_NOISY, "sentinel_off",
	  .model = { .bound = KB_ISSUE, .slow_launch = 6, .slow_issue = 1.5, .slow_op = 1.3 },
	  .wish = { .launches = 6 } },
	{ "a slow core cancels in cycles", KB_OK, "",
	  .model = { .bound = KB_LATENCY, .slow_launch = 3, .slow_add = 1.5, .slow_op = 1.5 },
	  .wish = { .launches = 6 } },
	{ "a core 5 % slower once", KB_NOISY, "freq_drift",
	  .model = { .slow_launch = 2, .slow_add = 1.05, .slow_issue = 1.05 } },

	/* The schedule. */
	{ "two launches", KB_NOISY, "partial_run", .wish = { .launches = 2 } },
	{ "three launches", KB_OK, "", .wish = { .launches = 3 } },
	{ "budget after one launch", KB_NOISY, "partial_run", .wish = { .stop_after = 1 } },
	{ "budget after four launches", KB_OK, "", .wish = { .stop_after = 4, .precision = 1e-6 } },
};

/* What fails in every launch must leave no number: half of a failed operation would be a fast one. */
static bool has_no_number(const struct kb_result *result)
{
	bool none = !result->typical.known && !result->quiet.known && !result->mean.known && result->observations == 0;

	for (unsigned i = 0; i < KB_QUANTILES; i++)
		none = none && !result->quantile[i].known;
	return none;
}

static bool is_mute(const struct kb_synthetic *model)
{
	return model->fails || (model->bad_launch == 1 && model->cut);
}

static unsigned judge(const struct truth *truth, const struct kb_result *result)
{
	const char *status = kb_status_name(result->verdict.status), *expected = kb_status_name(truth->status);
	char codes[400];

	engine_codes(result, codes, sizeof codes);
	if (result->verdict.status != truth->status || strcmp(codes, truth->codes)) {
		print_error("%s: %s (%s), not %s (%s)\n", truth->name, status, codes, expected, truth->codes);
		return 1;
	}
	if (is_mute(&truth->model) && !has_no_number(result)) {
		print_error("%s: has a number\n", truth->name);
		return 1;
	}
	return 0;
}

static void test_verdicts(void **state)
{
	unsigned wrong = 0;

	(void)state;
	for (size_t i = 0; i < sizeof truths / sizeof *truths; i++) {
		struct engine_run run;

		engine_run(&run, &truths[i].model, &truths[i].wish);
		assert_int_equal(run.status, 0);
		wrong += judge(&truths[i], &run.row.result);
		engine_run_close(&run);
	}
	assert_int_equal(wrong, 0);
}

/* The launch with the disturbed sentinel would have made the row dearer; without it the number is the truth. */
static void test_left_out(void **state)
{
	const struct kb_synthetic model = { .slow_launch = 3, .slow_add = 1.5, .slow_issue = 1.5, .slow_op = 1.5 };
	const struct engine_wish wish = { .launches = 6 };
	struct engine_run run;

	(void)state;
	engine_run(&run, &model, &wish);
	assert_int_equal(run.row.result.launches, 5);
	assert_int_equal(run.row.result.launches_left_out, 1);
	assert_true(run.row.result.typical.low > 117.5 && run.row.result.typical.high < 118.5);
	engine_run_close(&run);
}

/* ---- the schedule -------------------------------------------------------------------------------- */

static bool same_estimate(struct kb_estimate a, struct kb_estimate b)
{
	return a.value == b.value && a.low == b.low && a.high == b.high && a.known == b.known && a.bounded == b.bounded;
}

static void test_seed(void **state)
{
	const struct kb_synthetic model = { .bursts = 0.1 };
	const struct engine_wish one = { .seed = 7 }, two = { .seed = 8 };
	struct engine_run first, again, other;

	(void)state;
	engine_run(&first, &model, &one);
	engine_run(&again, &model, &one);
	engine_run(&other, &model, &two);
	assert_int_equal(first.machine.plan_hash, again.machine.plan_hash);
	assert_int_equal(first.records_hash, again.records_hash);
	assert_true(same_estimate(first.row.result.typical, again.row.result.typical));
	assert_true(same_estimate(first.row.result.quiet, again.row.result.quiet));
	assert_int_not_equal(first.machine.plan_hash, other.machine.plan_hash);
	assert_int_not_equal(first.records_hash, other.records_hash);
	engine_run_close(&first);
	engine_run_close(&again);
	engine_run_close(&other);
}

static void test_precision(void **state)
{
	const struct kb_synthetic model = { .launch_sd = 0.01 };
	const struct engine_wish wish = { .precision = 0.005 };
	struct engine_run run;
	const struct kb_estimate *typical = &run.row.result.typical;

	(void)state;
	engine_run(&run, &model, &wish);
	assert_true(run.outcome.precision_met);
	assert_true(kb_verdict_has(&run.row.result.verdict, KB_CODE_target_met));
	assert_false(kb_verdict_has(&run.row.result.verdict, KB_CODE_budget_exhausted));
	assert_true((typical->high - typical->low) / 2 <= 0.005 * typical->value);
	assert_in_range(run.launches, 6, 59);
	engine_run_close(&run);
}

static void test_budget(void **state)
{
	const struct kb_synthetic model = { .launch_sd = 0.01 };
	const struct engine_wish wish = { .precision = 1e-6, .stop_after = 7 };
	struct engine_run run;

	(void)state;
	engine_run(&run, &model, &wish);
	assert_false(run.outcome.precision_met);
	assert_true(kb_verdict_has(&run.row.result.verdict, KB_CODE_budget_exhausted));
	assert_false(kb_verdict_has(&run.row.result.verdict, KB_CODE_target_met));
	assert_int_equal(run.launches, 7);
	engine_run_close(&run);
}

static void test_no_budget(void **state)
{
	const struct kb_synthetic model = { .proves = true };
	const struct engine_wish wish = { .no_budget = true };
	struct engine_run run;

	(void)state;
	engine_run(&run, &model, &wish);
	assert_int_equal(run.status, 0);
	assert_int_equal(run.machine.opened, 0);
	assert_true(has_no_number(&run.row.result));
	assert_false(run.outcome.precision_met);
	engine_run_close(&run);
}

static void test_interrupt(void **state)
{
	const struct kb_synthetic model = { .op = SYNTHETIC_OP };
	const struct engine_wish wish = { .interrupt_after = 2 };
	struct engine_run run;

	(void)state;
	engine_run(&run, &model, &wish);
	assert_true(run.outcome.interrupted);
	assert_int_equal(run.outcome.signal, SIGINT);
	assert_int_equal(run.launches, 2);
	assert_int_equal(run.row.result.launches, 2); /* what was measured is kept */
	engine_run_close(&run);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_verdicts),
		cmocka_unit_test(test_left_out),
		cmocka_unit_test(test_seed),
		cmocka_unit_test(test_precision),
		cmocka_unit_test(test_budget),
		cmocka_unit_test(test_no_budget),
		cmocka_unit_test(test_interrupt),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
