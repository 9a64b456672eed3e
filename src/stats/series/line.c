/*
 * The slope of one process: y = a + b n + noise of variance v0 + v1 n, weighted by its inverse. The interval of b is
 * the widest of three (the model's, HAC and batch means of the blocks' influence on b), because drift makes the
 * model's alone cover .39 instead of .95 while a drifting process must end in too_few_effective.
 */
#include "stats/series/line.h"

#include <math.h>
#include <stdlib.h>

#include "stats/series/series.h"

#define BLOCKS_MIN 3
#define ROUNDING 1e-11          /* of a value: less than any clock step of it can be */

/* The data of one fit and its scratch memory. */
struct work {
	const double *n, *y;
	const uint32_t *block;
	size_t count, blocks;
	struct kb_grid grid;
	double *weight;         /* per point: inverse variance */
	double *scratch;        /* 2 count values */
	struct kb_wls line;
};

static bool work_open(struct work *work)
{
	bool differ = false;

	work->blocks = work->count > 0;
	for (size_t i = 1; i < work->count; i++) {
		work->blocks += work->block[i] != work->block[i - 1];
		differ |= work->n[i] != work->n[0];
	}
	if (work->blocks < BLOCKS_MIN || !differ || !kb_usable(work->n, work->count) || !kb_usable(work->y, work->count))
		return false;
	work->weight = malloc(3 * work->count * sizeof(*work->weight));
	if (!work->weight)
		return false;
	work->scratch = work->weight + work->count;
	if (kb_grid_make(&work->grid, work->n, work->y, work->count) == 0)
		return true;
	free(work->weight);
	return false;
}

static double weighted_squares(const struct work *work)
{
	double sum = 0;

	for (size_t i = 0; i < work->count; i++) {
		double r = work->y[i] - work->line.a - work->line.b * work->n[i];

		sum += work->weight[i] * r * r;
	}
	return sum;
}

static void weigh(struct work *work, const struct kb_variance_line *v)
{
	for (size_t i = 0; i < work->count; i++)
		work->weight[i] = 1 / kb_variance_at(v, work->n[i]);
}

/* Without repeated n, or when the repetitions are all equal, the scatter about the plain line is the only evidence. */
static struct kb_variance_line variance_about_line(struct work *work)
{
	struct kb_variance_line v = { 1, 0 };

	weigh(work, &v);
	if (kb_wls_fit(work->n, work->y, work->weight, work->count, &work->line) && work->count > 2)
		v.v0 = weighted_squares(work) / (double)(work->count - 2);
	return v;
}

static void fit_variance(struct work *work, struct kb_line_fit *fit)
{
	struct kb_variance_line v = kb_variance_fit(work->grid.sets, work->grid.count);

	if (!(v.v0 + v.v1 > 0))
		v = variance_about_line(work);
	fit->v0 = v.v0;
	fit->v1 = v.v1;
	weigh(work, &v);
}

static void test_linearity(const struct work *work, struct kb_line_fit *fit)
{
	struct kb_variance_line v = { fit->v0, fit->v1 };

	fit->chi2 = fit->misfit = 0;
	for (size_t g = 0; g < work->grid.count; g++) {
		const struct kb_set *set = &work->grid.sets[g];
		double off = set->mean - fit->a - fit->b * set->n;

		fit->chi2 += (double)set->count * off * off / kb_variance_at(&v, set->n);
		if (fit->b > 0)
			fit->misfit = fmax(fit->misfit, fabs(off) / (fit->b * set->n));
	}
	fit->df = (unsigned)work->grid.count - 2;
}

/* A line through the medians of the sets: reweighting must not start from what it is to ignore. */
static struct kb_robust_line median_line(struct work *work, const struct kb_line_fit *fit)
{
	struct kb_variance_line v = { fit->v0, fit->v1 };
	double *scratch = work->scratch, *n = scratch + work->count, *median, *weight;
	struct kb_robust_line start = { fit->a, fit->b, fit->se_b };
	struct kb_wls line;

	/* Three values a set must fit next to the longest set; else nearly every point is a set, which has no median. */
	if (3 * work->grid.count > work->count)
		return start;
	median = n + work->grid.count;
	weight = median + work->grid.count;
	for (size_t g = 0; g < work->grid.count; g++) {
		const struct kb_set *set = &work->grid.sets[g];

		n[g] = set->n;
		median[g] = kb_median(set->y, set->count, scratch);
		weight[g] = (double)set->count / kb_variance_at(&v, set->n);
	}
	if (kb_wls_fit(n, median, weight, work->grid.count, &line))
		start = (struct kb_robust_line){ line.a, line.b, fit->se_b };
	return start;
}

/* What each block adds to b, times the number of blocks: their mean is 0, the variance of their mean that of b. */
static double *block_influence(struct work *work)
{
	double *psi = work->scratch, share = (double)work->blocks / work->line.spread;
	size_t k = 0;

	psi[0] = 0;
	for (size_t i = 0; i < work->count; i++) {
		double r = work->y[i] - work->line.a - work->line.b * work->n[i];

		if (i > 0 && work->block[i] != work->block[i - 1])
			psi[++k] = 0;
		/* Counts without noise lie on their line; what rounding leaves of them depends on itself and means nothing. */
		if (fabs(r) > ROUNDING * fabs(work->y[i]))
			psi[k] += share * work->weight[i] * r * (work->n[i] - work->line.mean_n);
	}
	return psi;
}

static void slope_interval(struct work *work, struct kb_line_fit *fit, double confidence)
{
	double model = kb_t_factor(confidence, (double)(work->count - 2)) * fit->se_b, half;
	struct kb_lrv lrv;

	half = fmax(model, kb_mean_halfwidth(block_influence(work), work->blocks, confidence, &lrv));
	fit->n_eff = lrv.n_eff;
	if (fit->n_eff < KB_N_EFF_MIN)
		fit->slope = kb_interval_refused(fit->b, fit->n_eff, KB_CODE_too_few_effective);
	else
		fit->slope = kb_interval_known(fit->b, fit->b - half, fit->b + half, fit->n_eff);
	fit->known = true;
	fit->why = fit->slope.why;
}

struct kb_line_fit kb_fit_line(const double *n, const double *y, const uint32_t *block, size_t count, double confidence)
{
	struct kb_line_fit fit = {
		.slope = kb_interval_refused(0, 0, KB_CODE_too_few_effective), .why = KB_CODE_too_few_effective
	};
	struct work work = { .n = n, .y = y, .block = block, .count = count };

	if (!work_open(&work))
		return fit;
	fit_variance(&work, &fit);
	if (kb_wls_fit(n, y, work.weight, count, &work.line)) {
		/* The model's standard errors, widened when the scatter is larger than the variances within the sets explain. */
		double excess = sqrt(fmax(1, weighted_squares(&work) / (double)(count - 2)));

		fit.a = work.line.a;
		fit.b = work.line.b;
		fit.se_a = excess * kb_wls_se_a(&work.line);
		fit.se_b = excess * kb_wls_se_b(&work.line);
		test_linearity(&work, &fit);
		struct kb_robust_line robust = kb_bisquare_fit(n, y, work.weight, count, &work.line, median_line(&work, &fit), work.scratch);

		fit.a_robust = robust.a;
		fit.b_robust = robust.b;
		fit.se_robust = robust.se;
		slope_interval(&work, &fit, confidence);
	}
	kb_grid_free(&work.grid);
	free(work.weight);
	return fit;
}
