/*
 * T-VER: each case injects one thing, and says which verdict and which reasons, no more and no fewer, that earns. Most go
 * through the whole engine on the synthetic machine. In the end every code has been earned by a case, but for those that
 * only another world can give. Seeds are fixed, so a case passes always or never.
 */
/* runs: full, 19 s; each fault goes through the whole engine, and healthy runs by the dozen */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "analysis/analysis.h"
#include "base/rng.h"
#include "result/comparison.h"
#include "result/json/json.h"
#include "truth/engine_run.h"
#include "truth/truth.h"
#include "workflow/workflow.h"
#include "unit/stats/draws.h"

static bool earned[KB_CODE_COUNT];

static void remember(const struct kb_verdict *verdict)
{
	for (unsigned i = 0; i < verdict->count; i++)
		earned[verdict->reasons[i].code] = true;
}

#define UNPROVEN "expect_unknown \"the device may lie\""

#define NEIGHBOUR .probes = true, .on_probe = { 1.3, 1.8 }, .on_op = { 1.2, 1.4 }

struct truth {
	const char *name;
	enum kb_status status;
	const char *codes;              /* in the order of base/verdict.h, notes left out */
	const char *note;               /* a note that it earns as well; NULL: none that matters */
	struct kb_synthetic model;
	struct engine_wish wish;
};

