/*
 * From what clock and machine did to the samples to causes and reasons: steps of the clock, interrupts, preemption, steal, quotas,
 * neighbours on the core, a core clock that moves. What is excluded or covered by the CI is a cause, and no verdict.
 */
#define _GNU_SOURCE
#include <math.h>
#include <string.h>

#include "result/summary/summary.h"

#define DISTURBED_SHARE 0.05    /* of the samples, before a disturbance is spoken of */
#define COARSE_STEPS 100        /* shortest sample in steps of the clock */
#define FIGURES 1e-3            /* of a number without a CI: four of them are printed */

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
		kb_verdict_add(&result->verdict, KB_CODE_clock_backwards, "%llu samples",
		               (unsigned long long)result->flags[PLACE(BACKWARDS)]);
	if (steps < COARSE_STEPS && result->bound != KB_NOTHING)
		kb_verdict_add(&result->verdict, KB_CODE_clock_coarse, "the shortest sample has %.0f clock steps", steps);
	if (!result->quantile[KB_P50].known && kb_methods[result->method].series && !kb_verdict_has(&result->verdict, KB_CODE_imported))
		kb_verdict_add(&result->verdict, KB_CODE_timer_bound, "an empty sample takes %.0f ticks",
		               kb_quantile_interval(first->empty.ticks, first->empty.count, .5, .95).value);
}

/* Single operations have the reading of the clock in them: said where it is more than the interval leaves open, or, without an
   interval, than the printed figures do. */
static void judge_reading(struct kb_result *result)
{
	const struct kb_estimate *e = &result->estimate;
	double open = e->bounded ? (e->high - e->low) / 2 : FIGURES * fabs(e->value);

	if (result->method == KB_METHOD_SINGLE && e->known && result->fixed.known && result->fixed.value > open)
		kb_verdict_add(&result->verdict, KB_CODE_clock_included, "an empty pair takes %.4g %s; without it %.6g", result->fixed.value,
		               kb_time_unit(result), e->value - result->fixed.value);
}

static void judge_throttling(const struct kb_summary *summary, struct kb_result *result)
{
	uint64_t us = 0;
	unsigned stopped = 0;

	for (size_t i = 0; i < summary->count; i++) {
		us += summary->samples[i].throttled_us;
		stopped += summary->samples[i].throttled_us > 0;
	}
	if (stopped > 0)
		kb_verdict_add(&result->verdict, KB_CODE_throttled, "%.3g ms in %u of %zu processes", (double)us / 1e3, stopped,
		               summary->count);
}

void kb_summary_judge_disturbance(const struct kb_summary *summary, struct kb_result *result)
{
	static const enum kb_reason_code codes[] = {
		[PLACE(IRQ)] = KB_CODE_irq_hit, [PLACE(SWITCH)] = KB_CODE_ctx_switch, [PLACE(MIGRATED)] = KB_CODE_migrated,
		[PLACE(FAULT)] = KB_CODE_page_fault, [PLACE(STEAL)] = KB_CODE_steal, [PLACE(GAP)] = KB_CODE_gap,
	};
	double all = (double)(result->observations + result->disturbed);
	uint64_t steal = 0;

	for (unsigned flag = PLACE(IRQ); flag < sizeof codes / sizeof *codes; flag++) {
		double share = all > 0 ? (double)result->flags[flag] / all : 0;

		if (share > DISTURBED_SHARE && (flag != PLACE(IRQ) || strcmp(result->clock, KB_CLOCK_ICOUNT) != 0))
			kb_verdict_add(&result->verdict, codes[flag], "%.0f %% of %.0f samples", 100 * share, all);
	}
	/* Where nothing has noise, what a tick hit is known one by one, and left out. */
	if (strcmp(result->clock, KB_CLOCK_ICOUNT) == 0 && result->flags[PLACE(IRQ)] > 0)
		kb_verdict_add(&result->verdict, KB_CODE_timer_ticks, "in %llu of %llu", (unsigned long long)result->flags[PLACE(IRQ)],
			       (unsigned long long)(result->observations + result->disturbed));
	for (size_t i = 0; i < summary->count; i++)
		steal += summary->samples[i].steal_ticks;
	/* /proc/stat counts steal in hundredths of a second: below one a process it is rounding. */
	if (steal > summary->count)
		kb_verdict_add(&result->verdict, KB_CODE_steal, "%llu ms in all processes", (unsigned long long)steal * 10);
}

