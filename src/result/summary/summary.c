/*
 * From processes to the result: intervals are over processes, because these differ (memory layout, neighbours) more than the
 * samples inside one. Uncontended, the headline is the median of the processes; observed, the mean of their robust slopes.
 */
#define _GNU_SOURCE
#include "result/summary/summary.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "evidence/events.h"
#include "result/blocks.h"
#include "result/memory.h"
#include "result/parts.h"
#include "result/summary/reported.h"
#include "result/summary/series.h"
#include "result/uncontended.h"

#define NARROWEST 1e-3          /* half-width over value: no interval of times is printed narrower */

/* ---- which processes speak ----------------------------------------------------------------------- */

/* Beside a neighbour that comes and goes samples depend on each other. An interval over processes wants no more of each than its cost. */
static void hear(const struct kb_samples *samples, struct kb_launch_fit *fit)
{
	if (samples->probe > 0 && fit->why == KB_CODE_too_few_effective && fit->cost != 0)
		fit->speaks = true;
}

/* The uncontended samples of each, which decide whether there is an uncontended cost; then all samples. */
static unsigned fit_both(struct kb_summary *summary)
{
	unsigned usable = 0;

	for (size_t i = 0; i < summary->count; i++) {
		struct kb_samples *samples = &summary->samples[i];

		kb_contention_flag(samples, summary->floor);
		if (!isnan(samples->clean_share)) {
			kb_fit_launch_in_time(samples, &summary->fits[i]);
			kb_clean_fit(samples, &summary->fits[i], &summary->clean[i]);
			usable += summary->clean[i].usable;
		}
		kb_contention_unflag(samples);
		kb_fit_launch(samples, &summary->observed[i]);
		hear(samples, &summary->observed[i]);
	}
	return usable;
}

/* From here on a contended sample is left out as one that an interrupt has hit is. */
static void take_clean(struct kb_summary *summary, size_t i)
{
	struct kb_launch_fit *fit = &summary->fits[i];
	const struct kb_clean_fit *clean = &summary->clean[i];

	kb_contention_flag(&summary->samples[i], summary->floor);
	if (!clean->usable && summary->observed[i].speaks) { /* all its samples tell a cost, too few uncontended ones do */
		summary->contended++;
		fit->why = KB_CODE_contention;
	}
	fit->speaks = clean->usable;
	fit->cost = clean->cost;
	fit->cycles = clean->cycles;
	fit->mean = summary->observed[i].mean;
}

void kb_summary_fit(struct kb_summary *summary)
{
	summary->too_long = kb_parts_measure(summary->samples, summary->count);
	summary->uncontended = fit_both(summary) >= KB_CLEAN_PROCESSES && !summary->samples[0].elsewhere && !summary->too_long;
	for (size_t i = 0; i < summary->count; i++) {
		if (summary->uncontended) {
			take_clean(summary, i);
			continue;
		}
		kb_fit_launch_in_time(&summary->samples[i], &summary->fits[i]);
		hear(&summary->samples[i], &summary->fits[i]);
	}
}

/* ---- over launches ------------------------------------------------------------------------------- */

static struct kb_estimate estimate_of(struct kb_interval interval, double scale)
{
	return (struct kb_estimate){ interval.value * scale, interval.low * scale, interval.high * scale, true, interval.known };
}

static double cost_ticks(const struct kb_launch_fit *fit) { return fit->cost; }
static double cost_cycles(const struct kb_launch_fit *fit) { return fit->cycles; }
static double mean_ticks(const struct kb_launch_fit *fit) { return fit->mean; }
static double fixed_ticks(const struct kb_launch_fit *fit) { return fit->op.a_robust; }
static double empty_ticks(const struct kb_launch_fit *fit) { return fit->empty; }

typedef struct kb_interval interval_over(const double *values, size_t n, double confidence);

static struct kb_estimate over_processes(const struct kb_launch_fit *fits, size_t count, double (*of)(const struct kb_launch_fit *),
                                         interval_over *interval, double scale)
{
	double *values = calloc(count + 1, sizeof *values);
	struct kb_estimate estimate = { 0 };
	size_t n = 0;

	for (size_t i = 0; i < count && values; i++) {
		if (fits[i].speaks)
			values[n++] = of(&fits[i]);
	}
	if (n > 0)
		estimate = estimate_of(interval(values, n, KB_SUMMARY_CONFIDENCE), scale);
	free(values);
	return estimate;
}

static struct kb_estimate over_all(const struct kb_summary *summary, double (*of)(const struct kb_launch_fit *), double scale)
{
	return over_processes(summary->observed, summary->count, of, kb_t_interval, scale);
}

