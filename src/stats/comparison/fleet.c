/*
 * A few nodes may be anything, and must neither move the centre nor widen the spread by which they are judged. So values that lie apart are
 * taken away from the outside inwards, as long as what remains says that they do not belong; then each node is held against the others.
 */
#include "stats/comparison/fleet.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "stats/series/series.h"

#define CONFIDENCE .95
#define TAIL_DF_MOST 20.0       /* noise of machines has longer tails than the normal distribution; */
#define TAIL_DF_FEW 4.0         /* how long they are, few nodes do not show */
#define TAIL_DF_EACH .25
#define APART_RATE .02          /* the i-th of n that are taken away has p <= i/n of this against the rest */
#define POOLED_DF .4            /* of a boot or run: a median of variances knows less than their mean */
#define MEDIAN_ERROR 1.2533     /* of a median over that of a mean, of normal values */
#define KURTOSIS_NODES 8u       /* fewer values tell nothing of their tails */

/* ---- runs and boots ------------------------------------------------------------------------------------------ */

/* What makes the values of one node differ: the errors of its runs, its runs in one boot with these, and its boots with both. */
enum { ERRORS, RUNS, BOOTS, LEVELS };

/* One node: of each level a variance and its degrees of freedom, 0 where it has but one. */
struct fleet_nested {
	double mean;                    /* of its boots' means */
	double variance[LEVELS], df[LEVELS];
	double share;                   /* of the variance of a run that is in a boot's mean, over its boots */
	double own, own_df;             /* the variance of its mean by the errors of its runs alone */
	size_t boots;
};

/* Over nodes. Of boots what is not of their runs. NAN: no node has two of them. */
struct fleet_variances { double run, boots; bool runs_known; };

/* Adds a boot. The sums become variances in find_nested. */
static void add_boot(struct fleet_nested *node, const struct kb_node_value *runs, size_t size)
{
	double n = (double)size, sum = 0, errors = 0, off;

	for (size_t k = 0; k < size; k++) {
		sum += runs[k].x;
		errors += runs[k].se * runs[k].se;
		node->df[ERRORS] += runs[k].df;
		node->own_df = node->boots == 0 && k == 0 ? runs[k].df : fmin(node->own_df, runs[k].df);
	}
	for (size_t k = 0; k < size; k++)
		node->variance[RUNS] += (runs[k].x - sum / n) * (runs[k].x - sum / n);
	node->variance[ERRORS] += errors;
	node->df[RUNS] += n - 1;
	node->share += 1 / n;
	node->own += errors / (n * n);
	off = sum / n - node->mean;
	node->mean += off / (double)++node->boots;
	node->variance[BOOTS] += off * (sum / n - node->mean);
}

static struct fleet_nested find_nested(const struct kb_node_value *runs, const size_t *sizes, size_t boots)
{
	struct fleet_nested node = { .boots = 0 };
	size_t all = 0;

	for (size_t k = 0; k < boots; all += sizes[k++])
		add_boot(&node, runs + all, sizes[k]);
	node.df[BOOTS] = (double)boots - 1;
	node.variance[ERRORS] /= (double)all;
	for (int level = RUNS; level < LEVELS; level++)
		node.variance[level] /= fmax(node.df[level], 1);
	node.share /= (double)boots;
	node.own /= (double)boots * (double)boots;
	return node;
}

/* Median of chi-square over its degrees of freedom (Wilson and Hilferty 1931). */
static double median_of_variance(double df)
{
	double root = 1 - 2 / (9 * df);

	return root * root * root;
}

/* Over nodes by their median: a node that differs widely from itself is one of many. NAN: no node has two. */
static double pool(const struct fleet_nested *nodes, size_t count, int level, double *scratch, size_t *pooled)
{
	*pooled = 0;
	for (size_t i = 0; i < count; i++) {
		if (nodes[i].df[level] > 0)
			scratch[(*pooled)++] = nodes[i].variance[level] / median_of_variance(nodes[i].df[level]);
	}
	kb_sort(scratch, *pooled);
	return *pooled > 0 ? kb_quantile_sorted(scratch, *pooled, .5) : NAN;
}

