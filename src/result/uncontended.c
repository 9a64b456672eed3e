/* See uncontended.h. */
#include "result/summary/summary.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>

#include "result/blocks.h"
#include "result/parts.h"

#define STRETCH_SAMPLES 40.0
#define STRETCH_CLEAN 3u        /* clean samples that make a stretch usable */

/* A walk over the samples, stretch by stretch. */
struct walk {
	const struct kb_points *points;
	double ticks;                   /* length of a stretch */
	double fixed;                   /* ticks of a sample in addition to its operations */
	size_t next;
	double *values;                 /* of the clean samples of the stretch */
	size_t count;
};

static bool walk_open(struct walk *walk, const struct kb_samples *samples, const struct kb_points *points, double fixed)
{
	double span = points->count > 0 ? points->t[points->count - 1] - points->t[0] : 0;

	*walk = (struct walk){ .points = points, .fixed = fixed };
	/* What comes and goes for milliseconds is the state of caches, of the kernel and of the clock: of these a core that is told in its own cycles
	   has none. */
	double least_s = kb_core_bound(samples->bound) && samples->add_count > 0 ? 0 : KB_STRETCH_S;

	walk->ticks = fmax(least_s * (double)samples->hz, STRETCH_SAMPLES * span / fmax((double)points->count, 1));
	walk->values = malloc((points->count + 1) * sizeof *walk->values);
	return walk->values && points->count > 0 && walk->ticks > 0;
}

/* The clean samples of the next stretch that has any samples. False: there is none. */
static bool walk_on(struct walk *walk)
{
	const struct kb_points *points = walk->points;

	walk->count = 0;
	if (walk->next >= points->count)
		return false;
	double number = floor(points->t[walk->next] / walk->ticks);

	for (; walk->next < points->count && floor(points->t[walk->next] / walk->ticks) <= number; walk->next++) {
		size_t i = walk->next;

		if (!(points->flags[i] & KB_BLOCK_DISTURBED))
			walk->values[walk->count++] = (points->ticks[i] - walk->fixed) / points->n[i];
	}
	return true;
}

static double quantile(double *values, size_t count, double level)
{
	kb_sort(values, count);
	return kb_quantile_sorted(values, count, level);
}

static double middle(double *values, size_t count)
{
	return quantile(values, count, 0.5);
}

/* Stretches that have at least so many clean samples. */
static unsigned count_stretches(const struct kb_samples *samples, const struct kb_points *points, size_t fewest)
{
	struct walk walk;
	unsigned blocks = 0;

	if (walk_open(&walk, samples, points, 0)) {
		while (walk_on(&walk))
			blocks += walk.count >= fewest;
	}
	free(walk.values);
	return blocks;
}

unsigned kb_clean_blocks(const struct kb_samples *samples)
{
	unsigned least = samples->part_count > 0 ? UINT_MAX : count_stretches(samples, kb_cost_points(samples), STRETCH_CLEAN);

	for (unsigned i = 0; i < samples->part_count; i++) {
		unsigned own = count_stretches(samples, &samples->parts[i], STRETCH_CLEAN);

		least = own < least ? own : least;
	}
	return least;
}

unsigned kb_all_blocks(const struct kb_samples *samples)
{
	return count_stretches(samples, kb_cost_points(samples), 0);
}

/*
 * Ticks of a sample in addition to its operations, so that half of the clean samples lie above the line: what is left of a sample is put
 * into a median, and the robust line itself lies above it where noise has a longer tail to the right.
 */
static double fixed_ticks(const struct kb_samples *samples, const struct kb_process_fit *fit)
{
	const struct kb_points *points = kb_cost_points(samples);
	double *off = fit->op.known ? malloc((points->count + 1) * sizeof *off) : NULL, fixed = kb_fit_fixed(fit);
	size_t n = 0;

	for (size_t i = 0; off && i < points->count; i++) {
		if (!(points->flags[i] & KB_BLOCK_DISTURBED))
			off[n++] = points->ticks[i] - fit->op.a_robust - fit->op.b_robust * points->n[i];
	}
	if (n > 0)
		fixed += middle(off, n);
	free(off);
	return fixed;
}

/* A sample, or a part of one; what of its clean ones is taken in a stretch. */
struct wanted { const struct kb_points *points; double fixed, level; };

/* The median of the usable stretches, whose values are left sorted; NAN without any. */
static double median_of_stretches(const struct kb_samples *samples, struct wanted wanted, double **values, size_t *count)
{
	struct walk walk;

	*count = 0;
	*values = NULL;
	if (walk_open(&walk, samples, wanted.points, wanted.fixed) && (*values = malloc((walk.points->count + 1) * sizeof **values))) {
		while (walk_on(&walk)) {
			if (walk.count >= STRETCH_CLEAN)
				(*values)[(*count)++] = quantile(walk.values, walk.count, wanted.level);
		}
	}
	free(walk.values);
	return *count > 0 ? middle(*values, *count) : NAN;
}

