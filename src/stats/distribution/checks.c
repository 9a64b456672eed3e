/* See checks.h: independence of one series, and equality of several. Shapiro-Wilk is in normal.c, sets in growth.c. */
#include "stats/distribution/checks.h"

#include <math.h>
#include <stdlib.h>

#include "stats/series/series.h"

/* Below this the normal approximations of the tests of independence reject far more or less often than promised. */
#define SERIES_MIN 8

struct kb_check kb_check_made(double statistic, double p)
{
	if (!isfinite(statistic) || !isfinite(p))
		return kb_check_refused(KB_CODE_too_few_effective);
	return (struct kb_check){ statistic, fmin(fmax(p, 0), 1), true, KB_CODE_COUNT };
}

struct kb_check kb_check_refused(enum kb_reason_code why)
{
	return (struct kb_check){ .why = why };
}

bool kb_check_possible(const double *x, size_t n, size_t least, struct kb_check *refused)
{
	*refused = kb_check_refused(KB_CODE_too_few_effective);
	if (n < least || !kb_usable(x, n))
		return false;
	refused->why = KB_CODE_tick_limited;
	return kb_variance(x, n) > 0;
}

static double both_tails(double z)
{
	return 2 * kb_normal_cdf(-fabs(z));
}

/* ---- independence ---------------------------------------------------------------------------------- */

static double correlation(const double *x, size_t n, size_t lag)
{
	double mean = kb_mean(x, n);

	return kb_autocovariance(x, n, mean, lag) / kb_autocovariance(x, n, mean, 0);
}

/* Mean -1/n and variance (n-2)^2 / (n^2 (n-1)) of r for independent normal values (Anderson 1942, Moran 1948). */
struct kb_check kb_check_lag1(const double *x, size_t n)
{
	struct kb_check refused;
	double count = (double)n, r;

	if (!kb_check_possible(x, n, SERIES_MIN, &refused))
		return refused;
	r = correlation(x, n, 1);
	return kb_check_made(r, both_tails((r + 1 / count) * count * sqrt(count - 1) / (count - 2)));
}

/* Mean square of the differences over the variance. Its mean is 2 and its variance 4 (n-2) / (n^2-1) for independent
   normal values (von Neumann 1941) when both means have the divisors n-1 and n-1. */
struct kb_check kb_check_von_neumann(const double *x, size_t n)
{
	struct kb_check refused;
	double count = (double)n, squares = 0, ratio;

	if (!kb_check_possible(x, n, SERIES_MIN, &refused))
		return refused;
	for (size_t i = 1; i < n; i++)
		squares += (x[i] - x[i - 1]) * (x[i] - x[i - 1]);
	ratio = squares / ((count - 1) * kb_variance(x, n));
	return kb_check_made(ratio, both_tails((ratio - 2) / sqrt(4 * (count - 2) / (count * count - 1))));
}

/* Ljung and Box (1978). */
struct kb_check kb_check_ljung_box(const double *x, size_t n, size_t lags)
{
	struct kb_check refused;
	double count = (double)n, q = 0;

	if (!kb_check_possible(x, n, lags + SERIES_MIN, &refused))
		return refused;
	for (size_t lag = 1; lag <= lags; lag++) {
		double r = correlation(x, n, lag);

		q += r * r / (count - (double)lag);
	}
	q *= count * (count + 2);
	return kb_check_made(q, kb_chi2_tail(q, (double)lags));
}

/* Signs about the median, values on it left out: they belong to neither side. */
static size_t count_runs(const double *x, size_t n, double median, double *above, double *below)
{
	size_t runs = 0;
	int last = 0;

	*above = *below = 0;
	for (size_t i = 0; i < n; i++) {
		int sign = (x[i] > median) - (x[i] < median);

		if (sign == 0)
			continue;
		*(sign > 0 ? above : below) += 1;
		runs += sign != last;
		last = sign;
	}
	return runs;
}

/* Wald and Wolfowitz (1940), normal approximation. */
struct kb_check kb_check_runs(const double *x, size_t n)
{
	struct kb_check refused;
	double *scratch, runs, up, down, all, mean, variance;

