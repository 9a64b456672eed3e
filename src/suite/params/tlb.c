/*
 * Translation: the latency of one line of each of n pages, and of n lines side by side. What only the pages do is translation. Knees
 * that the control has, too, or that do not come again with other pages, are not believed.
 *
 * A result with huge pages has a value only where the system proved that all its memory lies in them (AnonHugePages of smaps). That is
 * the guest's page; whether the host backs it with one, lines 4 KB apart inside of huge pages tell: there many share an entry.
 */
#include "suite/params/find.h"

#include <stdio.h>
#include <string.h>

#define ROUNDS 3
#define CONFIRMATIONS 2         /* sweeps around a knee before all points are measured again */
#define LINES 12
#define RISE1 0.15              /* a hit in the second level costs 7 cycles on top of 4 or 5; noise on a level is 0.05 */
#define RISE2 0.75              /* of the cost of translation alone: a walk is at least twice a hit in the second level */
#define PART1 0.5               /* of the way to the second level, which is flat */
#define PART2 0.75              /* of the way to pages of which none is left there */
#define NARROW 3                /* from the last that fits to the first that does not, for a level that fills step by step */
#define HUGE_PAGE (2.0 * 1048576)
#define NEAR 4096.0             /* between the lines that share an entry, if pages are what they are taken for */
#define FEW_LINES 16.0
#define MANY_LINES 256.0        /* 1 MB: half a huge page, and more small pages than a first level holds */

static const struct level {
	const char *parameter, *name, *layout, *pages;
	double rise, part;      /* part 0: the first point beyond is taken as it is */
	bool control;           /* the coarse sweep has one */
	bool translation;       /* the knee is that of what the pages cost more than their control */
	double lines[LINES];
} levels[] = {
	{ "tlb", "L1 data TLB, 4 KB pages", "layout=spread", "pages=small", RISE1, PART1, false, false,
	  { 8, 16, 24, 32, 48, 64, 80, 96, 128, 160, 192, 256 } },
	{ "tlb", "L2 data TLB, 4 KB pages", "layout=spread", "pages=small", RISE2, PART2, true, true,
	  { 256, 384, 512, 768, 1024, 1536, 2048, 3072, 4096, 6144, 8192, 16384 } },
	{ "tlb_huge", "L1 data TLB, 2 MB pages", "layout=far", "pages=huge", RISE1, 0, true, false,
	  { 8, 16, 24, 32, 48, 64, 80, 96, 128, 160, 192, 256 } },
};

struct pages {
	struct kb_curve pages, packed, near;    /* one line each; lines side by side; lines NEAR apart in huge pages */
	struct kb_knee knee, seen;      /* of all that was measured; what two processes saw of it */
	bool again;             /* two processes each were fast up to it and slow beyond */
};

static void take(void *context, const struct kb_row *row)
{
	struct pages *pages = context;
	bool near = kb_row_is(row, "layout", "spread") && kb_row_is(row, "pages", "huge");

	kb_curve_add(kb_row_is(row, "layout", "packed") ? &pages->packed : near ? &pages->near : &pages->pages,
		     kb_row_number(row, "lines"), kb_row_ns(row));
}

static void want(struct kb_prober *prober, const char *layout, const char *pages, const double *lines, size_t count)
{
	const char *const fixed[] = { layout, pages, NULL };

	kb_prober_want_curve(prober, "tlb.latency", "lines", lines, count, fixed);
}

static bool sweep(struct kb_prober *prober, const struct level *level, const double *lines, size_t count, bool control, struct pages *pages)
{
	want(prober, level->layout, level->pages, lines, count);
	want(prober, "layout=packed", level->pages, lines, control ? count : 0);
	return kb_prober_sweep(prober, take, pages);
}

/* What translation adds: a level of the cache below it, where both are there. Of the control the smallest counts for all processes. */
static struct kb_curve difference(const struct pages *pages)
{
	struct kb_curve curve = { .count = 0 };

	for (size_t i = 0; i < pages->pages.count; i++) {
		double control = kb_curve_at(&pages->packed, pages->pages.x[i]);

		if (!(control > 0) || !kb_curve_add(&curve, pages->pages.x[i], pages->pages.ns[i] - control))
			continue;
		if (pages->pages.again[i] > 0)
			curve.again[curve.count - 1] = pages->pages.again[i] - control;
	}
	return curve;
}

/* Entries are shared with a sibling of the core, with the stack and, in a guest's second level, with what the host translates. */
static bool find_knee(const struct level *level, struct pages *pages)
{
	struct kb_curve curve = level->translation ? difference(pages) : pages->pages;

	if (!kb_curve_knee(&curve, level->rise, 3, &pages->knee))
		return false;
	if (level->part > 0)
		kb_knee_complete(&curve, level->part, &pages->knee);
	pages->seen = pages->knee;
	pages->again = kb_knee_confirm(&curve, &pages->seen);
	return true;
}