static const struct truth truths[] = {
	{ "healthy", KB_OK, "", .wish = { .processes = 5 } },
	{ "healthy, checked, no claim", KB_OK, "", .model = { .claims_nothing = true, .checked = true } },
	{ "healthy, proof", KB_OK, "", .model = { .proves = true } },
	{ "healthy, in core cycles", KB_OK, "", .model = { .bound = KB_LATENCY } },
	{ "healthy, one operation an interval", KB_OK, "", .model = { .op = 40e3, .v0 = 1e5, .v1 = 1e5, .no_base = true } },
	{ "healthy, without a base", KB_OK, "", .model = { .no_base = true } },
	/* Lies. */
	{ "does nothing", KB_INVALID, "expect_failed below_resolution base_dominates", .model = { .op = 2, .missing = 1 } },
	{ "claims what it does not do", KB_INVALID, "expect_failed", .model = { .missing = 1 } },
	{ "faults once where it claims 118 times", KB_INVALID, "expect_failed", .model = { .missing = 0.9915 } },
	{ "faults in all but 0.85 %", KB_INVALID, "expect_failed", .model = { .missing = 0.0085 } },
	{ "within its tolerance", KB_OK, "", .model = { .missing = 0.0009 } },
	{ "folded by the compiler", KB_INVALID, "dead_code", .model = { .folded = true, .v0 = 100 } },
	{ "folded beside independent adds", KB_INVALID, "dead_code base_dominates",
	  .model = { .folded = true, .v0 = 100, .bound = KB_ISSUE } },
	{ "folded to less than a cycle", KB_INVALID, "dead_code", .model = { .op = 0.4, .base = 0.01 } },
	{ "a proof that disagrees", KB_INVALID, "expect_failed", .model = { .proves = true, .missing = 0.5 } },
	{ "a proof that is refused", KB_UNVERIFIED, "expect_unknown", .model = { .proves = true, .proof_refused = true } },
	{ "claims nothing", KB_UNVERIFIED, "expect_unknown", .model = { .claims_nothing = true } },
	{ "claims what cannot be read", KB_UNVERIFIED, "expect_unknown", .model = { .unreadable = true } },
	/* Events of the processor: silent where there is no counter, else they refute or vouch. */
	{ "an event nobody can count", KB_OK, "", .model = { .claims_event = true } },
	{ "an event nobody can count, and no other claim", KB_UNVERIFIED, "expect_unknown",
	  .model = { .claims_event = true, .claims_nothing = true } },
	{ "an event that agrees", KB_OK, "", "verified_by_events", .model = { .claims_event = true, .events = 1.0005 } },
	{ "an event that agrees, and no other claim", KB_OK, "", "verified_by_events",
	  .model = { .claims_event = true, .events = 1, .claims_nothing = true } },
	{ "an event that contradicts", KB_UNVERIFIED, "event_disagrees", .model = { .claims_event = true, .events = 0.5 } },
	{ "unproven", KB_UNVERIFIED, "expect_unknown", .model = { .note = UNPROVEN } },
	{ "unproven, no counter", KB_UNVERIFIED, "expect_unknown", .model = { .note = UNPROVEN, .claims_event = true } },
	{ "unproven but for an event", KB_OK, "", "verified_by_events",
	  .model = { .note = UNPROVEN, .claims_event = true, .events = 1 } },
	{ "unproven, and an event contradicts", KB_UNVERIFIED, "event_disagrees expect_unknown",
	  .model = { .note = UNPROVEN, .claims_event = true, .events = 1.5 } },
	{ "unproven, an event only asked for", KB_UNVERIFIED, "expect_unknown", .model = { .note = UNPROVEN, .asked_event = true } },
	{ "claims nothing, an event asked for", KB_UNVERIFIED, "expect_unknown", .model = { .claims_nothing = true, .asked_event = true } },
	/* Observations that its check refutes: up to one in a hundred does no harm. */
	{ "refutes one in 50", KB_INVALID, "refuted", .model = { .refutes = 50 } },
	{ "refutes one in 200", KB_OK, "", "few_refuted", .model = { .refutes = 200 } },

	/* Failures. */
	{ "set-up fails", KB_INVALID, "setup_failed", .model = { .fails = "setup" } },
	{ "a need is unmet", KB_SKIPPED, "need_unmet", .model = { .fails = "skip" } },
	{ "fails at once", KB_INVALID, "op_failed", .model = { .fails = "op" } },
	{ "fails half-way", KB_INVALID, "op_failed", .model = { .fails = "op", .fails_at = 300 } },
	{ "its base fails", KB_INVALID, "op_failed", .model = { .fails = "base", .fails_at = 30 } },
	{ "its preparation fails", KB_INVALID, "op_failed", .model = { .fails = "before", .fails_at = 30 } },
	{ "its clearing up fails", KB_INVALID, "op_failed", .model = { .fails = "after", .fails_at = 30 } },
	{ "its check fails", KB_INVALID, "check_failed", .model = { .fails = "check", .fails_at = 200, .checked = true } },
	{ "crashes at once", KB_INVALID, "crashed", .model = { .bad_process = 1, .outcome = "signal=11 SIGSEGV", .cut = true } },
	{ "crashes later", KB_INVALID, "crashed", .model = { .bad_process = 3, .outcome = "signal=11 SIGSEGV", .cut = true } },
	{ "hangs", KB_INVALID, "timeout", .model = { .bad_process = 2, .outcome = "timeout after 1.0 s", .cut = true } },
	{ "leaves a process", KB_INVALID, "left_behind", .model = { .bad_process = 2, .outcome = "left 1 process behind" } },
	{ "its record is cut off at once", KB_INVALID, "record_truncated", .model = { .bad_process = 1, .cut = true } },
	{ "its record is cut off", KB_INVALID, "record_truncated", .model = { .bad_process = 4, .cut = true } },
	{ "its record is garbled", KB_INVALID, "record_truncated", .model = { .bad_process = 2, .garbled = true } },

	/* The circle. */
	{ "base above op", KB_INVALID, "base_exceeds_op base_dominates", .model = { .base = 150, .base_works = true } },
	{ "base is op", KB_NOISY, "below_resolution base_dominates", .model = { .base = 120, .base_works = true }, .wish = { .seed = 2 } },
	{ "base is op and may be", KB_OK, "", .model = { .base = 120, .bound = KB_NOTHING } },
	{ "empty and yet it costs", KB_INVALID, "check_failed", .model = { .bound = KB_NOTHING } },
	{ "base is half of op, in the kernel", KB_OK, "", .model = { .base = 59, .base_works = true } },
	{ "base is half of op, and nobody says so", KB_INVALID, "base_works", .model = { .base = 59 } },
	{ "base is most of op, in the kernel", KB_NOISY, "base_dominates", .model = { .base = 80, .base_works = true } },
	{ "base is half of op, instructions", KB_NOISY, "base_dominates", .model = { .base = 60, .bound = KB_LATENCY, .base_works = true } },
	{ "base is half of its operations", KB_OK, "", .model = { .base = 60, .bound = KB_LATENCY, .half_base = true } },
	{ "base is said to be half", KB_NOISY, "base_dominates", .model = { .base = 30, .bound = KB_LATENCY, .half_base = true } },
	{ "half of its operations, and as much again", KB_NOISY, "base_dominates", .model = { .base = 80, .bound = KB_LATENCY, .half_base = true } },
	{ "not proportional to n", KB_NOISY, "nonlinear", .model = { .bend = 0.02 } },

	/* The clock. */
	{ "coarse clock", KB_NOISY, "clock_coarse", .model = { .quantum = 1000, .max_n = 800 } },
	{ "clock fails its self-test", KB_NOISY, "ladder_failed", .model = { .ladder_fails = true } },
	{ "clock steps back", KB_INVALID, "clock_backwards", .model = { .back_at = 100 } },

	/* The machine. */
	{ "preempted", KB_OK, "ctx_switch gap", .model = { .bursts = 0.2 } },
	{ "preempted in short intervals", KB_OK, "ctx_switch gap", .model = { .bursts = 0.6, .blind = 0.5, .max_n = 64 } },
	{ "so disturbed that its slope may be nothing", KB_NOISY, "below_resolution partial_run", .model = { .bursts = 0.9, .blind = 1 }, .wish = { .processes = 1, .seed = 3 } },
	{ "so disturbed that its base may be dear", KB_NOISY, "below_resolution base_dominates partial_run",
	  .model = { .bursts = 0.97, .blind = 1 }, .wish = { .processes = 1 } },
	{ "preempted rarely", KB_OK, "", .model = { .bursts = 0.03 } },
	{ "migrated", KB_OK, "migrated", .model = { .bursts = 0.1, .burst_flags = KB_FLAG_MIGRATED } },
	{ "interrupted", KB_OK, "irq_hit", .model = { .bursts = 0.1, .burst_flags = KB_FLAG_IRQ } },
	{ "foreign faults", KB_OK, "page_fault", .model = { .bursts = 0.1, .burst_flags = KB_FLAG_FAULT } },
	{ "faults that nobody claims", KB_NOISY, "page_fault too_few_effective partial_run", .model = { .bursts = 1, .burst_flags = KB_FLAG_FAULT } },
	{ "stolen by flag", KB_OK, "steal", .model = { .bursts = 0.1, .burst_flags = KB_FLAG_STEAL } },
	{ "stolen by count", KB_OK, "steal", .model = { .steal = 1 } },
	{ "dearer at times", KB_OK, "robust_disagrees", .model = { .outliers = 0.04, .outlier = 400 } },
	{ "launches differ", KB_NOISY, "too_wide", .model = { .process_sd = 0.2 } },
	{ "drifts slowly in a launch", KB_NOISY, "too_few_effective",
	  .model = { .ar = 0.9998, .ar_sd = 0.02, .v0 = 1e3, .v1 = 1 }, .wish = { .stop_after = 5 } },
	{ "a debug kernel", KB_NOISY, "debug_kernel", .model = { .note = "debug_kernel" } },
	{ "an emulator", KB_UNVERIFIED, "emulated_clock", .model = { .note = "emulated_clock \"icount\"" } },
	{ "a neighbour that stood still", KB_NOISY, "partial_overlap", .model = { .note = "partial_overlap \"12 of 62 blocks\"" } },

	/* A neighbour on the core: excluded, or it is said that it is not. */
	{ "nobody on the core", KB_OK, "", .model = { .sibling = { .probes = true } } },
	{ "a neighbour half of the time", KB_OK, "contention", .model = { .sibling = { NEIGHBOUR, .clean_ns = 2e6, .busy_ns = 2e6 } } },
	{ "a neighbour in one of six", KB_OK, "contention", .model = { .sibling = { NEIGHBOUR, .busy_ns = 5e6, .processes = 1u << 3 } } },
	{ "a neighbour that never rests", KB_NOISY, "contention_not_excluded", .model = { .sibling = { .probes = true, .busy_ns = 1e12,
	  .on_probe = { 1.6, 1.6 }, .on_op = { 1.4, 1.4 } } }, .wish = { .stop_after = 6 } },
	{ "a neighbour that takes nothing, and four processes", KB_OK, "", "contention_immaterial", .model = { .sibling = { .probes = true,
	  .clean_ns = 2e6, .busy_ns = 2e6, .on_probe = { 1.3, 1.8 }, .on_op = { 1, 1 } } }, .wish = { .stop_after = 4, .precision = 1e-6 } },
	{ "a neighbour that takes 5 %, and four processes", KB_NOISY, "contention_not_excluded", .model = { .sibling = { .probes = true,
	  .clean_ns = 2e6, .busy_ns = 4e6, .on_probe = { 1.3, 1.8 }, .on_op = { 1.05, 1.05 } } }, .wish = { .stop_after = 4, .precision = 1e-6 } },
	{ "nobody on the core, and no floor", KB_NOISY, "contention_not_excluded", .model = { .sibling = { .probes = true } },
	  .wish = { .floor_unknown = true, .stop_after = 6 } },
	{ "a part on another CPU", KB_OK, "", "partner_not_probed", .model = { .sibling = { .probes = true }, .elsewhere = true } },
	{ "an operation of 2 ms", KB_OK, "", "long_operation", .model = { .op = 2e6, .no_base = true, .sibling = { .probes = true } } },
	{ "small pages", KB_OK, "", "page_walks", .model = { .note = "page_walks 64 MB" } },
	{ "large arrays", KB_OK, "", "cache_refills", .model = { .note = "cache_refills L2" } },
	{ "a slow core cancels in cycles", KB_OK, "",
	  .model = { .bound = KB_LATENCY, .slow_process = 3, .slow_add = 1.5, .slow_op = 1.5 }, .wish = { .processes = 6 } },
	{ "a core 5 % slower once", KB_OK, "freq_drift", .model = { .slow_process = 2, .slow_add = 1.05 } },

	/* The schedule. */
	{ "two launches", KB_NOISY, "partial_run", .wish = { .processes = 2 } },
	{ "three launches", KB_OK, "", .wish = { .processes = 3 } },
	{ "budget after one launch", KB_NOISY, "partial_run", .wish = { .stop_after = 1 } },
	{ "budget after four launches", KB_OK, "", .wish = { .stop_after = 4, .precision = 1e-6 } },

	/* The series. A process has 1800 intervals of op. */
	{ "keeps its level", KB_OK, "", "flat", .wish = { .seed = 3 } },
	{ "warms up", KB_OK, "", "warmup", .model = { .shift = 0.3, .shift_from = 1, .shift_to = 450 }, .wish = { .stop_after = 5 } },
	{ "warms up in two launches", KB_OK, "", "warmup",
	  .model = { .shift = 0.3, .shift_from = 1, .shift_to = 450, .shift_processes = 6 }, .wish = { .stop_after = 5 } },
	{ "becomes slower", KB_OK, "slowdown", .model = { .shift = 0.2, .shift_from = 590 }, .wish = { .stop_after = 5 } },
	{ "becomes slower in one launch", KB_OK, "", "flat", .model = { .shift = 0.2, .shift_from = 590, .shift_processes = 8 }, .wish = { .stop_after = 5 } },
	{ "drifts", KB_OK, "drift", .model = { .drift = 0.7 }, .wish = { .stop_after = 5 } },
	{ "jumps and returns", KB_OK, "changepoint", .model = { .shift = 0.2, .shift_from = 450, .shift_to = 990 }, .wish = { .stop_after = 5 } },
	{ "jumps by 6 % near the end", KB_OK, "changepoint", .model = { .shift = 0.06, .shift_from = 1270 }, .wish = { .stop_after = 5 } },
	{ "cheaper later", KB_UNVERIFIED, "later_differs", .model = { .sibling.probes = true, .shift = 1, .shift_to = 20 }, .wish.stop_after = 8 },
	{ "does not settle", KB_INVALID, "no_steady_state robust_disagrees", .model = { .shift = 0.3, .shift_from = 800, .sibling.probes = true }, .wish = { .stop_after = 5 } },
	{ "does not settle, who knows why", KB_NOISY, "unsettled", .model = { .shift = 0.3, .shift_from = 1270 }, .wish = { .stop_after = 5 } },
	{ "becomes slower in three of five launches", KB_OK, "inconsistent", .model = { .shift = 0.2, .shift_from = 590, .shift_processes = 14 }, .wish = { .stop_after = 5 } },
	{ "two ways through the operation", KB_NOISY, "multimodal", .model = { .op = 40e3, .v0 = 1e6, .v1 = 1e5, .no_base = true, .outliers = 0.3, .outlier = 20e3 }, .wish = { .stop_after = 5 } },
	{ "noise that an interval has in common", KB_OK, "common_mode", .model = { .ar_sd = 0.05 }, .wish = { .stop_after = 5 } },
	{ "neighbours are alike", KB_OK, "", "autocorrelated", .model = { .ar = 0.9, .ar_sd = 0.004, .v0 = 1e3, .v1 = 1 }, .wish = { .stop_after = 5 } },

	/* Notes of the engine. */
	{ "as precise as asked", KB_OK, "", "target_met", .wish = { .seed = 4 } },
	{ "not as precise as asked", KB_OK, "", "budget_exhausted", .wish = { .stop_after = 5, .precision = 1e-9 } },
	{ "too short to be seen alone", KB_OK, "", "timer_bound", .wish = { .seed = 5 } },
};

