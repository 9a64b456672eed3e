/*
 * Translation: the latency of one line of each of n pages, beside that of n lines side by side. What only the pages do is
 * translation. Knees that the control has, too, or that do not come again with other pages, are not believed.
 */
#include "suite/params/find.h"

#include <stdio.h>
#include <string.h>

#define ROUNDS 3
#define RISE1 0.15              /* a hit in the second level costs 7 cycles on top of 4 or 5; noise on a level is 0.05 */
#define RISE2 0.75              /* of the cost of translation alone: a walk is at least twice a hit in the second level */
#define PART1 0.5               /* of the way to the second level, which is flat */
#define PART2 0.75              /* of the way to the most pages, whose walks miss caches as well */

struct pages { struct kb_curve spread, packed; };

static void take(void *context, const struct kb_row *row)
{
	struct pages *pages = context;

	kb_curve_add(kb_row_is(row, "layout", "packed") ? &pages->packed : &pages->spread, kb_row_number(row, "lines"), kb_row_ns(row));
}

static bool want(struct kb_prober *prober, const char *layout, const double *lines, size_t count)
{
	const char *const fixed[] = { layout, NULL };

	return kb_prober_want_curve(prober, "tlb.latency", "lines", lines, count, fixed);
}

/* What translation adds: a level of the cache below it, where both are there. */
static void difference(const struct pages *pages, struct kb_curve *curve)
{
	curve->count = 0;
	for (size_t i = 0; i < pages->spread.count; i++) {
		double control = kb_curve_at(&pages->packed, pages->spread.x[i]);

		if (control > 0)
			kb_curve_add(curve, pages->spread.x[i], pages->spread.ns[i] - control);
	}
}

/* Entries are shared with a sibling of the core, with the stack and, in a guest's second level, with what the host translates:
   both levels fill step by step. Beyond is where so much of the way up to the most pages is gone. */
static void move_off(struct kb_curve *curve, double part, struct kb_knee *knee)
{
	kb_curve_fit(curve);

	double end = knee->on_ns + part * (curve->fit[curve->count - 1] - knee->on_ns);

	for (size_t i = 0; i < curve->count; i++) {
		if (curve->x[i] < knee->off || curve->fit[i] < end)
			continue;
		knee->off = curve->x[i];
		knee->off_ns = curve->ns[i];
		return;
	}
}

static bool knee_of(const struct pages *pages, bool second, struct kb_knee *knee)
{
	struct kb_curve curve = pages->spread;

	if (second)
		difference(pages, &curve);
	if (!kb_curve_knee(&curve, second ? RISE2 : RISE1, 3, knee))
		return false;
	move_off(&curve, second ? PART2 : PART1, knee);
	return true;
}

/* One sweep over all points and one between on and off; false: no knee. */
static bool look(struct kb_prober *prober, const double *lines, size_t count, bool second, struct pages *pages, struct kb_knee *knee)
{
	double finer[KB_KNEE_POINTS];

	want(prober, "layout=spread", lines, count);
	want(prober, "layout=packed", lines, second ? count : 0);
	if (!kb_prober_sweep(prober, take, pages) || !knee_of(pages, second, knee))
		return false;
	count = kb_knee_points(knee, finer);
	want(prober, "layout=spread", finer, count);
	want(prober, "layout=packed", finer, count);
	return kb_prober_sweep(prober, take, pages) && knee_of(pages, second, knee);
}

/* The same points from fresh pages: is `on` nearer to the level again, and `off` nearer to where it was? The control of both is kept. */
static bool repeats(struct kb_prober *prober, bool second, const struct kb_knee *knee, struct kb_curve *control)
{
	struct pages again = { .spread.count = 0 };
	double lines[] = { knee->on, knee->off };

	want(prober, "layout=spread", lines, 2);
	want(prober, "layout=packed", lines, 2);
	if (!kb_prober_sweep(prober, take, &again))
		return false;
	kb_curve_add_all(control, &again.packed);

	double on = kb_curve_at(&again.spread, knee->on), off = kb_curve_at(&again.spread, knee->off);

	if (second) {
		on -= kb_curve_at(&again.packed, knee->on);
		off -= kb_curve_at(&again.packed, knee->off);
	}
	double middle = (knee->on_ns + knee->off_ns) / 2;

	return on > 0 && on < middle && off > middle;
}

