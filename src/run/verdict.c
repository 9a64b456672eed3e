/*
 * From numbers and evidence to a verdict. Each function judges one thing and adds the reasons it finds; the worst
 * decides. Thresholds are those of the method (doc/method.md); a reason's detail says what was seen.
 */
#define _GNU_SOURCE
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "evidence/events.h"
#include "run/series.h"
#include "run/summary_kanata.h"

#define DISTURBED_SHARE 0.05    /* of the intervals, before a disturbance makes a row noisy */
#define CLOCK_DRIFT 0.01        /* of the core clock, between launches */
#define BASE_SHARE 0.10         /* of the circle: more, and what overlaps between op and base decides the difference */
#define BASE_SHARE_KERNEL 0.50  /* a kernel entry drains the pipeline, so there base and operation do not overlap */
#define COARSE_STEPS 100        /* shortest interval in steps of the clock */
#define FEWEST_LAUNCHES 3
#define REFUTED_SHARE 0.01      /* of a row's observations, before it is not the claimed operation that was measured */
#define FIGURES 1e-3            /* of a number without an interval: four of them are printed */
#define MATERIAL 0.02           /* statistical significance alone is no news: a difference must also be this large */

/* ---- execution ----------------------------------------------------------------------------------- */

static void judge_outcome(struct kb_verdict *verdict, const struct kb_samples *samples)
{
	const char *outcome = samples->outcome;

	if (!strncmp(outcome, "timeout", 7))
		kb_verdict_add(verdict, KB_CODE_timeout, "launch %u: %s", samples->launch, outcome);
	else if (!strncmp(outcome, "left", 4))
		kb_verdict_add(verdict, KB_CODE_left_behind, "launch %u %s", samples->launch, outcome);
	else if (outcome[0])
		kb_verdict_add(verdict, KB_CODE_crashed, "launch %u: %s", samples->launch, outcome);
}

static enum kb_code code_of_stage(const char *stage)
{
	if (!strcmp(stage, "setup"))
		return KB_CODE_setup_failed;
	return strcmp(stage, "check") ? KB_CODE_op_failed : KB_CODE_check_failed;
}

static void judge_failure(struct kb_verdict *verdict, const struct kb_samples *samples)
{
	for (unsigned i = 0; i < samples->note_count; i++) {
		if (samples->notes[i].code == KB_CODE_need_unmet) {
			kb_verdict_add(verdict, KB_CODE_need_unmet, "%s", samples->notes[i].detail);
			return;
		}
	}
	const char *detail = samples->fail_detail;
	int error = samples->fail_error;

	kb_verdict_add(verdict, code_of_stage(samples->fail_stage), "launch %u, %s: %s%s%s", samples->launch, samples->fail_stage,
	               detail, detail[0] && error ? ": " : "", error ? strerror(error) : "");
}

/* Counters of the processor vouch for the operation: what nothing else can prove is proven. */
static bool events_hold(const struct kb_result *result)
{
	bool held = false;

	for (unsigned i = 0; i < result->evidence_count; i++) {
		const struct kb_finding_evidence *found = &result->evidence[i];

		if (found->asked || !kb_counter_is_event(found->counter))
			continue;
		if (!found->ok)
			return false;
		held = true;
	}
	return held;
}

/* proven: a benchmark that says of itself that it cannot be (kb_unproven) is heard no more. */
static void judge_launch(struct kb_verdict *verdict, const struct kb_samples *samples, bool proven)
{
	judge_outcome(verdict, samples);
	if (samples->state == KB_RECORD_FAILED)
		judge_failure(verdict, samples);
	else if (samples->state != KB_RECORD_WHOLE && !samples->outcome[0])
		kb_verdict_add(verdict, KB_CODE_record_truncated, "launch %u: %s", samples->launch,
		               kb_record_state_words(samples->state));
	for (unsigned i = 0; i < samples->note_count; i++) {
		enum kb_code code = samples->notes[i].code;

		if (code != KB_CODE_need_unmet && !(code == KB_CODE_expect_unknown && proven))
			kb_verdict_add(verdict, code, "%s", samples->notes[i].detail);
	}
}

/* ---- evidence ------------------------------------------------------------------------------------ */

/* An event upgrades a verdict; it cannot make a row invalid, for processors differ in what one of a name counts. */
static void judge_event(const struct kb_result *result, struct kb_verdict *verdict, const struct kb_finding_evidence *found)
{
	kb_verdict_add(verdict, found->ok ? KB_CODE_verified_by_events : KB_CODE_event_disagrees, "%s: %.4g per %s, expected %.4g (tolerance %.3g)",
	               found->counter + strlen(KB_EVENT_PREFIX), found->per_op, result->per, found->expected, found->tolerance);
}