static bool is_mute(const struct kb_synthetic *model)
{
	return model->fails || (model->bad_process == 1 && model->cut);
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
	if (truth->note && !kb_verdict_has(&result->verdict, kb_code_find(truth->note))) {
		print_error("%s: no note %s\n", truth->name, truth->note);
		return 1;
	}
	remember(&result->verdict);
	if (is_mute(&truth->model) && !engine_has_no_number(result)) {
		print_error("%s: has a number\n", truth->name);
		return 1;
	}
	return 0;
}

static void test_faults(void **state)
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

/* Whatever a collector of any world writes as a note becomes a reason of that severity, and nothing else does. */
static void test_notes_of_collectors(void **state)
{
	static const enum kb_reason_code codes[] = {
		KB_CODE_clock_unstable, KB_CODE_clock_not_cycles, KB_CODE_clock_unknown, KB_CODE_env_virtual, KB_CODE_freq_uncontrolled,
		KB_CODE_maybe_sibling, KB_CODE_refuted, KB_CODE_composed_late, KB_CODE_looked_up,
	};

	(void)state;
	for (size_t i = 0; i < sizeof codes / sizeof *codes; i++) {
		struct kb_synthetic model = { .note = kb_code_name(codes[i]) };
		const struct engine_wish wish = { .processes = 3 };
		struct engine_run run;
		char above[400];

		engine_run(&run, &model, &wish);
		const struct kb_verdict *verdict = &run.row.result.verdict;

		engine_codes(&run.row.result, above, sizeof above);
		assert_true(kb_verdict_has(verdict, codes[i]));
		assert_int_equal(verdict->status, kb_severity_status(kb_code_severity(codes[i])));
		assert_string_equal(above, verdict->status == KB_OK ? "" : kb_code_name(codes[i]));
		remember(verdict);
		engine_run_close(&run);
	}
}

