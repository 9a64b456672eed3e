/* Curves: isotonic fit, levels, knees. See params.h. */
#include "suite/params/params.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "stats/series/changepoint.h"
#include "stats/stats.h"

#define GRID_PER_OCTAVE 8       /* a level of five grid points, the shortest segment, is then 5/8 of an octave */
#define GRID_MAX 512
#define NOISE 0.05              /* of log(ns): smaller differences make no level of their own */
#define CHANGE_PENALTY 3.0      /* in ln n; a curve has no noise in its order that would need more */
#define SLOPE 1.25              /* a level rises by less than this an octave */
#define SHORT 0.6               /* octaves: over less, noise may be as much as the slope of so many */
#define STEP 1.3                /* and the next is so much higher, or both are one */
#define FARTHER 1.5             /* times the last ring that fits: misses at every load of the oldest first, six of ten at random */
#define BEYOND 2                /* times the level is slow: a next cache takes three times as long */
#define MOST 0.75               /* of the way up: what others keep of a cache softens the way to half of it */

bool kb_curve_add(struct kb_curve *curve, double x, double ns)
{
	size_t i = 0;

	if (!(x > 0) || !(ns > 0) || !isfinite(x) || !isfinite(ns))
		return false;
	while (i < curve->count && curve->x[i] < x)
		i++;
	if (i < curve->count && curve->x[i] == x) {
		double larger = fmax(curve->ns[i], ns);

		curve->ns[i] = fmin(curve->ns[i], ns);
		curve->again[i] = curve->again[i] > 0 ? fmin(curve->again[i], larger) : larger;
		return true;
	}
	if (curve->count == KB_CURVE_MAX)
		return false;
	memmove(&curve->x[i + 1], &curve->x[i], (curve->count - i) * sizeof(double));
	memmove(&curve->ns[i + 1], &curve->ns[i], (curve->count - i) * sizeof(double));
	memmove(&curve->again[i + 1], &curve->again[i], (curve->count - i) * sizeof(double));
	curve->x[i] = x;
	curve->ns[i] = ns;
	curve->again[i] = 0;
	curve->count++;
	return true;
}

void kb_curve_add_all(struct kb_curve *curve, const struct kb_curve *more)
{
	for (size_t i = 0; i < more->count; i++)
		kb_curve_add(curve, more->x[i], more->ns[i]);
}

double kb_curve_at(const struct kb_curve *curve, double x)
{
	for (size_t i = 0; i < curve->count; i++) {
		if (curve->x[i] == x)
			return curve->ns[i];
	}
	return 0;
}

/* Pool adjacent violators (Ayer et al. 1955): a block's level is the mean of its logarithms. */
void kb_curve_fit(struct kb_curve *curve)
{
	double level[KB_CURVE_MAX];
	size_t size[KB_CURVE_MAX], blocks = 0, at = 0;

	for (size_t i = 0; i < curve->count; i++) {
		level[blocks] = log(curve->ns[i]);
		size[blocks++] = 1;
		while (blocks > 1 && level[blocks - 2] > level[blocks - 1]) {
			size_t both = size[blocks - 2] + size[blocks - 1];

			level[blocks - 2] = (level[blocks - 2] * (double)size[blocks - 2] +
					     level[blocks - 1] * (double)size[blocks - 1]) / (double)both;
			size[blocks - 2] = both;
			blocks--;
		}
	}
	for (size_t b = 0; b < blocks; b++) {
		for (size_t k = 0; k < size[b]; k++)
			curve->fit[at++] = exp(level[b]);
	}
}

void kb_curve_floor(struct kb_curve *curve)
{
	double least = INFINITY;

	for (size_t i = curve->count; i-- > 0;) {
		least = fmin(least, curve->ns[i]);
		curve->fit[i] = least;
	}
}

/* ---- levels ---------------------------------------------------------------------------------------------- */

