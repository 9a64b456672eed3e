/*
 * Sample sets against n: does the variance of an interval grow in proportion to its operations, or is there a part per
 * interval (v0) or one that is common to all operations of an interval (v2 n^2); and do the means lie on one line.
 * Likelihoods of normal sets. A part of the variance cannot be negative, so the null hypothesis lies on the boundary
 * and half of all likelihood ratios are 0 there (Self and Liang 1987): p is half of chi2 with one degree of freedom.
 */
#include "stats/distribution/checks.h"

#include <math.h>
#include <stdlib.h>

#include "stats/distribution/checks_make.h"
#include "stats/series/line.h"

#define TERMS 3                 /* v0 + v1 n + v2 n^2 */
#define ROUNDS_MAX 300

/* Sets scaled to n <= 1 and variances of about 1. */
struct scaled {
	const struct kb_set *sets;
	size_t count, varying;
	double unit_n, unit_variance;
};

/* How many different n there are among sets of at least `least` values, three standing for more. */
static size_t different_n(const struct kb_set *sets, size_t count, size_t least)
{
	double seen[3];
	size_t different = 0;

	for (size_t g = 0; g < count && different < 3; g++) {
		size_t i = 0;

		while (i < different && fabs(seen[i] - sets[g].n) > 0)
			i++;
		if (i == different && sets[g].count >= least)
			seen[different++] = sets[g].n;
	}
	return different;
}

static double term(const struct scaled *s, size_t g, int power)
{
	double n = s->sets[g].n / s->unit_n;

	return power == 0 ? 1 : power == 1 ? n : n * n;
}

static double predicted(const struct scaled *s, const double *v, size_t g)
{
	double f = 0;

	for (int k = 0; k < TERMS; k++)
		f += v[k] * term(s, g, k);
	return fmax(f, 1e-12);
}

static double share(const struct scaled *s, size_t g)
{
	return s->sets[g].count > 1 ? (double)(s->sets[g].count - 1) : 0;
}

/* Minus the log likelihood, constants left out. */
static double cost(const struct scaled *s, const double *v)
{
	double sum = 0;

	for (size_t g = 0; g < s->count; g++) {
		double f = predicted(s, v, g);

		sum += 0.5 * share(s, g) * (log(f) + s->sets[g].variance / s->unit_variance / f);
	}
	return sum;
}

/* Solves the symmetric system of the chosen terms; false if it is singular. */
static bool solve(double m[TERMS][TERMS + 1], unsigned chosen, double *v)
{
	for (int k = 0; k < TERMS; k++) {
		if (!(chosen >> k & 1))
			continue;
		/* Positive definite where the terms differ: no exchange of rows is needed. */
		if (!(m[k][k] > 1e-12))
			return false;
		for (int row = 0; row < TERMS; row++) {
			double factor = m[row][k] / m[k][k];

			if (row == k || !(chosen >> row & 1))
				continue;
			for (int column = 0; column <= TERMS; column++)
				m[row][column] -= factor * m[k][column];
		}
	}
	for (int k = 0; k < TERMS; k++)
		v[k] = chosen >> k & 1 ? m[k][TERMS] / m[k][k] : 0;
	return true;
}

/* Weighted squares of the sets' variances about these terms. */
static double squares(const struct scaled *s, const double *weight_at, const double *v)
{
	double sum = 0;

	for (size_t g = 0; g < s->count; g++) {
		double f = predicted(s, weight_at, g), off = s->sets[g].variance / s->unit_variance;

		for (int k = 0; k < TERMS; k++)
			off -= v[k] * term(s, g, k);
		sum += share(s, g) / (f * f) * off * off;
	}
	return sum;
}

/* The weighted least squares solution without negative terms: the best of all subsets of terms that has none. */
static void least_squares(const struct scaled *s, const double *weight_at, double *best)
{
	double least = INFINITY;

	for (unsigned chosen = 1; chosen < 1u << TERMS; chosen++) {
		double m[TERMS][TERMS + 1] = { { 0 } }, v[TERMS], off;

		for (size_t g = 0; g < s->count; g++) {
			double f = predicted(s, weight_at, g), w = share(s, g) / (f * f);

			for (int row = 0; row < TERMS; row++) {
				for (int column = 0; column < TERMS; column++)
					m[row][column] += w * term(s, g, row) * term(s, g, column);
				m[row][TERMS] += w * term(s, g, row) * s->sets[g].variance / s->unit_variance;
			}
		}
		if (!solve(m, chosen, v) || v[0] < 0 || v[1] < 0 || v[2] < 0)
			continue;
		off = squares(s, weight_at, v);
		if (off < least) {
			least = off;
			for (int k = 0; k < TERMS; k++)
				best[k] = v[k];
		}
	}
}

/* Reweighted least squares is the method of scoring here: its fixed point solves the likelihood equations. From a good
   start; the likelihood never falls. Returns the final cost. */