/* ---- comparisons --------------------------------------------------------------------------------- */

static struct kb_result side(double cost, unsigned processes, const char *clock)
{
	struct kb_result result = {
		.benchmark = "synthetic.row", .method = KB_METHOD_SLOPE, .ticks_per_ns = 1, .processes = processes,
		.process_cost_count = processes, .estimate = { cost, cost * .99, cost * 1.01, true, true },
	};

	snprintf(result.clock, sizeof result.clock, "%s", clock);
	for (unsigned i = 0; i < processes; i++)
		result.process_costs[i] = (struct kb_process_cost){ .process = i + 1, .cost = cost * (1 + 0.001 * (i % 3)), .used = 100 };
	return result;
}

static void test_comparisons(void **state)
{
	static const struct {
		enum kb_reason_code code;
		unsigned processes;
		const char *clock;
		bool paired;
	} cases[] = {
		{ KB_CODE_env_mismatch, 12, "ns", true }, { KB_CODE_single_launch, 1, "tsc", false },
		{ KB_CODE_unpaired, 5, "tsc", false }, { KB_CODE_too_few_effective, 11, "tsc", true },
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct kb_result a = side(100, cases[i].processes, "tsc"), b = side(100, cases[i].processes, cases[i].clock);
		struct kb_compare_rules rules = { .margin = log(1.01), .paired = cases[i].paired };
		struct kb_comparison row;

		kb_compare_results(&a, &b, &rules, &row);
		if (row.verdict.count != 1u + !cases[i].paired - (cases[i].code == KB_CODE_unpaired) || !kb_verdict_has(&row.verdict, cases[i].code))
			fail_msg("%s: %u reasons, first %s", kb_code_name(cases[i].code), row.verdict.count,
			         row.verdict.count ? kb_code_name(row.verdict.reasons[0].code) : "none");
		remember(&row.verdict);
	}
}