/* log(fit) at equal steps of log(x), straight between points. Returns how many values. */
static size_t resample(const struct kb_curve *curve, double grid[GRID_MAX])
{
	double first = log2(curve->x[0]), octaves = log2(curve->x[curve->count - 1]) - first;
	size_t n = (size_t)floor(octaves * GRID_PER_OCTAVE + 1e-9) + 1, i = 0;

	for (size_t k = 0; k < n && k < GRID_MAX; k++) {
		double at = first + (double)k / GRID_PER_OCTAVE;

		while (i + 2 < curve->count && log2(curve->x[i + 1]) <= at)
			i++;
		double from = log2(curve->x[i]), to = log2(curve->x[i + 1]), part = fmin((at - from) / (to - from), 1);

		grid[k] = log(curve->fit[i]) * (1 - part) + log(curve->fit[i + 1]) * part;
	}
	return n < GRID_MAX ? n : GRID_MAX;
}

/* One segment of the grid as a level; false: it is a slope. The ends of a long one are cut off: changes are found to the
   point, but a way up begins before. */
static bool level_of(const double *grid, size_t begin, size_t end, double *level)
{
	double scratch[GRID_MAX];
	size_t edge = end - begin >= 10 ? (end - begin) / 5 : 0, from = begin + edge, to = end - 1 - edge;
	double octaves = (double)(to - from) / GRID_PER_OCTAVE;

	*level = exp(kb_median(grid + begin, end - begin, scratch));
	return grid[to] - grid[from] < log(SLOPE) * fmax(octaves, SHORT);
}

/* Where a level begins and ends among the points, and the way to the next. */
static void place(const struct kb_curve *curve, double rise, struct kb_plateau *plateau, const struct kb_plateau *next)
{
	for (size_t i = 0; i < curve->count; i++) {
		double ns = curve->fit[i];

		if (!plateau->first && ns >= plateau->ns / (1 + rise))
			plateau->first = curve->x[i];
		if (ns <= plateau->ns * (1 + rise))
			plateau->last = curve->x[i];
		if (next && !plateau->next && ns >= next->ns / (1 + rise))
			plateau->next = curve->x[i];
	}
}

unsigned kb_curve_plateaus(struct kb_curve *curve, double rise, struct kb_plateau plateaus[KB_PLATEAUS_MAX])
{
	struct kb_changes changes;
	double grid[GRID_MAX], level;
	unsigned count = 0;

	if (curve->count < 3)
		return 0;
	kb_curve_fit(curve);

	size_t n = resample(curve, grid);

	if (n < 5 || kb_changes_find(grid, n, NOISE * sqrt(12), CHANGE_PENALTY, &changes))
		return 0;
	for (unsigned k = 0; k <= changes.count; k++) {
		size_t begin = k ? changes.at[k - 1] : 0, end = k < changes.count ? changes.at[k] : n;

		/* Of one level that is seen twice the lower part is it. */
		if (level_of(grid, begin, end, &level) && count < KB_PLATEAUS_MAX && (!count || level >= plateaus[count - 1].ns * STEP))
			plateaus[count++] = (struct kb_plateau){ .ns = level };
	}
	for (unsigned k = 0; k < count; k++)
		place(curve, rise, &plateaus[k], k + 1 < count ? &plateaus[k + 1] : NULL);
	return count;
}

void kb_plateau_sharpen(const struct kb_curve *curve, double rise, struct kb_plateau *plateau)
{
	struct kb_curve low = *curve;
	unsigned processes = 0;
	double slow = INFINITY;

	kb_curve_floor(&low);
	plateau->next = 0;
	plateau->sure = plateau->twice = false;
	for (size_t i = 0; i < low.count; i++) {
		if (low.fit[i] <= plateau->ns * (1 + rise))
			plateau->last = low.x[i];
	}
	/* From where on a ring is slow: most of the way up to one that surely does not fit. Infinite: there is none that is slow. */
	for (size_t i = low.count; i-- > 0;) {
		if (low.x[i] >= plateau->last * FARTHER && low.fit[i] >= plateau->ns * BEYOND)
			slow = plateau->ns + MOST * (low.fit[i] - plateau->ns);
	}
	for (size_t i = 0; i < low.count && !plateau->sure; i++) {
		bool near = !(plateau->next > 0) || low.x[i] <= plateau->next * FARTHER;

		if (low.x[i] <= plateau->last || low.fit[i] < slow || !near)
			continue;
		/* A second process is no faster than the smallest; and were the cache no smaller than this, one at less had to fit. */
		processes += low.again[i] > 0 ? 2 : 1;
		plateau->sure = processes >= 2;
		plateau->twice = low.again[i] > 0;
		plateau->next = plateau->sure || !(plateau->next > 0) ? low.x[i] : plateau->next;
	}
}

