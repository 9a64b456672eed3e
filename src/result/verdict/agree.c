/*
 * Whether samples tell of one operation. What is proven is a few operations in a process that counts, and the first samples of a process
 * may do as much; the others have to cost the same. A neighbour, caches that fill and a moving core clock make a cost differ, too: only
 * uncontended samples are asked, the cost is that of whole stretches of them, and a factor is looked for, not a percentage.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "evidence/working_set.h"
#include "result/summary/summary.h"

#define FACTOR 1.7              /* half of the operations are a factor of 2; of honest rows whose caches are warm the pilot saw at most 1.4 */
#define FIRST_SHARE 0.1         /* of a process's samples */
#define FIRST_FEWEST 10u
#define QUARTILE 0.25           /* what is disturbed without a flag is longer */
#define FEWEST 4u               /* processes, and all but few alike: chance, a neighbour or a page may make one or two differ */
#define LARGE 16384             /* bytes: half of a small first-level cache */
#define AGREE_FIRST 0.25        /* of the processes, at most, whose first samples cost what the others do */
#define AGREE_PILOT 0.1         /* that cost what the pilot saw: memory layout is another in each, and the pilot is but one */

/* The lower quartile of the costs of samples `from` .. `to`. NAN: too few. */
static double cost_of(const double *costs, size_t from, size_t to)
{
	double *sorted = malloc((to - from + 1) * sizeof *sorted), cost = NAN;
	size_t n = to - from;

	for (size_t i = 0; sorted && i < n; i++)
		sorted[i] = costs[from + i];
	if (sorted && n >= FIRST_FEWEST) {
		kb_sort(sorted, n);
		cost = kb_quantile_sorted(sorted, n, QUARTILE);
	}
	free(sorted);
	return cost;
}

/* First samples against the rest of a process, in core cycles, for a core clock that moves is no other operation: the logarithm of the
   ratio. NAN: not known, as where no probe ran alongside the samples. */
static double ratio_in(const struct kb_samples *samples, const struct kb_process_fit *fit)
{
	const struct kb_points *points = kb_cost_points(samples);
	double *costs = malloc((points->count + 1) * sizeof *costs), fixed = kb_fit_fixed(fit), ratio = NAN;
	size_t n = 0;

	for (size_t i = 0; costs && i < points->count; i++) {
		double add = kb_contention_add(samples, points->block[i]);

		if (!(points->flags[i] & ~(unsigned)KB_FLAG_WARMUP) && add > 0) /* a change that is taken for a warm-up is one, too */
			costs[n++] = (points->ticks[i] - fixed) / points->n[i] / add;
	}
	size_t first = (size_t)fmax(FIRST_SHARE * (double)n, FIRST_FEWEST);

	if (n >= 3 * first) {
		double before = cost_of(costs, 0, first), after = cost_of(costs, first, n);

		ratio = before > 0 && after > 0 ? log(before / after) : NAN;
	}
	free(costs);
	return ratio;
}

struct votes { unsigned known, dearer, cheaper; double ratio; };

static void vote(struct votes *votes, double ratio)
{
	if (!isfinite(ratio))
		return;
	votes->known++;
	if (fabs(ratio) <= log(FACTOR))
		return;
	votes->dearer += ratio > 0;
	votes->cheaper += ratio < 0;
	votes->ratio = exp(ratio);
}

static bool differ(unsigned different, const struct votes *votes, double agree)
{
	return different >= FEWEST && votes->known - different <= agree * votes->known;
}

/* Bytes of memory that the benchmark claims to work in, or to move. */
static double claimed_bytes(const struct kb_result *result)
{
	if (result->bytes_per_op >= LARGE)
		return (double)result->bytes_per_op;
	for (unsigned i = 0; i < result->evidence_count; i++) {
		if (!strcmp(result->evidence[i].counter, KB_WORKING_SET))
			return result->evidence[i].expected;
	}
	return 0;
}

void kb_summary_judge_agreement(const struct kb_summary *summary, struct kb_result *result)
{
	struct votes first = { 0 }, pilot = { 0 };

	/* Where caches bound the operation, or a part of it runs on a CPU that may have been asleep, the first samples are honest and dear. */
	if (!kb_methods[result->method].series || result->bound == KB_MEMORY || claimed_bytes(result) >= LARGE ||
	    (summary->count > 0 && summary->samples[0].elsewhere))
		return;
	for (size_t i = 0; i < summary->count; i++) {
		const struct kb_process_fit *fit = &summary->fits[i];
		double cost = fit->op.b_robust > 0 ? fit->op.b_robust : fit->cost, add = summary->samples[i].pilot * fit->add;

		if (!fit->usable && !kb_series_explains(fit))
			continue;
		vote(&first, ratio_in(&summary->samples[i], fit));
		/* Dearer in the pilot than in the process; cheaper is what a slow process is. Single has no base, and so no slope of both. */
		vote(&pilot, add > 0 && cost > 0 ? log(add / cost) : NAN);
	}
	if (differ(first.dearer > first.cheaper ? first.dearer : first.cheaper, &first, AGREE_FIRST))
		kb_verdict_add(&result->verdict, KB_CODE_later_differs, "the first samples cost %.2g times as much as the others, in %u of %u processes",
		               first.ratio, first.dearer > first.cheaper ? first.dearer : first.cheaper, first.known);
	if (summary->uncontended && differ(pilot.dearer, &pilot, AGREE_PILOT))
		kb_verdict_add(&result->verdict, KB_CODE_later_differs, "before it was measured it cost %.2g times as much, in %u of %u processes",
		               pilot.ratio, pilot.dearer, pilot.known);
}
