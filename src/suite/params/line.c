/* The line by pairs of loads, and the ways of the first cache by lines at one distance. */
#include "suite/params/find.h"

#include <stdio.h>
#include <string.h>

#define ROUNDS 3

static const char *not_confirmed(unsigned seen)
{
	return seen < 2 ? "the budget ended before a second sweep could confirm it; try a larger --budget" :
	       "another sweep did not see the same";
}

/* ---- line ------------------------------------------------------------------------------------------------ */

static void take_pair(void *context, const struct kb_row *row)
{
	kb_curve_add(context, kb_row_number(row, "distance"), kb_row_ns(row));
}

void kb_find_line(struct kb_prober *prober, const struct kb_system *system, struct kb_params *params)
{
	static const double distances[] = { 16, 32, 64, 128, 256 };
	struct kb_knee knee[ROUNDS];
	struct kb_picture *picture;
	struct kb_curve all = { 0 };
	unsigned rounds = 0, seen = 0, same = 0;

	for (; rounds < ROUNDS && (same < 2 || seen < 2); rounds++) {
		struct kb_curve pairs = { 0 };

		if (!kb_prober_want_curve(prober, "param.line", "distance", distances, 5, NULL))
			return;
		if (!kb_prober_sweep(prober, take_pair, &pairs))
			break;
		kb_curve_add_all(&all, &pairs);
		if (pairs.count == 5 && kb_curve_knee(&pairs, KB_PAIR_RISE, 1, &knee[seen]))
			same += knee[seen++].off == knee[0].off;
	}
	if (all.count == 0)
		return;

	struct kb_inferred *line = kb_params_add(params, "line", KB_UNIT_BYTES, "line size");

	kb_inferred_cache(line, system, 1, KB_CACHE_LINE);
	if (seen == 0) {
		kb_inferred_is(line, KB_MATCH_NOT,
			       "pairs of loads cost the same at 16 to 256 bytes: no line ends there, or the machine was too busy");
		return;
	}
	/* Lines are powers of two, and so are the distances: the first beyond is the size. */
	line->value = kb_inferred_between(knee[0].off, knee[0].off, knee[0].off);
	snprintf(line->confidence, sizeof line->confidence, "%u of %u sweeps", same, rounds);
	kb_inferred_judge(line, 0);
	if (line->match == KB_MATCH_DISAGREE)
		kb_inferred_is(line, line->match, "the first cache is filled in pieces of this size, whatever the system calls a line");
	if (same < 2)
		kb_inferred_is(line, KB_MATCH_UNVERIFIED, "%s", not_confirmed(seen));
	picture = kb_params_picture(params, "distance", true, "a pair of loads, ns each, by the distance of the second");
	kb_picture_curve(picture, &all, "in the second cache");
}

/* ---- ways ------------------------------------------------------------------------------------------------ */

#define FAR_STRIDE 16384.0      /* lines so far apart lie in one set of every first cache there is */
#define STRIDES 5
#define WAY_RISE 0.3            /* one line too many of nine misses in an order that is never the oldest first: 1 in 9 at least */
#define WAYS_LEAST 2
#define WAYS_ROUNDS 5

struct sets {
	double stride[STRIDES];         /* ascending; the last is FAR_STRIDE */
	struct kb_curve curve[STRIDES]; /* ns over the number of lines */
};

static void take_lines(void *context, const struct kb_row *row)
{
	struct sets *sets = context;
	double stride = kb_row_number(row, "stride");

	for (int i = 0; i < STRIDES; i++) {
		if (sets->stride[i] == stride)
			kb_curve_add(&sets->curve[i], kb_row_number(row, "size") / stride, kb_row_ns(row));
	}
}

static bool want_lines(struct kb_prober *prober, double stride, const double *lines, size_t count)
{
	double sizes[16];
	char text[32];
	const char *const fixed[] = { "order=random", text, "pages=small", NULL };

	snprintf(text, sizeof text, "stride=%.0f", stride);
	for (size_t i = 0; i < count && i < 16; i++)
		sizes[i] = lines[i] * stride;
	return kb_prober_want_curve(prober, "mem.latency", "size", sizes, count, fixed);
}