/* ---- analysis of a list or of groups ------------------------------------------------------------- */

static void expect_list(const double *x, size_t n, enum kb_reason_code code)
{
	const struct kb_analysis_options options = { .confidence = 0.95, .half_width = 0.02 };
	struct kb_list_analysis list = { 0 };

	assert_int_equal(kb_list_analyze(&list, x, n, &options), 0);
	if (list.verdict.count != 1 || list.verdict.reasons[0].code != code)
		fail_msg("%s: %u reasons, first %s", kb_code_name(code), list.verdict.count,
		         list.verdict.count ? kb_code_name(list.verdict.reasons[0].code) : "none");
	remember(&list.verdict);
}

static void test_lists(void **state)
{
	double x[200];
	struct kb_rng rng;

	(void)state;
	for (size_t i = 0; i < 200; i++)
		x[i] = 7;
	expect_list(x, 200, KB_CODE_tick_limited);
	kb_rng_seed(&rng, 3);
	for (size_t i = 0; i < 200; i++)
		x[i] = 100 * exp(draw_normal(&rng));
	expect_list(x, 200, KB_CODE_not_normal);
	/* What is refused, and why, by the quantile itself: the rows of the engine are refused for fewer effective values first. */
	assert_int_equal(kb_quantile_interval(x, 200, .99, .95).why, KB_CODE_rank_out_of_range);
	earned[KB_CODE_rank_out_of_range] = true;
}

