/*
 * Differences, intervals and the decision. A decision asks for more than a difference: its interval must lie beyond
 * the margin, for two builds of one source always differ a little.
 */
#include "stats/compare.h"

#include <math.h>
#include <stdlib.h>

#include "stats/rank.h"
#include "stats/series.h"

static const char *const decisions[KB_DECISIONS] = {
	[KB_EQUIVALENT] = "equivalent", [KB_FASTER] = "faster", [KB_SLOWER] = "slower", [KB_INCONCLUSIVE] = "inconclusive",
};

const char *kb_decision_name(enum kb_decision decision)
{
	return (unsigned)decision < KB_DECISIONS ? decisions[decision] : "?";
}

/*
 * Which side comes first is drawn anew for each block, so differences depend on each other only as far as the machine
 * changes inside a block. Few effective values therefore widen the interval and do not refuse it, unless its ends reach
 * the smallest or largest value: refusing by chance correlation alone would lose 6 % of all launches of 30 blocks.
 */
static struct kb_interval rank_interval(const double *d, size_t n, double confidence)
{
	struct kb_bounds bounds = kb_quantile_bounds(d, n, 0.5, confidence);
	double low = INFINITY, high = -INFINITY;

	if (bounds.interval.known || bounds.interval.why != KB_CODE_too_few_effective)
		return bounds.interval;
	for (size_t i = 0; i < n; i++) {
		low = fmin(low, d[i]);
		high = fmax(high, d[i]);
	}
	if (!(bounds.low > low && bounds.high < high))
		return bounds.interval;
	return kb_interval_known(bounds.interval.value, bounds.low, bounds.high, bounds.interval.n_eff);
}

/* The interval of a quantile counts values up to it, which is not the mirror image of those from it on where some are
   equal or n is odd. The wider of both: then the sides can be swapped. */
static struct kb_interval median_interval(const double *d, size_t n, double confidence)
{
	struct kb_interval up = rank_interval(d, n, confidence), down;
	double *mirror = malloc(n * sizeof *mirror);

	if (!mirror)
		return kb_interval_refused(up.value, up.n_eff, KB_CODE_too_few_effective);
	for (size_t i = 0; i < n; i++)
		mirror[i] = -d[i];
	down = rank_interval(mirror, n, confidence);
	free(mirror);
	if (!up.known || !down.known)
		return up.known ? kb_interval_refused(up.value, down.n_eff, down.why) : up;
	up.low = fmin(up.low, -down.high);
	up.high = fmax(up.high, -down.low);
	up.n_eff = fmin(up.n_eff, down.n_eff);
	return up;
}

/* For the same reason: at 15 blocks any positive correlation by chance would refuse. */
static struct kb_interval mean_interval(const double *d, size_t n, double confidence)
{
	struct kb_lrv lrv;
	double half = kb_mean_halfwidth(d, n, confidence, &lrv);

	return kb_interval_known(lrv.mean, lrv.mean - half, lrv.mean + half, lrv.n_eff);
}

struct kb_interval kb_block_interval(const double *d, size_t n, double confidence)
{
	if (n >= KB_BLOCKS_MEDIAN)
		return median_interval(d, n, confidence);
	if (n >= KB_BLOCKS_MIN && kb_usable(d, n))
		return mean_interval(d, n, confidence);
	return kb_interval_refused(kb_usable(d, n) ? kb_mean(d, n) : 0, (double)n, KB_CODE_too_few_effective);
}

/* ---- p by inversion of the interval --------------------------------------------------------------------- */

static struct kb_difference undecided(struct kb_interval ln)
{
	return (struct kb_difference){ .ln = ln, .p_slower = 1, .p_faster = 1 };
}

/* The p of a t interval in closed form. Without spread the value itself decides. */
static double t_beyond(double beyond, double se, double df)
{
	if (!(se > 0))
		return beyond > 0 ? 0 : 1;
	return kb_t_cdf(-beyond / se, df);
}

