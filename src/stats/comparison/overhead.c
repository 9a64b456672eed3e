/*
 * Both sides of all blocks are weighted alike, so that a block's two slopes are the same function of what was measured
 * and whatever bends both lines cancels.
 */
#include "stats/comparison/overhead.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "stats/series/line.h"
#include "stats/series/series.h"

#define DOMINATES 0.1

/* The points of one block, as a range of indices. */
struct part { size_t begin, end; };

struct blocks {
	double *op, *base, *net;        /* slopes, one a block */
	double *weight;                 /* scratch: of the points of one block */
	size_t count;
};

static int fit_variance(const struct kb_points_of *points, struct kb_variance_line *line)
{
	struct kb_grid grid;
	int err = kb_usable(points->n, points->count) && kb_usable(points->y, points->count) ? 0 : -EINVAL;

	err = err ? err : kb_grid_make(&grid, points->n, points->y, points->count);
	if (err)
		return err;
	*line = kb_variance_fit(grid.sets, grid.count);
	kb_grid_free(&grid);
	return 0;
}

static struct part part_from(const struct kb_points_of *points, size_t begin)
{
	struct part part = { begin, begin };

	while (part.end < points->count && points->block[part.end] == points->block[begin])
		part.end++;
	return part;
}

static bool slope_of(const struct kb_points_of *points, struct part part, const struct kb_variance_line *variance,
                     double *weight, double *slope)
{
	struct kb_wls line;

	for (size_t i = part.begin; i < part.end; i++)
		weight[i - part.begin] = 1 / kb_variance_at(variance, points->n[i]);
	if (!kb_wls_fit(points->n + part.begin, points->y + part.begin, weight, part.end - part.begin, &line))
		return false;
	*slope = line.b;
	return true;
}

/* Walks both sides in step; a block that only one of them has, or has at one n only, is left out. */
static void pair_blocks(const struct kb_points_of *op, const struct kb_points_of *base,
                        const struct kb_variance_line *variance, struct blocks *blocks)
{
	struct part a = part_from(op, 0), b = part_from(base, 0);

	while (a.begin < op->count && b.begin < base->count) {
		uint32_t left = op->block[a.begin], right = base->block[b.begin];
		size_t k = blocks->count;

		if (left == right && slope_of(op, a, variance, blocks->weight, &blocks->op[k]) &&
		    slope_of(base, b, variance, blocks->weight, &blocks->base[k])) {
			blocks->net[k] = blocks->op[k] - blocks->base[k];
			blocks->count++;
		}
		if (left <= right)
			a = part_from(op, a.end);
		if (right <= left)
			b = part_from(base, b.end);
	}
}

static void judge(struct kb_overhead *overhead, const struct blocks *blocks, double confidence, double quantum)
{
	overhead->blocks = blocks->count;
	overhead->op = kb_mean(blocks->op, blocks->count);
	overhead->base = kb_mean(blocks->base, blocks->count);
	overhead->net = kb_mean_interval(blocks->net, blocks->count, confidence, quantum);
	overhead->base_dominates = overhead->op > 0 && overhead->base > DOMINATES * overhead->op;
	if (overhead->net.known && overhead->net.high < 0)
		overhead->code = KB_CODE_base_exceeds_op;
	else if (overhead->net.known && overhead->net.low <= 0)
		overhead->code = KB_CODE_below_resolution;
}

int kb_overhead_find(const struct kb_points_of *op, const struct kb_points_of *base, double confidence, double quantum,
                     struct kb_overhead *overhead)
{
	size_t room = (op->count < base->count ? op->count : base->count) + 1;
	size_t most = (op->count > base->count ? op->count : base->count) + 1;
	struct kb_variance_line of_op, of_base;
	struct blocks blocks = { 0 };
	int err;

	*overhead = (struct kb_overhead){ .code = KB_CODE_COUNT };
	err = fit_variance(op, &of_op);
	err = err ? err : fit_variance(base, &of_base);
	blocks.op = err ? NULL : malloc((3 * room + most) * sizeof(double));
	if (!blocks.op)
		return err ? err : -ENOMEM;
	blocks.base = blocks.op + room;
	blocks.net = blocks.base + room;
	blocks.weight = blocks.net + room;
	of_op.v0 += of_base.v0;
	of_op.v1 += of_base.v1;
	pair_blocks(op, base, &of_op, &blocks);
	judge(overhead, &blocks, confidence, quantum);
	free(blocks.op);
	return 0;
}
