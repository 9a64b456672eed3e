/*
 * From launches to the row: the headline is the mean of their slopes with a t interval over launches, because launches
 * differ (memory layout, neighbours) more than the observations inside one. `quiet` is the line through the 10 %
 * quantiles.
 */
#define _GNU_SOURCE
#include "run/summary.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "evidence/events.h"
#include "run/blocks.h"
#include "run/series.h"
#include "run/summary_reported.h"

#define QUIET 0.10
#define OFF 1.10        /* a sentinel that much slower than the best launch's: something shared the core */

/* ---- which launches speak ------------------------------------------------------------------------ */

static double lowest(const struct kb_summary *summary, double (*of)(const struct kb_launch_fit *))
{
	double low = INFINITY;

	for (size_t i = 0; i < summary->count; i++) {
		double value = of(&summary->fits[i]);

		if (summary->fits[i].speaks && value > 0)
			low = fmin(low, value);
	}
	return low;
}

static double add_of(const struct kb_launch_fit *fit)
{
	return fit->add;
}

static double issue_of(const struct kb_launch_fit *fit)
{
	return fit->issue;
}

/* A busy sibling slows independent adds and leaves the chain alone, so it taints what the issue slots limit. A slow
   chain is another core clock; where core cycles are reported it cancels, elsewhere it taints. */
static bool is_off(enum kb_bound bound, const struct kb_launch_fit *fit, double add, double issue)
{
	bool clock = fit->add > OFF * add, slots = fit->issue / fit->add > OFF * issue / add;

	return bound == KB_LATENCY ? false : bound == KB_ISSUE ? slots : clock || slots;
}

static void leave_out_disturbed(struct kb_summary *summary, enum kb_bound bound)
{
	double add = lowest(summary, add_of), issue = lowest(summary, issue_of);
	unsigned good = 0;

	for (size_t i = 0; i < summary->count; i++) {
		const struct kb_launch_fit *fit = &summary->fits[i];

		if (fit->speaks && fit->add > 0)
			summary->off += is_off(bound, fit, add, issue);
		good += fit->speaks;
	}
	/* With fewer than three good ones there is nothing better to choose: all speak, and the verdict says so. */
	if (good < summary->off + 3)
		return;
	for (size_t i = 0; i < summary->count; i++) {
		struct kb_launch_fit *fit = &summary->fits[i];

		if (!fit->speaks || fit->add <= 0 || !is_off(bound, fit, add, issue))
			continue;
		fit->speaks = false;
		fit->why = KB_CODE_sentinel_off;
	}
}

/* ---- over launches ------------------------------------------------------------------------------- */

static struct kb_estimate estimate_of(struct kb_interval interval, double scale)
{
	return (struct kb_estimate){ interval.value * scale, interval.low * scale, interval.high * scale, true, interval.known };
}

static double cost_ticks(const struct kb_launch_fit *fit) { return fit->cost; }
static double cost_cycles(const struct kb_launch_fit *fit) { return fit->add > 0 ? fit->cost / fit->add : 0; }
static double mean_ticks(const struct kb_launch_fit *fit) { return fit->mean; }
static double fixed_ticks(const struct kb_launch_fit *fit) { return fit->op.a_robust; }
static double empty_ticks(const struct kb_launch_fit *fit) { return fit->empty; }

static struct kb_estimate over_launches(const struct kb_summary *summary, double (*of)(const struct kb_launch_fit *), double scale)
{
	double *values = calloc(summary->count + 1, sizeof *values);
	struct kb_estimate estimate = { 0 };
	size_t n = 0;

	for (size_t i = 0; i < summary->count && values; i++) {
		if (summary->fits[i].speaks)
			values[n++] = of(&summary->fits[i]);
	}
	if (n > 0)
		estimate = estimate_of(kb_t_interval(values, n, KB_SUMMARY_CONFIDENCE), scale);
	free(values);
	return estimate;
}