static void judge_evidence(const struct kb_result *result, struct kb_verdict *verdict, const struct kb_samples *from)
{
	unsigned claims = 0;

	for (unsigned i = 0; i < result->evidence_count; i++) {
		const struct kb_finding_evidence *found = &result->evidence[i];

		if (found->asked)
			continue;
		claims++;
		if (!found->known)
			kb_verdict_add(verdict, KB_CODE_expect_unknown, "%s of %s cannot be counted here", found->counter, found->who);
		else if (kb_counter_is_event(found->counter))
			judge_event(result, verdict, found);
		else if (!found->ok)
			kb_verdict_add(verdict, KB_CODE_expect_failed, "%s of %s: %.4g per %s, expected %.4g (tolerance %.3g)", found->counter,
			               found->who, found->per_op, result->per, found->expected, found->tolerance);
	}
	if (claims == 0 && !from->checked && result->bound != KB_NOTHING && !kb_verdict_has(verdict, KB_CODE_no_entry_count))
		kb_verdict_add(verdict, KB_CODE_expect_unknown, "the benchmark states no expectation and has no check");
}

/* Of all launches with a whole record: of those whose observations were all refuted, none speaks. */
static void judge_refuted(const struct kb_summary *summary, struct kb_result *result)
{
	const char *first = NULL;
	uint64_t refuted = 0, all = 0;

	for (size_t i = 0; i < summary->count; i++) {
		const struct kb_samples *samples = &summary->samples[i];

		if (samples->state != KB_RECORD_WHOLE || samples->outcome[0])
			continue;
		if (samples->refuted > 0 && !first)
			first = samples->refuted_text;
		refuted += samples->refuted;
		all += samples->refuted + samples->op.count + samples->single.count;
	}
	if (refuted > 0)
		kb_verdict_add(&result->verdict, (double)refuted > REFUTED_SHARE * (double)all ? KB_CODE_refuted : KB_CODE_few_refuted,
		               "%llu of %llu observations%s%s", (unsigned long long)refuted, (unsigned long long)all,
		               first[0] ? ": " : "", first);
}

/* ---- clock and machine --------------------------------------------------------------------------- */

/* Where a result counts the flag: the number of its bit. */
#define PLACE(flag) __builtin_ctz(KB_FLAG_##flag)

static double shortest(const struct kb_samples *samples)
{
	double ticks = INFINITY;

	for (size_t i = 0; i < samples->op.count; i++) {
		if (!(samples->op.flags[i] & KB_FLAG_BACKWARDS)) /* those have no length */
			ticks = fmin(ticks, samples->op.ticks[i]);
	}
	return ticks;
}

static void judge_clock(const struct kb_summary *summary, struct kb_result *result)
{
	const struct kb_samples *first = &summary->samples[0];
	double steps = first->quantum ? shortest(first) / (double)first->quantum : INFINITY;

	if (!first->ladder_ok)
		kb_verdict_add(&result->verdict, KB_CODE_ladder_failed, "clock %s", first->clock);
	if (result->flags[PLACE(BACKWARDS)] > 0)
		kb_verdict_add(&result->verdict, KB_CODE_clock_backwards, "%llu intervals",
		               (unsigned long long)result->flags[PLACE(BACKWARDS)]);
	if (steps < COARSE_STEPS && result->bound != KB_NOTHING)
		kb_verdict_add(&result->verdict, KB_CODE_clock_coarse, "the shortest interval has %.0f steps", steps);
	if (!result->quantile[KB_P50].known && kb_has_series(result->method))
		kb_verdict_add(&result->verdict, KB_CODE_timer_bound, "an empty interval takes %.0f ticks",
		               kb_quantile_interval(first->empty.ticks, first->empty.count, .5, .95).value);
}

/* Single operations have the reading of the clock in them: said where it is more than the interval leaves open, or, without an
   interval, than the printed figures do. */
static void judge_reading(struct kb_result *result)
{
	const struct kb_estimate *e = &result->typical;
	double open = e->bounded ? (e->high - e->low) / 2 : FIGURES * fabs(e->value);

	if (!strcmp(result->method, "single") && e->known && result->fixed.known && result->fixed.value > open)
		kb_verdict_add(&result->verdict, KB_CODE_clock_included, "an empty pair takes %.4g %s; without it %.6g", result->fixed.value,
		               kb_time_unit(result), e->value - result->fixed.value);
}

