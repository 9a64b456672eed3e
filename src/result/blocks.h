/*
 * A process block by block: what one operation costs in each, in run order. Blocks are what comparisons pair, what a
 * search for changes looks at, and the lower level of the split of variances.
 */
#ifndef KB_RESULT_BLOCKS_H
#define KB_RESULT_BLOCKS_H

#include "result/samples.h"

/* Any flag leaves an observation out; a warm-up that was found later is one, too. */
#define KB_BLOCK_DISTURBED (~0u)

/* The median of the undisturbed observations in one block, per operation, after per_interval ticks were taken off each; NAN
   without any. They stand together from *next on, which moves behind them. *operations: of those that count. */
double kb_block_median(const struct kb_points *, uint32_t block, double per_interval, size_t *next, double *operations);

/*
 * The median of each block's undisturbed observations of op, per operation, after per_interval ticks were taken off each
 * sample; then less `less` ticks. Core-bound rows are in core cycles, others in ticks. NAN where a block has none, as
 * warm-up has. The caller frees the array of *count, block 0 first; NULL without memory.
 */
double *kb_block_costs(const struct kb_samples *, double per_interval, double less, size_t *count);

/* Values in run order, each with the block that it comes from. */
struct kb_block_series {
	double *x;
	uint32_t *block;
	size_t count;
	double quantum;                 /* the clock's step, unit of x */
};

/* What one process's level is judged by: its blocks' costs where there is a grid of n, base included; else (`single`) the
   undisturbed observations themselves, and of `paired` the pairs, base taken off. False without any, or without memory; nothing is to be freed then. */
bool kb_block_series_open(const struct kb_samples *, double per_interval, struct kb_block_series *);
void kb_block_series_close(struct kb_block_series *);

/* Unit of what is said about the series of a row: cycles, ns, or ticks of a clock without a known rate. */
const char *kb_series_unit(const struct kb_result *);

#endif
