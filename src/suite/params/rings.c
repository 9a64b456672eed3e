/* See rings.h. What disturbs a ring adds time: a fast one always counts, a slow one only if nothing else was slow. */
#include "suite/params/rings.h"

#include <math.h>
#include <string.h>

#define SMALL_SIZE (256.0 * 1024)       /* up to here one page of any kind is like another */
/* Lines in huge pages: 4 KB apart they cost what side by side they do, or more translation. Both as points of a curve. */
#define SPREAD 1.0
#define PACKED 2.0
#define PAGE_RISE 0.5           /* seven cycles more than five; a sibling takes as much of both layouts */
#define LOOKS_MAX 5             /* sweeps that may find out */

/* One of three groups of sizes. Small rings first: they are cheap, and count most. */
static int group_of(double size)
{
	return size <= SMALL_SIZE ? 0 : size <= KB_RINGS_LARGE ? 1 : 2;
}

/* The one that small rings are on already, and that reaches into the middle ones. */
bool kb_rings_even(const struct kb_rings *rings, const struct kb_plateau *level)
{
	return rings->even && level->first < SMALL_SIZE && level->last >= SMALL_SIZE && level->last <= KB_RINGS_LARGE;
}

/* A process that was disturbed tells of the neighbour where it is slow, and of the cache where it is fast. Where there is no
   better one its size is owed another, as where it was so disturbed that it has no value. */
static void take_size(void *context, const struct kb_row *row)
{
	struct kb_rings *rings = context;
	double size = kb_row_number(row, "size");

	if (size == 0) { /* tlb.latency has no size */
		kb_curve_add(&rings->near, kb_row_is(row, "layout", "packed") ? PACKED : SPREAD, kb_row_ns(row));
		return;
	}
	unsigned at = 0;

	while (at < rings->refused_count && rings->refused[at] != size)
		at++;
	bool refused = at < rings->refused_count;

	if (row->result.verdict.status == KB_SKIPPED) /* no huge pages, or no memory: not owed */
		return;
	if (kb_row_ns(row) > 0 && !kb_row_disturbed(row)) {
		/* Settled, whatever became of it before; the rest keeps its order. */
		for (rings->refused_count -= refused; refused && at < rings->refused_count; at++)
			rings->refused[at] = rings->refused[at + 1];
	} else if (!refused && !(kb_curve_at(&rings->curve, size) > 0) && rings->refused_count < KB_RINGS_REFUSED_MAX) {
		rings->refused[rings->refused_count++] = size;
	}
	/* Alongside a busy sibling all processes at the end of the first cache are slow; those that know it are left out. */
	if (group_of(size) > 0 || !kb_row_disturbed(row))
		kb_curve_add(&rings->latest, size, kb_row_ns(row));
}

/* Rings that fitted before are in each later sweep: whether one of them was slow now, so that something emptied the cache. */
static bool was_emptied(const struct kb_rings *rings, const struct kb_plateau *level)
{
	for (size_t i = 0; i < rings->latest.count; i++) {
		double size = rings->latest.x[i];

		if (size <= level->last && size > level->last / 2 && rings->latest.ns[i] > level->ns * (1 + 2 * KB_RINGS_RISE))
			return true;
	}
	return false;
}

/* Of a sweep in which the second cache was emptied, only what is fast tells of the cache. */
static void take_sweep(struct kb_rings *rings)
{
	const struct kb_plateau *level = rings->levels;

	while (level < rings->levels + rings->count && !kb_rings_even(rings, level))
		level++;

	bool emptied = level < rings->levels + rings->count && was_emptied(rings, level);

	for (size_t i = 0; i < rings->latest.count; i++) {
		double size = rings->latest.x[i], ns = rings->latest.ns[i];

		if (!emptied || size <= level->last || ns <= level->ns * (1 + KB_RINGS_RISE) || size > KB_RINGS_LARGE)
			kb_curve_add(&rings->curve, size, ns);
	}
	rings->emptied += emptied;
	rings->latest.count = 0;
}

static bool measure_wanted(struct kb_prober *prober, struct kb_rings *rings)
{
	bool measured = kb_prober_sweep(prober, take_size, rings);

	take_sweep(rings);
	return measured;
}

