/* See mhz.h. */
#include "suite/params/mhz.h"

#include <math.h>

#include "stats/stats.h"

#define MOST_LMBENCH 5
#define APART 0.05              /* of the median: two times must differ by more, or there is nothing to divide */
#define OUTLIER 20.0
#define RESOLUTION 1e-6         /* of the shortest time: lines that fit better than this all fit, and the smallest i is it */
#define SUBSETS (1u << KB_MHZ_EXPRESSIONS)

/* Points of one line: times, for lmbench also their differences and the origin. */
#define POINTS_MAX (KB_MHZ_EXPRESSIONS * (KB_MHZ_EXPRESSIONS + 1) / 2 + 1)

const char *const kb_mhz_expressions[KB_MHZ_EXPRESSIONS] = {
	"p = *p", "a ^= a+a", "a ^= a+a+a", "a >>= b", "a >>= a+a", "a ^= a<<b", "a ^= a+b", "a += (a+b)&7", "a++, a ^= 1, a <<= 1",
};

struct points { double e[POINTS_MAX]; size_t count; };

static void gather(struct points *points, const double *times, size_t count, enum kb_mhz_rules rules)
{
	points->count = 0;
	for (size_t j = 0; j < count; j++)
		points->e[points->count++] = times[j];
	if (rules != KB_MHZ_LMBENCH)
		return;
	for (size_t j = 0; j < count; j++) {
		for (size_t k = j + 1; k < count; k++)
			points->e[points->count++] = fabs(times[j] - times[k]);
	}
	points->e[points->count++] = 0;
}

/* Least squares of e = a + b c; a is 0 through the origin. Returns chi2, negative where no line is defined. */
static double line(const struct points *points, double unit, bool origin, double *slope)
{
	double n = (double)points->count, sc = 0, se = 0, scc = 0, sce = 0, chi2 = 0, intercept = 0;

	for (size_t j = 0; j < points->count; j++) {
		double c = round(points->e[j] / unit);

		sc += c;
		se += points->e[j];
		scc += c * c;
		sce += c * points->e[j];
	}
	double spread = origin ? scc : scc - sc * sc / n;

	if (!(spread > 0))
		return -1;
	*slope = (origin ? sce : sce - sc * se / n) / spread;
	if (!origin)
		intercept = (se - *slope * sc) / n;
	for (size_t j = 0; j < points->count; j++) {
		double residual = points->e[j] - intercept - *slope * round(points->e[j] / unit);

		chi2 += residual * residual;
	}
	return chi2;
}

static bool usable(const double *times, size_t count, double *least)
{
	*least = INFINITY;
	for (size_t j = 0; j < count; j++) {
		if (!(times[j] > 0) || !isfinite(times[j]))
			return false;
		*least = fmin(*least, times[j]);
	}
	return count >= 2;
}

bool kb_mhz_line(const double *times, size_t count, enum kb_mhz_rules rules, unsigned i, struct kb_mhz_fit *fit)
{
	struct points points;
	double least;

	*fit = (struct kb_mhz_fit){ .i = i };
	if (count > KB_MHZ_EXPRESSIONS || !usable(times, count, &least))
		return false;
	gather(&points, times, count, rules);
	fit->chi2 = line(&points, least / i, rules == KB_MHZ_LECTURE, &fit->period);
	/* All that fit better than the clock resolves fit as well. */
	fit->weighted = (fit->chi2 + (double)points.count * pow(RESOLUTION * least, 2)) * i * i;
	for (size_t j = 0; j < count; j++)
		fit->cycles[j] = round(times[j] * i / least);
	return fit->chi2 >= 0 && fit->period > 0;
}

bool kb_mhz_divide(const double *times, size_t count, enum kb_mhz_rules rules, struct kb_mhz_fit *fit)
{
	unsigned most = rules == KB_MHZ_LMBENCH ? MOST_LMBENCH : KB_MHZ_LINES;
	struct kb_mhz_fit one;

	*fit = (struct kb_mhz_fit){ .weighted = INFINITY };
	for (unsigned i = 1; i <= most; i++) {
		if (kb_mhz_line(times, count, rules, i, &one) && one.weighted < fit->weighted)
			*fit = one;
	}
	return fit->i > 0;
}

/* The members of a subset that are no outliers; how many, 0 if no two of them are far enough apart. */
static size_t choose(const double *times, unsigned subset, double *chosen)
{
	double scratch[KB_MHZ_EXPRESSIONS], all[KB_MHZ_EXPRESSIONS], low = INFINITY, high = 0;
	size_t members = 0, count = 0;

	for (unsigned j = 0; j < KB_MHZ_EXPRESSIONS; j++) {
		if (subset >> j & 1 && times[j] > 0)
			all[members++] = times[j];
	}
	if (members < 2)
		return 0;
	double median = kb_median(all, members, scratch);

	for (size_t j = 0; j < members; j++) {
		if (all[j] < median / OUTLIER || all[j] > median * OUTLIER)
			continue;
		chosen[count++] = all[j];
		low = fmin(low, all[j]);
		high = fmax(high, all[j]);
	}
	return high - low > APART * median ? count : 0;
}

bool kb_mhz_search(const double times[KB_MHZ_EXPRESSIONS], enum kb_mhz_rules rules, struct kb_mhz_result *result)
{
	double found[SUBSETS], chosen[KB_MHZ_EXPRESSIONS], scratch[SUBSETS];
	unsigned count = 0, best = 0, first = 0;
	struct kb_mhz_fit fit;

	*result = (struct kb_mhz_result){ 0 };
	for (unsigned subset = 1; subset < SUBSETS; subset++) {
		size_t members = choose(times, subset, chosen);

		if (members >= 2 && kb_mhz_divide(chosen, members, rules, &fit))
			found[count++] = 1000 / fit.period;
	}
	kb_sort(found, count);
	for (unsigned begin = 0, end; begin < count; begin = end) {
		for (end = begin; end < count && floor(found[end]) == floor(found[begin]);)
			end++;
		if (end - begin > best) {
			best = end - begin;
			first = begin;
		}
	}
	if (best)
		*result = (struct kb_mhz_result){ kb_median(found + first, best, scratch), count, best };
	return best > 0;
}

bool kb_mhz_agree(double first, double second)
{
	double apart = fabs(first - second);

	return apart <= 1 || apart <= 0.01 * fmax(first, second);
}