/* Groups with a noise and a cost of the interval itself. */
static void test_groups(void **state)
{
	const struct kb_analysis_options options = { .confidence = 0.9, .half_width = 0.02 };
	static double n[400], y[400];
	struct kb_import_series series = { .x = n, .y = y, .count = 400 };
	struct kb_import import = { .form = KB_IMPORT_POINTS, .unit = "ticks", .series = &series, .count = 1 };
	struct kb_kanata_analysis analysis = { 0 };
	struct kb_rng rng;

	(void)state;
	kb_rng_seed(&rng, 4);
	for (size_t i = 0; i < 400; i++) {
		n[i] = (double)(30 + 30 * (i / 80));
		y[i] = 900 + 100 * n[i] + 300 * draw_normal(&rng) + sqrt(100 * n[i]) * draw_normal(&rng);
	}
	assert_int_equal(kb_kanata_add(&analysis, &import, &options), 0);
	struct kb_across across = kb_across_groups(&analysis, &options);

	assert_int_equal(across.verdict.status, KB_OK);
	assert_true(kb_verdict_has(&across.verdict, KB_CODE_var_not_proportional));
	assert_true(kb_verdict_has(&across.verdict, KB_CODE_intercept_bias));
	remember(&across.verdict);
	kb_kanata_free(&analysis);
}

/* A row whose turn never came has no number, and says so. */
static void test_never_reached(void **state)
{
	struct kb_result result = { 0 };

	(void)state;
	kb_settle_result(&result, "sys.stat depth=1", 3);
	assert_string_equal(result.benchmark, "sys.stat");
	assert_string_equal(result.params, "depth=1");
	assert_int_equal(result.verdict.status, KB_SKIPPED);
	remember(&result.verdict);
}

/* What version 1 said of the core by its sentinels is found in stored results only. */
static void test_stored(void **state)
{
	static const char stored[] = "{\"benchmark\":\"a.b\",\"verdict\":{\"status\":\"noisy\",\"reasons\":[{\"code\":\"sentinel_off\"}]}}";
	json_t *json = json_loads(stored, 0, NULL);
	struct kb_result result;

	(void)state;
	assert_int_equal(kb_result_from_json(&result, json), 0);
	assert_true(kb_verdict_has(&result.verdict, KB_CODE_sentinel_off));
	remember(&result.verdict);
	json_decref(json);
}

/* ---- the table of codes -------------------------------------------------------------------------- */

/* A kernel under test, a hypervisor, a machine without a console, a user's program: they come as notes of those collectors, whose form
   test_notes_of_collectors holds. Copies side by side: test_parallel.c. Runs of commands: test_commands.c. Imports: test_import_tools.c. What a proof and a lookout see: test_proven.c. */
