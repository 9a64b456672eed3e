/* Points sorted into sample sets: one set for every distinct n. For src/stats, and for the analysis of files. */
#ifndef KB_STATS_SERIES_GRID_H
#define KB_STATS_SERIES_GRID_H

#include "types.h"

struct kb_set {
	double n;               /* operations */
	size_t count;
	double *y;              /* in run order; lies in the grid's memory */
	double mean, variance;  /* of y; variance with count - 1 */
};

struct kb_grid {
	struct kb_set *sets;    /* ascending in n */
	size_t count;
	size_t *set_of;         /* point i belongs to sets[set_of[i]] */
	double *values;         /* memory behind the sets' y */
};

/* 0 or -ENOMEM; on error there is nothing to free. n is finite. */
int kb_grid_make(struct kb_grid *, const double *n, const double *y, size_t count);
void kb_grid_free(struct kb_grid *);

#endif
