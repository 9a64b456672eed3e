/*
 * One robust slope a launch; the headline is their mean with a t interval over launches, because launches differ (memory
 * layout, neighbours) more than the observations inside one. `quiet` is the line through the 10 % quantiles.
 */
#define _GNU_SOURCE
#include "run/summary.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "run/summary_kanata.h"

#define CONFIDENCE 0.95
#define QUIET 0.10
#define OFF 1.10        /* a sentinel that much slower than the best launch's: something shared the core */
#define DISTURBED (~(unsigned)KB_FLAG_WARMUP)

/* The mean of the values between two quantiles: as robust as a quantile, and not bound to the clock's steps. */
static double mean_between(const double *x, size_t n, double low, double high)
{
	double *sorted = n ? malloc(n * sizeof *sorted) : NULL;
	double mean = 0;

	if (sorted) {
		size_t first = (size_t)floor(low * (double)n), last = (size_t)ceil(high * (double)n);

		memcpy(sorted, x, n * sizeof *sorted);
		kb_sort(sorted, n);
		mean = kb_mean(sorted + first, last > first ? last - first : 1);
	}
	free(sorted);
	return mean;
}

/* A copy of the points that carry no flag, in run order. */
static bool clean_points(const struct kb_points *from, struct kb_points *to)
{
	*to = (struct kb_points){ 0 };
	if (from->count == 0)
		return false;
	to->n = malloc(from->count * sizeof *to->n);
	to->ticks = malloc(from->count * sizeof *to->ticks);
	to->block = malloc(from->count * sizeof *to->block);
	for (size_t i = 0; i < from->count && to->n && to->ticks && to->block; i++) {
		if (from->flags[i] & DISTURBED)
			continue;
		to->n[to->count] = from->n[i];
		to->ticks[to->count] = from->ticks[i];
		to->block[to->count++] = from->block[i];
	}
	return to->count > 0;
}

static void free_clean(struct kb_points *points)
{
	free(points->n);
	free(points->ticks);
	free(points->block);
}

/* ---- one launch ---------------------------------------------------------------------------------- */

static void silence(struct kb_launch_fit *fit, enum kb_code why)
{
	fit->speaks = false;
	fit->why = why;
}

static void fit_slope(const struct kb_samples *samples, const struct kb_points *op, struct kb_launch_fit *fit)
{
	struct kb_points base;
	const struct kb_points *all = &samples->op;

	fit->op = kb_fit_line(op->n, op->ticks, op->block, op->count, CONFIDENCE);
	if (clean_points(&samples->base, &base))
		fit->base = kb_fit_line(base.n, base.ticks, base.block, base.count, CONFIDENCE);
	free_clean(&base);
	fit->base_cost = fit->base.known ? fit->base.b_robust : 0;
	fit->cost = fit->op.b_robust - fit->base_cost;
	fit->n_eff = fit->op.n_eff;
	/* Too few independent observations: its slope may be anything, and the headline does without it. */
	if (!fit->op.known || !fit->op.slope.known)
		silence(fit, fit->op.why);

	struct kb_line_fit plain = kb_fit_line(all->n, all->ticks, all->block, all->count, CONFIDENCE);

	fit->mean = plain.known ? plain.b - (fit->base.known ? fit->base.b : 0) : fit->cost;
}

static void fit_single(const struct kb_samples *samples, const struct kb_points *op, struct kb_launch_fit *fit)
{
	struct kb_interval median = kb_quantile_interval(op->ticks, op->count, 0.5, CONFIDENCE);

	fit->cost = median.value;
	fit->n_eff = median.n_eff;
	fit->mean = kb_mean(samples->op.ticks, samples->op.count);
	if (!median.known)
		silence(fit, median.why);
}

static double add_between(const struct kb_samples *samples, double low, double high)
{
	return (mean_between(samples->add_long, samples->add_long_count, low, high) -
	        mean_between(samples->add_short, samples->add_count, low, high)) / (KB_SENTINEL_LONG - KB_SENTINEL_SHORT);
}

static void fit_sentinels(const struct kb_samples *samples, struct kb_launch_fit *fit)
{
	fit->add = add_between(samples, .25, .75);
	fit->add_quiet = add_between(samples, .05, .15);
	fit->issue = mean_between(samples->issue, samples->issue_count, .25, .75);
}

void kb_fit_launch(const struct kb_samples *samples, struct kb_launch_fit *fit)
{
	struct kb_points op;

	*fit = (struct kb_launch_fit){ .speaks = true };
	if (samples->state != KB_RECORD_WHOLE || samples->outcome[0]) {
		silence(fit, KB_CODE_record_truncated);
		return;
	}
	if (!strcmp(samples->method, "kanata")) {
		kb_kanata_fit(samples, fit);
		fit_sentinels(samples, fit);
		return;
	}
	if (clean_points(&samples->op, &op)) {
		if (!strcmp(samples->method, "single"))
			fit_single(samples, &op, fit);
		else
			fit_slope(samples, &op, fit);
	} else {
		silence(fit, KB_CODE_too_few_effective);
	}
	fit->used = op.count;
	fit->disturbed = samples->op.count - op.count;
	fit_sentinels(samples, fit);
	free_clean(&op);
}

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

		if (fit->speaks && fit->add > 0 && is_off(bound, fit, add, issue))
			silence(fit, KB_CODE_sentinel_off);
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
		estimate = estimate_of(kb_t_interval(values, n, CONFIDENCE), scale);
	free(values);
	return estimate;
}