/* Both ends were seen, are no further apart than the sweeps can make them, and are none of the caches. */
static bool is_settled(const struct level *level, const struct pages *pages)
{
	return pages->again && pages->seen.off <= NARROW * pages->seen.on &&
	       (level->translation || kb_control_flat(&pages->packed, &pages->knee, level->rise));
}

static bool is_confirmed(const struct level *level, const struct pages *pages)
{
	return is_settled(level, pages) && pages->seen.on == pages->knee.on && pages->seen.off == pages->knee.off;
}

/* Both ends of a knee, and the points of the coarse sweep next to the first: it may be one of them. */
static size_t around(const struct level *level, const struct kb_knee *knee, double points[4])
{
	double below = 0, above = knee->off;
	size_t count = 0;

	for (size_t i = 0; i < LINES; i++) {
		if (level->lines[i] < knee->on)
			below = level->lines[i];
		else if (level->lines[i] > knee->on && level->lines[i] < above)
			above = level->lines[i];
	}
	if (below > 0)
		points[count++] = below;
	points[count++] = knee->on;
	if (above < knee->off)
		points[count++] = above;
	points[count++] = knee->off;
	return count;
}

/* A sweep over all points, one between on and off, and others around both from fresh pages until two processes saw each of them. False: no
   knee. */
static bool look(struct kb_prober *prober, const struct level *level, size_t count, struct pages *pages)
{
	const struct kb_knee *knee = &pages->knee;
	double finer[KB_KNEE_POINTS];

	if (!sweep(prober, level, level->lines, count, level->control, pages) || !find_knee(level, pages))
		return false;
	if (!sweep(prober, level, finer, kb_knee_points(knee, finer), true, pages) || !find_knee(level, pages))
		return false;
	for (int i = 0; i < CONFIRMATIONS && !is_confirmed(level, pages); i++) {
		if (!sweep(prober, level, finer, around(level, knee, finer), true, pages) || !find_knee(level, pages))
			break;
	}
	return true;
}

/* NULL: there is no knee, and the entry tells why. */
static struct kb_inferred *find(struct kb_prober *prober, struct kb_params *params, const struct level *level, size_t count, unsigned claim,
                                const char *source, struct pages *pages)
{
	struct kb_inferred *entries = kb_params_add(params, level->parameter, KB_UNIT_COUNT, "%s", level->name);
	unsigned rounds = 0;
	bool found = false;

	kb_inferred_claim(entries, claim, source);
	for (; rounds < ROUNDS && !is_settled(level, pages) && kb_prober_has(prober, 0); rounds++)
		found = look(prober, level, count, pages) || found;
	if (!found) {
		kb_inferred_is(entries, KB_MATCH_NOT,
			       "%s", prober->why[0] ? prober->why : count < LINES ? "no step up to the number of pages that memory "
			       "limits allow" : "the latency has no step over the number of pages");
		return NULL;
	}
	entries->value = kb_inferred_between(pages->seen.on, pages->seen.off, 0);
	snprintf(entries->confidence, sizeof entries->confidence, "%s after %u rounds%s", pages->again ? "repeated" : "not repeated", rounds,
		 !strcmp(level->pages, "pages=huge") ? "; all pages huge by smaps" : "");
	kb_inferred_judge(entries, 0);
	return entries;
}

static void doubt(struct kb_inferred *entries, const struct level *level, const struct pages *pages)
{
	if (!kb_curve_at(&pages->packed, pages->knee.off))
		kb_inferred_is(entries, KB_MATCH_UNVERIFIED, "the budget ended before the control, lines side by side, was measured");
	else if (!level->translation && !kb_control_flat(&pages->packed, &pages->knee, level->rise))
		kb_inferred_is(entries, KB_MATCH_UNVERIFIED, "as many lines side by side have the same step: it is of the caches");
	else if (!pages->again)
		kb_inferred_is(entries, KB_MATCH_UNVERIFIED, "the step was not at the same number of pages again, or the budget ended");
}

static void put_picture(struct kb_params *params, const struct pages *pages, const char *title, const char *label)
{
	struct kb_picture *picture;

	if (pages->pages.count == 0)
		return;
	picture = kb_params_picture(params, "pages", false, title);
	kb_picture_curve(picture, &pages->pages, label);
	kb_picture_curve(picture, &pages->packed, "lines side by side");
}

void kb_find_tlb(struct kb_prober *prober, const struct kb_system *system, struct kb_params *params)
{
	struct pages pages[2] = { { .again = false }, { .again = false } };
	uint64_t deadline = prober->deadline_ns;

	for (int i = 0; i < 2; i++) {
		/* Two levels share what is left: the second has twice the points. */
		prober->deadline_ns = deadline - (i == 0 ? prober->run.budget_ns * 6 / 10 : 0);

		struct kb_inferred *entries = find(prober, params, &levels[i], LINES, system->tlb[i], system->tlb_source[i], &pages[i]);

		if (!entries)
			continue;
		if (entries->match == KB_MATCH_DISAGREE)
			kb_inferred_is(entries, entries->match,
				       "%s", kb_system_is_guest(system) ? "the hypervisor shows another processor, backs memory with "
				       "pages of another size, or other processes empty the cache" :
				       "several pages share an entry, or other processes empty it");
		doubt(entries, &levels[i], &pages[i]);
	}
	kb_curve_add_all(&pages[0].pages, &pages[1].pages);
	kb_curve_add_all(&pages[0].packed, &pages[1].packed);
	put_picture(params, &pages[0], "latency of a dependent load, ns, over the number of pages", "one line a page");
}