static bool is_of_another_world(enum kb_reason_code code)
{
	return code == KB_CODE_no_console || code == KB_CODE_kvm_unfit || code == KB_CODE_timer_ticks || code == KB_CODE_no_entry_count ||
	       code == KB_CODE_contention_asked || code == KB_CODE_throttled || code == KB_CODE_one_layout || code == KB_CODE_few_runs || code == KB_CODE_imported ||
	       (code >= KB_CODE_calls_failed && code <= KB_CODE_proof_failed && code != KB_CODE_base_works);
}

static void test_every_code_is_earned(void **state)
{
	(void)state;
	for (enum kb_reason_code code = 0; code < KB_CODE_COUNT; code++) {
		if (!earned[code] && !is_of_another_world(code))
			fail_msg("no case earns %s", kb_code_name(code));
	}
}

static void test_every_code_is_documented(void **state)
{
	const char *directory = getenv("KB_SRC");
	char path[4096], *text = NULL;
	size_t room = 0;
	FILE *in;

	(void)state;
	if (!directory)
		skip();
	snprintf(path, sizeof path, "%s/doc/result.md", directory);
	in = fopen(path, "r");
	assert_non_null(in);
	assert_true(getdelim(&text, &room, '\0', in) > 0);
	fclose(in);
	for (enum kb_reason_code code = 0; code < KB_CODE_COUNT; code++) {
		enum kb_severity severity = kb_code_severity(code);
		char row[64];

		snprintf(row, sizeof row, "\n| `%s` | %s |", kb_code_name(code), severity == KB_NOTE ? "note" : severity == KB_CAUSE ? "cause" :
		         kb_status_name(kb_severity_status(severity)));
		if (!strstr(text, row))
			fail_msg("doc/result.md has no row%s", row);
	}
	free(text);
}

/* What a later version says is printed and handed on as it was. */
static void test_unknown_code_survives(void **state)
{
	static const char later[] =
		"{\"benchmark\":\"a.b\",\"verdict\":{\"status\":\"noisy\",\"reasons\":[{\"code\":\"from_the_future\","
		"\"severity\":\"noisy\",\"detail\":\"new words\",\"evidence\":\"3 of 5\",\"hint\":\"\"}]}}";
	json_t *json = json_loads(later, 0, NULL), *again, *reason;
	struct kb_result result;

	(void)state;
	assert_int_equal(kb_result_from_json(&result, json), 0);
	again = kb_result_to_json(&result);
	reason = json_array_get(json_object_get(json_object_get(again, "verdict"), "reasons"), 0);
	assert_true(json_equal(reason, json_array_get(json_object_get(json_object_get(json, "verdict"), "reasons"), 0)));
	json_decref(again);
	json_decref(json);
}

/* A healthy machine must not earn a reason by chance in more than a row of a hundred. */
static void test_false_alarms(void **state)
{
	static const struct kb_synthetic models[] = {
		{ 0 }, { .op = 40e3, .v0 = 1e6, .v1 = 1e5, .no_base = true }, { .bound = KB_LATENCY },
	};
	int tries = truth_tries(150, 4), alarms = 0;

	(void)state;
	for (int i = 0; i < tries; i++) {
		for (size_t k = 0; k < sizeof models / sizeof *models; k++) {
			const struct engine_wish wish = { .seed = 1000 + (uint64_t)i };
			struct engine_run run;
			char codes[400];

			engine_run(&run, &models[k], &wish);
			engine_codes(&run.row.result, codes, sizeof codes);
			if (codes[0])
				print_message("model %zu, seed %d: %s\n", k, 1000 + i, codes);
			alarms += codes[0] != '\0';
			engine_run_close(&run);
		}
	}
	truth_at_most("T-VER", "healthy results with a reason", 0.01 + (truth_full() ? 0 : 0.01), (double)alarms / (3 * tries));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_faults),
		cmocka_unit_test(test_notes_of_collectors),
		cmocka_unit_test(test_comparisons),
		cmocka_unit_test(test_lists),
		cmocka_unit_test(test_groups),
		cmocka_unit_test(test_never_reached),
		cmocka_unit_test(test_stored),
		cmocka_unit_test(test_every_code_is_earned),
		cmocka_unit_test(test_every_code_is_documented),
		cmocka_unit_test(test_unknown_code_survives),
		cmocka_unit_test(test_false_alarms),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
