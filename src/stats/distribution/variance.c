/*
 * How the variance of an observation grows with n: v0 of the interval itself, v1 of every operation. Maximum
 * likelihood over ln v0 and ln v1, so that both stay positive without constraints; the simplex method (Nelder and
 * Mead 1965) because the likelihood is flat along ln v when one of them is near 0, where Newton steps run away.
 */
#include "stats/series/line.h"

#include <math.h>

#define EVALUATIONS_MAX 600

struct corner { double at[2], cost; };

/* Sets scaled to n <= 1 and a mean variance of 1, so that one start and one tolerance serve all benchmarks. */
struct problem {
	const struct kb_set *sets;
	size_t count;
	double unit_n, unit_variance;
	unsigned evaluations;
};

double kb_variance_at(const struct kb_variance_line *v, double n)
{
	return fmax(v->v0 + v->v1 * n, KB_TICK_VARIANCE);
}

/* Minus the log likelihood of normal sets, constants left out. */
static double cost_of(struct problem *problem, const double *ln_v)
{
	double v0 = exp(ln_v[0]), v1 = exp(ln_v[1]), cost = 0;

	problem->evaluations++;
	for (size_t g = 0; g < problem->count; g++) {
		const struct kb_set *set = &problem->sets[g];
		/* A set at n = 0 without spread would make v0 = 0 infinitely likely. */
		double f = fmax(v0 + v1 * set->n / problem->unit_n, 1e-12);

		if (set->count > 1)
			cost += 0.5 * (double)(set->count - 1) * (log(f) + set->variance / problem->unit_variance / f);
	}
	return cost;
}

/* False when no set varies. */
static bool scale(struct problem *problem)
{
	double weight = 0;

	for (size_t g = 0; g < problem->count; g++) {
		const struct kb_set *set = &problem->sets[g];

		problem->unit_n = fmax(problem->unit_n, set->n);
		if (set->count > 1) {
			problem->unit_variance += (double)(set->count - 1) * set->variance;
			weight += (double)(set->count - 1);
		}
	}
	if (!(problem->unit_variance > 0) || !(problem->unit_n > 0))
		return false;
	problem->unit_variance /= weight;
	return true;
}

/* Least squares line through the variances; a negative part starts at a thousandth, where its slope is still felt. */
static struct corner start_at(struct problem *problem)
{
	double w = 0, mean_n = 0, mean_v = 0, nn = 0, nv = 0, v0, v1;
	struct corner start;

	for (size_t g = 0; g < problem->count; g++) {
		const struct kb_set *set = &problem->sets[g];
		double share = (double)(set->count - 1), dn = set->n / problem->unit_n - mean_n;
		double dv = set->variance / problem->unit_variance - mean_v;

		if (set->count < 2)
			continue;
		w += share;
		mean_n += dn * share / w;
		mean_v += dv * share / w;
		nn += share * dn * (set->n / problem->unit_n - mean_n);
		nv += share * dv * (set->n / problem->unit_n - mean_n);
	}
	v1 = nn > 0 ? nv / nn : 0;
	v0 = mean_v - v1 * mean_n;
	start.at[0] = log(fmax(v0, 1e-3));
	start.at[1] = log(fmax(v1, 1e-3));
	start.cost = cost_of(problem, start.at);
	return start;
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
	struct corner result;

	for (int i = 0; i < 2; i++) {
		double middle = 0.5 * (c[0].at[i] + c[1].at[i]);

		result.at[i] = middle + factor * (middle - c[2].at[i]);
	}
	result.cost = cost_of(problem, result.at);
	return result;
}

static void shrink(struct problem *problem, struct corner c[3])
{
	for (int k = 1; k < 3; k++) {
		for (int i = 0; i < 2; i++)
			c[k].at[i] = 0.5 * (c[0].at[i] + c[k].at[i]);
		c[k].cost = cost_of(problem, c[k].at);
	}
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
	if (other.cost < fmin(reflected.cost, c[2].cost))
		c[2] = other;
	else
		shrink(problem, c);
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
	struct corner c[3] = { start, start, start };

	for (int k = 1; k < 3; k++) {
		c[k].at[k - 1] += 0.5;
		c[k].cost = cost_of(problem, c[k].at);
	}
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
