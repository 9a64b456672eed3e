/*
 * One process: a robust slope, net of the empty loop, and the clock probes alongside it. It may not be usable: without its whole
 * record, or with too few independent observations, its slope may be anything.
 */
#define _GNU_SOURCE
#include "result/summary/summary.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "result/blocks.h"
#include "result/parts.h"
#include "result/summary/kanata.h"

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
		if (from->flags[i] & KB_BLOCK_DISTURBED)
			continue;
		to->n[to->count] = from->n[i];
		to->ticks[to->count] = from->ticks[i];
		to->block[to->count++] = from->block[i];
	}
	return to->count > 0;
}

static void reject(struct kb_process_fit *fit, enum kb_reason_code why)
{
	fit->usable = false;
	fit->why = why;
}

static void fit_slope(const struct kb_samples *samples, const struct kb_points *op, struct kb_process_fit *fit)
{
	struct kb_points base;
	const struct kb_points *all = &samples->op;

	fit->op = kb_fit_line(op->n, op->ticks, op->block, op->count, KB_SUMMARY_CONFIDENCE);
	if (clean_points(&samples->base, &base))
		fit->base = kb_fit_line(base.n, base.ticks, base.block, base.count, KB_SUMMARY_CONFIDENCE);
	kb_points_free(&base);
	fit->base_cost = fit->base.known ? fit->base.b_robust : 0;
	fit->cost = fit->op.b_robust - fit->base_cost;
	fit->n_eff = fit->op.n_eff;
	/* Too few independent observations: its slope may be anything, and the headline does without it. */
	if (!fit->op.known || !fit->op.slope.known)
		reject(fit, fit->op.why);

	/* Where nothing was disturbed both are the same. */
	struct kb_line_fit plain = op->count == all->count ? fit->op :
	                           kb_fit_line(all->n, all->ticks, all->block, all->count, KB_SUMMARY_CONFIDENCE);

	fit->mean = plain.known ? plain.b - (fit->base.known ? fit->base.b : 0) : fit->cost;
}

/* The median of the undisturbed observations, or pairs; all have one n. */
static struct kb_interval fit_median(const struct kb_samples *samples, const struct kb_points *clean, struct kb_process_fit *fit)
{
	const struct kb_points *all = kb_cost_points(samples);
	struct kb_interval median = kb_quantile_interval(clean->ticks, clean->count, 0.5, KB_SUMMARY_CONFIDENCE);

	fit->empty = mean_between(samples->empty.ticks, samples->empty.count, .25, .75);
	fit->cost = median.value / clean->n[0] - kb_parts_readings(samples, fit->empty);
	fit->n_eff = median.n_eff;
	fit->mean = kb_mean(all->ticks, all->count) / all->n[0] - kb_parts_readings(samples, fit->empty);
	if (!median.known)
		reject(fit, median.why);
	return median;
}

/* Ticks of the samples of one side that the pairs may be made of: contended ones are as much dearer on one as on the other only in the mean. */
static double of_side(const struct kb_points *side)
{
	struct kb_points clean;
	bool some = clean_points(side, &clean);
	const struct kb_points *from = some ? &clean : side;
	double mean = mean_between(from->ticks, from->count, .25, .75);

	kb_points_free(&clean);
	return mean;
}

/* What each side costs only says whether the difference can be believed. Without a base there is no share of one. */
static void fit_paired(const struct kb_samples *samples, const struct kb_points *clean, struct kb_process_fit *fit)
{
	struct kb_interval median = fit_median(samples, clean, fit);

	fit->op.b_robust = of_side(&samples->op) / clean->n[0];
	fit->base_cost = of_side(&samples->base) / clean->n[0];
	fit->overhead.code = !median.known || median.low > 0 ? KB_CODE_COUNT :
	                     median.high < 0 ? KB_CODE_base_exceeds_op : KB_CODE_below_resolution;
}

static double add_between(const struct kb_samples *samples, double low, double high)
{
	return (mean_between(samples->add_long, samples->add_long_count, low, high) -
	        mean_between(samples->add_short, samples->add_count, low, high)) / (KB_CLOCK_PROBE_LONG - KB_CLOCK_PROBE_SHORT);
}

static void fit_clock(const struct kb_samples *samples, struct kb_process_fit *fit)
{
	fit->add = add_between(samples, .25, .75);
	fit->add_least = add_between(samples, .05, .15);
	fit->cycles = fit->add > 0 ? fit->cost / fit->add : 0;
}

/* What evidence left out; a warm-up is no disturbance, and contention has a count of its own. */
static size_t disturbed(const struct kb_points *op)
{
	size_t count = 0;

	for (size_t i = 0; i < op->count; i++)
		count += (op->flags[i] & ~((unsigned)KB_FLAG_WARMUP | KB_FLAG_CONTENDED)) != 0;
	return count;
}

