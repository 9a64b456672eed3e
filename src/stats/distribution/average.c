/* See average.h. The arithmetic mean and the median are kb_mean and kb_median. */
#include "stats/distribution/average.h"

#include <math.h>
#include <stdlib.h>

#include "stats/series/series.h"

struct kb_interval kb_geometric_mean(const double *ratio, size_t n, double confidence)
{
	struct kb_interval logs = kb_interval_refused(0, (double)n, KB_CODE_too_few_effective);
	double *ln = malloc((n + 1) * sizeof(*ln));

	for (size_t i = 0; ln && i < n; i++) {
		if (!(ratio[i] > 0) || !isfinite(ratio[i])) {
			free(ln);
			return logs;
		}
		ln[i] = log(ratio[i]);
	}
	if (!ln || n == 0) {
		free(ln);
		return logs;
	}
	logs = kb_t_interval(ln, n, confidence);
	free(ln);
	logs.value = exp(logs.value);
	logs.low = exp(logs.low);
	logs.high = exp(logs.high);
	return logs;
}

struct kb_minimum kb_minimum_sorted(const double *sorted, size_t n)
{
	struct kb_minimum m = { .value = sorted[0], .p1 = kb_quantile_sorted(sorted, n, 0.01) };

	m.gap_percent = m.value > 0 ? 100 * (m.p1 - m.value) / m.value : 0;
	return m;
}
