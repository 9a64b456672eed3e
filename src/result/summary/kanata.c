/*
 * The document divides A by N, so a fixed cost of the sample stays in its mean: that is noted with it, from the line
 * through the groups. Nothing is left out of it but skipped tests: the probe does not know which test of a group was disturbed. Where
 * instructions are counted the tests show it themselves, and those that nothing disturbed lie on a line, whose slope is the cost.
 */
#define _GNU_SOURCE
#include "result/summary/kanata.h"

#include <math.h>
#include <stdlib.h>

#include "result/blocks.h"
#include "stats/distribution/checks.h"
#include "stats/series/kanata.h"
#include "stats/stats.h"

#define BIAS_Z 2.0      /* standard errors that an intercept must be away from 0 to be spoken of */

size_t kb_kanata_groups(const struct kb_points *op, struct kb_kanata_group *groups, size_t room)
{
	size_t count = 0;

	for (size_t i = 0; i < op->count; i++) {
		if (i > 0 && op->block[i] == op->block[i - 1]) {
			if (count <= room)
				groups[count - 1].count++;
			continue;
		}
		if (count < room)
			groups[count] = (struct kb_kanata_group){ op->n[i], i, 1 };
		count++;
	}
	return count < room ? count : room;
}

/* Room for a group an observation is always enough. */
static struct kb_kanata_group *list_groups(const struct kb_points *op, size_t *count)
{
	struct kb_kanata_group *groups = calloc(op->count + 1, sizeof *groups);

	*count = groups ? kb_kanata_groups(op, groups, op->count) : 0;
	return groups;
}

struct kb_kanata_process kb_kanata_process(const struct kb_samples *samples, double confidence, double half_width)
{
	const struct kb_points *op = &samples->op;
	struct kb_kanata_process process = { 0 };
	double *scratch = malloc((op->count + 1) * sizeof *scratch);
	size_t count;
	struct kb_kanata_group *groups = list_groups(op, &count);

	process.known = scratch && count > 0;
	for (size_t i = 0; i < count && process.known; i++) {
		const struct kb_kanata_group *group = &groups[i];
		struct kb_kanata k = kb_kanata_group(group->n, op->ticks + group->first, group->count, confidence, half_width, scratch);

		process.known = k.known;
		process.mean = k.p.mean;
		process.n_eff = k.dependent.n_eff;
		process.half_percent = fmax(process.half_percent, k.half_percent);
		process.next_size = fmax(process.next_size, k.next_size);
	}
	free(groups);
	free(scratch);
	return process;
}

static double confidence_of(const struct kb_samples *samples)
{
	return samples->confidence > 0 && samples->confidence < 1 ? samples->confidence : KB_KANATA_CONFIDENCE;
}

/* Of tests that nothing disturbed; NAN without any. */
static double median_of(const struct kb_points *op, const struct kb_kanata_group *group, double *values, double *scratch)
{
	size_t count = 0;

	for (size_t i = group->first; i < group->first + group->count; i++) {
		if (!(op->flags[i] & KB_BLOCK_DISTURBED))
			values[count++] = op->ticks[i];
	}
	return count > 0 ? kb_median(values, count, scratch) : NAN;
}

/* Through the groups' medians, for the first test of a boot may be off the line. One size of tests has no slope. */
static void take_slope(const struct kb_samples *samples, struct kb_process_fit *fit)
{
	const struct kb_points *op = &samples->op;
	double *n = calloc(op->count + 1, sizeof *n), *medians = calloc(op->count + 1, sizeof *medians);
	double *values = calloc(2 * op->count + 1, sizeof *values);
	struct kb_regression line = { .known = false };
	size_t count, used = 0;
	struct kb_kanata_group *groups = list_groups(op, &count);

	for (size_t i = 0; i < count && n && medians && values; i++) {
		n[used] = groups[i].n;
		medians[used] = median_of(op, &groups[i], values, values + op->count);
		used += isnan(medians[used]) ? 0 : 1;
	}
	if (used > 0)
		line = kb_regress(n, medians, used);
	if (line.known) {
		fit->cost = line.slope;
		fit->op.known = true;
		fit->op.b_robust = line.slope;
		fit->op.a_robust = line.intercept;
	}
	free(n);
	free(medians);
	free(values);
	free(groups);
}

