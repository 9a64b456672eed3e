/*
 * Caches: from the latency of dependent loads over the size of their ring. Small pages lie where the kernel found them, so a
 * cache larger than a page times its ways fills unevenly, and its curve rises long before the size is reached: rings that
 * are not small lie in huge pages where there are any. Where translation shows that the processor sees them as huge, a ring
 * fills the second cache evenly and its end is sharp (kb_plateau_sharpen). Elsewhere the first size that does not fit is the one
 * that is slow as a whole, at the next level, and not the first that is slower. What preempts a process, or runs on the sibling of
 * its core, takes part of its caches along: smallest times count, and what is slow must be as slow again.
 */
#include "suite/params/find.h"

#include <math.h>
#include <stdio.h>

#include "stats/stats.h"
#include "suite/params/rings.h"

#define FIRST_SIZE 4096.0
#define LAST_SIZE (64.0 * 1048576)      /* at least; twice what the system calls its last cache */
#define REFINE 5                /* points between two */
#define OWED 5                  /* sizes in a sweep that owe a process without disturbance */
#define WIDE 1.3                /* an interval of a factor more than this is worth another sweep */
#define SETTLED 7               /* rounds: a step that is no sharper by then will not be */
#define SMALL_SIZE (256.0 * 1024)
#define SETTLED_SMALL 3         /* of small rings, whose time the second cache needs more */
#define ROUNDS_MAX 9
#define CURVE_NS UINT64_C(600000000)
#define KEPT 0.06               /* of a cache: page tables, code and interrupts are in it, too; sizes are a quarter apart */
#define CONTROL 0.75            /* of the last ring that fits: measured again, it must fit again */

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

/* Whether the size tells of a step, or no step was found yet. Large rings take most of the time and are owed nothing. */
static bool tells(const struct kb_rings *rings, double size)
{
	bool ends = false, near = false;

	for (unsigned k = 0; k < rings->count; k++) {
		const struct kb_plateau *level = &rings->levels[k];

		ends = ends || level->next > 0;
		near = near || (level->next > 0 && size >= level->last * CONTROL && size <= level->next / CONTROL);
	}
	return size <= KB_RINGS_LARGE && (near || !ends);
}

/* Adds some of what is owed; a result twice would have one name. */
static size_t owed(const struct kb_rings *rings, double *sizes, size_t count)
{
	size_t most = count + OWED < KB_RINGS_SIZES_MAX ? count + OWED : KB_RINGS_SIZES_MAX;

	for (unsigned i = 0; i < rings->refused_count && count < most; i++) {
		if (tells(rings, rings->refused[i]))
			sizes[count++] = rings->refused[i];
	}
	return count;
}

/* Levels share an end where one is a single step wide. */
static size_t once_each(double *sizes, size_t count)
{
	size_t kept = 0;

	kb_sort(sizes, count);
	for (size_t i = 0; i < count; i++) {
		if (kept == 0 || sizes[i] != sizes[kept - 1])
			sizes[kept++] = sizes[i];
	}
	return kept;
}

/* Where the ends of levels are, by turns at new points and at the same again; 0 once nothing would become narrower. */
static size_t to_refine(const struct kb_rings *rings, double *sizes)
{
	size_t count = 0;

	for (unsigned k = 0; k < rings->count && count + REFINE + 4 <= KB_RINGS_SIZES_MAX; k++) {
		const struct kb_plateau *level = &rings->levels[k];

		/* A level that moved since the last sweep is measured again, however narrow it is; one that is slow once, too. */
		bool moved = k < rings->before_count && rings->before[k].last != level->last;
		unsigned settled = level->next <= SMALL_SIZE ? SETTLED_SMALL : SETTLED;
		bool sharp = level->next <= level->last * WIDE && (level->sure || (!level->halved && !kb_rings_even(rings, level)));

		if (!(level->next > 0) || (rings->rounds != 1 && !moved && (rings->rounds >= settled || sharp)))
			continue;
		/* Large rings take most of the time, and what is left of a shared cache moves anyway: once more. */
		if (rings->large > 1 && level->next > KB_RINGS_LARGE)
			continue;
		if (kb_rings_even(rings, level)) {
			sizes[count++] = round(level->last * CONTROL / 4096) * 4096;
			sizes[count++] = level->next;
		}
		count += rings->rounds % 2 ? between(level->last, level->next, sizes + count) :
					      same_again(&rings->curve, level->last, level->next, sizes + count);
	}
	return once_each(sizes, owed(rings, sizes, count));
}