/* Of nodes that have several boots: what a boot's mean has of the variance of a run. */
static double mean_share(const struct fleet_nested *nodes, size_t count)
{
	double sum = 0, boots = 0;

	for (size_t i = 0; i < count; i++) {
		if (nodes[i].boots > 1) {
			sum += nodes[i].share * (double)nodes[i].boots;
			boots += (double)nodes[i].boots;
		}
	}
	return sum / boots;
}

static struct fleet_variances find_variances(const struct fleet_nested *nodes, size_t count, double *scratch, struct kb_level_spread *boots,
					     struct kb_level_spread *runs)
{
	size_t all;
	double error = pool(nodes, count, ERRORS, scratch, &all), run = pool(nodes, count, RUNS, scratch, &runs->nodes);
	double boot = pool(nodes, count, BOOTS, scratch, &boots->nodes);
	/* Chance may show less than the errors are. */
	struct fleet_variances variances = { .run = isnan(run) ? error : fmax(run, error), .runs_known = !isnan(run) };

	variances.boots = isnan(boot) ? NAN : fmax(boot - variances.run * mean_share(nodes, count), 0);
	runs->sd = isnan(run) ? NAN : sqrt(variances.run - error);
	boots->sd = sqrt(variances.boots);
	return variances;
}

/* Its error is that of the highest level of which any node has several. */
static struct kb_node_value value_of(const struct fleet_nested *node, const struct fleet_variances *all)
{
	bool boots = !isnan(all->boots);
	double seen = ((boots ? all->boots : 0) + all->run * node->share) / (double)node->boots, df = boots ? node->df[BOOTS] : node->df[RUNS];

	/* What runs show has their errors in it; but not those of a node that is measured twice as badly. */
	if ((!boots && !all->runs_known) || node->own > 4 * seen)
		return (struct kb_node_value){ node->mean, sqrt(node->own), node->own_df };
	return (struct kb_node_value){ node->mean, sqrt(seen), fmax(POOLED_DF * df, POOLED_DF / 2) };
}

static bool are_usable(const struct kb_node_value *values, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (!(fabs(values[i].x) < 1e100 && values[i].se >= 0 && values[i].se < 1e100 && values[i].df > 0))
			return false;
	}
	return true;
}

/* Sums of sizes, each of which is at least 1; 0: one is not. */
static size_t sum_of(const size_t *sizes, size_t n)
{
	size_t sum = 0;

	for (size_t i = 0; i < n; i++) {
		if (sizes[i] == 0)
			return 0;
		sum += sizes[i];
	}
	return sum;
}

int kb_fleet_boots(const struct kb_fleet_runs *all, struct kb_node_value *values, struct kb_level_spread *boots, struct kb_level_spread *runs)
{
	size_t boot_count = sum_of(all->boots, all->nodes), run_count = sum_of(all->runs, boot_count);
	struct fleet_nested *nodes = calloc(all->nodes + 1, sizeof *nodes);
	double *scratch = calloc(all->nodes + 1, sizeof *scratch);
	int error = nodes && scratch ? 0 : -ENOMEM;

	if (!error && ((all->nodes > 0 && run_count == 0) || !are_usable(all->values, run_count)))
		error = -EINVAL;
	for (size_t i = 0, boot = 0, run = 0; i < all->nodes && !error; boot += all->boots[i++]) {
		nodes[i] = find_nested(all->values + run, all->runs + boot, all->boots[i]);
		run += sum_of(all->runs + boot, all->boots[i]);
	}
	if (!error) {
		struct fleet_variances variances = find_variances(nodes, all->nodes, scratch, boots, runs);

		for (size_t i = 0; i < all->nodes; i++)
			values[i] = value_of(&nodes[i], &variances);
	}
	free(nodes);
	free(scratch);
	return error;
}