/* All undisturbed points of the processes that speak, contended points too: what this machine gave. */
static bool pool(const struct kb_summary *summary, const struct kb_points *(*of)(const struct kb_samples *), double **ticks, size_t *count)
{
	size_t room = 1;

	for (size_t i = 0; i < summary->count; i++)
		room += of(&summary->samples[i])->count;
	*ticks = malloc(room * sizeof **ticks);
	*count = 0;
	for (size_t i = 0; i < summary->count && *ticks; i++) {
		const struct kb_points *from = of(&summary->samples[i]);
		bool is_op = from == &summary->samples[i].op;
		const double *whole = is_op ? kb_parts_observed(&summary->samples[i]) : from->ticks;
		const unsigned *flags = is_op ? kb_parts_flags(&summary->samples[i]) : from->flags;

		for (size_t k = 0; summary->fits[i].speaks && k < from->count; k++) {
			if (!(flags[k] & ~KB_FLAG_CONTENDED))
				(*ticks)[(*count)++] = whole[k] / from->n[k];
		}
	}
	return *count > 0;
}

static const struct kb_points *single_points(const struct kb_samples *samples)
{
	return kb_methods[samples->method].one_by_one ? kb_cost_points(samples) : &samples->single;
}

/* Processes in a row look like a slow drift; ranks still hold for a mixture. Sorts what is pooled. */
static void add_quantiles(const struct kb_summary *summary, double scale, struct kb_result *result)
{
	static const double levels[KB_QUANTILES] = { [KB_P1] = .01, [KB_P10] = .1, [KB_P50] = .5, [KB_P90] = .9, [KB_P99] = .99 };
	struct kb_interval intervals[KB_QUANTILES] = { 0 };
	double *ticks;
	size_t count;

	if (pool(summary, single_points, &ticks, &count)) {
		kb_quantile_intervals(ticks, count, levels, KB_QUANTILES, KB_SUMMARY_CONFIDENCE, intervals);
		kb_sort(ticks, count);
	}
	for (unsigned i = 0; i < KB_QUANTILES && count > 0; i++) {
		if (!intervals[i].known)
			intervals[i] = kb_rank_interval(ticks, count, levels[i], KB_SUMMARY_CONFIDENCE);
		if (intervals[i].known)
			result->quantile[i] = estimate_of(intervals[i], scale);
	}
	free(ticks);
}

static void add_core_clock(const struct kb_summary *summary, double ticks_per_ns, struct kb_result *result)
{
	double *mhz = calloc(summary->count + 1, sizeof *mhz);
	size_t n = 0;

	for (size_t i = 0; i < summary->count && mhz; i++) {
		if (summary->fits[i].speaks && summary->fits[i].add > 0)
			mhz[n++] = ticks_per_ns * 1e3 / summary->fits[i].add;
	}
	if (n > 0 && ticks_per_ns > 0)
		result->core_mhz = estimate_of(kb_t_interval(mhz, n, KB_SUMMARY_CONFIDENCE), 1);
	free(mhz);
}

/* Of the processes that speak; where none does, of all, for what disturbed their samples is the reason. */
static void count_observations(const struct kb_summary *summary, struct kb_result *result)
{
	result->n_min = UINT64_MAX;
	for (size_t i = 0; i < summary->count; i++) {
		const struct kb_points *op = kb_cost_points(&summary->samples[i]);

		if (!summary->fits[i].speaks && (summary->speaking > 0 || summary->fits[i].why == KB_CODE_record_truncated))
			continue;
		result->observations += summary->fits[i].used;
		result->disturbed += summary->fits[i].disturbed;
		result->n_eff += summary->fits[i].n_eff;
		for (size_t k = 0; k < op->count; k++) {
			uint64_t n = (uint64_t)op->n[k];

			result->n_min = n < result->n_min ? n : result->n_min;
			result->n_max = n > result->n_max ? n : result->n_max;
			for (unsigned flag = 0; flag < KB_FLAGS; flag++)
				result->flags[flag] += op->flags[k] >> flag & 1;
		}
	}
	if (result->n_min == UINT64_MAX)
		result->n_min = 0;
}

/* The clock, and what nobody thought of, leave no time surer than this. Counts have no such limit. */
static void widen(struct kb_estimate *estimate, const struct kb_result *result)
{
	double half = NARROWEST * fabs(estimate->value);

	if (!estimate->bounded || result->bound == KB_NOTHING || result->ticks_per_ns <= 0)
		return;
	estimate->low = fmin(estimate->low, estimate->value - half);
	estimate->high = fmax(estimate->high, estimate->value + half);
}

