/* See fleet.h: what is named out of many nodes and results, and two sides over nodes. */
#include "stats/comparison/fleet.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

/* ---- false discoveries ------------------------------------------------------------------------------------- */

/* Weights of p values (Genovese, Roeder and Wasserman 2006), whose mean is 1; `whole` is one of `each`. */
double kb_fleet_weighted(const struct kb_node_deviation *deviation, double margin, bool above, bool whole, size_t each)
{
	double half = (double)each / 2, weight = each < 2 ? 1 : whole ? half : half / ((double)each - 1);

	if (above ? deviation->ln.value < margin : fabs(deviation->ln.value) < margin)
		return 1;
	return fmin((above ? deviation->p_above : deviation->p) / weight, 1);
}

double kb_simes(const double *sorted, size_t n)
{
	double least = 1;

	for (size_t i = 0; i < n; i++)
		least = fmin(least, sorted[i] * (double)n / (double)(i + 1));
	return least;
}

/* Without those that are none. */
static size_t gather(const double *p, size_t n, double *to)
{
	size_t count = 0;

	for (size_t i = 0; i < n; i++) {
		if (!isnan(p[i]))
			to[count++] = p[i];
	}
	return count;
}

/* Adjusts those that are there (Benjamini and Hochberg 1995); scratch: 2 n. */
static int adjust(const double *p, size_t n, double *q, double *scratch)
{
	size_t count = gather(p, n, scratch), k = 0;
	int error = kb_benjamini_hochberg(scratch, count, scratch + n);

	for (size_t i = 0; i < n; i++)
		q[i] = isnan(p[i]) ? NAN : scratch[n + k++];
	return error;
}

/*
 * Benjamini and Bogomolov (2014): of R families out of N that are named, each is searched at R/N of the rate. Simes' p of a family and the
 * adjusted ones in it agree: a family that is named has at least one p value that is.
 */
int kb_fleet_select_inside(const double *p, size_t families, size_t each, double rate, const double *family_q, double *q)
{
	double *scratch = calloc(2 * each + 1, sizeof *scratch);
	size_t named = 0, all = 0;
	int error = scratch ? 0 : -ENOMEM;

	for (size_t f = 0; f < families; f++) {
		all += isnan(family_q[f]) ? 0 : 1;
		named += family_q[f] <= rate ? 1 : 0;
	}
	for (size_t f = 0; f < families && !error; f++) {
		error = adjust(p + f * each, each, q + f * each, scratch);
		for (size_t i = f * each; i < (f + 1) * each; i++) {
			double share = family_q[f] <= rate ? (double)all / (double)named : 1;

			q[i] = isnan(q[i]) ? NAN : fmin(fmax(q[i] * share, family_q[f] <= rate ? 0 : family_q[f]), 1);
		}
	}
	free(scratch);
	return error;
}

int kb_fleet_select(const double *p, size_t families, size_t each, double *family_q)
{
	size_t room = families > each ? families : each;
	double *scratch = calloc(2 * room + families + 1, sizeof *scratch), *simes = scratch + 2 * room;
	int error;

	if (!scratch)
		return -ENOMEM;
	for (size_t f = 0; f < families; f++) {
		size_t count = gather(p + f * each, each, scratch);

		kb_sort(scratch, count);
		simes[f] = count > 0 ? kb_simes(scratch, count) : NAN;
	}
	error = adjust(simes, families, family_q, scratch);
	free(scratch);
	return error;
}

/* ---- two sides over nodes ------------------------------------------------------------------------------------- */

struct fleet_effect { double mean, weights, misfit; };

/* The mean with weights of what lies between nodes and of their own errors, and how far the differences are from it by these. */
static struct fleet_effect effect_of(const double *d, const double *se, size_t n, double between)
{
	struct fleet_effect effect = { .mean = 0 };

	for (size_t i = 0; i < n; i++) {
		double weight = 1 / (between + se[i] * se[i]);

		effect.weights += weight;
		effect.mean += weight * d[i];
	}
	effect.mean /= effect.weights;
	for (size_t i = 0; i < n; i++)
		effect.misfit += (d[i] - effect.mean) * (d[i] - effect.mean) / (between + se[i] * se[i]);
	return effect;
}

/* Paule and Mandel (1982): the variance between nodes that makes the misfit what chance makes it. */
static double variance_between(const double *d, const double *se, size_t n)
{
	double low = 0, high = kb_variance(d, n) * (double)n + 1e-30;

	if (effect_of(d, se, n, 1e-30).misfit <= (double)n - 1)
		return 0;
	for (int i = 0; i < 100; i++) {
		double middle = (low + high) / 2;

		*(effect_of(d, se, n, middle).misfit > (double)n - 1 ? &low : &high) = middle;
	}
	return (low + high) / 2;
}

/* Hartung and Knapp (2001), Sidik and Jonkman: the misfit itself is the scale, with Student's t; never below the errors that are known. */
struct kb_difference kb_fleet_difference(const double *d, const double *se, size_t nodes, double margin, double *between)
{
	double variance = nodes > 1 ? variance_between(d, se, nodes) : 0;
	struct fleet_effect effect = nodes > 0 ? effect_of(d, se, nodes, variance + 1e-30) : (struct fleet_effect){ .weights = 1 };
	double scale = nodes > 1 ? fmax(effect.misfit / ((double)nodes - 1), 1) : 0;

	*between = sqrt(variance);
	return kb_difference_by_t(effect.mean, sqrt(scale / effect.weights), (double)nodes - 1, nodes, margin);
}
