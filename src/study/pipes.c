/* See pipes.h. */
#include "study/pipes.h"

#include <math.h>
#include <stdlib.h>

#define WHOLE 0.12              /* of a pipe count: farther from a whole number it is none */
#define HIDDEN 0.4              /* below the dispatch's width: what is nearer to it may be bound by it */
#define SLACK 0.1               /* of a shared pipe, and of the sum of both: what rates may be off */
#define SLACK_SHARE 0.02
#define NODES 2000000u          /* that a search looks at */
#define MISSES 40u              /* so many, and there is no answer */

unsigned kb_pipes_whole(double rate)
{
	double whole = round(rate);

	return whole >= 1 && whole <= KB_PIPES_MAX && fabs(rate - whole) <= WHOLE * whole ? (unsigned)whole : 0;
}

static unsigned common_divisor(unsigned a, unsigned b)
{
	return b == 0 ? a : common_divisor(b, a % b);
}

void kb_pipes_mix(unsigned a, unsigned b, unsigned mix[2])
{
	unsigned divisor = common_divisor(a, b);

	mix[0] = divisor ? a / divisor : 1;
	mix[1] = divisor ? b / divisor : 1;
}

/* As many as are missing from the sum, at most; what the dispatch would not have let through is not known. */
static int shared_of(const struct kb_pipes *pipes, unsigned i, unsigned j)
{
	double sum = pipes->pipes[i] + pipes->pipes[j], both = pipes->both[i][j];
	unsigned least = pipes->pipes[i] < pipes->pipes[j] ? pipes->pipes[i] : pipes->pipes[j];

	if (!(both > 0) || !pipes->pipes[i] || !pipes->pipes[j])
		return -1;
	if (pipes->width > 0 && sum > pipes->width - HIDDEN && both > pipes->width - HIDDEN)
		return sum <= pipes->width + HIDDEN ? 0 : -1;
	/* As many pipes as instructions a cycle there are at least, so half a shared one is none. */
	double share = floor(sum - both + SLACK + SLACK_SHARE * sum);

	return share < 0 ? 0 : share > least ? (int)least : (int)share;
}

/* ---- sets that have these numbers ---------------------------------------------------------------- */

struct search {
	struct kb_pipes *pipes;
	unsigned order[KB_PIPES_KINDS];         /* those with most pipes first */
	uint32_t takes[KB_PIPES_KINDS];
	unsigned best, nodes;
};

static unsigned bits(uint32_t set)
{
	return (unsigned)__builtin_popcount(set);
}

/* By how much kind number k of the order misses what is known of it and those before; of one that is not complete, by how much it will at
   the least. */
static unsigned misses(const struct search *search, unsigned k, bool complete)
{
	unsigned missed = 0;

	for (unsigned i = 0; i < k; i++) {
		unsigned a = search->order[i], b = search->order[k];
		int shared = search->pipes->shared[a < b ? a : b][a < b ? b : a], more;

		if (shared < 0)
			continue;
		more = (int)bits(search->takes[i] & search->takes[k]) - shared;
		missed += more > 0 ? (unsigned)more : complete ? (unsigned)-more : 0;
	}
	return missed;
}

static void place(struct search *search, unsigned k, unsigned used, unsigned missed);

/* Pipes that the same of the kinds before take are alike: of them only how many are taken matters. */
static void choose(struct search *search, unsigned k, unsigned used, unsigned missed, unsigned from, unsigned left)
{
	if (search->nodes++ > NODES || missed + misses(search, k, false) >= search->best)
		return;
	if (from == used || left == 0) {
		unsigned fresh = left;

		if (used + fresh > KB_PIPES_MAX)
			return;
		uint32_t kept = search->takes[k], more = fresh ? ((fresh < 32 ? (1u << fresh) : 0u) - 1u) << used : 0;

		search->takes[k] |= more;
		unsigned own = misses(search, k, true);

		if (missed + own < search->best)
			place(search, k + 1, used + fresh, missed + own);
		search->takes[k] = kept;
		return;
	}
	unsigned alike = from + 1;

	while (alike < used) {
		bool same = true;

		for (unsigned i = 0; i < k && same; i++)
			same = (search->takes[i] >> alike & 1) == (search->takes[i] >> from & 1);
		if (!same)
			break;
		alike++;
	}
	for (unsigned taken = 0; taken <= alike - from && taken <= left; taken++) {
		uint32_t kept = search->takes[k];

		search->takes[k] |= ((1u << taken) - 1u) << from;
		choose(search, k, used, missed, alike, left - taken);
		search->takes[k] = kept;
	}
}

static void place(struct search *search, unsigned k, unsigned used, unsigned missed)
{
	struct kb_pipes *pipes = search->pipes;

	if (missed >= search->best)
		return;
	if (k == pipes->count) {
		search->best = missed;
		pipes->missed = missed;
		pipes->total = used;
		for (unsigned i = 0; i < k; i++)
			pipes->takes[search->order[i]] = search->takes[i];
		return;
	}
	search->takes[k] = 0;
	choose(search, k, used, missed, 0, pipes->pipes[search->order[k]]);
}

void kb_pipes_find(struct kb_pipes *pipes)
{
	struct search search = { .pipes = pipes };

	for (unsigned i = 0; i < pipes->count; i++) {
		pipes->pipes[i] = kb_pipes_whole(pipes->rate[i]);
		search.order[i] = i;
	}
	for (unsigned i = 0; i < pipes->count; i++)
		for (unsigned j = i + 1; j < pipes->count; j++)
			pipes->shared[i][j] = shared_of(pipes, i, j);
	for (unsigned i = 1; i < pipes->count; i++)
		for (unsigned k = i; k > 0 && pipes->pipes[search.order[k]] > pipes->pipes[search.order[k - 1]]; k--) {
			unsigned swapped = search.order[k];

			search.order[k] = search.order[k - 1];
			search.order[k - 1] = swapped;
		}
	/* An exact answer is found at once, for every wrong step ends there: so as few misses as possible are allowed first. */
	pipes->missed = MISSES;
	for (unsigned allowed = 0; allowed < MISSES && pipes->missed > allowed; allowed += 1 + allowed / 2) {
		search.best = allowed + 1;
		search.nodes = 0;
		place(&search, 0, 0, 0);
	}
}