/*
 * Statistics that another program made stand for the values that it threw away: the headline is its own, else their median, or their mean
 * where no median was kept. One process of them has no interval unless the program gave one: how far a mean of one boot is off, its own
 * standard error does not tell.
 */
static void fit_reported(const struct kb_reported *reported, struct kb_process_fit *fit)
{
	fit->cost = reported->cost > 0 ? reported->cost : reported->median > 0 ? reported->median : reported->mean;
	fit->mean = reported->mean;
	/* Never more than a record could hold: the number comes from a file. */
	fit->used = reported->samples >= 1 && reported->samples < 1e15 ? (size_t)reported->samples : 0;
	fit->n_eff = (double)fit->used;
	fit->usable = fit->cost > 0 && fit->cost < 1e18;
	fit->why = KB_CODE_too_few_effective;
}

/* Of all points, that of one side; 0 without points. */
static double median_of(const struct kb_points *points)
{
	double *scratch = malloc((points->count + 1) * sizeof *scratch);
	double median = scratch && points->count > 0 ? kb_median(points->ticks, points->count, scratch) : 0;

	free(scratch);
	return median;
}

/* Runs of a command. One is enough: the interval is over batches of them. */
static void fit_command(const struct kb_samples *samples, const struct kb_points *clean, struct kb_process_fit *fit)
{
	struct kb_points shell;

	fit->op.b_robust = median_of(clean);
	fit->mean = kb_mean(samples->op.ticks, samples->op.count);
	if (clean_points(&samples->base, &shell)) {
		fit->base_cost = median_of(&shell);
		fit->mean -= kb_mean(samples->base.ticks, samples->base.count);
	}
	kb_points_free(&shell);
	fit->cost = fit->op.b_robust - fit->base_cost;
	fit->n_eff = (double)clean->count;
}

double kb_fit_less(const struct kb_samples *samples, const struct kb_process_fit *fit)
{
	return samples->method == KB_METHOD_PAIRED ? 0 : fit->base_cost;
}

double kb_fit_fixed(const struct kb_process_fit *fit)
{
	return fit->op.known ? fit->op.a_robust : 0;
}

void kb_fit_process(const struct kb_samples *samples, struct kb_process_fit *fit)
{
	struct kb_points op;

	*fit = (struct kb_process_fit){ .usable = true };
	if (samples->state != KB_RECORD_WHOLE || samples->outcome[0]) {
		reject(fit, KB_CODE_record_truncated);
		return;
	}
	if (samples->method == KB_METHOD_KANATA) {
		kb_kanata_fit(samples, fit);
		fit_clock(samples, fit);
		return;
	}
	if (samples->method == KB_METHOD_REPORTED) {
		fit_reported(&samples->reported, fit);
		return;
	}
	if (clean_points(kb_cost_points(samples), &op)) {
		if (samples->method == KB_METHOD_PAIRED)
			fit_paired(samples, &op, fit);
		else if (samples->method == KB_METHOD_SINGLE)
			fit_median(samples, &op, fit);
		else if (samples->method == KB_METHOD_COMMAND)
			fit_command(samples, &op, fit);
		else
			fit_slope(samples, &op, fit);
	} else {
		reject(fit, KB_CODE_too_few_effective);
	}
	fit->used = op.count;
	fit->disturbed = disturbed(kb_cost_points(samples));
	fit_clock(samples, fit);
	kb_points_free(&op);
}

/* ---- and over time ------------------------------------------------------------------------------- */

static struct kb_points_of clean_of(const struct kb_points *points)
{
	return (struct kb_points_of){ points->n, points->ticks, points->block, points->count };
}

/* Of undisturbed observations. Without a base it stays empty. */
static void find_overhead(const struct kb_samples *samples, struct kb_process_fit *fit)
{
	struct kb_points op, base = { 0 };

	bool both = clean_points(&samples->op, &op) && clean_points(&samples->base, &base);
	struct kb_points_of with = clean_of(&op), without = clean_of(&base);

	if (!both || kb_overhead_find(&with, &without, KB_SUMMARY_CONFIDENCE, (double)samples->quantum, &fit->overhead))
		fit->overhead = (struct kb_overhead){ .code = KB_CODE_COUNT };
	kb_points_free(&op);
	kb_points_free(&base);
}

void kb_fit_process_in_time(struct kb_samples *samples, struct kb_process_fit *fit)
{
	kb_fit_process(samples, fit);
	/* Groups show on purpose how a level is reached, and their method has a table and checks of its own. */
	if (!kb_methods[samples->method].series)
		return;
	if (kb_series_steady(samples, fit)) {
		struct kb_process_steady steady = fit->steady;

		kb_fit_process(samples, fit);
		fit->steady = steady;
	}
	kb_series_spread(samples, fit);
	if (fit->usable && fit->op.known)
		find_overhead(samples, fit);
}
