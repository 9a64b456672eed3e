/*
 * Optimal partitioning with pruning: PELT (Killick, Fearnhead and Eckley 2012). Exact: it finds what a search over all
 * partitions would find. The minimum length delays pruning: a candidate that is beaten by a change at s may still win
 * for ends so near to s that no segment fits between.
 */
#include "stats/series/partition.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#define LEAST 5

size_t kb_segment_least(size_t n)
{
	size_t least = (n + KB_SEGMENTS_MAX - 1) / KB_SEGMENTS_MAX;

	return least > LEAST ? least : LEAST;
}

struct search {
	const struct kb_partition *of;
	double *best;           /* cost of the best partition of the first i cells, with its penalties */
	double *reached;        /* of candidate i: best[i] and the segment from there to the current end */
	size_t *from;           /* where the last segment of that partition begins */
	size_t *live;           /* candidates for the begin of the last segment */
	size_t *beaten;         /* the end at which candidate i was beaten; 0: not yet */
	size_t count;           /* of live ones */
	size_t next;            /* the next to become one */
};

static int search_open(struct search *search, const struct kb_partition *of)
{
	size_t room = of->cells + 1;

	*search = (struct search){
		.of = of, .best = malloc(2 * room * sizeof(double)), .from = calloc(3 * room, sizeof(size_t)),
	};
	if (!search->best || !search->from) {
		free(search->best);
		free(search->from);
		return -ENOMEM;
	}
	search->reached = search->best + room;
	search->live = search->from + room;
	search->beaten = search->live + room;
	return 0;
}

/* Lets in the begins that are now far enough from the end, and out those beaten at a begin that is now in. */
static void admit(struct search *search, size_t end)
{
	const struct kb_partition *of = search->of;
	size_t kept = 0;

	for (; of->edge[search->next] + of->least <= of->edge[end]; search->next++)
		if (search->next == 0 || isfinite(search->best[search->next]))
			search->live[search->count++] = search->next;
	for (size_t k = 0; k < search->count; k++) {
		size_t i = search->live[k];

		if (search->beaten[i] == 0 || search->beaten[i] >= search->next)
			search->live[kept++] = i;
	}
	search->count = kept;
}

static void extend(struct search *search, size_t end)
{
	const struct kb_partition *of = search->of;

	search->best[end] = INFINITY;
	for (size_t k = 0; k < search->count; k++) {
		size_t i = search->live[k];

		search->reached[i] = search->best[i] + of->cost(of->series, i, end);
		if (search->reached[i] + of->penalty < search->best[end]) {
			search->best[end] = search->reached[i] + of->penalty;
			search->from[end] = i;
		}
	}
	for (size_t k = 0; of->concave && k < search->count; k++) {
		size_t i = search->live[k];

		if (search->beaten[i] == 0 && search->reached[i] >= search->best[end])
			search->beaten[i] = end;
	}
}

static unsigned walk_back(const struct search *search, size_t *at)
{
	unsigned count = 0;

	for (size_t i = search->from[search->of->cells]; i > 0 && count < KB_SEGMENTS_MAX; i = search->from[i])
		at[count++] = i;
	for (unsigned k = 0; k < count / 2; k++) {
		size_t keep = at[k];

		at[k] = at[count - 1 - k];
		at[count - 1 - k] = keep;
	}
	return count;
}

int kb_partition_find(const struct kb_partition *of, size_t *at, unsigned *count)
{
	struct search search;

	*count = 0;
	if (of->edge[of->cells] < 2 * of->least)
		return 0;
	if (search_open(&search, of) < 0)
		return -ENOMEM;
	search.best[0] = -of->penalty;
	for (size_t end = 1; end <= of->cells; end++) {
		admit(&search, end);
		extend(&search, end);
	}
	*count = walk_back(&search, at);
	free(search.best);
	free(search.from);
	return 0;
}
