/* See contention.h. */
#include "result/contention.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "measure/measure.h"
#include "result/parts.h"
#include "stats/stats.h"

#define ABOVE 1.02              /* times the floor, and a step of the clock: clean probes end at 1.5 %, contended ones begin at 7 % */
#define AROUND 2u               /* blocks on both sides whose clock probes are asked with a block's own */
#define POSITION_LOW 0.94       /* what may be the floor of a position: the probe is a little dearer behind a fork or a system call */
#define POSITION_HIGH 1.08
#define POSITION_FEWEST 10u     /* probes that tell it */

#define RATIO_FIRST 0.5         /* cycles a loop */
#define RATIO_STEP 1.005
#define PEAK_WIDTH 8u           /* bins: 4 %, as much as a step of a coarse clock */
#define PEAK_SHARE 0.02         /* of all probes, at the least */
#define PEAK_PROBES 100.0
#define PEAK_HEIGHT 3.0         /* times what stands right above it */
#define ALONE 0.95              /* of all probes in the peak */
#define AGREE 0.01              /* of processes' own peaks, relative */
#define AGREE_FEWEST 5u          /* processes, and as large a share of the last ones: among many, a few agree by chance */
#define AGREE_SHARE (1.0 / 3)

/* ---- the core clock ------------------------------------------------------------------------------ */

/* The median of a few blocks: a single probe may have been hit by an interrupt. */
double kb_contention_add(const struct kb_samples *samples, uint32_t block)
{
	size_t count = samples->add_count < samples->add_long_count ? samples->add_count : samples->add_long_count;
	double near[2 * AROUND + 1];
	size_t n = 0;

	if (block >= count)
		return NAN;
	for (size_t i = block > AROUND ? block - AROUND : 0; i < count && i <= block + AROUND; i++)
		near[n++] = (samples->add_long[i] - samples->add_short[i]) / (KB_CLOCK_PROBE_LONG - KB_CLOCK_PROBE_SHORT);
	kb_sort(near, n);
	return kb_quantile_sorted(near, n, 0.5);
}

static double ratio_of(const struct kb_samples *samples, double ticks, double add)
{
	return ticks / ((double)samples->probe * add);
}

/* ---- samples ------------------------------------------------------------------------------------- */

/* How much dearer a probe at the floor is behind samples of this kind. It cannot reach what contention makes of one. */
static double position_of(const struct kb_samples *samples, const struct kb_points *points, double k)
{
	double *near = malloc((points->count + 1) * sizeof *near), factor = 1;
	size_t n = 0;

	for (size_t i = 0; near && i < points->count; i++) {
		double after = points->probe[i] > 0 ? samples->probes[points->probe[i] - 1] : 0;
		double ratio = ratio_of(samples, after, kb_contention_add(samples, points->block[i])) / k;

		if (ratio > POSITION_LOW && ratio < POSITION_HIGH)
			near[n++] = ratio;
	}
	if (n >= POSITION_FEWEST) {
		kb_sort(near, n);
		factor = fmax(kb_quantile_sorted(near, n, 0.25), 1); /* lower: contended ones begin right above */
	}
	free(near);
	return factor;
}

/* All that has a probe behind it. */
#define WHOLE 5u
struct kinds { struct kb_points *at[WHOLE + KB_PARTS_MAX]; unsigned count; };

static struct kinds kinds_of(struct kb_samples *samples)
{
	struct kinds kinds = { { &samples->op, &samples->base, &samples->single, &samples->empty, &samples->pairs }, WHOLE };

	for (unsigned i = 0; i < samples->part_count; i++)
		kinds.at[kinds.count++] = &samples->parts[i];
	return kinds;
}

/* Every probe by the floor of its position: those behind samples that are in no array have none of their own. */
static void judge_probes(const struct kb_samples *samples, const struct kinds *kinds, double k, bool *clean)
{
	double *factor = malloc((samples->probe_count + 1) * sizeof *factor), highest = 1;

	for (size_t i = 0; factor && i < samples->probe_count; i++)
		factor[i] = 0;
	for (unsigned kind = 0; factor && kind < kinds->count; kind++) {
		const struct kb_points *points = kinds->at[kind];
		double own = position_of(samples, points, k);

		highest = fmax(highest, own);
		for (size_t i = 0; i < points->count; i++) {
			if (points->probe[i] > 0)
				factor[points->probe[i] - 1] = own;
		}
	}
	for (size_t i = 0; factor && i < samples->probe_count; i++) {
		double add = kb_contention_add(samples, (uint32_t)samples->probe_blocks[i]);
		/* The reading of the clock is in K: it is a hundredth or two, and what a run measures of it by itself is no surer than that. */
		double floor = (factor[i] > 0 ? factor[i] : highest) * (double)samples->probe * k * add;

		clean[i] = samples->probes[i] > 0 && samples->probes[i] <= ABOVE * floor + (double)samples->quantum;
	}
	free(factor);
}

