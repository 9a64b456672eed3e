/*
 * Translation of huge pages: the latency of one line of each of n pages of 2 MB, beside that of n lines side by side. A row
 * has a value only where the system proved that all its memory lies in huge pages (AnonHugePages of smaps). That is the
 * guest's page; whether the host backs it with one, lines 4 KB apart inside of huge pages tell: there many share an entry.
 */
#include "suite/params/find.h"

#include <stdio.h>

#define PAGE (2.0 * 1048576)
#define ROUNDS 3
#define RISE 0.15               /* as for small pages: a hit in the second level costs 7 cycles on top of 4 or 5 */
#define NEAR 4096.0             /* between the lines that share an entry, if pages are what they say */
#define FEW_LINES 16.0
#define MANY_LINES 256.0        /* 1 MB: half a huge page, and more small pages than a first level holds */

struct huge { struct kb_curve far, packed, near; };

static void take(void *context, const struct kb_row *row)
{
	struct huge *huge = context;
	struct kb_curve *curve = kb_row_is(row, "layout", "far") ? &huge->far : kb_row_is(row, "layout", "packed") ? &huge->packed :
				 &huge->near;

	kb_curve_add(curve, kb_row_number(row, "lines"), kb_row_ns(row));
}

static void want(struct kb_prober *prober, const char *layout, const double *lines, size_t count)
{
	const char *const fixed[] = { layout, "pages=huge", NULL };

	kb_prober_want_curve(prober, "tlb.latency", "lines", lines, count, fixed);
}

static void want_both(struct kb_prober *prober, const double *lines, size_t count)
{
	want(prober, "layout=far", lines, count);
	want(prober, "layout=packed", lines, count);
}

/* A sweep over all, one around the step, and once more at its ends from fresh pages. */
static bool look(struct kb_prober *prober, struct huge *huge, const double *lines, size_t count, struct kb_knee *knee, bool *again)
{
	struct huge fresh = { .far.count = 0 };
	double finer[KB_KNEE_POINTS];

	want_both(prober, lines, count);
	if (!kb_prober_sweep(prober, take, huge) || !kb_curve_knee(&huge->far, RISE, 3, knee))
		return false;
	want_both(prober, finer, kb_knee_points(knee, finer));
	if (!kb_prober_sweep(prober, take, huge) || !kb_curve_knee(&huge->far, RISE, 3, knee))
		return false;
	want(prober, "layout=far", (const double[]){ knee->on, knee->off }, 2);
	if (kb_prober_sweep(prober, take, &fresh)) {
		double middle = (knee->on_ns + knee->off_ns) / 2, on = kb_curve_at(&fresh.far, knee->on);

		*again = on > 0 && on < middle && kb_curve_at(&fresh.far, knee->off) > middle;
	}
	return true;
}

/* The second level of huge pages reaches gigabytes, which no budget touches. */
static void put_second(const struct kb_system *system, struct kb_params *params)
{
	struct kb_inferred *second = kb_params_add(params, "tlb_huge", KB_UNIT_COUNT, "L2 data TLB, 2 MB pages");

	kb_inferred_claim(second, system->huge_tlb[1], system->huge_tlb_source[1]);
	kb_inferred_not(second, "%u entries would reach %.1f GB, and a sweep beyond it takes minutes", system->huge_tlb[1] ? system->huge_tlb[1] :
			1024, (system->huge_tlb[1] ? system->huge_tlb[1] : 1024) * PAGE / 1073741824);
}

static void judge(struct kb_inferred *entries, const struct kb_system *system, const struct huge *huge, const struct kb_knee *knee,
                  bool again)
{
	double few = kb_curve_at(&huge->near, FEW_LINES), many = kb_curve_at(&huge->near, MANY_LINES);

	kb_inferred_judge(entries, 0);
	if (entries->match == KB_MATCH_DISAGREE)
		kb_inferred_why(entries, "%s", kb_system_is_guest(system) ? "the hypervisor shows another processor, or backs huge pages with "
				"small ones" : "pages of several sizes share this level, or a sibling of the core uses it, too");
	if (!(few > 0) || !(many > 0))
		kb_inferred_unverified(entries, "the budget ended before it was seen whether the pages are huge to the processor");
	else if (!kb_pages_are_huge(&huge->near, FEW_LINES, MANY_LINES, RISE))
		kb_inferred_unverified(entries, "%.0f lines %.0f KB apart inside of huge pages cost %.2f ns, %.0f cost %.2f ns: the host backs "
				       "huge pages with small ones, and the step is theirs", MANY_LINES, NEAR / 1024, many, FEW_LINES, few);
	else if (!kb_control_flat(&huge->packed, knee, RISE))
		kb_inferred_unverified(entries, "as many lines side by side have the same step, or were not measured");
	else if (!again)
		kb_inferred_unverified(entries, "the step was not at the same number of pages again, or the budget ended");
}

static size_t within_limits(const struct kb_system *system, const double *all, size_t count)
{
	while (count > 0 && (double)kb_limits_bound(&system->limits, (uint64_t)(all[count - 1] * PAGE)) < all[count - 1] * PAGE)
		count--;
	return count;
}

void kb_find_tlb_huge(struct kb_prober *prober, const struct kb_system *system, struct kb_params *params)
{
	static const double all[] = { 8, 16, 24, 32, 48, 64, 80, 96, 128, 160, 192, 256 };
	struct kb_inferred *entries = kb_params_add(params, "tlb_huge", KB_UNIT_COUNT, "L1 data TLB, 2 MB pages");
	size_t count = within_limits(system, all, sizeof all / sizeof all[0]);
	struct huge huge = { .far.count = 0 };
	struct kb_knee knee;
	unsigned rounds = 0;
	bool found = false, again = false;

	kb_inferred_claim(entries, system->huge_tlb[0], system->huge_tlb_source[0]);
	want(prober, "layout=spread", (const double[]){ FEW_LINES, MANY_LINES }, 2);
	kb_prober_sweep(prober, take, &huge);
	for (; rounds < ROUNDS && !again && kb_prober_has(prober, 0) && huge.near.count; rounds++)
		found = look(prober, &huge, all, count, &knee, &again) || found;
	if (!found) {
		kb_inferred_not(entries, "%s", prober->why[0] ? prober->why : count < 12 ? "no step up to the number of pages that memory limits "
				"allow" : "the latency has no step over the number of huge pages");
	} else {
		entries->value = kb_inferred_between(knee.on, knee.off, 0);
		snprintf(entries->confidence, sizeof entries->confidence, "%s after %u rounds; all pages huge by smaps", again ? "repeated" :
			 "not repeated", rounds);
		judge(entries, system, &huge, &knee, again);
	}
	put_second(system, params);
	if (huge.far.count == 0)
		return;
	struct kb_picture *picture = kb_params_picture(params, "pages", false, "latency of a dependent load, ns, over the number of huge pages");

	kb_picture_curve(picture, &huge.far, "one line a huge page");
	kb_picture_curve(picture, &huge.packed, "lines side by side");
}
