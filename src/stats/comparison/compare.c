/*
 * Differences, intervals and the decision. A decision asks for more than a difference: it must lie beyond the margin, for two builds
 * of one source always differ a little.
 *
 * Pairs of fresh processes are judged by the side on which their differences lie. Which process of a pair came first was drawn by
 * lot, so that of equal sides half the pairs lie on each side of zero whatever the noise is: the rate of false alarms follows from
 * tosses alone, also where pairs are looked at again and again (test/truth/stats/test_compare.c).
 */
#include "stats/comparison/compare.h"

#include <math.h>
#include <stdlib.h>

#include "stats/series/series.h"

static const char *const decisions[KB_DECISIONS] = {
	[KB_EQUIVALENT] = "equivalent", [KB_FASTER] = "faster", [KB_SLOWER] = "slower", [KB_INCONCLUSIVE] = "inconclusive",
};

const char *kb_decision_name(enum kb_decision decision)
{
	return (unsigned)decision < KB_DECISIONS ? decisions[decision] : "?";
}

static struct kb_difference undecided(struct kb_interval ln)
{
	return (struct kb_difference){
		.ln = ln, .sure_low = -INFINITY, .sure_high = INFINITY, .detectable = NAN, .p_slower = 1, .p_faster = 1,
	};
}

/* ---- pairs of processes ---------------------------------------------------------------------------------- */

#define LOOK_ALPHA 6e-4         /* of one look, two-sided; all looks together, and one more wherever a budget ends: 0.0023 */
#define LOOK_CONFIDENCE .988    /* of the printed interval at one look; all together: 0.963 */
#define LOOKS_WORTH 4.0         /* p over all looks, by the p of one */
#define POWER 0.8               /* of the difference that could have been found */
#define UNSEEN 12.0             /* over n: so much farther may lie what n values have not shown (T-AB-6) */

bool kb_is_look(size_t pairs)
{
	static const size_t looks[] = { KB_PAIRS_FEWEST, 16, 21, 28, 37, 50, 66, 88, KB_PAIRS_MOST };

	for (size_t i = 0; i < sizeof looks / sizeof *looks; i++) {
		if (looks[i] == pairs)
			return true;
	}
	return false;
}

/* So many of n pairs may be on the other side, and the two are told apart all the same; below 0: no pair may, and n are too few. */
static int tolerated(size_t n)
{
	int most = -1;

	while ((size_t)(most + 1) < n && 2 * kb_binomial_cdf(most + 1, (double)n, .5) <= LOOK_ALPHA)
		most++;
	return most;
}

/* The share of pairs beyond the margin at which enough of n are, four times in five. */
static double share_to_be_found(size_t n, int most)
{
	double low = .5, high = 1 - 1e-12;

	for (int i = 0; i < 50; i++) {
		double middle = (low + high) / 2;

		*(kb_binomial_cdf(most, (double)n, 1 - middle) < POWER ? &low : &high) = middle;
	}
	return high;
}

/*
 * How far the median must lie from the margin so that this share of pairs does. The values tell it, but a dozen has no tails: the
 * normal distribution of their middle half reaches further there.
 */
static double reach(const double *sorted, size_t n, double share)
{
	double middle = kb_quantile_sorted(sorted, n, .5);
	double seen = fmax(middle - kb_quantile_sorted(sorted, n, 1 - share), kb_quantile_sorted(sorted, n, share) - middle);
	double sd = (kb_quantile_sorted(sorted, n, .75) - kb_quantile_sorted(sorted, n, .25)) / (2 * kb_normal_quantile(.75));

	return (1 + UNSEEN / (double)n) * fmax(seen, sd * kb_normal_quantile(share));
}

/* Of pairs that chance alone put on a side, one in two lies beyond; p is of as few as these, or fewer. */
static double p_of_side(const double *d, size_t n, double sign, double margin)
{
	size_t not_beyond = 0;

	for (size_t i = 0; i < n; i++)
		not_beyond += !(sign * d[i] > margin);
	return fmin(1, LOOKS_WORTH * kb_binomial_cdf((double)not_beyond, (double)n, .5));
}

