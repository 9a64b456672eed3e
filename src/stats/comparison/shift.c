/* See shift.h. */
#include "stats/comparison/shift.h"

#include <stdlib.h>

bool kb_deciles(double *x, size_t n, double deciles[KB_DECILES])
{
	if (n < KB_DECILE_VALUES_MIN)
		return false;
	kb_sort(x, n);
	for (unsigned k = 0; k < KB_DECILES; k++)
		deciles[k] = kb_quantile_sorted(x, n, (k + 1) / 10.0);
	return true;
}

void kb_decile_shift(const double (*ln)[KB_DECILES], size_t pairs, double confidence, struct kb_interval shift[KB_DECILES])
{
	double *values = malloc((pairs + 1) * sizeof *values);

	for (unsigned k = 0; k < KB_DECILES; k++) {
		for (size_t i = 0; values && i < pairs; i++)
			values[i] = ln[i][k];
		/* Without memory as without values. */
		shift[k] = kb_t_interval(values, values ? pairs : 0, confidence);
	}
	free(values);
}
