/*
 * Caches: from the latency of dependent loads over the size of their ring. Small pages lie where the kernel found them, so a
 * cache larger than a page times its ways fills unevenly, and its curve rises long before the size is reached: rings that
 * are not small lie in huge pages where there are any. What preempts a process takes part of its caches along, too. So the
 * first size that does not fit is the one that is slow as a whole, at the next level, and not the first that is slower.
 */
#include "suite/params_find.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
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
#define SETTLED 7               /* rounds: a step that is no sharper by then will not be */
#define ROUNDS_MAX 9
#define REFUSED_MAX 32
#define CURVE_NS UINT64_C(600000000)

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

static double wanted(const struct kb_system *system)
{
	return fmax(LAST_SIZE, 2 * (double)kb_system_last_cache(system));
}

/* As far as memory goes. */
static double largest(const struct kb_system *system)
{
	return (double)kb_limits_bound(&system->limits, (uint64_t)wanted(system));
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
	double refused[REFUSED_MAX];    /* sizes whose last launch was disturbed; they are owed another */
	unsigned refused_count;
	unsigned large;         /* sweeps with rings above LARGE_SIZE */
	bool huge[3];           /* rings of this group lie in huge pages, so caches fill evenly */
};

/* Without its size: settled, whatever became of it before. */
static void forget(struct caches *caches, double size)
{
	unsigned kept = 0;

	for (unsigned i = 0; i < caches->refused_count; i++) {
		if (caches->refused[i] != size)
			caches->refused[kept++] = caches->refused[i];
	}
	caches->refused_count = kept;
}

/* A launch whose sentinel was disturbed tells of the neighbour. Where there is no better, it stays owed, and its size is not
   in the curve. */
static void take_size(void *context, const struct kb_row *row)
{
	struct caches *caches = context;
	double size = kb_row_number(row, "size");

	if (!(kb_row_ns(row) > 0))
		return;
	forget(caches, size);
	if (!kb_row_disturbed(row))
		kb_curve_add(&caches->curve, size, kb_row_ns(row));
	else if (kb_curve_at(&caches->curve, size) == 0 && caches->refused_count < REFUSED_MAX)
		caches->refused[caches->refused_count++] = size;
}

/* One of three groups of sizes. Small rings first: they are cheap, and what they say counts most. */
static int group_of(double size)
{
	return size <= SMALL_SIZE ? 0 : size <= LARGE_SIZE ? 1 : 2;
}

static bool is_first(const struct caches *caches, int group)
{
	return group == 2 ? caches->large == 1 : caches->rounds == 0;
}

static bool sweep_group(struct kb_prober *prober, struct caches *caches, int group, const double *sizes, size_t count)
{
	const char *const fixed[] = { caches->huge[group] ? "pages=huge" : "pages=small", NULL };
	double some[SIZES_MAX];
	size_t n = 0, before = caches->curve.count, refused = caches->refused_count;

	for (size_t i = 0; i < count; i++) {
		if (group_of(sizes[i]) == group)
			some[n++] = sizes[i];
	}
	if (n == 0)
		return true;
	prober->thorough = group == 2;

	bool measured = kb_prober_want_curve(prober, "mem.latency", "size", some, n, fixed) &&
			kb_prober_sweep(prober, take_size, caches);

	prober->thorough = false;
	/* Not one ring of huge pages to be had at the first try: small ones. */
	if (measured && caches->huge[group] && is_first(caches, group) && caches->curve.count == before &&
	    caches->refused_count == refused) {
		caches->huge[group] = false;
		return sweep_group(prober, caches, group, sizes, count);
	}
	return measured;
}

static bool sweep(struct kb_prober *prober, struct caches *caches, const double *sizes, size_t count)
{
	bool measured = count > 0;

	for (int group = 0; group < 3 && measured; group++)
		measured = sweep_group(prober, caches, group, sizes, count);
	return measured;
}

/* The points that are there already, from `from` to `to`: what disturbs adds time, and the smaller of several counts. */
static size_t same_again(const struct kb_curve *curve, double from, double to, double *sizes)
{
	size_t count = 0;

	for (size_t i = 0; i < curve->count && count < REFINE + 2; i++) {
		if (curve->x[i] >= from && curve->x[i] <= to)
			sizes[count++] = curve->x[i];
	}
	return count;
}

/* Adds what is owed; a row twice would have one name. */
static size_t owed(const struct caches *caches, double *sizes, size_t count)
{
	for (unsigned i = 0; i < caches->refused_count && count < SIZES_MAX; i++) {
		bool there = false;

		for (size_t k = 0; k < count; k++)
			there = there || sizes[k] == caches->refused[i];
		if (!there)
			sizes[count++] = caches->refused[i];
	}
	return count;
}

