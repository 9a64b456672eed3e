/* See thin.h. */
#include "analysis/thin.h"

#include <math.h>

#include "stats/stats.h"

bool kb_thin_keeps(size_t seen, size_t of, size_t quota)
{
	return ((seen + 1) * quota + of / 2) / of > (seen * quota + of / 2) / of;
}

/* How many of a kind are kept; *owed is what is left of its share. */
static size_t quota_of(size_t of, size_t count, size_t keep, double *owed)
{
	double share = (double)keep * (double)of / (double)count + *owed, quota = fmin(fmax(floor(share + 0.5), 0), (double)of);

	*owed = share - quota;
	return (size_t)quota;
}

size_t kb_thin(const unsigned char *kind, size_t count, size_t keep, bool *kept, double owed[KB_THIN_KINDS])
{
	size_t of[KB_THIN_KINDS] = { 0 }, quota[KB_THIN_KINDS], seen[KB_THIN_KINDS] = { 0 }, total = 0;

	if (keep > count)
		keep = count;
	for (size_t i = 0; i < count; i++)
		of[kind[i]]++;
	for (unsigned k = 0; k < KB_THIN_KINDS && count > 0; k++)
		quota[k] = quota_of(of[k], count, keep, &owed[k]);
	for (size_t i = 0; i < count; i++) {
		unsigned k = kind[i];

		kept[i] = i == 0 || i + 1 == count || kb_thin_keeps(seen[k], of[k], quota[k]);
		seen[k]++;
		total += kept[i];
	}
	return total;
}

size_t kb_thin_sorted(const double *sorted, size_t count, size_t keep, double *out)
{
	size_t kept = count < keep ? count : keep;

	for (size_t i = 0; i < kept; i++)
		out[i] = kept > 1 ? kb_quantile_sorted(sorted, count, (double)i / (double)(kept - 1)) : kb_quantile_sorted(sorted, count, 0.5);
	return kept;
}
