/*
 * Whether the time of a sample grows with n, and in proportion to it, alongside what every sample has. One process seldom shows that
 * n log n is no line; all together do: how far the samples of each n lie off the process's line, as a mean over processes with its
 * standard error.
 */
#include <math.h>
#include <stdlib.h>

#include "result/blocks.h"
#include "result/summary/summary.h"

#define BEND 0.015              /* of slope times n, at some n, for sure: less is no news */
#define MISFIT 0.005            /* the same by the plain line of a process, which turns to meet it */
#define BEND_UNKNOWN 0.08       /* where nobody knows what ran alongside samples: longer ones meet more of it */
#define ALPHA 0.01              /* of all n of a row together */
#define GRID 8u                 /* n */
#define ENDS 0.1                /* of the samples of an n, on either side */
#define SAMPLES 10u             /* of an n in a process */
#define PROCESSES 4u

/* The n of a row, ascending, and how far the samples of each lie off, one value a process. */
struct bend {
	double n[GRID], *off[GRID];
	unsigned count, processes;
};

static void find_grid(struct bend *bend, const struct kb_points *points)
{
	for (size_t i = 0; i < points->count && bend->count < GRID; i++) {
		unsigned k = 0;

		while (k < bend->count && fabs(bend->n[k] - points->n[i]) > 0)
			k++;
		if (k == bend->count)
			bend->n[bend->count++] = points->n[i];
	}
}

/* A process's samples of n less its line, over slope times n: the mean without both ends. Not the median: where every so many operations
   one is dear, as many calls of a kernel are, that is no line. NAN: too few. */
static double off_line(const struct kb_points *points, const struct kb_line_fit *line, double n)
{
	double *off = malloc((points->count + 1) * sizeof *off), mean = NAN;
	size_t count = 0;

	for (size_t i = 0; off && i < points->count; i++) {
		if (!(points->flags[i] & KB_BLOCK_DISTURBED) && fabs(points->n[i] - n) <= 0)
			off[count++] = (points->ticks[i] - line->a_robust) / (line->b_robust * n) - 1;
	}
	if (count >= SAMPLES) {
		size_t ends = (size_t)(ENDS * (double)count);

		kb_sort(off, count);
		mean = kb_mean(off + ends, count - 2 * ends);
	}
	free(off);
	return mean;
}

/* Noise with a longer tail to one side, and what it is cut by, move and turn the robust line: another line through what is left of each n
   takes that out, and leaves what no line can. off[k] is relative to n[k], and so are its weights. */
static void take_line(const struct bend *bend, unsigned process)
{
	double w = 0, wx = 0, wy = 0, wxx = 0, wxy = 0;

	for (unsigned k = 0; k < bend->count; k++) {
		double x = bend->n[k], y = bend->off[k][process] * x, weight = 1 / (x * x);

		w += weight;
		wx += weight * x;
		wy += weight * y;
		wxx += weight * x * x;
		wxy += weight * x * y;
	}
	double slope = (w * wxy - wx * wy) / (w * wxx - wx * wx), fixed = (wy - slope * wx) / w;

	for (unsigned k = 0; k < bend->count; k++)
		bend->off[k][process] -= slope + fixed / bend->n[k];
}

/* A process counts if it has enough samples of all n. */
static void add_process(struct bend *bend, const struct kb_points *points, const struct kb_line_fit *line)
{
	bool whole = line->known && line->b_robust > 0;

	for (unsigned k = 0; k < bend->count && whole; k++) {
		bend->off[k][bend->processes] = off_line(points, line, bend->n[k]);
		whole = isfinite(bend->off[k][bend->processes]);
	}
	if (whole)
		take_line(bend, bend->processes);
	bend->processes += whole;
}

/* The mean at the n that lies farthest off, of those that lie off by more than `least` for sure; 0: none does. */
static double farthest(const struct bend *bend, double least, double *n)
{
	double far = 0, factor = kb_t_quantile(1 - ALPHA / 2 / bend->count, bend->processes - 1);

	for (unsigned k = 0; k < bend->count; k++) {
		double mean = kb_mean(bend->off[k], bend->processes), squares = 0;

		for (unsigned i = 0; i < bend->processes; i++)
			squares += (bend->off[k][i] - mean) * (bend->off[k][i] - mean);
		double error = sqrt(squares / (bend->processes - 1) / bend->processes);

		if (fabs(mean) - factor * error > least && fabs(mean) > fabs(far)) {
			far = mean;
			*n = bend->n[k];
		}
	}
	return far;
}