void kb_kanata_fit(const struct kb_samples *samples, struct kb_process_fit *fit)
{
	struct kb_kanata_process process = kb_kanata_process(samples, confidence_of(samples), KB_KANATA_HALF_WIDTH);

	fit->cost = fit->mean = process.mean;
	fit->n_eff = process.n_eff;
	fit->used = samples->op.count;
	fit->usable = process.known;
	fit->why = KB_CODE_too_few_effective;
	if (samples->counts && process.known)
		take_slope(samples, fit);
}

/* ---- verdict ------------------------------------------------------------------------------------- */

static const struct kb_samples *last_usable(const struct kb_summary *summary)
{
	const struct kb_samples *last = NULL;

	for (size_t i = 0; i < summary->count; i++) {
		if (summary->fits[i].usable)
			last = &summary->samples[i];
	}
	return last;
}

/* The last process has the largest groups: it decides. */
static void judge_width(const struct kb_samples *last, double half_width, struct kb_result *result)
{
	double confidence = confidence_of(last);
	struct kb_kanata_process process = kb_kanata_process(last, confidence, half_width);

	if (process.half_percent <= 100 * half_width)
		kb_verdict_add(&result->verdict, KB_CODE_target_met, "half-width %.2f %% of the mean at %.3g %%", process.half_percent,
		               100 * confidence);
	else
		kb_verdict_add(&result->verdict, KB_CODE_budget_exhausted, "half-width %.2f %% of the mean at %.3g %%, %.2f %% asked; S' %.0f",
		               process.half_percent, 100 * confidence, 100 * half_width, ceil(process.next_size));
}

/* One set a group of every usable process; they are never fewer than the sets used. */
static struct kb_set *all_sets(const struct kb_summary *summary, size_t *used)
{
	size_t room = 0;

	for (size_t i = 0; i < summary->count; i++)
		room += summary->samples[i].op.count;
	struct kb_set *sets = calloc(room + 1, sizeof *sets);

	*used = 0;
	for (size_t i = 0; i < summary->count && sets; i++) {
		const struct kb_points *op = &summary->samples[i].op;
		size_t count;
		struct kb_kanata_group *groups = list_groups(op, &count);

		for (size_t g = 0; g < count && summary->fits[i].usable; g++) {
			const double *a = op->ticks + groups[g].first;

			sets[(*used)++] = (struct kb_set){
				.n = groups[g].n, .count = groups[g].count, .mean = kb_mean(a, groups[g].count),
				.variance = kb_variance(a, groups[g].count),
			};
		}
		free(groups);
	}
	return sets;
}

/* The line is exact, and so is what a test takes beside its operations. */
static void note_fixed(const struct kb_samples *last, const struct kb_process_fit *fit, struct kb_result *result)
{
	double n = last->op.n[last->op.count - 1], fixed = fit->op.a_robust;

	if (fabs(fixed) >= 1)
		kb_verdict_add(&result->verdict, KB_CODE_intercept_bias, "A/N at N = %.0f holds %+.2f %%; the cost is the slope, and a test takes %.4g insn more",
		               n, 100 * fixed / (n * fit->cost + fixed), fixed);
}

static void judge_intercept(const struct kb_summary *summary, struct kb_result *result)
{
	size_t count;
	struct kb_set *sets = all_sets(summary, &count);
	struct kb_growth growth = kb_check_growth(sets, count);
	struct kb_set_line line = kb_set_line(sets, count, growth.v0, growth.v1);

	if (line.known && fabs(line.a) > BIAS_Z * line.se_a)
		kb_verdict_add(&result->verdict, KB_CODE_intercept_bias, "A/N at N = %.0f holds %+.2f %%; the slope is %.6g ticks",
		               sets[count - 1].n, 100 * line.a / sets[count - 1].mean, line.b);
	free(sets);
}

void kb_kanata_judge(const struct kb_summary *summary, double half_width, struct kb_result *result)
{
	const struct kb_samples *last = last_usable(summary);

	if (!last)
		return;
	for (size_t i = 0; i < summary->count; i++) {
		if (&summary->samples[i] == last && last->counts && summary->fits[i].op.known)
			return note_fixed(last, &summary->fits[i], result);
	}
	if (half_width > 0)
		judge_width(last, half_width, result);
	judge_intercept(summary, result);
}
