/*
 * Caches: from the latency of dependent loads over the size of their ring. Small pages lie where the kernel found them, so a
 * cache larger than a page times its ways fills unevenly, and its curve rises long before the size is reached: rings that
 * are not small lie in huge pages where there are any. What preempts a process takes part of its caches along, too. So the
 * first size that does not fit is the one that is slow as a whole, at the next level, and not the first that is slower.
 */
#include "suite/params_find.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "io.h"

#define RISE 0.15               /* above a level: disturbed points of a level were within 0.1 of it */
#define FIRST_SIZE 4096.0
#define LAST_SIZE (64.0 * 1048576)      /* at least; twice what the system calls its last cache */
#define SMALL_SIZE (256.0 * 1024)       /* up to here one page of any kind is like another */
#define LARGE_SIZE (4.0 * 1048576)      /* beyond, a ring is not walked once in a short launch that begins cold */
#define SIZES_MAX 48
#define REFINE 5                /* points between two */
#define WIDE 1.3                /* an interval of a factor more than this is worth another sweep */
#define SETTLED 4               /* rounds: a step that is no sharper by then will not be */
#define ROUNDS_MAX 6
#define LARGE_NS UINT64_C(4000000000)
#define CURVE_NS UINT64_C(600000000)

static void take_size(void *context, const struct kb_row *row)
{
	kb_curve_add(context, kb_row_number(row, "size"), kb_row_ns(row));
}

/* 2^k and 1.5 x 2^k; of large rings, which take most of the time, 2^k. */
static size_t coarse_sizes(double last, double *sizes)
{
	size_t count = 0;

	for (double size = FIRST_SIZE; size <= last && count + 2 <= SIZES_MAX; size *= 2) {
		sizes[count++] = size;
		if (size * 1.5 <= LARGE_SIZE)
			sizes[count++] = size * 1.5;
	}
	return count;
}

/* As far as memory goes: a quarter of what is free. */
static double largest(const struct kb_system *system)
{
	double wanted = fmax(LAST_SIZE, 2 * (double)kb_system_last_cache(system));

	return system->available ? fmin(wanted, (double)system->available / 4) : wanted;
}

/* Points between from and to at equal steps, whole pages; both ends again, so that they must repeat. */
static size_t between(double from, double to, double *sizes)
{
	size_t count = 0;

	for (int i = 0; i <= REFINE + 1; i++) {
		double size = round((from + (to - from) * i / (REFINE + 1)) / 4096) * 4096;

		if (size > 0 && (count == 0 || size > sizes[count - 1]))
			sizes[count++] = size;
	}
	return count;
}

struct caches {
	struct kb_curve curve;
	struct kb_plateau levels[KB_PLATEAUS_MAX], before[KB_PLATEAUS_MAX];
	unsigned count, before_count, rounds;
	bool huge;              /* rings above SMALL_SIZE lie in huge pages, so caches fill evenly */
};

/* One of three groups of sizes. Small rings first: they are cheap, and what they say counts most. */
static int group_of(double size)
{
	return size <= SMALL_SIZE ? 0 : size <= LARGE_SIZE ? 1 : 2;
}

static bool sweep_group(struct kb_prober *prober, struct caches *caches, int group, const double *sizes, size_t count)
{
	const char *const fixed[] = { group && caches->huge ? "pages=huge" : "pages=small", NULL };
	double some[SIZES_MAX];
	size_t n = 0, before = caches->curve.count;

	for (size_t i = 0; i < count; i++) {
		if (group_of(sizes[i]) == group)
			some[n++] = sizes[i];
	}
	if (n == 0)
		return true;
	prober->thorough = group == 2;

	bool measured = kb_prober_want_curve(prober, "mem.latency", "size", some, n, fixed) &&
			kb_prober_sweep(prober, take_size, &caches->curve);

	prober->thorough = false;
	/* Not one huge page to be had: all others are small, too. */
	if (measured && group && caches->huge && caches->rounds == 0 && caches->curve.count == before) {
		caches->huge = false;
		return sweep_group(prober, caches, group, sizes, count);
	}
	return measured;
}

static bool sweep(struct kb_prober *prober, struct caches *caches, const double *sizes, size_t count)
{
	bool measured = count > 0;

	/* Large rings take most of the time: again only if much of it is left, so that the small ones can settle. */
	for (int group = 0; group < 3 && measured && (group < 2 || caches->rounds == 0 || kb_prober_has(prober, LARGE_NS)); group++)
		measured = sweep_group(prober, caches, group, sizes, count);
	return measured;
}

/* Another sweep where the ends of levels are; false once nothing would become narrower. */
static bool refine(struct kb_prober *prober, struct caches *caches)
{
	double sizes[SIZES_MAX];
	size_t count = 0;

	for (unsigned k = 0; k + 1 < caches->count && count + REFINE + 2 <= SIZES_MAX; k++) {
		const struct kb_plateau *level = &caches->levels[k];

		/* A level that moved since the last sweep is measured again, however narrow it is. */
		bool moved = k < caches->before_count && caches->before[k].last != level->last;

		if (caches->rounds == 1 || moved || (caches->rounds < SETTLED && level->next > level->last * WIDE))
			count += between(level->last, level->next, sizes + count);
	}
	return sweep(prober, caches, sizes, count);
}

