/*
 * Optimal partitioning with pruning: PELT (Killick, Fearnhead and Eckley 2012). Exact: it finds what a search over all
 * partitions would find. The minimum length delays pruning: a candidate that is beaten by a change at s may still win
 * for ends so near to s that no segment fits between.
 */
#include "stats/series/changepoint.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#define LEAST 5

size_t kb_segment_least(size_t n)
{
	size_t least = (n + KB_SEGMENTS_MAX - 1) / KB_SEGMENTS_MAX;

	return least > LEAST ? least : LEAST;
}

/* Of the first cells of a series, by their number. */
struct prefix {
	double best;            /* cost of their best partition, with its penalties */
	size_t from;            /* where its last segment begins */
	double reached;         /* best, and the segment from here to the current end */
	size_t beaten;          /* the end at which it was beaten as the begin of the last segment; 0: not yet */
	size_t live;            /* of the list of candidates for that begin, which is not this one's */
};

struct search {
	const struct kb_partition *of;
	struct prefix *at;
	size_t count;           /* of live candidates */
	size_t next;            /* the next to become one */
};

/* Lets in the begins that are now far enough from the end, and out those beaten at a begin that is now in. */
static void admit(struct search *search, size_t end)
{
	const struct kb_partition *of = search->of;
	struct prefix *at = search->at;
	size_t kept = 0;

	for (; of->edge[search->next] + of->least <= of->edge[end]; search->next++)
		if (search->next == 0 || isfinite(at[search->next].best))
			at[search->count++].live = search->next;
	for (size_t k = 0; k < search->count; k++) {
		size_t i = at[k].live;

		if (at[i].beaten == 0 || at[i].beaten >= search->next)
			at[kept++].live = i;
	}
	search->count = kept;
}

static void extend(struct search *search, size_t end)
{
	const struct kb_partition *of = search->of;
	struct prefix *at = search->at;

	at[end].best = INFINITY;
	for (size_t k = 0; k < search->count; k++) {
		size_t i = at[k].live;

		at[i].reached = at[i].best + of->cost(of->series, i, end);
		if (at[i].reached + of->penalty < at[end].best) {
			at[end].best = at[i].reached + of->penalty;
			at[end].from = i;
		}
	}
	for (size_t k = 0; of->concave && k < search->count; k++) {
		struct prefix *begin = &at[at[k].live];

		if (begin->beaten == 0 && begin->reached >= at[end].best)
			begin->beaten = end;
	}
}

int kb_partition_find(const struct kb_partition *of, size_t *at, unsigned *count)
{
	struct search search = { .of = of };

	*count = 0;
	if (of->edge[of->cells] < 2 * of->least)
		return 0;
	search.at = calloc(of->cells + 1, sizeof *search.at);
	if (!search.at)
		return -ENOMEM;
	search.at[0].best = -of->penalty;
	for (size_t end = 1; end <= of->cells; end++) {
		admit(&search, end);
		extend(&search, end);
	}
	for (size_t i = search.at[of->cells].from; i > 0 && *count < KB_SEGMENTS_MAX; i = search.at[i].from)
		at[(*count)++] = i;
	for (unsigned k = 0; k < *count / 2; k++) {
		size_t keep = at[k];

		at[k] = at[*count - 1 - k];
		at[*count - 1 - k] = keep;
	}
	free(search.at);
	return 0;
}
