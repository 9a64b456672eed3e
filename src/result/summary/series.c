/*
 * The level of a process over time. The search tells a cut and changes; what they mean for a process of a tenth of a
 * second on a machine with neighbours is decided here: somebody who comes and goes is a jump and no warm-up, and a slow
 * trend over the whole process is a drift, which leaves a number that may be used with care.
 */
#include "result/summary/summary.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "result/blocks.h"
#include "stats/series/changepoint.h"

#define QUIET 0.1
#define QUARTER_LEAST 10        /* values */
#define STEADY_STEP (1.0 / 6)   /* of a trend, from quarter to quarter; an even one makes a third */
#define UNSETTLED 0.10          /* levels within that of each other leave a number that may be used with care */

struct span {
	double first, last, low, high;  /* medians of the segments between changes: bursts are no level */
	double mean;                    /* of all levels, by their lengths */
	double quiet_first, quiet_last; /* 10 % quantiles of the first and last segment */
	bool monotone;
};

static bool segment_levels(const struct kb_block_series *series, const struct kb_changes *changes, struct span *span)
{
	double *scratch = malloc(series->count * sizeof *scratch), before = NAN;
	int up = 0, down = 0;

	*span = (struct span){ .low = INFINITY, .high = -INFINITY };
	for (unsigned k = 0; scratch && k <= changes->count; k++) {
		size_t from = k > 0 ? changes->at[k - 1] : 0, to = k < changes->count ? changes->at[k] : series->count;
		double level = kb_median(series->x + from, to - from, scratch), quiet;

		memcpy(scratch, series->x + from, (to - from) * sizeof *scratch);
		kb_sort(scratch, to - from);
		quiet = kb_quantile_sorted(scratch, to - from, QUIET);
		up += k > 0 && level > before;
		down += k > 0 && level < before;
		if (k == 0) {
			span->first = level;
			span->quiet_first = quiet;
		}
		before = span->last = level;
		span->quiet_last = quiet;
		span->low = fmin(span->low, level);
		span->high = fmax(span->high, level);
		span->mean += level * (double)(to - from) / (double)series->count;
	}
	span->monotone = up == 0 || down == 0;
	free(scratch);
	return scratch != NULL;
}

static bool differ(double a, double b, double share)
{
	return fabs(a - b) > share * fabs(b);
}

/* Neighbours that come and go for a moment are left to the robust slope: a level counts by what it does to the number,
   its distance from the last one times its length. */
static enum kb_reason_code classify(const struct kb_steady *steady, const struct span *span)
{
	const struct kb_changes *changes = &steady->changes;

	if (changes->count == 0) /* a short series, or nothing found */
		return steady->code == KB_CODE_warmup || differ(steady->before, steady->after, KB_MATERIAL) ?
		       steady->code : KB_CODE_flat;
	if (steady->code == KB_CODE_warmup && span->first - span->last > KB_MATERIAL / 2 * fabs(span->last))
		return KB_CODE_warmup;
	if (!differ(span->mean, span->last, KB_MATERIAL))
		return KB_CODE_flat;
	if (steady->code == KB_CODE_flat || (changes->count > 1 && !differ(span->first, span->last, KB_MATERIAL)))
		return KB_CODE_changepoint;
	/* Somebody on the machine lengthens most of what is measured, and not all of it. */
	if (steady->code == KB_CODE_no_steady_state && !(differ(span->first, span->last, UNSETTLED) &&
	                                                 differ(span->quiet_first, span->quiet_last, UNSETTLED)))
		return changes->count > 1 && span->monotone ? KB_CODE_drift : KB_CODE_changepoint;
	return steady->code;
}

/* The search takes a smooth trend for correlated neighbours. So it is looked for in the medians of the quarters: each is a
   good part of the way further, and the middle halves of the first and the last one do not overlap. */
static void find_trend(const struct kb_block_series *series, struct kb_process_steady *steady)
{
	size_t length = series->count / 4;
	double *sorted = malloc((length + 1) * sizeof *sorted), median[4], quiet[4], low[4], high[4];

	for (unsigned q = 0; sorted && q < 4; q++) {
		memcpy(sorted, series->x + q * length, length * sizeof *sorted);
		kb_sort(sorted, length);
		median[q] = kb_quantile_sorted(sorted, length, .5);
		quiet[q] = kb_quantile_sorted(sorted, length, QUIET);
		low[q] = kb_quantile_sorted(sorted, length, .25);
		high[q] = kb_quantile_sorted(sorted, length, .75);
	}
	free(sorted);
	if (!sorted || length < QUARTER_LEAST || !differ(median[0], median[3], KB_MATERIAL) ||
	    !(low[3] > high[0] || high[3] < low[0]))
		return;
	for (unsigned q = 1; q < 4; q++) {
		if ((median[q] - median[q - 1]) / (median[3] - median[0]) < STEADY_STEP)
			return;
	}
	steady->code = differ(median[0], median[3], UNSETTLED) && differ(quiet[0], quiet[3], UNSETTLED) ? KB_CODE_no_steady_state :
	               KB_CODE_drift;
	steady->before = median[0];
	steady->after = median[3];
}

static void flag_before(struct kb_points *points, uint32_t block)
{
	for (size_t i = 0; i < points->count && points->block[i] < block; i++)
		points->flags[i] |= KB_FLAG_WARMUP;
}

bool kb_series_steady(struct kb_samples *samples, struct kb_process_fit *fit)
{
	struct kb_block_series series;
	struct kb_steady steady;
	struct span span;

	fit->steady = (struct kb_process_steady){ .code = KB_CODE_flat };
	if (samples->state != KB_RECORD_WHOLE || samples->outcome[0] ||
	    !kb_block_series_open(samples, kb_fit_fixed(fit), &series))
		return false;
	if (kb_steady_state(series.x, series.count, series.quantum, 0, &steady) == 0 &&
	    segment_levels(&series, &steady.changes, &span)) {
		fit->steady.known = true;
		fit->steady.code = classify(&steady, &span);
		fit->steady.before = steady.changes.count > 0 ? span.first : steady.before;
		fit->steady.after = steady.changes.count > 0 ? span.last : steady.after;
		fit->steady.low = fmin(span.low, fit->steady.after);
		fit->steady.high = fmax(span.high, fit->steady.after);
		if (fit->steady.code == KB_CODE_flat)
			find_trend(&series, &fit->steady);
	}
	bool cut = fit->steady.known && fit->steady.code == KB_CODE_warmup && steady.cut > 0;

	if (cut) {
		fit->steady.cut = series.block[steady.cut];
		flag_before(&samples->op, fit->steady.cut);
		flag_before(&samples->base, fit->steady.cut);
		flag_before(&samples->single, fit->steady.cut);
		flag_before(&samples->pairs, fit->steady.cut);
	}
	kb_block_series_close(&series);
	return cut;
}

unsigned kb_series_tolerated(size_t processes)
{
	return processes < 2 ? 0 : processes < 10 ? 1 : (unsigned)(processes / 5);
}