/* The knee at the far stride, to the line. ways: of a sweep before, which is to be confirmed by the points around it; 0: there is none. */
static bool far_knee(struct kb_prober *prober, unsigned ways, struct sets *sets, struct kb_knee *knee)
{
	const double coarse[] = { 2, 3, 4, 6, 8, 10, 12, 16, 20, 24, 32 }, around[] = { 2, 3, ways, ways + 1, ways + 2 };
	struct kb_curve *curve = &sets->curve[STRIDES - 1];
	bool again = ways > around[1];
	double lines[16];
	size_t count = 0;

	if (!want_lines(prober, FAR_STRIDE, again ? around : coarse, again ? 5 : 11) || !kb_prober_sweep(prober, take_lines, sets) ||
	    !kb_curve_knee(curve, WAY_RISE, WAYS_LEAST, knee))
		return false;
	if (knee->off == knee->on + 1)
		return true;
	for (double n = knee->on; n <= knee->off && count < 16; n++)
		lines[count++] = n;
	return want_lines(prober, FAR_STRIDE, lines, count) && kb_prober_sweep(prober, take_lines, sets) &&
	       kb_curve_knee(curve, WAY_RISE, WAYS_LEAST, knee);
}

/* At each smaller stride, where lines lie in no fewer sets: does one line more fit, too? */
static bool near_knees(struct kb_prober *prober, struct sets *sets, struct kb_knee knees[STRIDES])
{
	const struct kb_knee *far = &knees[STRIDES - 1];
	double more = far->on + 1, level = kb_curve_at(&sets->curve[STRIDES - 1], WAYS_LEAST);

	for (int i = 0; i + 1 < STRIDES; i++)
		want_lines(prober, sets->stride[i], &more, 1);
	if (!kb_prober_sweep(prober, take_lines, sets))
		return false;
	for (int i = 0; i + 1 < STRIDES; i++) {
		double ns = kb_curve_at(&sets->curve[i], more);

		if (!(ns > 0) || !(level > 0))
			return false;
		knees[i].on = ns > level * (1 + WAY_RISE) ? far->on : more;
	}
	return true;
}

static void put_ways(struct kb_params *params, const struct kb_system *system, const struct kb_ways *ways, unsigned same, unsigned seen)
{
	struct kb_inferred *count = kb_params_add(params, "assoc", KB_UNIT_COUNT, "L1d ways");
	struct kb_inferred *span = kb_params_add(params, "assoc", KB_UNIT_BYTES, "L1d sets x line");

	kb_inferred_cache(count, system, 1, KB_CACHE_WAYS);
	kb_inferred_cache(span, system, 1, KB_CACHE_SPAN);
	count->value = kb_inferred_between(ways->ways, ways->ways, ways->ways);
	span->value = kb_inferred_between(ways->span, ways->span, ways->span);
	kb_inferred_judge(count, 0);
	kb_inferred_judge(span, 0);
	if (count->match == KB_MATCH_DISAGREE || span->match == KB_MATCH_DISAGREE)
		kb_inferred_is(count, count->match,
			       "a sibling of this core or what preempts it keeps lines there, or the hypervisor shows another cache");
	snprintf(count->confidence, sizeof count->confidence, "%u of %u sweeps", same, seen);
	snprintf(span->confidence, sizeof span->confidence, "%u of %u sweeps", same, seen);
	if (same < 2) {
		kb_inferred_is(count, KB_MATCH_UNVERIFIED, "%s", not_confirmed(seen));
		kb_inferred_is(span, KB_MATCH_UNVERIFIED, "%s", not_confirmed(seen));
	}
}

void kb_find_assoc(struct kb_prober *prober, const struct kb_system *system, struct kb_params *params)
{
	struct kb_ways found[WAYS_ROUNDS], best = { 0 };
	unsigned seen = 0, same = 0;

	/* By turns a search and its confirmation, so that a search that was disturbed is not all that there is. */
	for (unsigned round = 0; round < WAYS_ROUNDS && same < 2 && kb_prober_has(prober, 0); round++) {
		struct sets sets = { .stride = { 1024, 2048, 4096, 8192, FAR_STRIDE } };
		struct kb_knee knees[STRIDES];
		unsigned equal = 1;

		if (!far_knee(prober, round % 2 && seen ? found[seen - 1].ways : 0, &sets, &knees[STRIDES - 1]) ||
		    !near_knees(prober, &sets, knees) || !kb_ways_infer(sets.stride, knees, STRIDES, &found[seen]))
			continue;
		for (unsigned i = 0; i < seen; i++)
			equal += found[i].ways == found[seen].ways && found[i].span == found[seen].span;
		best = equal > same ? found[seen] : best;
		same = equal > same ? equal : same;
		seen++;
	}
	if (seen == 0) {
		kb_inferred_is(kb_params_add(params, "assoc", KB_UNIT_COUNT, "L1d ways"), KB_MATCH_NOT, "%s", prober->why[0] ? prober->why :
			       "no number of lines at 16 KB from each other has a knee that smaller distances confirm");
		return;
	}
	put_ways(params, system, &best, same, seen);
}