static void measure(struct kb_prober *prober, const struct kb_system *system, struct caches *caches)
{
	double sizes[SIZES_MAX];
	size_t count = coarse_sizes(largest(system), sizes);

	if (!sweep(prober, caches, sizes, count))
		return;
	do {
		caches->rounds++;
		memcpy(caches->before, caches->levels, sizeof caches->before);
		caches->before_count = caches->count;
		caches->count = kb_curve_plateaus(&caches->curve, RISE, caches->levels);
	} while (caches->count && caches->rounds < ROUNDS_MAX && kb_prober_has(prober, CURVE_NS) && refine(prober, caches));
}

/* Whether the system's size is explained by what a guest cannot see. */
static void explain_size(struct kb_inferred *size, const struct kb_system *system, unsigned level)
{
	bool smaller = size->value.high < size->system.low;

	if (smaller && level >= 3)
		kb_inferred_why(size, "%s: others in it leave this core less than its size", kb_system_is_guest(system) ?
				"the hypervisor shows a cache that strangers share" : "a shared cache");
	else if (smaller)
		kb_inferred_why(size, "others use it, a sibling of this core or what preempts it, or the hypervisor shows another one");
	else
		kb_inferred_why(size, "a prefetcher hides the misses behind it, or the hypervisor shows another cache");
}

static void put_size(struct kb_params *params, const struct kb_system *system, const struct caches *caches, unsigned k)
{
	const struct kb_plateau *level = &caches->levels[k];
	struct kb_inferred *size = kb_params_add(params, "cache", KB_UNIT_BYTES, "%s size", kb_cache_name(k + 1));
	const struct kb_plateau *before = &caches->before[k];
	bool repeats = k + 1 < caches->before_count && before->last <= level->next && before->next >= level->last;

	if (k < KB_SYSTEM_CACHES)
		kb_inferred_system(size, (double)system->cache[k].bytes, (double)system->cache[k].bytes, "sysfs");
	size->value = kb_inferred_between(level->last, level->next);
	snprintf(size->confidence, sizeof size->confidence, "%u sweep%s", caches->rounds, caches->rounds == 1 ? "" : "s");
	kb_inferred_judge(size, 0);
	if (size->match == KB_MATCH_DISAGREE)
		explain_size(size, system, k + 1);
	if (!repeats && caches->rounds > 1)
		kb_inferred_unverified(size, "the sweep before saw it end between %.0f and %.0f bytes", before->last, before->next);
}

/* The last level goes on to the largest size; else the way to memory was too disturbed to be one. */
static bool ends_in_memory(const struct caches *caches)
{
	return caches->count > 0 && caches->levels[caches->count - 1].last >= caches->curve.x[caches->curve.count - 1];
}

static void put_latency(struct kb_params *params, const struct caches *caches, unsigned k)
{
	const struct kb_plateau *level = &caches->levels[k];
	struct kb_inferred *latency = kb_params_add(params, "cache", KB_UNIT_NS, "%s latency", k + 1 < caches->count ?
						    kb_cache_name(k + 1) : ends_in_memory(caches) ? "memory" : kb_cache_name(k + 1));
	double low = level->ns, high = level->ns;

	for (size_t i = 0; i < caches->curve.count; i++) {
		if (caches->curve.x[i] < level->first || caches->curve.x[i] > level->last)
			continue;
		low = fmin(low, caches->curve.fit[i]);
		high = fmax(high, caches->curve.fit[i]);
	}
	latency->value = kb_inferred_between(low, high);
	latency->value.value = level->ns;
	snprintf(latency->confidence, sizeof latency->confidence, "range of the level");
}

/* Levels that the system knows and the curve does not show. */
static void put_missing(struct kb_params *params, const struct kb_system *system, unsigned seen)
{
	for (unsigned k = seen; k < KB_SYSTEM_CACHES; k++) {
		if (!system->cache[k].bytes)
			continue;
		struct kb_inferred *size = kb_params_add(params, "cache", KB_UNIT_BYTES, "%s size", kb_cache_name(k + 1));

		kb_inferred_system(size, (double)system->cache[k].bytes, (double)system->cache[k].bytes, "sysfs");
		kb_inferred_not(size, "no level of its own between the one before and memory: %s", k >= 2 ?
				"others in a shared cache, or processes that preempt this one, leave nothing in it" :
				"too few quiet points");
	}
}

void kb_find_cache(struct kb_prober *prober, const struct kb_system *system, struct kb_params *params)
{
	struct caches caches = { .huge = true };
	struct kb_picture *picture;

	measure(prober, system, &caches);
	if (caches.curve.count == 0)
		return;
	for (unsigned k = 0; k < caches.count; k++) {
		if (k + 1 < caches.count)
			put_size(params, system, &caches, k);
		put_latency(params, &caches, k);
	}
	put_missing(params, system, caches.count ? caches.count - 1 : 0);
	picture = kb_params_picture(params, "size", true, "latency of a dependent load, ns, over the size of its ring");
	picture->count = 1;
	picture->curves[0] = caches.curve;
	snprintf(picture->labels[0], sizeof picture->labels[0], "stride 64");
}