static void judge_flag(struct kb_result *result, unsigned flag, enum kb_code code)
{
	double all = (double)(result->observations + result->disturbed);
	double share = all > 0 ? (double)result->flags[flag] / all : 0;

	if (share > DISTURBED_SHARE)
		kb_verdict_add(&result->verdict, code, "%.0f %% of %.0f intervals", 100 * share, all);
}

static void judge_disturbance(const struct kb_summary *summary, struct kb_result *result)
{
	static const enum kb_code codes[] = {
		[PLACE(IRQ)] = KB_CODE_irq_hit, [PLACE(SWITCH)] = KB_CODE_ctx_switch, [PLACE(MIGRATED)] = KB_CODE_migrated,
		[PLACE(FAULT)] = KB_CODE_page_fault, [PLACE(STEAL)] = KB_CODE_steal, [PLACE(GAP)] = KB_CODE_gap,
	};
	uint64_t steal = 0;

	for (unsigned flag = PLACE(IRQ); flag < sizeof codes / sizeof *codes; flag++) {
		if (flag != PLACE(IRQ) || strcmp(result->clock, KB_CLOCK_ICOUNT) != 0)
			judge_flag(result, flag, codes[flag]);
	}
	/* Where nothing has noise, what a tick hit is known one by one, and left out. */
	if (strcmp(result->clock, KB_CLOCK_ICOUNT) == 0 && result->flags[PLACE(IRQ)] > 0)
		kb_verdict_add(&result->verdict, KB_CODE_timer_ticks, "in %llu of %llu", (unsigned long long)result->flags[PLACE(IRQ)],
			       (unsigned long long)(result->observations + result->disturbed));
	for (size_t i = 0; i < summary->count; i++)
		steal += summary->samples[i].steal_ticks;
	/* /proc/stat counts steal in hundredths of a second: below one a launch it is rounding. */
	if (steal > summary->count)
		kb_verdict_add(&result->verdict, KB_CODE_steal, "%llu ms in all launches", (unsigned long long)steal * 10);
	if (summary->off > 0)
		kb_verdict_add(&result->verdict, KB_CODE_sentinel_off, "%u of %zu launches", summary->off, summary->count);
}

static void judge_core_clock(const struct kb_summary *summary, struct kb_result *result)
{
	double low = INFINITY, high = 0;

	/* Rows in core cycles do not care, and rows that wait for memory or a disk hardly do. */
	if (result->bound != KB_KERNEL || result->ticks_per_ns <= 0)
		return;
	for (size_t i = 0; i < summary->count; i++) {
		if (!summary->fits[i].speaks || summary->fits[i].add <= 0)
			continue;
		low = fmin(low, summary->fits[i].add);
		high = fmax(high, summary->fits[i].add);
	}
	if (high > low * (1 + CLOCK_DRIFT))
		kb_verdict_add(&result->verdict, KB_CODE_freq_drift, "%.0f to %.0f MHz between launches", result->ticks_per_ns * 1e3 / high,
		               result->ticks_per_ns * 1e3 / low);
}

/* ---- model --------------------------------------------------------------------------------------- */

/* P(chi2 > x) < .001 in most launches, and the misfit is material: the plain line leaves 2 % at some n. */
static void judge_line(const struct kb_summary *summary, struct kb_result *result)
{
	unsigned bent = 0, disagree = 0, known = 0;

	for (size_t i = 0; i < summary->count; i++) {
		const struct kb_line_fit *fit = &summary->fits[i].op;

		if (!summary->fits[i].speaks || !fit->known)
			continue;
		known++;
		bent += fit->df > 0 && kb_chi2_cdf(fit->chi2, fit->df) > 0.999 && fit->chi2 > 30 * fit->df;
		disagree += fabs(fit->b - fit->b_robust) > fmax(2 * fit->se_b, MATERIAL * fabs(fit->b_robust));
	}
	if (2 * bent > known)
		kb_verdict_add(&result->verdict, KB_CODE_nonlinear, "in %u of %u launches", bent, known);
	if (2 * disagree > known)
		kb_verdict_add(&result->verdict, KB_CODE_robust_disagrees, "in %u of %u launches", disagree, known);
}

/* Bursts can make any slope uncertain; they leave the low quantiles alone, which still grow if the work is done. */
static bool grows(const struct kb_line_fit *fit, const struct kb_points *op)
{
	if (!fit->slope.known || fit->slope.low > 0)
		return true;
	struct kb_interval low = kb_quantile_line(op->n, op->ticks, op->count, 0.1, 0.95);

	return low.known && low.low > 0;
}