static double level_of(const struct kb_samples *samples, unsigned part)
{
	return samples->quartile[part] ? 0.25 : 0.5;
}

/* What all parts together cost, and in how many stretches the one is known that is known worst. */
static double sum_of_parts(const struct kb_samples *samples, unsigned *stretches)
{
	double sum = 0, *values;
	size_t count;

	*stretches = UINT_MAX;
	for (unsigned i = 0; i < samples->part_count; i++) {
		sum += median_of_stretches(samples, (struct wanted){ &samples->parts[i], 0, level_of(samples, i) }, &values, &count);
		*stretches = count < *stretches ? (unsigned)count : *stretches;
		free(values);
	}
	return sum;
}

/* Of an operation with its turn of the loop. The values are those of the stretches. */
static double typical(const struct kb_samples *samples, const struct kb_process_fit *fit, double **values, unsigned *stretches)
{
	double level = samples->part_count > 0 ? 0.5 : level_of(samples, 0);
	size_t count;
	double whole = median_of_stretches(samples, (struct wanted){ kb_cost_points(samples), fixed_ticks(samples, fit), level }, values, &count);

	*stretches = (unsigned)count;
	if (samples->part_count == 0 || count == 0)
		return whole;
	unsigned known;
	double sum = sum_of_parts(samples, &known);

	*stretches = known < *stretches ? known : *stretches;
	return sum - kb_parts_readings(samples, fit->empty);
}

/* ---- in core cycles ------------------------------------------------------------------------------ */

/* The points with ticks in core cycles, by the clock probes around each; the rest is shared. */
static bool to_cycles(const struct kb_samples *samples, struct kb_points *points)
{
	double *cycles = malloc((points->count + 1) * sizeof *cycles);
	unsigned *flags = malloc((points->count + 1) * sizeof *flags);

	for (size_t i = 0; cycles && flags && i < points->count; i++) {
		double add = kb_contention_add(samples, points->block[i]);

		cycles[i] = add > 0 ? points->ticks[i] / add : 0;
		flags[i] = points->flags[i] | (add > 0 ? 0 : KB_FLAG_CONTENDED);
	}
	points->ticks = cycles;
	points->flags = flags;
	return cycles && flags;
}

#define FITTED 4u       /* kinds of points that a fit takes */

/* A core clock that moves makes several lines of one: nothing of a fit in ticks is any good then. */
static double median_in_cycles(const struct kb_samples *samples)
{
	struct kb_samples in_cycles = *samples;
	struct kb_points parts[KB_PARTS_MAX], *kinds[FITTED + KB_PARTS_MAX] = { &in_cycles.op, &in_cycles.base, &in_cycles.pairs,
	                                                                             &in_cycles.empty };
	double *values = NULL, cycles = 0;
	unsigned count = FITTED, stretches;
	struct kb_process_fit fit;
	bool whole = true;

	if (!kb_core_bound(samples->bound) || samples->add_count == 0)
		return 0;
	for (unsigned i = 0; i < samples->part_count; i++) {
		parts[i] = samples->parts[i];
		kinds[count++] = &parts[i];
	}
	in_cycles.parts = parts;
	for (unsigned i = 0; i < count; i++)
		whole &= to_cycles(samples, kinds[i]);
	if (whole) {
		kb_fit_process(&in_cycles, &fit);
		cycles = typical(&in_cycles, &fit, &values, &stretches) - kb_fit_less(&in_cycles, &fit);
	}
	for (unsigned i = 0; i < count; i++) {
		free(kinds[i]->ticks);
		free(kinds[i]->flags);
	}
	free(values);
	return isfinite(cycles) ? cycles : 0;
}

void kb_clean_fit(const struct kb_samples *samples, const struct kb_process_fit *fit, struct kb_clean_fit *clean)
{
	double *values;
	unsigned count;
	bool fitted = fit->usable || fit->why == KB_CODE_too_few_effective;
	double median = fitted ? typical(samples, fit, &values, &count) : NAN;

	*clean = (struct kb_clean_fit){ .usable = false };
	if (!fitted)
		return;
	clean->blocks = count;
	/* A slope that the clean samples do not tell is no base to stand on; where there is no grid, there is none to tell. */
	clean->usable = count >= KB_CLEAN_BLOCKS && (fit->op.known || kb_methods[samples->method].one_by_one);
	if (count > 0) {
		clean->cost = median - kb_fit_less(samples, fit);
		clean->low = values[0];
		clean->high = values[count - 1];
		clean->cycles = median_in_cycles(samples);
	}
	free(values);
}
