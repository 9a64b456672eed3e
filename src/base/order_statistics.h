/*
 * Order statistics in integers, and the two texts that they are shown in to somebody who has no more than `cat`: a line
 * min max count 95th 90th 50th mad, and a graph of value, count and cumulative share. Freestanding: a kernel and the host
 * print from this one file. Quantiles are type 7 of Hyndman and Fan (1996), rounded to the nearest tick, a half upwards.
 */
#ifndef KB_BASE_ORDER_STATISTICS_H
#define KB_BASE_ORDER_STATISTICS_H

#include "types.h"
#include "base/text.h"

struct kb_order_statistics { uint64_t min, max, count, p95, p90, p50, mad; };

/* Ascending, in place, without further memory: n log n steps for any input. `go_on` is asked every few thousand values, so that
   a kernel can let others run; where it says no, the values stay half sorted. NULL: nobody asks. */
void kb_order_sort(uint64_t *values, size_t count, bool (*go_on)(void));

/* Quantile of sorted values; percent 0..100, count > 0. Any values. */
uint64_t kb_order_quantile(const uint64_t *sorted, size_t count, unsigned percent);

/* The median of |x - median|, not scaled; the median itself is taken with its half tick. count > 0, values below 2^62. */
uint64_t kb_order_mad(const uint64_t *sorted, size_t count);

/* All of it. -KB_EINVAL: there are no values. */
int kb_order_compute(const uint64_t *sorted, size_t count, struct kb_order_statistics *order);

/* "min=72 max=33364 count=100000 95th=154 90th=142 50th=112 mad=6\n" */
void kb_order_line(struct kb_text *, const struct kb_order_statistics *order);

/* At most KB_ORDER_ROWS rows from the minimum to the 95th percentile, in UTF-8, 3300 bytes at most. Dark: the share of a row,
   light: the share of all rows above it; 50 columns are all values. */
#define KB_ORDER_ROWS 17u
void kb_order_graph(struct kb_text *, const uint64_t *sorted, size_t count, const struct kb_order_statistics *order);

#endif