static void add_headline(const struct kb_summary *summary, double scale, bool core, struct kb_result *result)
{
	result->observed = over_all(summary, cost_ticks, scale);
	if (core)
		result->observed_cycles = over_all(summary, cost_cycles, 1);
	result->headline = summary->uncontended ? KB_HEADLINE_UNCONTENDED : KB_HEADLINE_OBSERVED;
	result->uncontended_by = summary->samples[0].part_count > 0 ? KB_BY_PARTS :
	                         summary->samples[0].quartile[0] ? KB_BY_QUARTILE : KB_BY_MEDIAN;
	result->estimate = result->observed;
	result->estimate_cycles = result->observed_cycles;
	if (summary->uncontended)
		result->estimate = over_processes(summary->fits, summary->count, cost_ticks, kb_median_interval, scale);
	if (summary->uncontended && core)
		result->estimate_cycles = over_processes(summary->fits, summary->count, cost_cycles, kb_median_interval, 1);
	widen(&result->estimate, result);
	widen(&result->estimate_cycles, result);
}

/* Of all processes that speak, each with its own: what the reference went through is what the row went through. */
static void add_ratio(const struct kb_summary *summary, struct kb_result *result)
{
	double *ratios = calloc(summary->count + 1, sizeof *ratios);
	size_t n = 0;

	for (size_t i = 0; i < summary->count && ratios; i++) {
		double ratio = summary->fits[i].speaks && summary->samples[i].twin[0] ? kb_twin_ratio(&summary->samples[i], &summary->observed[i]) : NAN;

		if (isnan(ratio))
			continue;
		snprintf(result->twin, sizeof result->twin, "%s", summary->samples[i].twin);
		ratios[n++] = ratio;
	}
	if (n > 0)
		result->ratio = estimate_of(kb_median_interval(ratios, n, KB_SUMMARY_CONFIDENCE), 1);
	widen(&result->ratio, result);
	free(ratios);
}

static void add_estimates(const struct kb_summary *summary, struct kb_result *result)
{
	double scale = result->ticks_per_ns > 0 ? 1 / result->ticks_per_ns : 1;

	add_headline(summary, scale, kb_core_bound(result->bound), result);
	result->mean = over_all(summary, mean_ticks, scale);
	add_quantiles(summary, scale, result);
	kb_reported_quantiles(summary, scale, result);
	if (!kb_methods[result->method].one_by_one && kb_methods[result->method].series)
		result->fixed = over_all(summary, fixed_ticks, scale);
	else if (result->method == KB_METHOD_SINGLE && summary->count > 0 && summary->samples[0].empty.count > 0)
		result->fixed = over_all(summary, empty_ticks, scale);
	add_core_clock(summary, result->ticks_per_ns, result);
	add_ratio(summary, result);
	kb_result_find(summary, result);
}

/* Of all samples that were probed, whichever process they are of. */
static double clean_share(const struct kb_summary *summary)
{
	double clean = 0, all = 0;

	for (size_t i = 0; i < summary->count; i++) {
		const struct kb_samples *samples = &summary->samples[i];

		if (isnan(samples->clean_share))
			continue;
		clean += samples->clean_share * (double)samples->op.count;
		all += (double)samples->op.count;
	}
	return all > 0 ? clean / all : NAN;
}

static void describe(const struct kb_samples *from, struct kb_result *result)
{
	snprintf(result->benchmark, sizeof result->benchmark, "%s", from->bench);
	snprintf(result->params, sizeof result->params, "%s", from->params);
	snprintf(result->per, sizeof result->per, "%s", from->per);
	result->method = from->method;
	snprintf(result->clock, sizeof result->clock, "%s", from->clock);
	snprintf(result->code, sizeof result->code, "%s", from->code);
	snprintf(result->arch, sizeof result->arch, "%s", from->arch);
	result->bound = from->bound;
	result->bytes_per_op = from->bytes_per_op;
	result->ticks_per_ns = (double)from->hz * 1e-9;
}

/* Where times mean nothing, a launch counts that ended well. */
static void take_whole(struct kb_summary *summary)
{
	for (size_t i = 0; i < summary->count; i++)
		summary->fits[i].speaks = summary->samples[i].state == KB_RECORD_WHOLE && !summary->samples[i].outcome[0];
}