/* Time must grow with n, and what is not limited by issue slots cannot take less than a core cycle. */
static void judge_liveness(const struct kb_summary *summary, struct kb_result *result)
{
	for (size_t i = 0; i < summary->count; i++) {
		const struct kb_launch_fit *fit = &summary->fits[i];
		/* Of a circle with twice the operations those that only op does: two that are folded away are no whole one, and chains
		   of calls that overlap make all of them together look shorter than they are. */
		double gross = summary->samples[i].half_base ? fit->cost : fit->op.b_robust;
		/* A disturbed chain, or disturbed short intervals, prove nothing: the quickest additions, and the upper end. */
		double most = fit->op.known && !summary->samples[i].half_base ? fmax(gross, fit->op.slope.high) : gross;

		if (!fit->speaks || (!fit->op.known && gross <= 0))
			continue;
		if (fit->op.known && !grows(&fit->op, &summary->samples[i].op))
			kb_verdict_add(&result->verdict, KB_CODE_dead_code, "launch %u: slope %.3g ticks", summary->samples[i].launch,
			               fit->op.b_robust);
		else if (result->bound != KB_ISSUE && fit->add_quiet > 0 && most < 0.9 * fit->add_quiet)
			kb_verdict_add(&result->verdict, KB_CODE_dead_code, "%.2f core cycles per %s", gross / fit->add_quiet, result->per);
	}
}

/* Of the circle, over the launches that speak. Operations in the base are no overhead where they cost the same as those that only
   op does: what overlaps is the same then. Any difference counts, so that a base that has no operations is found out. */
static double base_share(const struct kb_summary *summary)
{
	double base = 0, gross = 0;

	for (size_t i = 0; i < summary->count; i++) {
		if (!summary->fits[i].speaks)
			continue;
		base += summary->fits[i].base_cost;
		gross += summary->fits[i].op.b_robust;
	}
	if (summary->count > 0 && summary->samples[0].half_base)
		base = fabs(base - (gross - base));
	return gross > 0 ? base / gross : 0;
}

static void judge_base(const struct kb_summary *summary, struct kb_result *result)
{
	double share = base_share(summary), most = result->bound == KB_KERNEL ? BASE_SHARE_KERNEL : BASE_SHARE;

	if (share > most)
		kb_verdict_add(&result->verdict, KB_CODE_base_dominates, "%.0f %% of the circle", 100 * share);
}

static bool covers_zero(const struct kb_estimate *e)
{
	return e->bounded && e->low <= 0 && e->high >= 0;
}

/* The self-test: an empty operation must cost nothing, by one of its two intervals at the least. */
static void judge_nothing(struct kb_result *result)
{
	bool zero = covers_zero(&result->typical) || covers_zero(&result->quiet);

	if (!zero && result->typical.bounded)
		kb_verdict_add(&result->verdict, KB_CODE_check_failed, "an empty operation costs %.3g %s [%.3g, %.3g]",
		               result->typical.value, kb_time_unit(result), result->typical.low, result->typical.high);
}

/* Launches whose own blocks, op and base side by side, say this of the cost net of the base. */
static unsigned count_overhead(const struct kb_summary *summary, enum kb_code code)
{
	unsigned count = 0;

	for (size_t i = 0; i < summary->count; i++)
		count += summary->fits[i].speaks && summary->fits[i].overhead.code == code;
	return count;
}

/* The interval is looked at after every launch, and one look in forty finds a cost of 0 below 0: only a base that is
   materially dearer, and in the blocks of most launches, is wrong. */
static bool base_exceeds(const struct kb_summary *summary, const struct kb_estimate *typical)
{
	return typical->high < 0 && base_share(summary) > 1 + MATERIAL &&
	       2 * count_overhead(summary, KB_CODE_base_exceeds_op) > summary->speaking;
}

/* One launch has no interval of its own in the headline; its blocks still know whether there is a cost at all. */
static void judge_size_of_blocks(const struct kb_summary *summary, struct kb_result *result)
{
	if (count_overhead(summary, KB_CODE_below_resolution) == summary->speaking &&
	    !kb_verdict_has(&result->verdict, KB_CODE_dead_code))
		kb_verdict_add(&result->verdict, KB_CODE_below_resolution, "its blocks differ from the base's by chance only");
}

static void judge_size(const struct kb_summary *summary, struct kb_result *result)
{
	const struct kb_estimate *e = kb_headline(result);
	double half = (e->high - e->low) / 2;

	if (!e->bounded) {
		judge_size_of_blocks(summary, result);
		return;
	}
	if (base_exceeds(summary, e))
		kb_verdict_add(&result->verdict, KB_CODE_base_exceeds_op, "%.3g %s [%.3g, %.3g]", result->typical.value,
		               kb_time_unit(result), result->typical.low, result->typical.high);
	else if (e->low <= 0)
		kb_verdict_add(&result->verdict, KB_CODE_below_resolution, "at most %.3g %s", fmax(result->typical.high, 0),
		               kb_time_unit(result));
	else if (half > KB_TOO_WIDE * e->value)
		kb_verdict_add(&result->verdict, KB_CODE_too_wide, "+-%.1f %%", 100 * half / e->value);
}