/* Appends a launch's clean points; cycles: in units of this launch's add. What was a block's number is here the launch's. */
static void pool(struct kb_points *all, const struct kb_points *from, double divisor, uint32_t launch)
{
	for (size_t i = 0; i < from->count; i++) {
		if (from->flags[i] & KB_BLOCK_DISTURBED)
			continue;
		all->n[all->count] = from->n[i];
		all->block[all->count] = launch;
		all->ticks[all->count++] = from->ticks[i] / divisor;
	}
}

static bool pool_launches(const struct kb_summary *summary, const struct kb_points *(*of)(const struct kb_samples *),
                          bool cycles, struct kb_points *all)
{
	size_t room = 0;

	for (size_t i = 0; i < summary->count; i++)
		room += of(&summary->samples[i])->count;
	*all = (struct kb_points){ .n = malloc((room + 1) * sizeof(double)), .ticks = malloc((room + 1) * sizeof(double)),
	                           .block = malloc((room + 1) * sizeof(uint32_t)) };
	for (size_t i = 0; i < summary->count && all->n && all->ticks && all->block; i++) {
		const struct kb_launch_fit *fit = &summary->fits[i];

		if (fit->speaks && (!cycles || fit->add_quiet > 0))
			pool(all, of(&summary->samples[i]), cycles ? fit->add_quiet : 1, (uint32_t)i);
	}
	return all->count > 0;
}

static void free_pool(struct kb_points *all)
{
	free(all->n);
	free(all->ticks);
	free(all->block);
}

static const struct kb_points *op_points(const struct kb_samples *samples) { return &samples->op; }
static const struct kb_points *base_points(const struct kb_samples *samples) { return &samples->base; }

static const struct kb_points *single_points(const struct kb_samples *samples)
{
	return kb_is_one_by_one(samples->method) ? kb_cost_points(samples) : &samples->single;
}

static struct kb_interval quantile_line(const struct kb_summary *summary, const struct kb_points *(*of)(const struct kb_samples *),
                                        bool cycles)
{
	struct kb_points all;
	struct kb_interval line = { 0 };

	if (pool_launches(summary, of, cycles, &all))
		line = kb_quantile_line_over(all.n, all.ticks, all.block, all.count, QUIET, KB_SUMMARY_CONFIDENCE);
	free_pool(&all);
	return line;
}

/* op minus base: half-widths are added, the careful choice for two quantile lines of unknown correlation. */
static struct kb_estimate quiet_slope(const struct kb_summary *summary, bool has_base, bool cycles, double scale)
{
	struct kb_interval op = quantile_line(summary, op_points, cycles);
	struct kb_interval base = has_base ? quantile_line(summary, base_points, cycles) : (struct kb_interval){ .known = true };

	if (!op.known || !base.known)
		return (struct kb_estimate){ 0 };
	op.value -= base.value;
	op.low -= base.high;
	op.high -= base.low;
	return estimate_of(op, scale);
}