static int by_size(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* Levels share an end where one is a single step wide. */
static size_t once_each(double *sizes, size_t count)
{
	size_t kept = 0;

	qsort(sizes, count, sizeof *sizes, by_size);
	for (size_t i = 0; i < count; i++) {
		if (kept == 0 || sizes[i] != sizes[kept - 1])
			sizes[kept++] = sizes[i];
	}
	return kept;
}

/* Where the ends of levels are, by turns at new points and at the same again; 0 once nothing would become narrower. */
static size_t to_refine(const struct caches *caches, double *sizes)
{
	size_t count = 0;

	for (unsigned k = 0; k + 1 < caches->count && count + REFINE + 2 <= SIZES_MAX; k++) {
		const struct kb_plateau *level = &caches->levels[k];

		/* A level that moved since the last sweep is measured again, however narrow it is. */
		bool moved = k < caches->before_count && caches->before[k].last != level->last;

		if (caches->rounds != 1 && !moved && (caches->rounds >= SETTLED || level->next <= level->last * WIDE))
			continue;
		/* Large rings take most of the time, and what is left of a shared cache moves anyway: once more. */
		if (caches->large > 1 && level->next > LARGE_SIZE)
			continue;
		count += caches->rounds % 2 ? between(level->last, level->next, sizes + count) :
					      same_again(&caches->curve, level->last, level->next, sizes + count);
	}
	return once_each(sizes, owed(caches, sizes, count));
}

/* The coarse sizes of small rings, or of large ones. */
static size_t coarse_part(const struct kb_system *system, bool large, double *sizes)
{
	size_t count = coarse_sizes(largest(system), sizes), kept = 0;

	for (size_t i = 0; i < count; i++) {
		if ((group_of(sizes[i]) == 2) == large)
			sizes[kept++] = sizes[i];
	}
	return kept;
}

static void infer(struct caches *caches)
{
	memcpy(caches->before, caches->levels, sizeof caches->before);
	caches->before_count = caches->count;
	caches->count = kb_curve_plateaus(&caches->curve, RISE, caches->levels);
}

/* Small rings first, until they settle or half of the budget is gone; then large ones, then both. */
static void measure(struct kb_prober *prober, const struct kb_system *system, struct caches *caches)
{
	double sizes[SIZES_MAX];
	unsigned launches = prober->launches;
	bool measured = sweep(prober, caches, sizes, coarse_part(system, false, sizes));

	while (measured && caches->rounds < ROUNDS_MAX) {
		caches->rounds++;
		infer(caches);
		launches = prober->launches;

		size_t count = to_refine(caches, sizes);

		if (!caches->large && (count == 0 || !kb_prober_has(prober, prober->run.budget_ns / 2)))
			count = coarse_part(system, true, sizes);
		caches->large += count > 0 && sizes[count - 1] > LARGE_SIZE;
		measured = kb_prober_has(prober, CURVE_NS) && sweep(prober, caches, sizes, count);
	}
	/* A sweep that the budget cut short has points, too. */
	if (prober->launches > launches)
		infer(caches);
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

/* Points from half of the last that fits to twice the first that does not: those refused, or all. */
static unsigned points_in(const struct caches *caches, const struct kb_plateau *level, bool refused)
{
	unsigned in = 0;

	for (unsigned i = 0; i < caches->refused_count; i++)
		in += caches->refused[i] >= level->last / 2 && caches->refused[i] <= level->next * 2;
	for (size_t i = 0; i < caches->curve.count && !refused; i++)
		in += caches->curve.x[i] >= level->last / 2 && caches->curve.x[i] <= level->next * 2;
	return in;
}

static void put_size(struct kb_params *params, const struct kb_system *system, const struct caches *caches, unsigned k)
{
	const struct kb_plateau *level = &caches->levels[k];
	struct kb_inferred *size = kb_params_add(params, "cache", KB_UNIT_BYTES, "%s size", kb_cache_name(k + 1));
	const struct kb_plateau *before = &caches->before[k];
	bool repeats = k + 1 < caches->before_count && before->last <= level->next && before->next >= level->last;

	kb_inferred_cache(size, system, k + 1, KB_CACHE_BYTES);
	size->value = kb_inferred_between(level->last, level->next);
	snprintf(size->confidence, sizeof size->confidence, "%u sweep%s", caches->rounds, caches->rounds == 1 ? "" : "s");
	kb_inferred_judge(size, 0);
	if (size->match == KB_MATCH_DISAGREE)
		explain_size(size, system, k + 1);
	kb_size_doubt(size, points_in(caches, level, true), points_in(caches, level, false));
	if (!repeats && caches->rounds > 1)
		kb_inferred_unverified(size, k + 1 < caches->before_count ? "the sweep before saw it end between %.0f and %.0f bytes" :
				       "the sweep before saw no end of it (%.0f, %.0f)", before->last, before->next);
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

		kb_inferred_cache(size, system, k + 1, KB_CACHE_BYTES);
		kb_inferred_not(size, "no level of its own between the one before and memory: %s", k >= 2 ?
				"others in a shared cache, or processes that preempt this one, leave nothing in it" :
				"too few quiet points");
	}
}

void kb_find_cache(struct kb_prober *prober, const struct kb_system *system, struct kb_params *params)
{
	struct caches caches = { .huge = { false, true, true } };
	struct kb_picture *picture;

	measure(prober, system, &caches);
	if (caches.curve.count == 0 && caches.refused_count)
		kb_inferred_not(kb_params_add(params, "cache", KB_UNIT_BYTES, "L1d size"), "all launches were disturbed: the sentinel beside each "
				"saw a neighbour, another clock, or time taken away");
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
	kb_picture_caches(picture, system);
	snprintf(picture->labels[0], sizeof picture->labels[0], "stride 64");
	if (largest(system) < wanted(system))
		snprintf(picture->note, sizeof picture->note, "no ring above %.0f MB: memory limits, see 'kbench params memory'",
			 largest(system) / 1048576);
}
