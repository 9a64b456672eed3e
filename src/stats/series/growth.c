/*
 * How the variance of an observation grows with n: v0 of the sample itself, v1 of every operation, v2 n^2 of what all operations of
 * a sample have in common; and whether the means lie on one line. Likelihoods of normal sets. A part of the variance cannot be
 * negative, so the null hypothesis lies on the boundary and half of all likelihood ratios are 0 there (Self and Liang 1987): p is
 * half of chi2 with one degree of freedom.
 */
#include "stats/distribution/checks.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "stats/series/line.h"

#define TERMS 3                 /* v0 + v1 n + v2 n^2 */
#define EVALUATIONS_MAX 600
#define ROUNDS_MAX 300

/* Sets scaled to n <= 1 and a mean variance of 1, so that one start and one tolerance serve all benchmarks. */
struct problem {
	const struct kb_set *sets;
	size_t count;
	double unit_n, unit_variance;
	unsigned evaluations;
};

static double share(const struct kb_set *set)
{
	return set->count > 1 ? (double)(set->count - 1) : 0;
}

/* False when no set varies. */
static bool scale(struct problem *problem)
{
	double weight = 0;

	for (size_t g = 0; g < problem->count; g++) {
		const struct kb_set *set = &problem->sets[g];

		problem->unit_n = fmax(problem->unit_n, set->n);
		problem->unit_variance += share(set) * set->variance;
		weight += share(set);
	}
	if (!(problem->unit_variance > 0) || !(problem->unit_n > 0))
		return false;
	problem->unit_variance /= weight;
	return true;
}

static double predicted(const struct problem *problem, const double *v, const struct kb_set *set)
{
	double n = set->n / problem->unit_n;

	/* A set at n = 0 without spread would make v0 = 0 infinitely likely. */
	return fmax(v[0] + v[1] * set->n / problem->unit_n + v[2] * n * n, 1e-12);
}

/* Minus the log likelihood of normal sets, constants left out. */
static double cost_of(struct problem *problem, const double *v)
{
	double cost = 0;

	problem->evaluations++;
	for (size_t g = 0; g < problem->count; g++) {
		const struct kb_set *set = &problem->sets[g];
		double f = predicted(problem, v, set);

		cost += 0.5 * share(set) * (log(f) + set->variance / problem->unit_variance / f);
	}
	return cost;
}

/* ---- v0 + v1 n ------------------------------------------------------------------------------------------- */

/*
 * Maximum likelihood over ln v0 and ln v1, so that both stay positive without constraints; the simplex method (Nelder and Mead 1965)
 * because the likelihood is flat along ln v when one of them is near 0, where Newton steps run away.
 */
struct corner { double at[2], cost; };

static struct corner corner_at(struct problem *problem, double ln_v0, double ln_v1)
{
	double v[TERMS] = { exp(ln_v0), exp(ln_v1), 0 };

	return (struct corner){ { ln_v0, ln_v1 }, cost_of(problem, v) };
}

/* Least squares line through the variances; a negative part starts at a thousandth, where its slope is still felt. */
static struct corner start_at(struct problem *problem)
{
	double w = 0, mean_n = 0, mean_v = 0, nn = 0, nv = 0, v1;

	for (size_t g = 0; g < problem->count; g++) {
		const struct kb_set *set = &problem->sets[g];
		double dn = set->n / problem->unit_n - mean_n, dv = set->variance / problem->unit_variance - mean_v;

		if (set->count < 2)
			continue;
		w += share(set);
		mean_n += dn * share(set) / w;
		mean_v += dv * share(set) / w;
		nn += share(set) * dn * (set->n / problem->unit_n - mean_n);
		nv += share(set) * dv * (set->n / problem->unit_n - mean_n);
	}
	v1 = nn > 0 ? nv / nn : 0;
	return corner_at(problem, log(fmax(mean_v - v1 * mean_n, 1e-3)), log(fmax(v1, 1e-3)));
}

static void order(struct corner c[3])
{
	for (int i = 1; i < 3; i++)
		for (int k = i; k > 0 && c[k].cost < c[k - 1].cost; k--) {
			struct corner keep = c[k];

			c[k] = c[k - 1];
			c[k - 1] = keep;
		}
}

/* The point at `factor` times the way from the worst corner through the middle of the others. */
static struct corner mirror(struct problem *problem, const struct corner c[3], double factor)
{
	double at[2];

	for (int i = 0; i < 2; i++) {
		double middle = 0.5 * (c[0].at[i] + c[1].at[i]);

		at[i] = middle + factor * (middle - c[2].at[i]);
	}
	return corner_at(problem, at[0], at[1]);
}

/* One step of the simplex: reflect, expand, contract or shrink. */
static void step(struct problem *problem, struct corner c[3])
{
	struct corner reflected = mirror(problem, c, 1), other;

	if (reflected.cost < c[0].cost) {
		other = mirror(problem, c, 2);
		c[2] = other.cost < reflected.cost ? other : reflected;
		return;
	}
	if (reflected.cost < c[1].cost) {
		c[2] = reflected;
		return;
	}
	other = mirror(problem, c, reflected.cost < c[2].cost ? 0.5 : -0.5);
	if (other.cost < fmin(reflected.cost, c[2].cost)) {
		c[2] = other;
		return;
	}
	for (int k = 1; k < 3; k++)
		c[k] = corner_at(problem, 0.5 * (c[0].at[0] + c[k].at[0]), 0.5 * (c[0].at[1] + c[k].at[1]));
}

static bool converged(const struct corner c[3])
{
	double width = 0;

	for (int k = 1; k < 3; k++)
		for (int i = 0; i < 2; i++)
			width = fmax(width, fabs(c[k].at[i] - c[0].at[i]));
	/* Along the flat direction of a vanishing part the simplex stays wide while nothing changes any more. */
	return width < 1e-7 || c[2].cost - c[0].cost < 1e-13 * (1 + fabs(c[0].cost));
}

