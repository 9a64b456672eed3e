/* Points sorted into sample sets. The order of time is kept inside a set: autocorrelation lives in it. */
#include "stats/series/grid.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "stats/stats.h"

/* Up to so many different n are gathered without sorting all values. */
#define FEW 64

/* Puts the different values, ascending, at the front and returns their number. A grid has a handful. */
static size_t distinct(double *values, size_t count)
{
	double few[FEW];
	size_t kept = 0;

	for (size_t i = 0; i < count; i++) {
		size_t at = kept;

		while (at > 0 && few[at - 1] > values[i])
			at--;
		if (at > 0 && !(few[at - 1] < values[i]))
			continue;
		if (kept == FEW) {
			kb_sort(values, count);
			kept = 1;
			for (size_t k = 1; k < count; k++)
				if (values[k] > values[kept - 1])
					values[kept++] = values[k];
			return kept;
		}
		memmove(few + at + 1, few + at, (kept - at) * sizeof(*few));
		few[at] = values[i];
		kept++;
	}
	memcpy(values, few, kept * sizeof(*few));
	return kept;
}

static size_t find_set(const struct kb_grid *grid, double n)
{
	size_t low = 0, high = grid->count;

	while (high - low > 1) {
		size_t middle = low + (high - low) / 2;

		if (grid->sets[middle].n <= n)
			low = middle;
		else
			high = middle;
	}
	return low;
}

static void deal_points(struct kb_grid *grid, const double *n, const double *y, size_t count)
{
	double *next = grid->values;

	for (size_t i = 0; i < count; i++) {
		grid->set_of[i] = find_set(grid, n[i]);
		grid->sets[grid->set_of[i]].count++;
	}
	for (size_t g = 0; g < grid->count; g++) {
		grid->sets[g].y = next;
		next += grid->sets[g].count;
		grid->sets[g].count = 0;
	}
	for (size_t i = 0; i < count; i++) {
		struct kb_set *set = &grid->sets[grid->set_of[i]];

		set->y[set->count++] = y[i];
	}
}

int kb_grid_make(struct kb_grid *grid, const double *n, const double *y, size_t count)
{
	/* One more than needed: calloc(0) may return NULL, which would look like no memory. */
	*grid = (struct kb_grid){
		.values = calloc(count + 1, sizeof(*grid->values)),
		.set_of = calloc(count + 1, sizeof(*grid->set_of)),
	};
	if (!grid->values || !grid->set_of)
		goto bad;
	memcpy(grid->values, n, count * sizeof(*n));
	/* values holds the n here and is then reused for the y. */
	grid->count = distinct(grid->values, count);
	grid->sets = calloc(grid->count + 1, sizeof(*grid->sets));
	if (!grid->sets)
		goto bad;
	for (size_t g = 0; g < grid->count; g++)
		grid->sets[g].n = grid->values[g];
	deal_points(grid, n, y, count);
	for (size_t g = 0; g < grid->count; g++) {
		struct kb_set *set = &grid->sets[g];

		set->mean = kb_mean(set->y, set->count);
		set->variance = kb_variance(set->y, set->count);
	}
	return 0;
bad:
	kb_grid_free(grid);
	return -ENOMEM;
}

void kb_grid_free(struct kb_grid *grid)
{
	free(grid->sets);
	free(grid->set_of);
	free(grid->values);
	*grid = (struct kb_grid){ 0 };
}