struct kb_difference kb_compare_paired(const double *d, size_t n, double margin)
{
	struct kb_difference difference = undecided(kb_median_interval(d, n, LOOK_CONFIDENCE));
	int most = n >= KB_PAIRS_FEWEST && kb_usable(d, n) ? tolerated(n) : -1;
	double *sorted = most >= 0 ? kb_sorted(d, n) : NULL;

	if (!sorted)
		return difference;
	difference.sure_low = sorted[most];
	difference.sure_high = sorted[n - 1 - (size_t)most];
	difference.detectable = margin + reach(sorted, n, share_to_be_found(n, most));
	difference.p_slower = p_of_side(d, n, 1, margin);
	difference.p_faster = p_of_side(d, n, -1, margin);
	free(sorted);
	return difference;
}

/* ---- processes of two runs ------------------------------------------------------------------------------- */

#define T_ALPHA .003            /* two-sided, of a decision */
#define MANY 1e6                /* degrees of freedom */

/* The p of a t interval in closed form. Without spread the value itself decides. */
static double t_beyond(double beyond, double se, double df)
{
	if (!(se > 0))
		return beyond > 0 ? 0 : 1;
	return kb_t_cdf(-beyond / se, df);
}

struct kb_difference kb_difference_by_t(double value, double se, double df, size_t n, double margin)
{
	if (n < 2)
		return undecided(kb_interval_refused(value, (double)n, KB_CODE_too_few_effective));
	double half = se > 0 ? kb_t_factor(KB_COMPARE_CONFIDENCE, df) * se : 0, sure = se > 0 ? kb_t_factor(1 - T_ALPHA, df) * se : 0;

	return (struct kb_difference){
		.ln = kb_interval_known(value, value - half, value + half, (double)n), .sure_low = value - sure, .sure_high = value + sure,
		.detectable = margin + sure + (se > 0 ? kb_t_quantile(POWER, df) * se : 0), .p_slower = t_beyond(value - margin, se, df),
		.p_faster = t_beyond(-margin - value, se, df),
	};
}

struct kb_difference kb_compare_handful(const double *d, size_t n, double margin)
{
	bool values = n > 0 && kb_usable(d, n);

	if (!values || n < 2)
		return undecided(kb_interval_refused(values ? d[0] : 0, 0, KB_CODE_too_few_effective));
	return kb_difference_by_t(kb_mean(d, n), sqrt(kb_variance(d, n) / (double)n), (double)n - 1, n, margin);
}

/*
 * Welch (1947) with Satterthwaite's degrees of freedom, and a third variance: of two occasions, each of which moves all its
 * processes alike.
 */
struct kb_difference kb_compare_unpaired(const double *ln_a, size_t na, const double *ln_b, size_t nb,
                                         const struct kb_occasion *occasion, double margin)
{
	bool values = na > 0 && nb > 0 && kb_usable(ln_a, na) && kb_usable(ln_b, nb);
	double value = values ? kb_mean(ln_b, nb) - kb_mean(ln_a, na) : 0;

	if (!values || na < 2 || nb < 2)
		return undecided(kb_interval_refused(value, 0, KB_CODE_too_few_effective));
	double va = kb_variance(ln_a, na) / (double)na, vb = kb_variance(ln_b, nb) / (double)nb, vo = 2 * occasion->sd * occasion->sd;
	double v = va + vb + vo, spread = va * va / (double)(na - 1) + vb * vb / (double)(nb - 1) + (vo > 0 ? vo * vo / occasion->df : 0);

	return kb_difference_by_t(value, sqrt(v), v > 0 ? fmin(v * v / spread, MANY) : 1, na + nb, margin);
}

/* Of the logarithm of an interval. */
static double se_of(const struct kb_interval *interval)
{
	return log(interval->high / interval->low) / (2 * kb_t_factor(KB_COMPARE_CONFIDENCE, MANY));
}

struct kb_difference kb_compare_bounded(const struct kb_interval *a, const struct kb_interval *b, const struct kb_occasion *occasion, double margin)
{
	double va, vb, vo = 2 * occasion->sd * occasion->sd, v;