/* The error of a median, by the median absolute deviation: where the results of a node disagree, their middle is known badly. */
struct kb_node_value kb_fleet_whole(double *off, size_t results)
{
	double *scratch = calloc(results + 1, sizeof *scratch), middle, mad;

	kb_sort(off, results);
	middle = kb_quantile_sorted(off, results, .5);
	mad = scratch ? kb_mad(off, results, scratch) : fabs(off[results - 1] - off[0]);
	free(scratch);
	return (struct kb_node_value){ middle, MEDIAN_ERROR * KB_MAD_SIGMA * mad / sqrt((double)results), fmax((double)results - 1, 1) };
}

/* ---- the nodes that belong together -------------------------------------------------------------------------- */

/* Of some values. */
struct fleet_moments { double mean, variance, df; size_t n; };

/* Their squares are taken from the middle: values that lie close to each other would cancel. */
struct fleet_order {
	size_t *at;             /* nodes by value */
	double *sum, *squares;  /* of the first so many */
	double origin;
	size_t from, to;        /* those that are left */
};

static struct fleet_moments moments_of(const struct fleet_order *order, size_t from, size_t to)
{
	double n = (double)(to - from), sum = order->sum[to] - order->sum[from], squares = order->squares[to] - order->squares[from];

	return (struct fleet_moments){
		order->origin + sum / n, to - from > 1 ? fmax(squares - sum * sum / n, 0) / (n - 1) : 0, fmax(n - 1, 1), to - from,
	};
}

/* Without one value that is among them. */
static struct fleet_moments without(struct fleet_moments all, double x)
{
	double n = (double)all.n, off = x - all.mean;

	return (struct fleet_moments){
		(n * all.mean - x) / (n - 1), n > 2 ? fmax((n - 1) * all.variance - off * off * n / (n - 1), 0) / (n - 2) : 0,
		fmax(all.df * (n - 2) / (n - 1), 1), all.n - 1,
	};
}

/* What is usual, with the errors of values that are usual here: as a variance, of so many degrees of freedom. */
struct fleet_prior { double variance, df, own; };

/* The variance of nodes, of which a few tell little: where they show less than is usual, that counts, too. */
static double moderate(const struct fleet_prior *prior, const struct fleet_moments *seen, double *df)
{
	double weight = prior->df * fmin(prior->variance / fmax(seen->variance, 1e-300), 1);

	*df = weight + seen->df;
	return (weight * prior->variance + seen->df * seen->variance) / *df;
}

static struct kb_node_deviation judge(const struct kb_node_value *value, const struct fleet_moments *others, const struct fleet_prior *prior)
{
	double df, v = moderate(prior, others, &df), d = value->x - others->mean, all, se, half, above;
	/* Where its own error is larger than is usual, that counts besides. */
	double extra = fmax(value->se * value->se - prior->own, 0);

	v *= 1 + 1 / (double)others->n;
	all = v + extra;
	df = all > 0 ? all * all / (v * v / df + extra * extra / value->df) : df;
	df = fmin(fmin(df, TAIL_DF_FEW + TAIL_DF_EACH * (double)others->n), TAIL_DF_MOST);
	se = sqrt(all);
	half = se > 0 ? kb_t_factor(CONFIDENCE, df) * se : 0;
	above = se > 0 ? kb_t_cdf(-d / se, df) : d > 0 ? 0 : d < 0 ? 1 : .5;
	return (struct kb_node_deviation){
		.ln = kb_interval_known(d, d - half, d + half, (double)others->n), .se = se, .df = df, .p = fmin(2 * fmin(above, 1 - above), 1),
		.p_above = above,
	};
}