static struct kb_difference by_t(struct kb_interval ln, double se, double df, double margin)
{
	if (!ln.known)
		return undecided(ln);
	return (struct kb_difference){
		ln, t_beyond(ln.value - margin, se, df), t_beyond(-margin - ln.value, se, df),
	};
}

/* An interval without closed form: the confidence at which its lower end, seen from `sign`, reaches the margin. Ends
   move outwards with the confidence, so bisection finds it; a refused interval is taken as too wide. */
static double p_beyond(const double *d, size_t n, double sign, double margin)
{
	double low = 0, high = 1 - 1e-12;
	double value = sign * kb_block_interval(d, n, 0).value;

	if (value <= margin)
		return value < margin ? 1 - p_beyond(d, n, -sign, -margin) : 0.5;
	for (int i = 0; i < 60; i++) {
		double middle = (low + high) / 2;
		struct kb_interval ln = kb_block_interval(d, n, middle);
		bool clear = ln.known && (sign > 0 ? ln.low : -ln.high) > margin;

		*(clear ? &low : &high) = middle;
	}
	return (1 - low) / 2;
}

struct kb_difference kb_compare_blocks(const double *d, size_t n, double margin)
{
	struct kb_interval ln = kb_block_interval(d, n, KB_COMPARE_CONFIDENCE);

	if (!ln.known)
		return undecided(ln);
	return (struct kb_difference){ ln, p_beyond(d, n, 1, margin), p_beyond(d, n, -1, margin) };
}

struct kb_difference kb_compare_launches(const double *d, size_t n, double margin)
{
	struct kb_interval ln = kb_t_interval(d, n, KB_COMPARE_CONFIDENCE);

	return by_t(ln, n > 1 ? sqrt(kb_variance(d, n) / (double)n) : 0, (double)n - 1, margin);
}

/* Welch (1947) with Satterthwaite's degrees of freedom. */
struct kb_difference kb_compare_unpaired(const double *ln_a, size_t na, const double *ln_b, size_t nb, double margin)
{
	if (na < 2 || nb < 2 || !kb_usable(ln_a, na) || !kb_usable(ln_b, nb)) {
		bool values = na > 0 && nb > 0 && kb_usable(ln_a, na) && kb_usable(ln_b, nb);

		return undecided(kb_interval_refused(values ? kb_mean(ln_b, nb) - kb_mean(ln_a, na) : 0, 0,
		                                     KB_CODE_too_few_effective));
	}
	double value = kb_mean(ln_b, nb) - kb_mean(ln_a, na);
	double va = kb_variance(ln_a, na) / (double)na, vb = kb_variance(ln_b, nb) / (double)nb, v = va + vb;
	double df = v > 0 ? v * v / (va * va / (double)(na - 1) + vb * vb / (double)(nb - 1)) : 1;
	double half = v > 0 ? kb_t_factor(KB_COMPARE_CONFIDENCE, df) * sqrt(v) : 0;

	return by_t(kb_interval_known(value, value - half, value + half, (double)(na + nb)), sqrt(v), df, margin);
}

/* ---- decision ------------------------------------------------------------------------------------------- */

double kb_compare_margin(double user, double noise_floor)
{
	return fmax(user, noise_floor);
}

enum kb_decision kb_decide(const struct kb_interval *ln, double margin)
{
	if (!ln->known)
		return KB_INCONCLUSIVE;
	if (ln->low > margin)
		return KB_SLOWER;
	if (ln->high < -margin)
		return KB_FASTER;
	return ln->low > -margin && ln->high < margin ? KB_EQUIVALENT : KB_INCONCLUSIVE;
}

double kb_noise_floor(const struct kb_interval *self, const double *earlier, size_t n)
{
	double now = self->known ? fmax(fabs(self->low), fabs(self->high)) : 0;
	double *sizes = n > 0 ? malloc(n * sizeof *sizes) : NULL;

	if (!sizes)
		return now;
	for (size_t i = 0; i < n; i++)
		sizes[i] = fabs(earlier[i]);
	kb_sort(sizes, n);
	now = fmax(now, kb_quantile_sorted(sizes, n, 0.95));
	free(sizes);
	return now;
}