/* Appends a launch's clean points; cycles: in units of this launch's add. Block numbers are not needed here. */
static void pool(struct kb_points *all, const struct kb_points *from, double divisor)
{
	for (size_t i = 0; i < from->count; i++) {
		if (from->flags[i] & DISTURBED)
			continue;
		all->n[all->count] = from->n[i];
		all->ticks[all->count++] = from->ticks[i] / divisor;
	}
}

static bool pool_launches(const struct kb_summary *summary, const struct kb_points *(*of)(const struct kb_samples *),
                          bool cycles, struct kb_points *all)
{
	size_t room = 0;

	for (size_t i = 0; i < summary->count; i++)
		room += of(&summary->samples[i])->count;
	*all = (struct kb_points){ .n = malloc((room + 1) * sizeof(double)), .ticks = malloc((room + 1) * sizeof(double)) };
	for (size_t i = 0; i < summary->count && all->n && all->ticks; i++) {
		const struct kb_launch_fit *fit = &summary->fits[i];

		if (fit->speaks && (!cycles || fit->add_quiet > 0))
			pool(all, of(&summary->samples[i]), cycles ? fit->add_quiet : 1);
	}
	return all->count > 0;
}

static const struct kb_points *op_points(const struct kb_samples *samples) { return &samples->op; }
static const struct kb_points *base_points(const struct kb_samples *samples) { return &samples->base; }

static const struct kb_points *single_points(const struct kb_samples *samples)
{
	return strcmp(samples->method, "single") ? &samples->single : &samples->op;
}

static struct kb_interval quantile_line(const struct kb_summary *summary, const struct kb_points *(*of)(const struct kb_samples *),
                                        bool cycles)
{
	struct kb_points all;
	struct kb_interval line = { 0 };

	if (pool_launches(summary, of, cycles, &all))
		line = kb_quantile_line(all.n, all.ticks, all.count, QUIET, CONFIDENCE);
	free_clean(&all);
	return line;
}

static struct kb_interval pooled_quantile(const struct kb_summary *summary, const struct kb_points *(*of)(const struct kb_samples *),
                                          double p)
{
	struct kb_points all;
	struct kb_interval interval = { 0 };

	if (pool_launches(summary, of, false, &all)) {
		interval = kb_quantile_interval(all.ticks, all.count, p, CONFIDENCE);
		if (!interval.known) { /* launches in a row look like a slow drift; ranks still hold for a mixture */
			kb_sort(all.ticks, all.count);
			interval = kb_rank_interval(all.ticks, all.count, p, CONFIDENCE);
		}
	}
	free_clean(&all);
	return interval;
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

static void add_quantiles(const struct kb_summary *summary, double scale, struct kb_result *result)
{
	static const double levels[KB_QUANTILES] = { [KB_P1] = .01, [KB_P10] = .1, [KB_P50] = .5, [KB_P90] = .9, [KB_P99] = .99 };

	for (unsigned i = 0; i < KB_QUANTILES; i++) {
		struct kb_interval interval = pooled_quantile(summary, single_points, levels[i]);

		if (interval.known)
			result->quantile[i] = estimate_of(interval, scale);
	}
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
		result->core_mhz = estimate_of(kb_t_interval(mhz, n, CONFIDENCE), 1);
	free(mhz);
}

static void count_observations(const struct kb_summary *summary, struct kb_result *result)
{
	result->n_min = UINT64_MAX;
	for (size_t i = 0; i < summary->count; i++) {
		const struct kb_points *op = &summary->samples[i].op;

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
	bool single = !strcmp(result->method, "single");
	bool core = result->bound == KB_LATENCY || result->bound == KB_ISSUE;

	result->typical = over_launches(summary, cost_ticks, scale);
	result->mean = over_launches(summary, mean_ticks, scale);
	add_quantiles(summary, scale, result);
	if (single) {
		result->quiet = result->quantile[KB_P10];
	} else if (strcmp(result->method, "kanata")) {
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
	result->bound = from->bound;
	result->bytes_per_op = from->bytes_per_op;
	result->ticks_per_ns = (double)from->hz * 1e-9;
}

void kb_summary_numbers(struct kb_summary *summary, struct kb_result *result)
{
	for (size_t i = 0; i < summary->count; i++)
		kb_fit_launch(&summary->samples[i], &summary->fits[i]);
	if (summary->count > 0)
		describe(&summary->samples[0], result);
	else if (summary->has_proof)
		describe(&summary->proof, result);
	leave_out_disturbed(summary, result->bound);
	for (size_t i = 0; i < summary->count; i++)
		summary->speaking += summary->fits[i].speaks;
	result->launches = summary->speaking;
	count_observations(summary, result);
	if (summary->speaking > 0)
		add_estimates(summary, result);
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

void kb_summary_evidence(const struct kb_summary *summary, struct kb_result *result)
{
	const struct kb_samples *from = summary->count > 0 ? &summary->samples[0] : &summary->proof;

	for (unsigned i = 0; i < from->claim_count; i++) {
		const struct kb_claim *claim = &from->claims[i];
		struct kb_finding_evidence *found = &result->evidence[result->evidence_count++];
		struct sum sum = sum_claim(summary, claim);

		*found = (struct kb_finding_evidence){ .expected = claim->per_op, .tolerance = claim->tolerance, .known = sum.known };
		snprintf(found->counter, sizeof found->counter, "%s", claim->counter);
		snprintf(found->who, sizeof found->who, "%s", claim->who);
		if (!sum.known)
			continue;
		double off = (double)sum.count - claim->per_op * (double)sum.operations - claim->per_interval * (double)sum.intervals;

		found->per_op = ((double)sum.count - claim->per_interval * (double)sum.intervals) / (double)sum.operations;
		found->ok = fabs(off) <= claim->tolerance * (double)sum.operations + 1e-9;
	}
}