static void find(struct kb_prober *prober, const struct kb_system *system, struct kb_params *params, const double *lines, size_t count,
                 bool second, struct pages *pages)
{
	struct kb_inferred *entries = kb_params_add(params, "tlb", KB_UNIT_COUNT, "L%d data TLB, 4 KB pages", second ? 2 : 1);
	struct kb_knee knee;
	unsigned rounds = 0;
	bool found = false, again = false;

	kb_inferred_system(entries, system->tlb[second], system->tlb[second], system->tlb_source[second]);
	for (; rounds < ROUNDS && !again && kb_prober_has(prober, 0); rounds++) {
		if (!look(prober, lines, count, second, pages, &knee))
			continue;
		found = true;
		again = repeats(prober, second, &knee, &pages->packed);
	}
	if (!found) {
		kb_inferred_not(entries, "%s", prober->why[0] ? prober->why : "the latency has no step over the number of pages");
		return;
	}
	entries->value = kb_inferred_between(knee.on, knee.off, 0);
	snprintf(entries->confidence, sizeof entries->confidence, "%s after %u rounds", again ? "repeated" : "not repeated", rounds);
	kb_inferred_judge(entries, 0);
	if (entries->match == KB_MATCH_DISAGREE)
		kb_inferred_why(entries, "%s", kb_system_is_guest(system) ? "the hypervisor shows another processor, backs memory with pages of "
				"another size, or other processes empty the cache" : "several pages share an entry, or other processes empty it");
	if (!kb_curve_at(&pages->packed, knee.off))
		kb_inferred_unverified(entries, "the budget ended before the control, lines side by side, was measured");
	else if (!second && !kb_control_flat(&pages->packed, &knee, RISE1))
		kb_inferred_unverified(entries, "as many lines side by side have the same step: it is of the caches");
	else if (!again)
		kb_inferred_unverified(entries, "the step was not at the same number of pages again, or the budget ended");
}

static void put_picture(struct kb_params *params, struct pages *first, const struct pages *second)
{
	struct kb_picture *picture = kb_params_picture(params, "pages", false, "latency of a dependent load, ns, over the number of pages");

	kb_curve_add_all(&first->spread, &second->spread);
	kb_curve_add_all(&first->packed, &second->packed);
	kb_picture_curve(picture, &first->spread, "one line a page");
	kb_picture_curve(picture, &first->packed, "lines side by side");
}

void kb_find_tlb(struct kb_prober *prober, const struct kb_system *system, struct kb_params *params)
{
	static const double few[] = { 8, 16, 24, 32, 48, 64, 80, 96, 128, 160, 192, 256 };
	static const double many[] = { 256, 384, 512, 768, 1024, 1536, 2048, 3072, 4096, 6144, 8192, 16384 };
	struct pages first = { .spread.count = 0 }, second = { .spread.count = 0 };
	uint64_t deadline = prober->deadline_ns;

	/* Two levels share what is left: the second has twice the points. */
	prober->deadline_ns -= prober->run.budget_ns * 6 / 10;
	find(prober, system, params, few, 12, false, &first);
	prober->deadline_ns = deadline;
	find(prober, system, params, many, 12, true, &second);
	if (first.spread.count + second.spread.count)
		put_picture(params, &first, &second);
}

/* ---- page walk ------------------------------------------------------------------------------------------- */

#define WALK_LINES "16384"      /* 64 MB: more pages than any second level holds */

static void take_walk(void *context, const struct kb_row *row)
{
	struct kb_curve *curve = context;
	double ns = kb_row_ns(row);

	/* x numbers the points. */
	if (ns > 0)
		kb_curve_add(&curve[kb_row_is(row, "layout", "packed")], (double)curve[kb_row_is(row, "layout", "packed")].count + 1, ns);
}

void kb_find_page_walk(struct kb_prober *prober, const struct kb_system *system, struct kb_params *params)
{
	static const char *const sets[] = { "lines=" WALK_LINES, "layout=spread,packed", NULL };
	struct kb_curve curve[2] = { { .count = 0 }, { .count = 0 } };
	double low[2], high[2];

	prober->thorough = true;
	for (unsigned round = 0; round < 2 * ROUNDS && curve[0].count < ROUNDS; round++) {
		if (kb_prober_want(prober, "tlb.latency", sets))
			kb_prober_sweep(prober, take_walk, curve);
	}
	prober->thorough = false;
	if (!curve[0].count || !curve[1].count)
		return;
	for (int i = 0; i < 2; i++) {
		low[i] = high[i] = curve[i].ns[0];
		for (size_t k = 1; k < curve[i].count; k++) {
			low[i] = curve[i].ns[k] < low[i] ? curve[i].ns[k] : low[i];
			high[i] = curve[i].ns[k] > high[i] ? curve[i].ns[k] : high[i];
		}
	}

	struct kb_inferred *walk = kb_params_add(params, "page_walk", KB_UNIT_NS, "page walk, " WALK_LINES " pages");

	walk->value = kb_inferred_between(low[0] - high[1], high[0] - low[1], low[0] - low[1]);
	snprintf(walk->confidence, sizeof walk->confidence, "range of %zu sweeps", curve[0].count);
	if (walk->value.low <= 0)
		kb_inferred_unverified(walk, "the control varies by as much: caches, not translation");
	else if (kb_system_is_guest(system))
		kb_inferred_why(walk, "a guest's walk is a walk of walks: each of its tables is translated by the host's");
}