static void judge_bend(const struct kb_summary *summary, struct kb_result *result)
{
	struct bend bend = { .count = 0 };
	double n = 0, far = 0;
	bool room = true;

	for (size_t i = 0; i < summary->count && bend.count == 0; i++) {
		if (summary->fits[i].usable && summary->fits[i].op.known)
			find_grid(&bend, &summary->samples[i].op);
	}
	for (unsigned k = 0; k < bend.count; k++)
		room &= (bend.off[k] = malloc((summary->count + 1) * sizeof *bend.off[k])) != NULL;
	for (size_t i = 0; i < summary->count && room && bend.count > 2; i++) {
		if (summary->fits[i].usable)
			add_process(&bend, &summary->samples[i].op, &summary->fits[i].op);
	}
	if (bend.processes >= PROCESSES)
		far = farthest(&bend, summary->uncontended ? BEND : BEND_UNKNOWN, &n);
	if (fabs(far) > 0)
		kb_verdict_add(&result->verdict, KB_CODE_nonlinear, "samples of %.0f lie %+.1f %% off the line, over %u processes", n, 100 * far,
		               bend.processes);
	for (unsigned k = 0; k < bend.count; k++)
		free(bend.off[k]);
}

/* P(chi2 > x) < .001 in most processes, and the misfit is material: the plain line leaves some of it at some n, and samples without noise would show any. */
static void judge_line(const struct kb_summary *summary, struct kb_result *result)
{
	unsigned bent = 0, disagree = 0, known = 0;

	for (size_t i = 0; i < summary->count; i++) {
		const struct kb_line_fit *fit = &summary->fits[i].op;

		if (!summary->fits[i].usable || !fit->known)
			continue;
		known++;
		bent += fit->df > 0 && kb_chi2_cdf(fit->chi2, fit->df) > 0.999 && fit->chi2 > 30 * fit->df && fit->misfit > MISFIT;
		disagree += fabs(fit->b - fit->b_robust) > fmax(2 * fit->se_b, KB_MATERIAL * fabs(fit->b_robust));
	}
	if (2 * bent > known)
		kb_verdict_add(&result->verdict, KB_CODE_nonlinear, "in %u of %u processes", bent, known);
	if (2 * disagree > known)
		kb_verdict_add(&result->verdict, KB_CODE_robust_disagrees, "in %u of %u processes", disagree, known);
}

/* The quickest of the longest samples, and their n. */
static double quickest_longest(const struct kb_points *op, double *n)
{
	double least = 0;

	*n = 0;
	for (size_t i = 0; i < op->count; i++) {
		if (op->n[i] < *n || (op->n[i] == *n && op->ticks[i] >= least))
			continue;
		*n = op->n[i];
		least = op->ticks[i];
	}
	return least;
}

/* Whether time does not grow with n. Bursts can make any slope uncertain; they leave the low quantiles alone, which still grow if
   the work is done. And a slope so uncertain that it may be half of a sample is not known to be nothing. */
static bool is_flat(const struct kb_line_fit *fit, const struct kb_points *op)
{
	if (!fit->slope.known || fit->slope.low > 0)
		return false;
	struct kb_interval low = kb_quantile_line(op->n, op->ticks, op->count, 0.1, 0.95);
	double n, ticks = quickest_longest(op, &n), most = low.known ? fmin(low.high, fit->slope.high) : fit->slope.high;

	return !(low.known && low.low > 0) && most * n < ticks / 2;
}

/* Time must grow with n, and what is not limited by issue slots cannot take less than a core cycle. */
static void check_time_grows(const struct kb_summary *summary, struct kb_result *result)
{
	for (size_t i = 0; i < summary->count; i++) {
		const struct kb_process_fit *fit = &summary->fits[i];
		/* Of a timed loop with twice the operations those that only op does: two that are folded away are no whole one, and chains
		   of calls that overlap make all of them together look shorter than they are. */
		double gross = summary->samples[i].half_base ? fit->cost : fit->op.b_robust;
		/* A disturbed chain, or disturbed short samples, prove nothing: the quickest additions, and the upper end. */
		double most = fit->op.known && !summary->samples[i].half_base ? fmax(gross, fit->op.slope.high) : gross;

		if (!fit->usable || (!fit->op.known && gross <= 0))
			continue;
		if (fit->op.known && is_flat(&fit->op, &summary->samples[i].op))
			kb_verdict_add(&result->verdict, KB_CODE_dead_code, "process %u: slope %.3g ticks", summary->samples[i].process,
			               fit->op.b_robust);
		else if (result->bound != KB_ISSUE && fit->add_least > 0 && most < 0.9 * fit->add_least)
			kb_verdict_add(&result->verdict, KB_CODE_dead_code, "%.2f core cycles per %s", gross / fit->add_least, result->per);
	}
}

void kb_summary_judge_line(const struct kb_summary *summary, struct kb_result *result)
{
	judge_line(summary, result);
	judge_bend(summary, result);
	check_time_grows(summary, result);
}