static struct corner minimise(struct problem *problem, struct corner start)
{
	struct corner c[3] = { start, corner_at(problem, start.at[0] + 0.5, start.at[1]), corner_at(problem, start.at[0], start.at[1] + 0.5) };

	order(c);
	while (!converged(c) && problem->evaluations < EVALUATIONS_MAX) {
		step(problem, c);
		order(c);
	}
	return c[0];
}

struct kb_variance_line kb_variance_fit(const struct kb_set *sets, size_t count)
{
	struct problem problem = { .sets = sets, .count = count };
	struct corner best;

	if (!scale(&problem))
		return (struct kb_variance_line){ 0 };
	/* The second simplex starts where the first one stopped, in case that had collapsed early. */
	best = minimise(&problem, start_at(&problem));
	best = minimise(&problem, best);
	return (struct kb_variance_line){
		.v0 = exp(best.at[0]) * problem.unit_variance,
		.v1 = exp(best.at[1]) * problem.unit_variance / problem.unit_n,
	};
}

double kb_variance_at(const struct kb_variance_line *v, double n)
{
	return fmax(v->v0 + v->v1 * n, KB_TICK_VARIANCE);
}

/* ---- v0 + v1 n + v2 n^2 ---------------------------------------------------------------------------------- */

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

/* The weighted least squares solution without negative terms: the best of all subsets of terms that has none. */
static void least_squares(const struct problem *problem, const double *weight_at, double *best)
{
	double sums[TERMS][TERMS + 1] = { { 0 } }, least = INFINITY;

	for (size_t g = 0; g < problem->count; g++) {
		const struct kb_set *set = &problem->sets[g];
		double f = predicted(problem, weight_at, set), w = share(set) / (f * f), n = set->n / problem->unit_n;
		double term[TERMS + 1] = { 1, n, n * n, set->variance / problem->unit_variance };

		for (int row = 0; row < TERMS; row++) {
			for (int column = 0; column <= TERMS; column++)
				sums[row][column] += w * term[row] * term[column];
		}
	}
	for (unsigned chosen = 1; chosen < 1u << TERMS; chosen++) {
		double m[TERMS][TERMS + 1], v[TERMS], gain = 0;

		memcpy(m, sums, sizeof m);
		if (!solve(m, chosen, v) || v[0] < 0 || v[1] < 0 || v[2] < 0)
			continue;
		/* By so much a solution lowers the squares of the variances themselves. */
		for (int k = 0; k < TERMS; k++)
			gain += v[k] * sums[k][TERMS];
		if (-gain < least) {
			least = -gain;
			memcpy(best, v, sizeof v);
		}
	}
}

/* Reweighted least squares is the method of scoring here: its fixed point solves the likelihood equations. From a good
   start; the likelihood never falls. Returns the final cost. */
static double improve(struct problem *problem, double *v)
{
	double now = cost_of(problem, v);

	for (int round = 0; round < ROUNDS_MAX; round++) {
		double target[TERMS] = { v[0], v[1], v[2] }, next[TERMS], then = now;

		least_squares(problem, v, target);
		for (double step = 1; step > 1e-4; step /= 2) {
			for (int k = 0; k < TERMS; k++)
				next[k] = v[k] + step * (target[k] - v[k]);
			then = cost_of(problem, next);
			if (then < now)
				break;
		}
		if (!(then < now - 1e-13 * (1 + fabs(now))))
			break;
		now = then;
		memcpy(v, next, sizeof next);
	}
	return now;
}

/* The better of two fits on the boundary: twice the difference of the costs, and half of chi2(1). */
static struct kb_check likelihood_ratio(double without, double with)
{
	double ratio = fmax(0, 2 * (without - with));

	return kb_check_made(ratio, ratio > 0 ? kb_normal_cdf(-sqrt(ratio)) : 1);
}

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

struct kb_growth kb_check_growth(const struct kb_set *sets, size_t count)
{
	struct problem problem = { .sets = sets, .count = count };
	size_t different = different_n(sets, count, 2);
	struct kb_growth growth = { .proportional = kb_check_refused(KB_CODE_too_few_effective) };
	bool varies = scale(&problem) && isfinite(problem.unit_variance);
	double sum = 0, weight = 0;

	growth.common_mode = growth.proportional;
	for (size_t g = 0; g < count; g++) {
		varies = varies && sets[g].n > 0;
		sum += share(&sets[g]) * sets[g].variance / problem.unit_variance / (sets[g].n / problem.unit_n);
		weight += share(&sets[g]);
	}
	if (!varies)
		growth.proportional.why = growth.common_mode.why = KB_CODE_tick_limited;
	if (!varies || different < 2)
		return growth;

	/* Without a part per sample the likelihood has its maximum where the variances per operation average. */
	struct kb_variance_line line = kb_variance_fit(sets, count);
	double v[TERMS] = { line.v0 / problem.unit_variance, line.v1 * problem.unit_n / problem.unit_variance, 0 };
	double alone[TERMS] = { 0, sum / weight, 0 }, two = fmin(cost_of(&problem, v), cost_of(&problem, alone));

	growth.v0 = line.v0;
	growth.v1 = line.v1;
	growth.proportional = likelihood_ratio(cost_of(&problem, alone), two);
	if (different < 3)
		return growth;
	growth.common_mode = likelihood_ratio(two, improve(&problem, v));
	growth.v2 = v[2] * problem.unit_variance / (problem.unit_n * problem.unit_n);
	return growth;
}

/* ---- the line through the means -------------------------------------------------------------------------- */

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