static void judge_precision(struct kb_result *result, double precision)
{
	const struct kb_estimate *e = kb_headline(result);
	double half = (e->high - e->low) / 2;

	if (!e->bounded || result->bound == KB_NOTHING || precision <= 0)
		return;
	if (half <= precision * fabs(e->value))
		kb_verdict_add(&result->verdict, KB_CODE_target_met, "+-%.2f %%", 100 * half / fabs(e->value));
	else
		kb_verdict_add(&result->verdict, KB_CODE_budget_exhausted, "+-%.2f %% reached, %.2f %% asked", 100 * half / fabs(e->value),
		               100 * precision);
}

/* Refused by the correlation inside a launch: by chance one in 25 of those with few blocks, so one is no news. */
static void judge_refused(const struct kb_summary *summary, struct kb_result *result)
{
	enum kb_code why = KB_CODE_too_few_effective;
	unsigned refused = 0;

	for (size_t i = 0; i < summary->count; i++) {
		const struct kb_launch_fit *fit = &summary->fits[i];

		if (fit->speaks || kb_series_explains(fit) ||
		    (fit->why != KB_CODE_too_few_effective && fit->why != KB_CODE_rank_out_of_range))
			continue;
		why = fit->why;
		refused++;
	}
	if (refused > 0 && (5 * refused > summary->count || summary->speaking < FEWEST_LAUNCHES))
		kb_verdict_add(&result->verdict, why, "in %u of %zu launches", refused, summary->count);
}

static void judge_launches(const struct kb_summary *summary, unsigned planned, struct kb_result *result)
{
	unsigned explained = 0;

	result->launches_planned = planned;
	for (size_t i = 0; i < summary->count; i++) {
		const struct kb_launch_fit *fit = &summary->fits[i];

		explained += !fit->speaks && kb_series_explains(fit);
		result->launches_left_out += !fit->speaks && fit->why == KB_CODE_sentinel_off;
		result->launches_failed += summary->samples[i].state != KB_RECORD_WHOLE || summary->samples[i].outcome[0];
	}
	judge_refused(summary, result);
	/* What happened under an emulator does not depend on where memory lies. */
	if (summary->speaking + explained < FEWEST_LAUNCHES && !kb_summary_untimed(summary))
		kb_verdict_add(&result->verdict, KB_CODE_partial_run, "%u of %u planned", summary->speaking, planned);
}

void kb_summary_judge(const struct kb_summary *summary, unsigned planned, double precision, struct kb_result *result)
{
	struct kb_verdict *verdict = &result->verdict;
	bool proven = events_hold(result);

	if (summary->has_proof)
		judge_launch(verdict, &summary->proof, false);
	for (size_t i = 0; i < summary->count; i++)
		judge_launch(verdict, &summary->samples[i], proven);
	/* The proof alone counts system calls only: what it lacks is not "unknown here". */
	if (verdict->status < KB_INVALID && summary->count > 0)
		judge_evidence(result, verdict, &summary->samples[0]);
	judge_refuted(summary, result);
	if (summary->speaking > 0 && !kb_summary_untimed(summary)) {
		judge_clock(summary, result);
		judge_reading(result);
		judge_disturbance(summary, result);
		judge_core_clock(summary, result);
		if (result->bound == KB_NOTHING) {
			judge_nothing(result);
		} else {
			judge_line(summary, result);
			judge_liveness(summary, result);
			judge_base(summary, result);
			judge_size(summary, result);
		}
		if (strcmp(result->method, "kanata"))
			judge_precision(result, precision);
		else
			kb_kanata_judge(summary, precision, result);
	}
	if (verdict->status < KB_INVALID && result->bound != KB_NOTHING && !kb_summary_untimed(summary))
		kb_series_judge(summary, result);
	if (verdict->status != KB_SKIPPED && verdict->status != KB_INVALID)
		judge_launches(summary, planned, result);
	/* What lies between two modes is a cost that no operation has. The launches' own costs stay. */
	if (kb_verdict_has(verdict, KB_CODE_multimodal)) {
		result->typical = (struct kb_estimate){ 0 };
		result->typical_cycles = (struct kb_estimate){ 0 };
	}
}
