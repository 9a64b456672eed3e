/*
 * See fleet.h: a level of each fleet and of each node, and their sum is the value (two-way layout). Tukey's median polish finds what is apart: a node
 * that was sick once, or that changed for good. What is left is fitted by least squares, which lose less than medians do.
 */
#include "stats/comparison/fleet.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "stats/stats.h"

#define POLISHES 10             /* rounds of the median polish: it need not have come to its end to tell what is apart */
#define ROUNDS_MOST 1000        /* of least squares; few where fleets have most of their nodes in common */
#define STEP_LEAST 1e-7         /* of a level: smaller steps are of no account */
#define TRIMMED 5u              /* one in so many is left out at either end */
#define APART 5.0               /* standard deviations, by the median of what is left */

/* Marks of one fleet, or of one node, stand together in `at` from first[i] to first[i + 1]. */
struct fleet_lists { size_t *first, *at; };

struct fleet_layout {
	const struct kb_fleet_mark *marks;
	size_t count, fleets, nodes;
	struct fleet_lists by_fleet, by_node;
	double *of_fleet, *of_node, *scratch;
	bool *apart;
};

static size_t place_of(const struct kb_fleet_mark *mark, bool fleet)
{
	return fleet ? mark->fleet : mark->node;
}

static bool make_lists(const struct fleet_layout *layout, bool fleet, struct fleet_lists *lists)
{
	size_t count = fleet ? layout->fleets : layout->nodes;

	lists->first = calloc(count + 2, sizeof *lists->first);
	lists->at = calloc(layout->count + 1, sizeof *lists->at);
	if (!lists->first || !lists->at)
		return false;
	for (size_t i = 0; i < layout->count; i++)
		lists->first[place_of(&layout->marks[i], fleet) + 2]++;
	for (size_t k = 2; k < count + 2; k++)
		lists->first[k] += lists->first[k - 1];
	for (size_t i = 0; i < layout->count; i++)
		lists->at[lists->first[place_of(&layout->marks[i], fleet) + 1]++] = i;
	return true;
}

/* What is left of a mark without the other factor. */
static double rest_of(const struct fleet_layout *layout, size_t i, bool fleet)
{
	const struct kb_fleet_mark *mark = &layout->marks[i];

	return mark->x - (fleet ? layout->of_node[mark->node] : layout->of_fleet[mark->fleet]);
}

/* ---- what is apart ----------------------------------------------------------------------------------------- */

static void polish(struct fleet_layout *layout, bool fleet)
{
	const struct fleet_lists *lists = fleet ? &layout->by_fleet : &layout->by_node;
	double *levels = fleet ? layout->of_fleet : layout->of_node;

	for (size_t k = 0; k < (fleet ? layout->fleets : layout->nodes); k++) {
		size_t n = lists->first[k + 1] - lists->first[k];

		for (size_t i = 0; i < n; i++)
			layout->scratch[i] = rest_of(layout, lists->at[lists->first[k] + i], fleet);
		kb_sort(layout->scratch, n);
		levels[k] = n > 0 ? kb_quantile_sorted(layout->scratch, n, .5) : 0;
	}
}

static double residual(const struct fleet_layout *layout, size_t i)
{
	return rest_of(layout, i, true) - layout->of_fleet[layout->marks[i].fleet];
}

/* Where most of a fleet is apart, that is what it is. */
static void keep_majorities(struct fleet_layout *layout)
{
	for (size_t k = 0; k < layout->fleets; k++) {
		const size_t *at = layout->by_fleet.at + layout->by_fleet.first[k];
		size_t n = layout->by_fleet.first[k + 1] - layout->by_fleet.first[k], apart = 0;

		for (size_t i = 0; i < n; i++)
			apart += layout->apart[at[i]] ? 1 : 0;
		for (size_t i = 0; i < n && 2 * apart > n; i++)
			layout->apart[at[i]] = false;
	}
}

/* Medians pass through values: as many residuals as there are levels tell nothing. What they would have told is in the middle of the others. */
static double sd_of_rest(const struct fleet_layout *layout)
{
	size_t known = layout->fleets + layout->nodes;

	for (size_t i = 0; i < layout->count; i++)
		layout->scratch[i] = fabs(residual(layout, i));
	kb_sort(layout->scratch, layout->count);
	return layout->count > known ? KB_MAD_SIGMA * kb_quantile_sorted(layout->scratch + known, layout->count - known, .5) : INFINITY;
}

static void find_apart(struct fleet_layout *layout)
{
	double sd;

	for (int i = 0; i < POLISHES; i++) {
		polish(layout, true);
		polish(layout, false);
	}
	polish(layout, true);
	sd = sd_of_rest(layout);
	for (size_t i = 0; i < layout->count; i++)
		layout->apart[i] = fabs(residual(layout, i)) > fmax(APART * sd, STEP_LEAST);
	keep_majorities(layout);
}

/* ---- least squares ------------------------------------------------------------------------------------------ */

/* Returns the largest step. */
static double average(struct fleet_layout *layout, bool fleet)
{
	const struct fleet_lists *lists = fleet ? &layout->by_fleet : &layout->by_node;
	double *levels = fleet ? layout->of_fleet : layout->of_node, largest = 0;

	for (size_t k = 0; k < (fleet ? layout->fleets : layout->nodes); k++) {
		double sum = 0;
		size_t n = 0;

		for (size_t i = lists->first[k]; i < lists->first[k + 1]; i++) {
			if (layout->apart[lists->at[i]])
				continue;
			sum += rest_of(layout, lists->at[i], fleet);
			n++;
		}
		if (n == 0)
			continue;
		largest = fmax(largest, fabs(sum / (double)n - levels[k]));
		levels[k] = sum / (double)n;
	}
	return largest;
}