	if (!a->known || !b->known || !(a->low > 0 && b->low > 0))
		return undecided(kb_interval_refused(a->value > 0 && b->value > 0 ? log(b->value / a->value) : 0, 0, KB_CODE_too_few_effective));
	va = se_of(a) * se_of(a);
	vb = se_of(b) * se_of(b);
	v = va + vb + vo;
	return kb_difference_by_t(log(b->value / a->value), sqrt(v), vo > 0 ? fmin(v * v * occasion->df / (vo * vo), MANY) : MANY, 2, margin);
}

/* ---- occasions ------------------------------------------------------------------------------------------- */

/*
 * How much costs differ from one occasion to the next beyond their own intervals. Neighbours in time are set against each other, and
 * of their differences the median counts: a change of the code is one difference of many. What was seen before on other machines and
 * benchmarks weighs as much as some runs, so that two uncontended runs are no proof that all will be.
 */
#define RUNS_FEWEST 5u
#define PRIOR_DF 8.0
#define EACH_DF 0.5             /* of a difference: the median of absolute ones knows less than their squares, and neighbours share a run */

/* The variance that neighbours show, less what their own intervals explain; there are two or more runs. */
static double seen_by_neighbours(const double *ln, const double *se, size_t runs)
{
	double *sizes = malloc(2 * runs * sizeof *sizes), *own = sizes + runs, sd;
	size_t n = runs - 1;

	for (size_t i = 0; sizes && i < n; i++) {
		sizes[i] = fabs(ln[i + 1] - ln[i]);
		own[i] = se[i] * se[i] + se[i + 1] * se[i + 1];
	}
	if (!sizes)
		return 0;
	kb_sort(sizes, n);
	kb_sort(own, n);
	sd = KB_MAD_SIGMA * kb_quantile_sorted(sizes, n, .5);
	sd = fmax((sd * sd - kb_quantile_sorted(own, n, .5)) / 2, 0);
	free(sizes);
	return sd;
}

struct kb_occasion kb_occasion_find(const double *ln, const double *se, size_t runs, double prior)
{
	if (runs < RUNS_FEWEST)
		return (struct kb_occasion){ .sd = prior, .df = PRIOR_DF };
	double seen = seen_by_neighbours(ln, se, runs), df = EACH_DF * (double)(runs - 1);
	/* Where more is seen than is usual, what is usual counts for less. */
	double usual = PRIOR_DF * fmin(prior * prior / fmax(seen, 1e-30), 1);

	return (struct kb_occasion){ sqrt((usual * prior * prior + df * seen) / (usual + df)), usual + df, (unsigned)runs };
}

struct kb_interval kb_ratio_interval(const struct kb_interval *a, const struct kb_interval *b)
{
	double ratio = a->value / b->value, half;
	struct kb_interval unknown = kb_interval_refused(ratio, 0, KB_CODE_too_few_effective);

	if (!a->known || !b->known || !(a->low > 0 && b->low > 0))
		return unknown;
	half = hypot(log(a->high / a->low), log(b->high / b->low)) / 2;
	return (struct kb_interval){ .value = ratio, .low = ratio * exp(-half), .high = ratio * exp(half), .known = true, .why = KB_CODE_COUNT };
}

double kb_occasion_finds(const struct kb_occasion *occasion)
{
	return (kb_t_factor(1 - T_ALPHA, occasion->df) + kb_t_quantile(POWER, occasion->df)) * M_SQRT2 * occasion->sd;
}

/* ---- decision ------------------------------------------------------------------------------------------- */

enum kb_decision kb_decide(const struct kb_difference *difference, double margin)
{
	if (!difference->ln.known)
		return KB_INCONCLUSIVE;
	if (difference->sure_low > margin)
		return KB_SLOWER;
	if (difference->sure_high < -margin)
		return KB_FASTER;
	return difference->sure_high < INFINITY && difference->ln.low > -margin && difference->ln.high < margin ? KB_EQUIVALENT :
	                                                                                                   KB_INCONCLUSIVE;
}