void kb_plateau_halve(const struct kb_curve *curve, double beyond_ns, struct kb_plateau *plateau)
{
	size_t full = 0;

	while (full < curve->count && curve->x[full] < plateau->last * KB_PLATEAU_FULL)
		full++;

	double way = (full < curve->count ? fmin(beyond_ns, curve->fit[full]) : 0) - plateau->ns;

	if (way < plateau->ns * (BEYOND - 1))
		return;
	unsigned processes = 0;

	plateau->next = 0;
	plateau->halved = true;
	plateau->sure = false;
	for (size_t i = 0; i < curve->count && !plateau->sure; i++) {
		if (curve->fit[i] <= plateau->ns + way / 4)
			plateau->last = curve->x[i];
		if (curve->fit[i] < plateau->ns + way * MOST)
			continue;
		processes += curve->again[i] > 0 ? 2 : 1;
		plateau->sure = processes >= 2;
		plateau->next = curve->x[i];
	}
}

/* ---- knees ----------------------------------------------------------------------------------------------- */

/* Goes back from the end: the last point within reach of the level is the last one that fits, so that a disturbed point
   before it makes no knee. The level is the median of the first `least` points. */
bool kb_curve_knee(const struct kb_curve *curve, double rise, size_t least, struct kb_knee *knee)
{
	double scratch[KB_CURVE_MAX];

	if (least == 0 || curve->count <= least)
		return false;

	double level = kb_median(curve->ns, least, scratch);
	size_t i = curve->count;

	while (i > 0 && curve->ns[i - 1] > level * (1 + rise))
		i--;
	if (i < least || i == curve->count)
		return false;
	*knee = (struct kb_knee){ curve->x[i - 1], curve->x[i], level, curve->ns[i] };
	return true;
}

void kb_knee_complete(struct kb_curve *curve, double part, struct kb_knee *knee)
{
	size_t beyond = 0;

	kb_curve_fit(curve);
	while (beyond + 1 < curve->count && curve->x[beyond] < knee->on * KB_KNEE_BEYOND)
		beyond++;

	double end = knee->on_ns + part * (curve->fit[beyond] - knee->on_ns);

	for (size_t i = 0; i < curve->count; i++) {
		if (curve->x[i] < knee->off || curve->fit[i] < end)
			continue;
		knee->off = curve->x[i];
		knee->off_ns = curve->ns[i];
		return;
	}
}

bool kb_knee_confirm(const struct kb_curve *curve, struct kb_knee *knee)
{
	double middle = (knee->on_ns + knee->off_ns) / 2, on = 0, off = 0;

	for (size_t i = 0; i < curve->count; i++) {
		if (curve->x[i] <= knee->on && curve->again[i] > 0 && curve->again[i] < middle)
			on = curve->x[i];
		if (!(off > 0) && curve->x[i] >= knee->off && curve->again[i] > 0 && curve->ns[i] > middle)
			off = curve->x[i];
	}
	knee->on = on > 0 ? on : knee->on;
	knee->off = off > 0 ? off : knee->off;
	return on > 0 && off > 0;
}

size_t kb_knee_points(const struct kb_knee *knee, double points[KB_KNEE_POINTS])
{
	size_t count = 0;

	for (int i = 0; i < KB_KNEE_POINTS; i++) {
		double n = floor(knee->on + (knee->off - knee->on) * i / (KB_KNEE_POINTS - 1));

		if (count == 0 || n > points[count - 1])
			points[count++] = n;
	}
	return count;
}