/* 2^k and 1.5 x 2^k of small rings; of large ones, which take most of the time, 2^k. */
static size_t coarse_sizes(const struct kb_system *system, bool large, double *sizes)
{
	size_t count = 0;

	for (double size = FIRST_SIZE; size <= largest(system) && count + 2 <= KB_RINGS_SIZES_MAX; size *= 2) {
		if ((size > KB_RINGS_LARGE) == large)
			sizes[count++] = size;
		if (size * 1.5 <= KB_RINGS_LARGE && !large)
			sizes[count++] = size * 1.5;
	}
	return count;
}

/* Small rings first, until they settle or half of the budget is gone; then large ones, then both. */
static void measure(struct kb_prober *prober, const struct kb_system *system, struct kb_rings *rings)
{
	double sizes[KB_RINGS_SIZES_MAX];
	unsigned processes = prober->processes;
	bool measured = kb_rings_sweep(prober, rings, sizes, coarse_sizes(system, false, sizes));

	while (measured && rings->rounds < ROUNDS_MAX) {
		rings->rounds++;
		kb_rings_infer(rings);
		processes = prober->processes;

		size_t count = to_refine(rings, sizes);

		if (!rings->large && (count == 0 || !kb_prober_has(prober, prober->run.budget_ns / 2)))
			count = coarse_sizes(system, true, sizes);
		rings->large += count > 0 && sizes[count - 1] > KB_RINGS_LARGE;
		measured = kb_prober_has(prober, CURVE_NS) && kb_rings_sweep(prober, rings, sizes, count);
	}
	/* A sweep that the budget cut short has points, too. */
	if (prober->processes > processes)
		kb_rings_infer(rings);
}

/* Whether the system's size is explained by what a guest cannot see. */
static void explain_size(struct kb_inferred *size, const struct kb_system *system, unsigned level)
{
	bool smaller = size->value.high < size->system.low;

	if (smaller && level >= 3)
		kb_inferred_is(size, size->match, "%s: others in it leave this core less than its size", kb_system_is_guest(system) ?
			       "the hypervisor shows a cache that strangers share" : "a shared cache");
	else if (smaller)
		kb_inferred_is(size, size->match,
			       "others use it, a sibling of this core or what preempts it, or the hypervisor shows another one");
	else
		kb_inferred_is(size, size->match, "a prefetcher hides the misses behind it, or the hypervisor shows another cache");
}

/* Points from half of the last that fits to twice the first that does not: those without an undisturbed process, or all. */
static unsigned points_in(const struct kb_rings *rings, const struct kb_plateau *level, bool refused)
{
	const double *sizes = refused ? rings->refused : rings->curve.x;
	size_t count = refused ? rings->refused_count : rings->curve.count;
	unsigned in = 0;

	for (size_t i = 0; i < count; i++)
		in += sizes[i] >= level->last / 2 && sizes[i] <= level->next * 2;
	return in;
}