/* Launches in a row look like a slow drift; ranks still hold for a mixture. Sorts what is pooled. */
static void add_quantiles(const struct kb_summary *summary, double scale, struct kb_result *result)
{
	static const double levels[KB_QUANTILES] = { [KB_P1] = .01, [KB_P10] = .1, [KB_P50] = .5, [KB_P90] = .9, [KB_P99] = .99 };
	struct kb_interval intervals[KB_QUANTILES] = { 0 };
	struct kb_points all;

	if (pool_launches(summary, single_points, false, &all)) {
		for (size_t i = 0; i < all.count; i++)
			all.ticks[i] /= all.n[i];
		kb_quantile_intervals(all.ticks, all.count, levels, KB_QUANTILES, KB_SUMMARY_CONFIDENCE, intervals);
		kb_sort(all.ticks, all.count);
	}
	for (unsigned i = 0; i < KB_QUANTILES && all.count > 0; i++) {
		if (!intervals[i].known)
			intervals[i] = kb_rank_interval(all.ticks, all.count, levels[i], KB_SUMMARY_CONFIDENCE);
		if (intervals[i].known)
			result->quantile[i] = estimate_of(intervals[i], scale);
	}
	free_pool(&all);
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

static void count_observations(const struct kb_summary *summary, struct kb_result *result)
{
	result->n_min = UINT64_MAX;
	for (size_t i = 0; i < summary->count; i++) {
		const struct kb_points *op = kb_cost_points(&summary->samples[i]);

		if (!summary->fits[i].speaks)
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

static void add_estimates(const struct kb_summary *summary, struct kb_result *result)
{
	double scale = result->ticks_per_ns > 0 ? 1 / result->ticks_per_ns : 1;
	bool core = kb_core_bound(result->bound);

	result->typical = over_launches(summary, cost_ticks, scale);
	result->mean = over_launches(summary, mean_ticks, scale);
	add_quantiles(summary, scale, result);
	kb_reported_quantiles(summary, scale, result);
	if (kb_is_one_by_one(result->method)) {
		result->quiet = result->quantile[KB_P10];
		if (!kb_is_paired(result->method) && summary->count > 0 && summary->samples[0].empty.count > 0)
			result->fixed = over_launches(summary, empty_ticks, scale);
	} else if (kb_has_series(result->method)) {
		bool has_base = summary->count > 0 && summary->samples[0].base.count > 0;

		result->fixed = over_launches(summary, fixed_ticks, scale);
		result->quiet = quiet_slope(summary, has_base, false, scale);
		if (core)
			result->quiet_cycles = quiet_slope(summary, has_base, true, 1);
	}
	if (core)
		result->typical_cycles = over_launches(summary, cost_cycles, 1);
	add_core_clock(summary, result->ticks_per_ns, result);
}

static void describe(const struct kb_samples *from, struct kb_result *result)
{
	snprintf(result->benchmark, sizeof result->benchmark, "%s", from->bench);
	snprintf(result->params, sizeof result->params, "%s", from->params);
	snprintf(result->per, sizeof result->per, "%s", from->per);
	snprintf(result->method, sizeof result->method, "%s", from->method);
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
	for (size_t i = 0; i < summary->count; i++)
		kb_fit_launch_in_time(&summary->samples[i], &summary->fits[i]);
	if (summary->count > 0)
		describe(&summary->samples[0], result);
	else if (summary->has_proof)
		describe(&summary->proof, result);
	if (kb_summary_untimed(summary))
		take_whole(summary);
	else
		leave_out_disturbed(summary, result->bound);
	for (size_t i = 0; i < summary->count; i++)
		summary->speaking += summary->fits[i].speaks;
	result->launches = summary->speaking;
	count_observations(summary, result);
	kb_summary_said(summary, result);
	if (summary->speaking == 0 || kb_summary_untimed(summary))
		return;
	add_estimates(summary, result);
	if (kb_has_series(result->method)) {
		kb_series_modes(summary, result);
		kb_series_levels(summary, result);
		kb_series_spread_of_row(summary, result);
	}
}

/* ---- evidence ------------------------------------------------------------------------------------ */

struct sum { uint64_t count, operations, intervals; bool known; };

static void sum_launch(const struct kb_samples *samples, const struct kb_claim *claim, struct sum *sum)
{
	for (unsigned i = 0; i < samples->evidence_count; i++) {
		const struct kb_evidence *line = &samples->evidence[i];

		if (line->base || strcmp(line->counter, claim->counter) || strcmp(line->who, claim->who))
			continue;
		sum->count += line->count;
		sum->operations += line->operations;
		sum->intervals += line->intervals;
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
	if (!sum.known)
		return;
	double off = (double)sum.count - claim->per_op * (double)sum.operations - claim->per_interval * (double)sum.intervals;

	found->per_op = ((double)sum.count - claim->per_interval * (double)sum.intervals) / (double)sum.operations;
	found->ok = !asked && fabs(off) <= claim->tolerance * (double)sum.operations + 1e-9;
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
