/*
 * ED-PELT (Haynes, Fearnhead and Eckley 2017): the cost of a segment is that of its empirical distribution function at
 * about 4 ln n quantiles of the whole series, closer together in the tails. Only ranks matter, so that neither skewness
 * nor a few huge values look like a change of level.
 */
#include "stats/series/changepoint.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "stats/series/series.h"

#define CELLS_MAX 400
#define POINTS_MAX 96           /* 4 ln of the most values */

/* The cost weighs the tails up, which makes it rougher than a likelihood. Simulated with n = 60..300, independent to
   AR .9: false changes in at most 5 % of series, against 9 % with 4; with 6 a quarter of what 5 finds is lost at 60. */
#define PENALTY 5

struct ranks {
	size_t n, cells, points;
	size_t edge[CELLS_MAX + 1];     /* of the cells, in values */
	uint32_t *below;        /* [cell][point]: of the cells before, twice the values below it, once those on it */
	double *xlogx;          /* i/2 ln(i/2) for i = 0..2n */
};

static double cost(const void *of, size_t begin, size_t end)
{
	const struct ranks *ranks = of;
	const uint32_t *from = ranks->below + begin * ranks->points, *to = ranks->below + end * ranks->points;
	uint32_t twice = 2 * (uint32_t)(ranks->edge[end] - ranks->edge[begin]);
	double sum = 0;

	for (size_t k = 0; k < ranks->points; k++)
		sum += ranks->xlogx[to[k] - from[k]] + ranks->xlogx[twice - (to[k] - from[k])];
	sum -= (double)ranks->points * ranks->xlogx[twice];
	return -2 * log(2 * (double)ranks->n - 1) / (double)ranks->points * sum;
}

static void count_below(struct ranks *ranks, const double *x, const double *points)
{
	memset(ranks->below, 0, ranks->points * sizeof(*ranks->below));
	for (size_t cell = 0; cell < ranks->cells; cell++) {
		const uint32_t *before = ranks->below + cell * ranks->points;
		uint32_t *after = ranks->below + (cell + 1) * ranks->points;

		memcpy(after, before, ranks->points * sizeof(*after));
		for (size_t i = ranks->edge[cell]; i < ranks->edge[cell + 1]; i++)
			for (size_t k = 0; k < ranks->points; k++)
				after[k] += (uint32_t)(x[i] <= points[k]) + (x[i] < points[k]);
	}
}

static bool ranks_open(struct ranks *ranks, const double *x, size_t n)
{
	double *sorted = kb_sorted(x, n), points[POINTS_MAX];

	ranks->n = n;
	ranks->cells = n < CELLS_MAX ? n : CELLS_MAX;
	ranks->points = (size_t)ceil(4 * log((double)n));
	ranks->below = malloc((ranks->cells + 1) * ranks->points * sizeof(*ranks->below));
	ranks->xlogx = malloc((2 * n + 1) * sizeof(double));
	if (!ranks->below || !ranks->xlogx || !sorted) {
		free(sorted);
		return false;
	}
	for (size_t cell = 0; cell <= ranks->cells; cell++)
		ranks->edge[cell] = cell * n / ranks->cells;
	/* The points at p_k = 1 / (1 + (2n - 1)^(1 - (2k - 1)/K)). */
	for (size_t k = 0; k < ranks->points; k++) {
		double share = (2 * (double)k + 1) / (double)ranks->points;

		points[k] = kb_quantile_sorted(sorted, n, 1 / (1 + exp(log(2 * (double)n - 1) * (1 - share))));
	}
	count_below(ranks, x, points);
	ranks->xlogx[0] = 0;
	for (size_t i = 1; i <= 2 * n; i++)
		ranks->xlogx[i] = 0.5 * (double)i * log(0.5 * (double)i);
	free(sorted);
	return true;
}

int kb_changes_by_rank(const double *x, size_t n, double kappa, struct kb_changes *changes)
{
	struct ranks ranks;
	int err = -ENOMEM;

	*changes = (struct kb_changes){ .kappa = kappa, .penalty = PENALTY * kappa * log((double)n + 1) };
	/* Twice a count must fit into 32 bits. */
	if (!kb_usable(x, n) || n > UINT32_MAX / 2)
		return -EINVAL;
	if (n < 2 * kb_segment_least(n))
		return 0;
	if (ranks_open(&ranks, x, n)) {
		struct kb_partition partition = {
			.cost = cost, .series = &ranks, .edge = ranks.edge, .cells = ranks.cells,
			.least = kb_segment_least(n), .penalty = changes->penalty, .concave = true,
		};

		err = kb_partition_find(&partition, changes->at, &changes->count);
		for (unsigned k = 0; k < changes->count; k++)
			changes->at[k] = ranks.edge[changes->at[k]];
	}
	free(ranks.below);
	free(ranks.xlogx);
	return err;
}