static void want_group(struct kb_prober *prober, const struct kb_rings *rings, int group, const double *sizes, size_t count)
{
	const char *const fixed[] = { rings->huge[group] ? "pages=huge" : "pages=small", NULL };
	double some[KB_RINGS_SIZES_MAX];
	size_t n = 0;

	for (size_t i = 0; i < count; i++) {
		if (group_of(sizes[i]) == group)
			some[n++] = sizes[i];
	}
	kb_prober_want_curve(prober, "mem.latency", "size", some, n, fixed);
}

static size_t count_of(const double *sizes, size_t count, int group)
{
	size_t found = 0;

	for (size_t i = 0; i < count; i++)
		found += group_of(sizes[i]) == group;
	return found;
}

/* Not one ring of huge pages to be had at the first try: small ones. */
static bool give_up_huge(struct kb_rings *rings, int group, const double *sizes, size_t count)
{
	bool first = group == 2 ? rings->large == 1 : rings->rounds == 0;
	bool none = rings->huge[group] && first && count_of(sizes, count, group) &&
		    !count_of(rings->curve.x, rings->curve.count, group);

	rings->huge[group] = rings->huge[group] && !none;
	return none;
}

/* Small and middle rings together, then large ones, whose processes are longer. */
bool kb_rings_sweep(struct kb_prober *prober, struct kb_rings *rings, const double *sizes, size_t count)
{
	static const int groups[2][2] = { { 0, 1 }, { 2, 2 } };
	bool measured = count > 0;

	for (int part = 0; part < 2 && measured; part++) {
		int last = groups[part][1];

		if (!count_of(sizes, count, groups[part][0]) && !count_of(sizes, count, last))
			continue;
		for (int group = groups[part][0]; group <= last; group++)
			want_group(prober, rings, group, sizes, count);
		/* Whether pages are huge to the processor; noise can only make it seem that they are not. */
		if (part == 0 && !rings->even && rings->huge[1] && rings->looks++ < LOOKS_MAX)
			kb_prober_want(prober, "tlb.latency", (const char *const[]){ "lines=256", "layout=spread,packed", "pages=huge", NULL });
		prober->thorough = part == 1;
		measured = measure_wanted(prober, rings);
		if (measured && give_up_huge(rings, last, sizes, count)) {
			want_group(prober, rings, last, sizes, count);
			measured = measure_wanted(prober, rings);
		}
		prober->thorough = false;
	}
	return measured;
}

/* The second cache in memory whose pages lie anywhere. */
static bool is_uneven(const struct kb_rings *rings, const struct kb_plateau *level)
{
	return !rings->even && level->first < SMALL_SIZE && level->last >= SMALL_SIZE && level->last <= KB_RINGS_LARGE;
}

/* The control itself must be of the first cache, or a disturbed one would speak for small pages. */
static bool are_huge(const struct kb_rings *rings)
{
	double control = kb_curve_at(&rings->near, PACKED), least = rings->curve.count ? rings->curve.ns[0] : 0;

	for (size_t i = 0; i < rings->curve.count; i++)
		least = rings->curve.ns[i] < least ? rings->curve.ns[i] : least;
	return control <= least * (1 + PAGE_RISE) && kb_pages_are_huge(&rings->near, PACKED, SPREAD, PAGE_RISE);
}

void kb_rings_infer(struct kb_rings *rings)
{
	memcpy(rings->before, rings->levels, sizeof rings->before);
	rings->before_count = rings->count;
	rings->count = kb_curve_plateaus(&rings->curve, KB_RINGS_RISE, rings->levels);
	rings->even = are_huge(rings);
	for (unsigned k = 0; k < rings->count; k++) {
		if (kb_rings_even(rings, &rings->levels[k]))
			kb_plateau_sharpen(&rings->curve, KB_RINGS_RISE, &rings->levels[k]);
		else if (is_uneven(rings, &rings->levels[k]))
			kb_plateau_halve(&rings->curve, k + 1 < rings->count ? rings->levels[k + 1].ns : INFINITY, &rings->levels[k]);
	}
}