/* The probes around a sample and the next one on each side: where clean time is short, what is clean at both ends is often not clean
   in between, and most clean time is in long stretches. */
static bool stands_clean(const struct kb_samples *samples, const bool *clean, uint32_t probe)
{
	if (probe < 2)
		return false;
	for (size_t i = probe > 3 ? probe - 3 : 0; i < probe + 1 && i < samples->probe_count; i++) {
		if (!clean[i])
			return false;
	}
	return true;
}

static double share_of_clean(const struct kb_points *points)
{
	size_t clean = 0;

	for (size_t i = 0; i < points->count; i++)
		clean += !(points->flags[i] & KB_FLAG_CONTENDED);
	return points->count > 0 ? (double)clean / (double)points->count : NAN;
}

bool *kb_contention_probes(struct kb_samples *samples, const struct kb_floor *floor)
{
	const struct kinds kinds = kinds_of(samples);
	bool *clean = samples->probe > 0 && floor->k > 0 ? calloc(samples->probe_count + 1, sizeof *clean) : NULL;

	if (clean)
		judge_probes(samples, &kinds, floor->k, clean);
	return clean;
}

double kb_contention_ratio(const struct kb_samples *samples, size_t probe)
{
	return ratio_of(samples, samples->probes[probe], kb_contention_add(samples, (uint32_t)samples->probe_blocks[probe]));
}

void kb_contention_flag(struct kb_samples *samples, const struct kb_floor *floor)
{
	const struct kinds kinds = kinds_of(samples);
	bool *clean = kb_contention_probes(samples, floor);

	if (!clean)
		return;
	for (unsigned kind = samples->part_count > 0; kind < kinds.count; kind++) { /* op is the first */
		for (size_t i = 0; i < kinds.at[kind]->count; i++) {
			if (!stands_clean(samples, clean, kinds.at[kind]->probe[i]))
				kinds.at[kind]->flags[i] |= KB_FLAG_CONTENDED;
		}
	}
	free(clean);
	/* A divided operation is as clean as its parts are. */
	samples->clean_share = samples->part_count > 0 ? 0 : share_of_clean(&samples->op);
	for (unsigned i = 0; i < samples->part_count; i++)
		samples->clean_share += share_of_clean(&samples->parts[i]) / samples->part_count;
	if (samples->part_count > 0)
		kb_parts_complete(samples);
}

void kb_contention_unflag(struct kb_samples *samples)
{
	const struct kinds kinds = kinds_of(samples);

	kb_parts_restore(samples);
	for (unsigned kind = 0; kind < kinds.count; kind++) {
		for (size_t i = 0; i < kinds.at[kind]->count; i++)
			kinds.at[kind]->flags[i] &= ~KB_FLAG_CONTENDED;
	}
}

/* ---- K ------------------------------------------------------------------------------------------- */

static double mass(const struct kb_ratios *ratios, unsigned from)
{
	double sum = 0;

	for (unsigned i = from; i < from + PEAK_WIDTH && i < KB_RATIO_BINS; i++)
		sum += ratios->count[i];
	return sum;
}

/* The window that a peak fills best, of those that begin within its width. */
static unsigned fullest(const struct kb_ratios *ratios, unsigned from)
{
	unsigned best = from;

	for (unsigned i = from; i < from + PEAK_WIDTH && i + 2 * PEAK_WIDTH < KB_RATIO_BINS; i++) {
		if (mass(ratios, i) > mass(ratios, best))
			best = i;
	}
	return best;
}

