/* See parts.h. */
#include "result/parts.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "stats/stats.h"

/* What hits a part hits no other one, and medians of parts do not care. */
#define HITS (KB_FLAG_IRQ | KB_FLAG_SWITCH | KB_FLAG_STEAL | KB_FLAG_GAP)
#define HIT 1.5                 /* times its median: in an operation that was hit, it was this part */

/* ---- from the record ----------------------------------------------------------------------------- */

/* A benchmark that marks other points each time has no parts that could be compared. */
int kb_parts_add(struct kb_samples *samples, const struct kb_obs *obs)
{
	struct kb_span text = obs->part_text;
	struct kb_obs one = *obs;
	struct kb_part part;

	one.flags &= ~(unsigned)HITS;
	if (samples->op.count == 0 && !samples->parts && obs->part_count > 1) {
		samples->parts = calloc(obs->part_count, sizeof *samples->parts);
		if (!samples->parts)
			return -ENOMEM;
		samples->part_count = obs->part_count;
	}
	samples->parts_differ |= obs->part_count != samples->part_count || obs->around.after == 0;
	for (unsigned i = 0; i < samples->part_count && !samples->parts_differ && kb_record_part(&text, &part); i++) {
		one.ticks = part.ticks;
		if (kb_points_add(&samples->parts[i], &one))
			return -ENOMEM;
		samples->parts[i].probe[samples->parts[i].count - 1] = (uint32_t)(samples->probe_count - (samples->part_count - 1 - i));
	}
	return 0;
}

void kb_parts_free(struct kb_samples *samples)
{
	for (unsigned i = 0; i < samples->part_count; i++)
		kb_points_free(&samples->parts[i]);
	free(samples->parts);
	free(samples->whole);
	free(samples->whole_flags);
	samples->parts = NULL;
	samples->whole = NULL;
	samples->whole_flags = NULL;
	samples->part_count = 0;
}

/* ---- completed ----------------------------------------------------------------------------------- */

/* The median of the points without a flag; NAN without any. */
static double clean_median(const struct kb_points *points, double *scratch)
{
	size_t n = 0;

	for (size_t i = 0; i < points->count; i++) {
		if (!points->flags[i])
			scratch[n++] = points->ticks[i];
	}
	kb_sort(scratch, n);
	return n > 0 ? kb_quantile_sorted(scratch, n, 0.5) : NAN;
}

static void add_part(struct kb_points *op, const struct kb_points *part, double median, bool *clean)
{
	for (size_t i = 0; i < op->count; i++) {
		bool hit = (op->flags[i] & HITS) && part->ticks[i] > HIT * median;
		bool known = !(part->flags[i] & KB_FLAG_CONTENDED) && !hit;

		op->ticks[i] += known ? part->ticks[i] : median;
		clean[i] |= known;
	}
}

void kb_parts_complete(struct kb_samples *samples)
{
	struct kb_points *op = &samples->op;
	double *scratch = malloc((op->count + 1) * sizeof *scratch);
	bool *clean = calloc(op->count + 1, sizeof *clean), whole = true;

	kb_parts_restore(samples);
	samples->whole = malloc((op->count + 1) * sizeof *samples->whole);
	samples->whole_flags = malloc((op->count + 1) * sizeof *samples->whole_flags);
	if (scratch && clean && samples->whole && samples->whole_flags) {
		memcpy(samples->whole, op->ticks, op->count * sizeof *op->ticks);
		memcpy(samples->whole_flags, op->flags, op->count * sizeof *op->flags);
		memset(op->ticks, 0, op->count * sizeof *op->ticks);
		for (unsigned k = 0; k < samples->part_count; k++) {
			double median = clean_median(&samples->parts[k], scratch);

			whole &= isfinite(median);
			add_part(op, &samples->parts[k], median, clean);
		}
		for (size_t i = 0; i < op->count && whole; i++)
			op->flags[i] = (op->flags[i] & ~(unsigned)HITS) | (clean[i] ? 0 : KB_FLAG_CONTENDED);
	}
	if (!whole) { /* of a part that never was clean nothing is known */
		kb_parts_restore(samples);
		for (size_t i = 0; i < op->count; i++)
			op->flags[i] |= KB_FLAG_CONTENDED;
	}
	free(scratch);
	free(clean);
}

/* Of the flags those that analysis set are not taken back. */
void kb_parts_restore(struct kb_samples *samples)
{
	struct kb_points *op = &samples->op;

	for (size_t i = 0; samples->whole && samples->whole_flags && i < op->count; i++) {
		op->ticks[i] = samples->whole[i];
		op->flags[i] |= samples->whole_flags[i];
	}
	free(samples->whole);
	free(samples->whole_flags);
	samples->whole = NULL;
	samples->whole_flags = NULL;
}

const double *kb_parts_observed(const struct kb_samples *samples)
{
	return samples->whole ? samples->whole : samples->op.ticks;
}

const unsigned *kb_parts_flags(const struct kb_samples *samples)
{
	return samples->whole ? samples->whole_flags : samples->op.flags;
}

double kb_parts_readings(const struct kb_samples *samples, double empty)
{
	return samples->part_count > 1 ? (samples->part_count - 1) * empty : 0;
}

/* ---- how long they are --------------------------------------------------------------------------- */

/* The part, or the whole of what is not divided; NULL: no sample of it is one operation. */
static const struct kb_points *part_of(const struct kb_samples *samples, unsigned part)
{
	if (samples->part_count > 0)
		return part < samples->part_count ? &samples->parts[part] : NULL;
	return part == 0 && (samples->method == KB_METHOD_SINGLE || samples->method == KB_METHOD_COMMAND) ? &samples->op : NULL;
}

/* What it takes when nobody makes it longer: whether it is long must not depend on who else is there. */
static double length_of(const struct kb_points *points)
{
	double *scratch = malloc((points->count + 1) * sizeof *scratch), length = 0;

	if (scratch && points->count > 0) {
		memcpy(scratch, points->ticks, points->count * sizeof *scratch);
		kb_sort(scratch, points->count);
		length = kb_quantile_sorted(scratch, points->count, 0.1);
	}
	free(scratch);
	return length;
}

/* In the middle of the processes, ns. */
static double typical_ns(const struct kb_samples *samples, size_t count, unsigned part)
{
	double *ns = malloc((count + 1) * sizeof *ns), typical = 0;
	size_t n = 0;

	for (size_t i = 0; ns && i < count; i++) {
		const struct kb_points *points = part_of(&samples[i], part);

		if (points && points->count > 0 && samples[i].hz > 0)
			ns[n++] = length_of(points) * 1e9 / (double)samples[i].hz;
	}
	if (n > 0) {
		kb_sort(ns, n);
		typical = kb_quantile_sorted(ns, n, 0.5);
	}
	free(ns);
	return typical;
}

bool kb_parts_measure(struct kb_samples *samples, size_t count)
{
	bool too_long = false;

	for (unsigned part = 0; count > 0 && (part == 0 || part < samples[0].part_count); part++) {
		double ns = typical_ns(samples, count, part);

		for (size_t i = 0; i < count; i++)
			samples[i].quartile[part] = ns > KB_LONG_NS;
		too_long |= ns > KB_TOO_LONG_NS;
	}
	return too_long;
}