static unsigned probed_processes(const struct kb_summary *summary, unsigned *contended)
{
	unsigned probed = 0;

	*contended = 0;
	for (size_t i = 0; i < summary->count; i++) {
		const struct kb_samples *samples = &summary->samples[i];

		probed += summary->observed[i].usable && samples->probe > 0;
		*contended += summary->observed[i].usable && samples->clean_share < 1 - KB_CONTENDED_SHARE;
	}
	return probed;
}

#define AGREEING 3u             /* processes whose uncontended samples cost what all do */

/*
 * Too few processes for an interval of the uncontended cost, but what each of them found is what all samples say, and the interval of
 * that is narrow: what contends for the core takes nothing that the operation needs. A neighbour that never rests leaves none to ask.
 */
static bool is_immaterial(const struct kb_summary *summary, const struct kb_result *result)
{
	bool core = kb_core_bound(result->bound) && result->observed_cycles.known;
	const struct kb_estimate *all = core ? &result->observed_cycles : &result->observed;
	double scale = result->ticks_per_ns > 0 ? result->ticks_per_ns : 1;
	unsigned asked = 0;

	if (!all->bounded || (all->high - all->low) / 2 > KB_MATERIAL / 2 * fabs(all->value))
		return false;
	for (size_t i = 0; i < summary->count; i++) {
		const struct kb_clean_fit *clean = &summary->clean[i];

		if (!clean->usable)
			continue;
		asked++;
		/* Whether one cost is the other, for all that anybody decides by it. */
		if (fabs((core ? clean->cycles : clean->cost / scale) - all->value) > KB_MATERIAL / 2 * fabs(all->value))
			return false;
	}
	return asked >= AGREEING;
}

/* What the headline is of, where samples were probed: contention is excluded, or it is said that it is not, and why. */
static void judge_contention(const struct kb_summary *summary, struct kb_result *result)
{
	unsigned contended, probed = probed_processes(summary, &contended), usable = 0;

	if (probed == 0 || result->bound == KB_NOTHING)
		return;
	for (size_t i = 0; i < summary->count; i++)
		usable += summary->clean[i].usable;
	if (summary->uncontended && contended > 0)
		kb_verdict_add(&result->verdict, KB_CODE_contention, "in %u of %u processes; %.0f %% of the samples are uncontended", contended,
		               probed, 100 * result->clean_share);
	if (summary->uncontended)
		return;
	if (summary->samples[0].elsewhere)
		kb_verdict_add(&result->verdict, KB_CODE_partner_not_probed,
		               summary->samples[0].other_machine ? "on another machine; what it and the network do is in the cost" : NULL);
	else if (summary->too_long)
		kb_verdict_add(&result->verdict, KB_CODE_long_operation, NULL);
	else if (!(summary->floor->k > 0))
		kb_verdict_add(&result->verdict, KB_CODE_contention_not_excluded, "this CPU model is not known, and never looked uncontended");
	else if (is_immaterial(summary, result))
		kb_verdict_add(&result->verdict, KB_CODE_contention_immaterial, "%u of %u processes had enough uncontended time, and cost the same",
		               usable, probed);
	else
		kb_verdict_add(&result->verdict, KB_CODE_contention_not_excluded, "%u of %u processes had enough uncontended time, %u are needed",
		               usable, probed, KB_CLEAN_PROCESSES);
}

static void judge_core_clock(const struct kb_summary *summary, struct kb_result *result)
{
	double low = INFINITY, high = 0;

	/* Rows in core cycles do not care, and rows that wait for memory or a disk hardly do. */
	if (result->bound != KB_KERNEL || result->ticks_per_ns <= 0)
		return;
	for (size_t i = 0; i < summary->count; i++) {
		if (!summary->fits[i].usable || summary->fits[i].add <= 0)
			continue;
		low = fmin(low, summary->fits[i].add);
		high = fmax(high, summary->fits[i].add);
	}
	if (high > low * (1 + KB_CLOCK_MOVED))
		kb_verdict_add(&result->verdict, KB_CODE_freq_drift, "%.0f to %.0f MHz between processes", result->ticks_per_ns * 1e3 / high,
		               result->ticks_per_ns * 1e3 / low);
}

void kb_summary_judge_machine(const struct kb_summary *summary, struct kb_result *result)
{
	judge_clock(summary, result);
	judge_reading(result);
	judge_contention(summary, result);
	kb_summary_judge_disturbance(summary, result);
	judge_throttling(summary, result);
	judge_core_clock(summary, result);
}