/* The tail itself, not the one that is long in case of need: what is taken away here is not named yet. */
static double p_apart(double d, const struct fleet_moments *rest, const struct fleet_prior *prior)
{
	double df, v = moderate(prior, rest, &df) * (1 + 1 / (double)rest->n);

	return v > 0 ? 2 * kb_t_cdf(-fabs(d) / sqrt(v), df) : d != 0 ? 0 : 1;
}

/* Rosner (1983), with a rate in place of a level: as many are taken away as the last of them justifies. */
static void take_apart(struct fleet_order *order, const struct kb_node_value *values, size_t nodes, const struct fleet_prior *prior)
{
	size_t from = 0, to = nodes, most = nodes > KB_FLEET_NODES_MIN ? (nodes - 1) / 2 : 0;

	if (most > nodes - KB_FLEET_NODES_MIN)
		most = nodes - KB_FLEET_NODES_MIN;
	order->from = 0;
	order->to = nodes;
	for (size_t i = 1; i <= most; i++) {
		struct fleet_moments all = moments_of(order, from, to);
		double low = values[order->at[from]].x, high = values[order->at[to - 1]].x, far = high - all.mean > all.mean - low ? high : low;

		*(far == low ? &from : &to) += far == low ? (size_t)1 : (size_t)-1;
		struct fleet_moments rest = moments_of(order, from, to);

		if (p_apart(far - rest.mean, &rest, prior) <= APART_RATE * (double)i / (double)nodes) {
			order->from = from;
			order->to = to;
		}
	}
}

/* ---- spread -------------------------------------------------------------------------------------------------- */

static double chi2_quantile(double p, double df)
{
	double low = 0, high = df + 10 * sqrt(2 * df) + 40;

	for (int i = 0; i < 80; i++) {
		double middle = (low + high) / 2;

		*(kb_chi2_cdf(middle, df) < p ? &low : &high) = middle;
	}
	return (low + high) / 2;
}

/* Of a variance: long tails tell less of it than normal values do (Bonett 2006). */
static double df_by_kurtosis(const struct fleet_order *order, const struct kb_node_value *values, const struct fleet_moments *all)
{
	double n = (double)all->n, fourth = 0, second = all->variance * (n - 1) / n, spread;

	if (all->n < KURTOSIS_NODES || !(second > 0))
		return all->df;
	for (size_t i = order->from; i < order->to; i++)
		fourth += pow(values[order->at[i]].x - all->mean, 4) / n;
	spread = (fourth / (second * second) - (n - 3) / (n - 1)) / n;
	return spread > 0 ? fmin(fmax(2 / spread, 2), n - 1) : n - 1;
}

/* 95 % CI of a variance. */
static struct kb_interval variance_interval(double variance, double df)
{
	double tail = (1 - CONFIDENCE) / 2;

	return kb_interval_known(variance, df * variance / chi2_quantile(1 - tail, df), df * variance / chi2_quantile(tail, df), df);
}

/* The variance of nodes without that of their own errors, each with its interval (Graybill and Wang 1980). */
static struct kb_interval sd_beyond(const struct kb_interval *all, const struct kb_interval *own)
{
	double value = all->value - own->value, low = value - hypot(all->value - all->low, own->high - own->value);
	/* Where errors alone explain more than is seen, that is chance, and no proof that nodes are equal. */
	double high = fmax(value, 0) + hypot(all->high - all->value, own->value - own->low);

	return kb_interval_known(sqrt(fmax(value, 0)), sqrt(fmax(low, 0)), sqrt(high), all->n_eff);
}

static void describe(const struct fleet_order *order, const struct kb_node_value *values, const struct fleet_moments *all,
		     struct kb_fleet_spread *spread)
{
	double own = 0, own_df = 0, half = kb_t_factor(CONFIDENCE, (double)all->n - 1) * sqrt(all->variance / (double)all->n);