	if (!kb_check_possible(x, n, SERIES_MIN, &refused))
		return refused;
	scratch = malloc(n * sizeof(*scratch));
	if (!scratch)
		return kb_check_refused(KB_CODE_too_few_effective);
	runs = (double)count_runs(x, n, kb_median(x, n, scratch), &up, &down);
	free(scratch);
	all = up + down;
	if (up < 2 || down < 2)
		return kb_check_refused(KB_CODE_tick_limited);
	mean = 2 * up * down / all + 1;
	variance = (mean - 1) * (mean - 2) / (all - 1);
	return kb_check_made(runs, both_tails((runs - mean) / sqrt(variance)));
}

double kb_skewness(const double *x, size_t n)
{
	double mean = kb_mean(x, n), m2 = 0, m3 = 0;

	if (!kb_usable(x, n) || !(kb_variance(x, n) > 0))
		return 0;
	for (size_t i = 0; i < n; i++) {
		double d = x[i] - mean;

		m2 += d * d / (double)n;
		m3 += d * d * d / (double)n;
	}
	return m3 / (m2 * sqrt(m2));
}

/* ---- several series -------------------------------------------------------------------------------- */

/* F from the sets' means and variances; means are taken from the first one: a common offset must not cost digits. */
struct kb_check kb_check_equal_set_means(const struct kb_set *sets, size_t count)
{
	double total = 0, grand = 0, between = 0, within = 0, df1 = (double)count - 1, df2, f;

	for (size_t g = 0; g < count; g++) {
		total += (double)sets[g].count;
		grand += (double)sets[g].count * (sets[g].mean - sets[0].mean);
	}
	df2 = total - (double)count;
	if (count < 2 || !(df2 > 0))
		return kb_check_refused(KB_CODE_too_few_effective);
	grand /= total;
	for (size_t g = 0; g < count; g++) {
		double off = sets[g].mean - sets[0].mean - grand;

		between += (double)sets[g].count * off * off;
		within += (double)(sets[g].count - 1) * sets[g].variance;
	}
	if (!(within > 0))
		return kb_check_refused(KB_CODE_tick_limited);
	f = between / df1 / (within / df2);
	/* The upper tail of F is the lower one of 1/F: small p keep their digits. */
	return kb_check_made(f, f > 0 ? kb_f_cdf(1 / f, df2, df1) : 1);
}

struct kb_check kb_check_equal_means(const struct kb_group *groups, size_t count)
{
	struct kb_check check = kb_check_refused(KB_CODE_too_few_effective);
	struct kb_set *sets = calloc(count + 1, sizeof(*sets));
	bool usable = sets != NULL;

	for (size_t g = 0; usable && g < count; g++) {
		usable = groups[g].count > 0 && kb_usable(groups[g].x, groups[g].count);
		if (usable)
			sets[g] = (struct kb_set){
				.count = groups[g].count, .mean = kb_mean(groups[g].x, groups[g].count),
				.variance = kb_variance(groups[g].x, groups[g].count),
			};
	}
	if (usable)
		check = kb_check_equal_set_means(sets, count);
	free(sets);
	return check;
}

/* The same test on the distances from the medians (Brown and Forsythe 1974). */
struct kb_check kb_check_equal_spreads(const struct kb_group *groups, size_t count)
{
	struct kb_check check = kb_check_refused(KB_CODE_too_few_effective);
	size_t total = 0, longest = 0, used = 0;
	struct kb_group *away;
	double *values;

	for (size_t g = 0; g < count; g++) {
		total += groups[g].count;
		longest = groups[g].count > longest ? groups[g].count : longest;
	}
	away = calloc(count + 1, sizeof(*away));
	values = malloc((total + longest + 1) * sizeof(*values));
	for (size_t g = 0; away && values && g < count; g++) {
		const struct kb_group *group = &groups[g];
		double median = kb_median(group->x, group->count, values + total);

		away[g] = (struct kb_group){ values + used, group->count };
		for (size_t i = 0; i < group->count; i++)
			values[used++] = fabs(group->x[i] - median);
	}
	if (away && values)
		check = kb_check_equal_means(away, count);
	free(away);
	free(values);
	return check;
}
