/* Single parameters from points, and how they are held against what the system reports. See params.h. */
#include "suite/params/params.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "stats/stats.h"

#define WIDE 4                  /* an interval of a factor more than this agrees with nothing: neighbouring sizes are that far apart */
#define SPREAD 2                /* the same of a size of a cache whose step should be sharp */
#define SHARP 1.5               /* and of one that is to contradict the system: a step that others soften is no such witness */

const char *const kb_match_names[KB_MATCHES] = {
	[KB_MATCH_AGREE] = "agree", [KB_MATCH_DISAGREE] = "disagree", [KB_MATCH_ALONE] = "not reported by the system",
	[KB_MATCH_UNVERIFIED] = "unverified", [KB_MATCH_NOT] = "not inferable",
};

const char *const kb_unit_names[KB_UNITS] = {
	[KB_UNIT_BYTES] = "bytes", [KB_UNIT_NS] = "ns", [KB_UNIT_MHZ] = "MHz", [KB_UNIT_COUNT] = "count",
	[KB_UNIT_RATE] = "bytes/s", [KB_UNIT_RATIO] = "ratio",
};

#define AGREED 3u               /* sweeps that must see one number of cycles */
#define STEADY 0.001            /* a clock that moves by more has no single value */

struct kb_clock_range kb_clock_infer(const double *mhz, size_t count)
{
	double sorted[KB_CURVE_MAX];
	size_t n = count < KB_CURVE_MAX ? count : KB_CURVE_MAX;

	if (n == 0)
		return (struct kb_clock_range){ .value = 0 };
	memcpy(sorted, mhz, n * sizeof *sorted);
	kb_sort(sorted, n);
	return (struct kb_clock_range){ sorted[0], sorted[n - 1], kb_quantile_sorted(sorted, n, 0.5), sorted[n - 1] > sorted[0] * (1 + STEADY) };
}

struct kb_whole kb_whole_infer(const double *cycles, size_t count, double least, double most)
{
	struct kb_whole best = { .count = (unsigned)count };
	double kept[KB_CURVE_MAX];
	struct kb_clock_range range;

	for (double whole = least; whole <= most; whole++) {
		unsigned n = 0;

		for (size_t i = 0; i < count && n < KB_CURVE_MAX; i++) {
			if (fabs(cycles[i] - whole) <= KB_WHOLE)
				kept[n++] = cycles[i];
		}
		if (n <= best.agree)
			continue;
		best.agree = n;
		best.sure = n >= AGREED && 2 * n >= count;
		range = kb_clock_infer(kept, n);
	}
	if (!best.sure)
		range = kb_clock_infer(cycles, count);
	best.low = range.low;
	best.high = range.high;
	best.value = range.value;
	return best;
}

/* The first stride behind which no smaller count is seen. Without a second stride that confirms it there is none. */
bool kb_ways_infer(const double *stride, const struct kb_knee *fit, size_t count, struct kb_ways *ways)
{
	for (size_t i = 0; i + 1 < count; i++) {
		bool settled = true;

		for (size_t k = i + 1; k < count; k++)
			settled = settled && fit[k].on == fit[i].on;
		if (settled) {
			*ways = (struct kb_ways){ (unsigned)fit[i].on, stride[i] };
			return true;
		}
	}
	return false;
}

bool kb_control_flat(const struct kb_curve *control, const struct kb_knee *knee, double rise)
{
	double on = kb_curve_at(control, knee->on), off = kb_curve_at(control, knee->off);
	double seen = knee->off_ns - knee->on_ns;

	return on > 0 && off > 0 && (off - on < seen / 2 || off < on * (1 + rise / 2));
}

bool kb_pages_are_huge(const struct kb_curve *near, double few, double many, double rise)
{
	double level = kb_curve_at(near, few), beyond = kb_curve_at(near, many);

	return level > 0 && beyond > 0 && beyond <= level * (1 + rise);
}

void kb_inferred_claim(struct kb_inferred *inferred, double value, const char *source)
{
	struct kb_inferred_value *system = &inferred->system;
	size_t used = strlen(inferred->source);

	if (!(value > 0) || inferred->claim_count == KB_SYSTEM_CLAIMS_MAX)
		return;
	struct kb_system_claim *claim = &inferred->claims[inferred->claim_count++];

	claim->value = value;
	snprintf(claim->source, sizeof claim->source, "%s", source);
	if (!system->known)
		*system = (struct kb_inferred_value){ .known = true, .low = value, .high = value };
	if (value == system->low)
		snprintf(inferred->source + used, sizeof inferred->source - used, "%s%s", used ? ", " : "", source);
}

bool kb_inferred_differ(const struct kb_inferred *inferred)
{
	bool differ = false;

	for (unsigned i = 1; i < inferred->claim_count; i++)
		differ = differ || inferred->claims[i].value != inferred->claims[0].value;
	return differ;
}

void kb_inferred_judge(struct kb_inferred *inferred, double slack)
{
	const struct kb_inferred_value *system = &inferred->system;

	if (!inferred->value.known)
		inferred->match = KB_MATCH_NOT;
	else if (!system->known)
		inferred->match = KB_MATCH_ALONE;
	else if (system->high * (1 + slack) >= inferred->value.low && system->low * (1 - slack) <= inferred->value.high)
		inferred->match = KB_MATCH_AGREE;
	else
		inferred->match = KB_MATCH_DISAGREE;
	if (inferred->match == KB_MATCH_AGREE && inferred->value.high > WIDE * inferred->value.low) {
		inferred->match = KB_MATCH_UNVERIFIED;
		snprintf(inferred->why, sizeof inferred->why, "the interval is too wide to agree with anything; a machine with less other work or a larger "
			 "--budget narrows it");
	}
}

void kb_size_doubt(struct kb_inferred *size, unsigned refused, unsigned points)
{
	bool wide = size->match == KB_MATCH_AGREE && size->value.high > SPREAD * size->value.low;
	bool vague = refused > 0 || size->value.high > SHARP * size->value.low;
	bool smaller = size->match == KB_MATCH_DISAGREE && size->value.high < size->system.low && vague;

	if (!wide && !smaller)
		return;
	size->match = KB_MATCH_UNVERIFIED;
	snprintf(size->why, sizeof size->why, "%s: other work on this core or in this cache takes part of it, or pages of the host fill its "
		 "sets unevenly; %u disturbed processes at %u points around the step",
		 wide ? "the step is spread over more than a factor of two" : "smaller than reported", refused, points);
}