/* From nodes without levels on, their mean stays zero in whatever hangs together: its fleets keep their plain mean. */
static void fit(struct fleet_layout *layout)
{
	double step = INFINITY;

	memset(layout->of_fleet, 0, layout->fleets * sizeof *layout->of_fleet);
	memset(layout->of_node, 0, layout->nodes * sizeof *layout->of_node);
	for (int i = 0; i < ROUNDS_MOST && step > STEP_LEAST; i++) {
		step = average(layout, true);
		step = fmax(average(layout, false), i > 0 ? step : INFINITY);
	}
	average(layout, true);
}

static void describe(const struct fleet_layout *layout, struct kb_node_value *levels)
{
	double squares = 0, variance;
	size_t kept = 0, known = layout->fleets + layout->nodes, df;

	for (size_t i = 0; i < layout->count; i++) {
		if (layout->apart[i])
			continue;
		squares += residual(layout, i) * residual(layout, i);
		kept++;
	}
	df = kept + 1 > known ? kept + 1 - known : 0;
	variance = df > 0 ? squares / (double)df : 0;
	for (size_t k = 0; k < layout->fleets; k++) {
		size_t n = 0;

		for (size_t i = layout->by_fleet.first[k]; i < layout->by_fleet.first[k + 1]; i++)
			n += layout->apart[layout->by_fleet.at[i]] ? 0 : 1;
		levels[k] = n > 0 ? (struct kb_node_value){ layout->of_fleet[k], sqrt(variance / (double)n), fmax((double)df, 1) } :
				    (struct kb_node_value){ .df = 0 };
	}
}

int kb_fleet_levels(const struct kb_fleet_mark *marks, size_t count, size_t fleets, size_t nodes, struct kb_node_value *levels, bool *apart)
{
	struct fleet_layout layout = { marks, count, fleets, nodes, .apart = apart };
	double *room = calloc(fleets + nodes + count + 1, sizeof *room);
	bool lists = make_lists(&layout, true, &layout.by_fleet), both = make_lists(&layout, false, &layout.by_node) && lists;
	int error = room && both ? 0 : -ENOMEM;

	for (size_t i = 0; i < count && !error; i++)
		error = fabs(marks[i].x) < 1e100 ? 0 : -EINVAL;
	if (!error && count > 0) {
		layout.of_fleet = room;
		layout.of_node = room + fleets;
		layout.scratch = room + fleets + nodes;
		find_apart(&layout);
		fit(&layout);
	}
	if (!error)
		describe(&layout, levels);
	free(layout.by_fleet.first);
	free(layout.by_fleet.at);
	free(layout.by_node.first);
	free(layout.by_node.at);
	free(room);
	return error;
}

/* ---- strangers ------------------------------------------------------------------------------------------------ */

/* The mean of the middle, and its variance: that of the values, with those that are left out at the place of the last that are not. */
struct fleet_middle { double mean, variance, df; };

static struct fleet_middle middle_of(double *x, size_t n)
{
	size_t out = n / TRIMMED, left = n - 2 * out;
	struct fleet_middle middle;

	kb_sort(x, n);
	middle = (struct fleet_middle){ .mean = n > 0 ? kb_mean(x + out, left) : 0, .df = (double)left - 1 };
	for (size_t i = 0; i < out; i++) {
		x[i] = x[out];
		x[n - 1 - i] = x[n - 1 - out];
	}
	middle.variance = left > 1 ? ((double)n - 1) * kb_variance(x, n) / ((double)left * ((double)left - 1)) : 0;
	return middle;
}

/* Satterthwaite's degrees of freedom. */
static struct kb_difference compare_middles(const struct fleet_middle *a, const struct fleet_middle *b, size_t nodes, double margin)
{
	double v = a->variance + b->variance, spread = a->variance * a->variance / a->df + b->variance * b->variance / b->df;

	return kb_difference_by_t(b->mean - a->mean, sqrt(v), v > 0 ? v * v / spread : 1, nodes, margin);
}

int kb_fleet_strangers(const struct kb_node_value *a, size_t na, const struct kb_node_value *b, size_t nb, double margin, struct kb_fleet_strangers *to)
{
	double *x = calloc(na + nb + 1, sizeof *x), *y = x + na;
	struct fleet_middle of_a, of_b;
	int error = x ? 0 : -ENOMEM;

	for (size_t i = 0; i < na + nb && !error; i++) {
		x[i] = i < na ? a[i].x : b[i - na].x;
		error = fabs(x[i]) < 1e100 ? 0 : -EINVAL;
	}
	if (!error) {
		to->spread = sqrt(fmax(kb_variance(x, na), kb_variance(y, nb)));
		of_a = middle_of(x, na);
		of_b = middle_of(y, nb);
		to->middle[0] = of_a.mean;
		to->middle[1] = of_b.mean;
		to->difference = na > 1 && nb > 1 ? compare_middles(&of_a, &of_b, na + nb, margin) :
						    kb_difference_by_t(of_b.mean - of_a.mean, 0, 1, na < nb ? na : nb, margin);
	}
	free(x);
	return error;
}