static double lower_mode(const struct kb_ratios *ratios, bool *alone)
{
	double least = fmax(PEAK_SHARE * ratios->all, PEAK_PROBES), sum = 0;

	for (unsigned i = 0; i + 3 * PEAK_WIDTH < KB_RATIO_BINS; i++) {
		if (mass(ratios, i) < least)
			continue;
		unsigned peak = fullest(ratios, i);

		if (mass(ratios, peak) < PEAK_HEIGHT * mass(ratios, peak + PEAK_WIDTH))
			return 0; /* the lowest probes are no peak: they end in contended ones */
		*alone = mass(ratios, peak) >= ALONE * ratios->all;
		/* The mean of the peak's bins, each by its middle. */
		for (unsigned bin = peak; bin < peak + PEAK_WIDTH; bin++)
			sum += ratios->count[bin] * RATIO_FIRST * pow(RATIO_STEP, bin + 0.5);
		return sum / mass(ratios, peak);
	}
	return 0;
}

static void count(struct kb_ratios *ratios, const struct kb_samples *samples)
{
	for (size_t i = 0; samples->probe > 0 && i < samples->probe_count; i++) {
		double ratio = kb_contention_ratio(samples, i);
		double bin = floor(log(ratio / RATIO_FIRST) / log(RATIO_STEP));

		if (!(bin >= 0 && bin < KB_RATIO_BINS))
			continue;
		ratios->count[(unsigned)bin]++;
		ratios->all++;
	}
}

void kb_ratios_add(struct kb_ratios *ratios, const struct kb_samples *samples)
{
	struct kb_ratios own = { .all = 0 };

	count(&own, samples);
	if (own.all == 0)
		return;
	for (unsigned i = 0; i < KB_RATIO_BINS; i++)
		ratios->count[i] += own.count[i];
	ratios->all += own.all;
	ratios->own[ratios->processes++ % KB_RATIO_PROCESSES] = lower_mode(&own, &(bool){ false });
}

double kb_ratios_mode(const struct kb_ratios *ratios, bool *alone)
{
	double mode = lower_mode(ratios, alone);
	unsigned last = ratios->processes < KB_RATIO_PROCESSES ? ratios->processes : KB_RATIO_PROCESSES, agree = 0;

	for (unsigned i = 0; i < last; i++)
		agree += fabs(ratios->own[i] - mode) <= AGREE * mode;
	return agree >= AGREE_FEWEST && agree >= AGREE_SHARE * last ? mode : 0;
}

void kb_ratios_floor(const struct kb_ratios *ratios, bool core_alone, struct kb_floor *floor)
{
	bool alone = false;
	double k = kb_ratios_mode(ratios, &alone);

	/* What looked like the floor may turn out to be one of many loads that a neighbour has. */
	*floor = k > 0 && (!alone || core_alone) ? (struct kb_floor){ k, KB_FLOOR_RUN } : (struct kb_floor){ .k = 0 };
}

bool kb_floor_is_learned(const struct kb_floor *floor)
{
	return floor->from == KB_FLOOR_UNKNOWN || floor->from == KB_FLOOR_RUN;
}

/* ---- known ones ------------------------------------------------------------------------------------- */

static const char *const from_names[] = {
	[KB_FLOOR_UNKNOWN] = "unknown", [KB_FLOOR_SHIPPED] = "shipped", [KB_FLOOR_STORED] = "stored", [KB_FLOOR_RUN] = "run",
};

/* Only values that were measured stand here, each on an uncontended core by this project's own probe. Keys as kb_floor_key makes them: architecture and instructions of the probe, vendor, family, model, stepping, microcode. */
static const struct { const char *key; double k; } shipped[] = {
	{ "x86_64/293 AuthenticAMD 25 17 1 0x1000065", 36.60 },
	{ "x86_64/293 AuthenticAMD 26 2 1 0x1000065", 46.60 },
};

double kb_floor_shipped(const char *key)
{
	for (unsigned i = 0; i < sizeof shipped / sizeof *shipped; i++) {
		if (!strcmp(key, shipped[i].key))
			return shipped[i].k;
	}
	return 0;
}

const char *kb_floor_from_name(enum kb_floor_from from)
{
	return (unsigned)from < sizeof from_names / sizeof *from_names ? from_names[from] : "unknown";
}

enum kb_floor_from kb_floor_from_find(const char *name)
{
	for (unsigned i = 0; i < sizeof from_names / sizeof *from_names; i++) {
		if (!strcmp(name, from_names[i]))
			return (enum kb_floor_from)i;
	}
	return KB_FLOOR_UNKNOWN;
}