/* ---- huge pages ------------------------------------------------------------------------------------------ */

static void judge_huge(struct kb_inferred *entries, const struct kb_system *system, const struct pages *pages)
{
	double few = kb_curve_at(&pages->near, FEW_LINES), many = kb_curve_at(&pages->near, MANY_LINES);

	if (entries->match == KB_MATCH_DISAGREE)
		kb_inferred_is(entries, entries->match,
			       "%s", kb_system_is_guest(system) ? "the hypervisor shows another processor, or backs huge pages with "
			       "small ones" : "pages of several sizes share this level, or a sibling of the core uses it, too");
	doubt(entries, &levels[2], pages);
	if (!(few > 0) || !(many > 0))
		kb_inferred_is(entries, KB_MATCH_UNVERIFIED, "the budget ended before it was seen whether the pages are huge to the processor");
	else if (!kb_pages_are_huge(&pages->near, FEW_LINES, MANY_LINES, RISE1))
		kb_inferred_is(entries, KB_MATCH_UNVERIFIED,
			       "%.0f lines %.0f KB apart inside of huge pages cost %.2f ns, %.0f cost %.2f ns: the host backs "
			       "huge pages with small ones, and the step is theirs", MANY_LINES, NEAR / 1024, many, FEW_LINES, few);
}

void kb_find_tlb_huge(struct kb_prober *prober, const struct kb_system *system, struct kb_params *params)
{
	const struct level *level = &levels[2];
	unsigned reach = system->huge_tlb[1] ? system->huge_tlb[1] : 1024;
	struct pages pages = { .again = false };
	struct kb_inferred *entries, *second;
	size_t count = LINES;

	while (count > 0 && (double)kb_limits_bound(&system->limits, (uint64_t)(level->lines[count - 1] * HUGE_PAGE)) <
	       level->lines[count - 1] * HUGE_PAGE)
		count--;
	want(prober, "layout=spread", "pages=huge", (const double[]){ FEW_LINES, MANY_LINES }, 2);
	kb_prober_sweep(prober, take, &pages);
	entries = find(prober, params, level, pages.near.count ? count : 0, system->huge_tlb[0], system->huge_tlb_source[0], &pages);
	if (entries)
		judge_huge(entries, system, &pages);
	/* The second level of huge pages reaches gigabytes, which no budget touches. */
	second = kb_params_add(params, "tlb_huge", KB_UNIT_COUNT, "L2 data TLB, 2 MB pages");
	kb_inferred_claim(second, system->huge_tlb[1], system->huge_tlb_source[1]);
	kb_inferred_is(second, KB_MATCH_NOT, "%u entries would reach %.1f GB, and a sweep beyond it takes minutes", reach,
		       reach * HUGE_PAGE / 1073741824);
	put_picture(params, &pages, "latency of a dependent load, ns, over the number of huge pages", "one line a huge page");
}

/* ---- page walk ------------------------------------------------------------------------------------------- */

#define WALK_LINES "16384"      /* 64 MB: more pages than any second level holds */

static void take_walk(void *context, const struct kb_row *row)
{
	kb_range_widen((struct kb_range *)context + kb_row_is(row, "layout", "packed"), row);
}

void kb_find_page_walk(struct kb_prober *prober, const struct kb_system *system, struct kb_params *params)
{
	static const char *const sets[] = { "lines=" WALK_LINES, "layout=spread,packed", NULL };
	struct kb_range range[2] = { { .count = 0 }, { .count = 0 } };

	prober->thorough = true;
	for (unsigned round = 0; round < 2 * ROUNDS && range[0].count < ROUNDS; round++) {
		if (kb_prober_want(prober, "tlb.latency", sets))
			kb_prober_sweep(prober, take_walk, range);
	}
	prober->thorough = false;
	if (!range[0].count || !range[1].count)
		return;

	struct kb_inferred *walk = kb_params_add(params, "page_walk", KB_UNIT_NS, "page walk, " WALK_LINES " pages");

	kb_range_put(walk, range[0].low - range[1].high, range[0].high - range[1].low, range[0].low - range[1].low, range[0].count);
	if (walk->value.low <= 0)
		kb_inferred_is(walk, KB_MATCH_UNVERIFIED, "the control varies by as much: caches, not translation");
	else if (kb_system_is_guest(system))
		kb_inferred_is(walk, walk->match, "a guest's walk is a walk of walks: each of its tables is translated by the host's");
}