static double improve(const struct scaled *s, double *v)
{
	double now = cost(s, v);

	for (int round = 0; round < ROUNDS_MAX; round++) {
		double target[TERMS] = { v[0], v[1], v[2] }, next[TERMS], then = now;

		least_squares(s, v, target);
		for (double step = 1; step > 1e-4; step /= 2) {
			for (int k = 0; k < TERMS; k++)
				next[k] = v[k] + step * (target[k] - v[k]);
			then = cost(s, next);
			if (then < now)
				break;
		}
		if (!(then < now - 1e-13 * (1 + fabs(now))))
			break;
		now = then;
		for (int k = 0; k < TERMS; k++)
			v[k] = next[k];
	}
	return now;
}

/* Without a part per interval the likelihood has its maximum where the variances per operation average. */
static double proportional_only(const struct scaled *s)
{
	double sum = 0, weight = 0;

	for (size_t g = 0; g < s->count; g++) {
		sum += share(s, g) * s->sets[g].variance / s->unit_variance / term(s, g, 1);
		weight += share(s, g);
	}
	return sum / weight;
}

/* The better of two fits on the boundary: twice the difference of the costs, and half of chi2(1). */
static struct kb_check likelihood_ratio(double without, double with)
{
	double ratio = fmax(0, 2 * (without - with));

	return kb_check_made(ratio, ratio > 0 ? kb_normal_cdf(-sqrt(ratio)) : 1);
}

static bool scale(struct scaled *s)
{
	double weight = 0;

	for (size_t g = 0; g < s->count; g++) {
		s->unit_n = fmax(s->unit_n, s->sets[g].n);
		s->unit_variance += share(s, g) * s->sets[g].variance;
		weight += share(s, g);
		if (!(s->sets[g].n > 0))
			return false;
	}
	s->unit_variance /= weight;
	return s->unit_variance > 0 && isfinite(s->unit_variance);
}

struct kb_growth kb_check_growth(const struct kb_set *sets, size_t count)
{
	struct scaled s = { .sets = sets, .count = count };
	size_t different = different_n(sets, count, 2);
	struct kb_growth growth = { .proportional = kb_check_refused(KB_CODE_too_few_effective) };

	growth.common_mode = growth.proportional;
	if (!scale(&s)) {
		growth.proportional.why = growth.common_mode.why = KB_CODE_tick_limited;
		return growth;
	}
	if (different < 2)
		return growth;

	struct kb_variance_line line = kb_variance_fit(sets, count);
	double v[TERMS] = { line.v0 / s.unit_variance, line.v1 * s.unit_n / s.unit_variance, 0 };
	double alone[TERMS] = { 0, proportional_only(&s), 0 }, two = fmin(cost(&s, v), cost(&s, alone));

	growth.v0 = line.v0;
	growth.v1 = line.v1;
	growth.proportional = likelihood_ratio(cost(&s, alone), two);
	if (different < 3)
		return growth;
	growth.common_mode = likelihood_ratio(two, improve(&s, v));
	growth.v2 = v[2] * s.unit_variance / (s.unit_n * s.unit_n);
	return growth;
}

/* One point a set: its mean, weighted by the inverse of a mean's variance. */
static bool fit_means(const struct kb_set *sets, size_t count, const struct kb_variance_line *v, struct kb_wls *wls)
{
	double *n = malloc((3 * count + 1) * sizeof(*n)), *y = n + count, *w = y + count;
	bool fits;

	if (!n)
		return false;
	for (size_t g = 0; g < count; g++) {
		n[g] = sets[g].n;
		y[g] = sets[g].mean;
		w[g] = (double)sets[g].count / kb_variance_at(v, sets[g].n);
	}
	fits = count > 0 && kb_wls_fit(n, y, w, count, wls);
	free(n);
	return fits;
}

struct kb_set_line kb_set_line(const struct kb_set *sets, size_t count, double v0, double v1)
{
	struct kb_set_line line = { .fit = kb_check_refused(KB_CODE_too_few_effective) };
	struct kb_variance_line v = { v0, v1 };
	struct kb_wls wls;
	double chi2 = 0;

	if (!(v0 + v1 > 0) || !fit_means(sets, count, &v, &wls))
		return line;
	line = (struct kb_set_line){
		.a = wls.a, .b = wls.b, .se_a = kb_wls_se_a(&wls), .se_b = kb_wls_se_b(&wls), .known = true,
		.df = (unsigned)(count - 2), .fit = line.fit,
	};
	for (size_t g = 0; g < count; g++) {
		double off = sets[g].mean - line.a - line.b * sets[g].n;

		chi2 += (double)sets[g].count * off * off / kb_variance_at(&v, sets[g].n);
	}
	if (different_n(sets, count, 1) > 2)
		line.fit = kb_check_made(chi2, kb_chi2_tail(chi2, line.df));
	return line;
}