void kb_summary_numbers(struct kb_summary *summary, struct kb_result *result)
{
	kb_summary_fit(summary);
	if (summary->count > 0)
		describe(&summary->samples[0], result);
	else if (summary->has_proof)
		describe(&summary->proof, result);
	if (kb_summary_untimed(summary))
		take_whole(summary);
	for (size_t i = 0; i < summary->count; i++)
		summary->speaking += summary->fits[i].speaks;
	result->processes = summary->speaking;
	result->clean_share = clean_share(summary);
	count_observations(summary, result);
	kb_summary_said(summary, result);
	if (summary->speaking == 0 || kb_summary_untimed(summary))
		return;
	add_estimates(summary, result);
	if (kb_methods[result->method].series) {
		kb_series_modes(summary, result);
		kb_series_levels(summary, result);
		kb_series_spread_of_row(summary, result);
	}
}

/* ---- evidence ------------------------------------------------------------------------------------ */

struct sum { uint64_t count, operations, samples; bool known; };

static void sum_launch(const struct kb_samples *samples, const struct kb_claim *claim, struct sum *sum)
{
	for (unsigned i = 0; i < samples->evidence_count; i++) {
		const struct kb_evidence *line = &samples->evidence[i];

		if (line->base || strcmp(line->counter, claim->counter) || strcmp(line->who, claim->who))
			continue;
		sum->count += line->count;
		sum->operations += line->operations;
		sum->samples += line->samples;
		sum->known = line->operations > 0;
	}
}

/* System calls are counted in the proof only, whoever makes them. */
static struct sum sum_claim(const struct kb_summary *summary, const struct kb_claim *claim)
{
	struct sum sum = { 0 };

	if (!strcmp(claim->counter, "syscalls")) {
		struct kb_claim all = *claim;

		strcpy(all.who, "all");
		if (summary->has_proof)
			sum_launch(&summary->proof, &all, &sum);
		return sum;
	}
	for (size_t i = 0; i < summary->count; i++) {
		if (summary->samples[i].state == KB_RECORD_WHOLE)
			sum_launch(&summary->samples[i], claim, &sum);
	}
	return sum;
}

#define STRAYS_FROM 50          /* operations: one in so many is no more than what is material in a cost */

/*
 * What the kernel counts in a process is also its own doing: a page of the program itself that was taken away is a major fault when it is
 * read again, and a thread that was preempted has one more switch. So few say nothing of the operation.
 */
static double strays_of(const char *counter, uint64_t operations)
{
	if (operations < STRAYS_FROM || !kb_list_has("minflt,majflt,nvcsw,nivcsw,switches", counter))
		return 0;
	return fmax(1, KB_STRAYS * (double)operations);
}

static void find(const struct kb_summary *summary, const struct kb_claim *claim, bool asked, struct kb_result *result)
{
	struct kb_finding_evidence *found = &result->evidence[result->evidence_count];
	struct sum sum = sum_claim(summary, claim);

	/* Most machines lack some events, many all of them: there the other evidence has to do. */
	if (result->evidence_count == KB_EVIDENCE_MAX || (!sum.known && kb_counter_is_event(claim->counter)))
		return;
	result->evidence_count++;
	*found = (struct kb_finding_evidence){ .expected = claim->per_op, .tolerance = claim->tolerance, .known = sum.known,
	                                       .asked = asked };
	snprintf(found->counter, sizeof found->counter, "%s", claim->counter);
	snprintf(found->who, sizeof found->who, "%s", claim->who);
	found->own = summary->count > 0 && kb_list_has(summary->samples[0].own, claim->counter);
	if (!sum.known)
		return;
	double off = (double)sum.count - claim->per_op * (double)sum.operations - claim->per_sample * (double)sum.samples;

	found->per_op = ((double)sum.count - claim->per_sample * (double)sum.samples) / (double)sum.operations;
	found->ok = !asked && fabs(off) <= fmax(claim->tolerance * (double)sum.operations, strays_of(claim->counter, sum.operations)) + 1e-9;
}

static bool is_claimed(const struct kb_samples *samples, const struct kb_evidence *line)
{
	for (unsigned i = 0; i < samples->claim_count; i++) {
		if (!strcmp(samples->claims[i].counter, line->counter) && !strcmp(samples->claims[i].who, line->who))
			return true;
	}
	return false;
}

void kb_summary_evidence(const struct kb_summary *summary, struct kb_result *result)
{
	const struct kb_samples *from = summary->count > 0 ? &summary->samples[0] : &summary->proof;

	for (unsigned i = 0; i < from->claim_count; i++)
		find(summary, &from->claims[i], false, result);
	for (unsigned i = 0; i < from->evidence_count; i++) {
		const struct kb_evidence *line = &from->evidence[i];
		struct kb_claim asked = { .per_op = 0 };

		if (line->base || !kb_counter_is_event(line->counter) || is_claimed(from, line))
			continue;
		strcpy(asked.counter, line->counter);
		strcpy(asked.who, line->who);
		find(summary, &asked, true, result);
	}
}
