/* The cheapest division of a series into segments. Only for src/stats. */
#ifndef KB_STATS_SERIES_PARTITION_H
#define KB_STATS_SERIES_PARTITION_H

#include "types.h"

#define KB_SEGMENTS_MAX 100

/* Values of the shortest segment of a series: max(5, n/100). */
size_t kb_segment_least(size_t n);

/* Segments begin and end at the edges of cells: edge[0] = 0 < ... < edge[cells] = the number of values. */
struct kb_partition {
	double (*cost)(const void *series, size_t begin, size_t end);   /* of the segment of cells begin..end-1 */
	const void *series;
	const size_t *edge;
	size_t cells;
	size_t least;           /* values of the shortest segment; at least one in KB_SEGMENTS_MAX of all */
	double penalty;         /* of each segment beside the first */
	bool concave;           /* two halves never cost more than the whole: lets candidates be dropped early */
};

/* at: the first cell of each segment but the first, ascending, room for KB_SEGMENTS_MAX. 0 or -ENOMEM. */
int kb_partition_find(const struct kb_partition *, size_t *at, unsigned *count);

#endif