	for (size_t i = order->from; i < order->to; i++) {
		own += values[order->at[i]].se * values[order->at[i]].se / (double)all->n;
		own_df += values[order->at[i]].df;
	}
	struct kb_interval of_all = variance_interval(all->variance, all->df), of_own = variance_interval(own, own_df);

	spread->healthy = all->n;
	spread->total = sqrt(all->variance);
	spread->centre = kb_interval_known(all->mean, all->mean - half, all->mean + half, (double)all->n);
	spread->between = sd_beyond(&of_all, &of_own);
}

/* ---- all nodes ----------------------------------------------------------------------------------------------- */

struct fleet_key { double x; size_t at; };

static int by_value(const void *one, const void *other)
{
	const struct fleet_key *a = one, *b = other;

	return a->x != b->x ? (a->x > b->x) - (a->x < b->x) : (a->at > b->at) - (a->at < b->at);
}

static int sort_nodes(const struct kb_node_value *values, size_t nodes, struct fleet_order *order)
{
	struct fleet_key *keys = malloc(nodes * sizeof *keys);

	order->at = malloc(nodes * sizeof *order->at);
	order->sum = calloc(2 * (nodes + 1), sizeof *order->sum);
	if (!keys || !order->at || !order->sum) {
		free(keys);
		return -ENOMEM;
	}
	for (size_t i = 0; i < nodes; i++)
		keys[i] = (struct fleet_key){ values[i].x, i };
	qsort(keys, nodes, sizeof *keys, by_value);
	order->squares = order->sum + nodes + 1;
	order->origin = keys[nodes / 2].x;
	for (size_t i = 0; i < nodes; i++) {
		double off = keys[i].x - order->origin;

		order->at[i] = keys[i].at;
		order->sum[i + 1] = order->sum[i] + off;
		order->squares[i + 1] = order->squares[i] + off * off;
	}
	free(keys);
	return 0;
}

static int find_prior(const struct kb_node_value *values, size_t nodes, const struct kb_usual_spread *usual, struct fleet_prior *prior)
{
	double *own = malloc(nodes * sizeof *own);

	if (!own)
		return -ENOMEM;
	for (size_t i = 0; i < nodes; i++)
		own[i] = values[i].se * values[i].se;
	kb_sort(own, nodes);
	prior->own = kb_quantile_sorted(own, nodes, .5);
	prior->variance = usual->sd * usual->sd + prior->own;
	prior->df = usual->df;
	free(own);
	return 0;
}

static void judge_all(struct fleet_order *order, const struct kb_node_value *values, size_t nodes, const struct fleet_prior *prior,
		      struct kb_fleet_spread *spread, struct kb_node_deviation *deviations)
{
	take_apart(order, values, nodes, prior);

	struct fleet_moments all = moments_of(order, order->from, order->to);

	all.df = df_by_kurtosis(order, values, &all);
	describe(order, values, &all, spread);
	for (size_t i = 0; i < nodes; i++) {
		size_t at = order->at[i];
		bool apart = i < order->from || i >= order->to;
		struct fleet_moments others = apart ? all : without(all, values[at].x);

		deviations[at] = judge(&values[at], &others, prior);
		deviations[at].apart = apart;
	}
}

int kb_fleet_deviations(const struct kb_node_value *values, size_t nodes, const struct kb_usual_spread *usual, struct kb_fleet_spread *spread,
			struct kb_node_deviation *deviations)
{
	struct fleet_order order = { .at = NULL };
	struct fleet_prior prior;
	int error;

	*spread = (struct kb_fleet_spread){ .nodes = nodes };
	if (nodes < KB_FLEET_NODES_MIN || !are_usable(values, nodes))
		return -EINVAL;
	error = find_prior(values, nodes, usual, &prior);
	if (!error)
		error = sort_nodes(values, nodes, &order);
	if (!error)
		judge_all(&order, values, nodes, &prior, spread, deviations);
	free(order.at);
	free(order.sum);
	return error;
}