static void put_size(struct kb_params *params, const struct kb_system *system, const struct kb_rings *rings, unsigned k)
{
	const struct kb_plateau *level = &rings->levels[k];
	struct kb_inferred *size = kb_params_add(params, "cache", KB_UNIT_BYTES, "%s size", kb_cache_name(k + 1));
	const struct kb_plateau *before = &rings->before[k];
	bool seen = k < rings->before_count && before->next > 0;
	bool even = kb_rings_even(rings, level);
	bool repeats = seen && before->last <= level->next && before->next >= level->last;

	kb_inferred_cache(size, system, k + 1, KB_CACHE_BYTES);
	size->value = kb_inferred_between(level->last, level->next, 0);
	snprintf(size->confidence, sizeof size->confidence, "%u sweep%s", rings->rounds, rings->rounds == 1 ? "" : "s");
	if (even)
		snprintf(size->confidence, sizeof size->confidence, "%u sweeps in pages that are huge, %u disturbed", rings->rounds,
			 rings->emptied);
	kb_inferred_judge(size, even ? KEPT : 0);
	if (size->match == KB_MATCH_DISAGREE)
		explain_size(size, system, k + 1);
	kb_size_doubt(size, points_in(rings, level, true) + (even ? rings->emptied : 0), points_in(rings, level, false));
	if ((even || level->halved) && !level->sure)
		kb_inferred_is(size, KB_MATCH_UNVERIFIED,
			       "not slow in two undisturbed processes beyond it: others empty it, or the budget ended");
	if (even && size->match == KB_MATCH_DISAGREE && !level->twice)
		kb_inferred_is(size, KB_MATCH_UNVERIFIED,
			       "smaller than reported, but the first ring that does not fit was slow in one process only");
	if (!repeats && rings->rounds > 1)
		kb_inferred_is(size, KB_MATCH_UNVERIFIED, seen ? "the sweep before saw it end between %.0f and %.0f bytes" :
			       "the sweep before saw no end of it (%.0f, %.0f)", before->last, before->next);
}

static void put_latency(struct kb_params *params, const struct kb_rings *rings, unsigned k)
{
	const struct kb_plateau *level = &rings->levels[k];
	/* The last level goes on to the largest size; else the way to memory was too disturbed to be one. */
	bool memory = k + 1 >= rings->count && rings->count > 0 && rings->levels[rings->count - 1].last >= rings->curve.x[rings->curve.count - 1];
	struct kb_inferred *latency = kb_params_add(params, "cache", KB_UNIT_NS, "%s latency", memory ? "memory" : kb_cache_name(k + 1));
	double low = level->ns, high = level->ns;

	for (size_t i = 0; i < rings->curve.count; i++) {
		if (rings->curve.x[i] < level->first || rings->curve.x[i] > level->last || rings->curve.fit[i] > level->ns * (1 + KB_RINGS_RISE))
			continue;
		low = fmin(low, rings->curve.fit[i]);
		high = fmax(high, rings->curve.fit[i]);
	}
	latency->value = kb_inferred_between(low, high, level->ns);
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
		kb_inferred_is(size, KB_MATCH_NOT, "no level of its own between the one before and memory: %s", k >= 2 ?
			       "others in a shared cache, or processes that preempt this one, leave nothing in it" :
			       "too few undisturbed points");
	}
}

void kb_find_cache(struct kb_prober *prober, const struct kb_system *system, struct kb_params *params)
{
	struct kb_rings rings = { .huge = { false, true, true } };
	struct kb_picture *picture;
	unsigned seen = 0;

	measure(prober, system, &rings);
	if (rings.curve.count == 0)
		return;
	for (unsigned k = 0; k < rings.count; k++) {
		if (rings.levels[k].next > 0)
			put_size(params, system, &rings, k);
		seen += rings.levels[k].next > 0;
		put_latency(params, &rings, k);
	}
	put_missing(params, system, seen);
	picture = kb_params_picture(params, "size", true, "latency of a dependent load, ns, over the size of its ring");
	kb_picture_curve(picture, &rings.curve, "stride 64");
	kb_picture_caches(picture, system);
	if (largest(system) < wanted(system))
		snprintf(picture->note, sizeof picture->note, "no ring above %.0f MB: memory limits, see 'kbench params memory'",
			 largest(system) / 1048576);
}
