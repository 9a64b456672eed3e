/* See fleet_read.h: results that nodes measured on two sides. */
#include "analysis/fleet_read.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "grown.h"
#include "result/comparison.h"

/* Nodes that have both sides. */
struct fleet_sides { double *d, *se; size_t count; };

struct kb_node_value kb_fleet_side_of(const struct fleet_read *read, const struct fleet_sample *samples, size_t count, char side,
				      const struct fleet_sample *like, fleet_is_like *is_like)
{
	struct kb_node_value value = { .df = 0 };
	size_t runs = 0;

	for (size_t i = 0; i < count; i++) {
		const struct fleet_sample *sample = &samples[i];

		if (sample->why || read->runs[sample->run].side != side || !is_like(sample, like))
			continue;
		value.x += sample->cost.x;
		value.se = hypot(value.se, sample->cost.se);
		runs++;
	}
	return runs > 0 ? (struct kb_node_value){ value.x / (double)runs, value.se / (double)runs, 1 } : value;
}

/* Samples of two lengths are of one thing where they were taken in turn. */
static bool is_one_thing(const struct fleet_sample *sample, const struct fleet_sample *like)
{
	return strcmp(sample->like, like->like) == 0 && strcmp(sample->headline, like->headline) == 0;
}

static void add_node(const struct fleet_read *read, const struct fleet_sample *samples, size_t count, struct fleet_sides *sides,
		     const struct fleet_sample **like)
{
	struct kb_node_value a, b;

	for (size_t i = 0; i < count && !*like; i++)
		*like = samples[i].why || !read->runs[samples[i].run].side ? NULL : &samples[i];
	if (!*like)
		return;
	a = kb_fleet_side_of(read, samples, count, 'a', *like, is_one_thing);
	b = kb_fleet_side_of(read, samples, count, 'b', *like, is_one_thing);
	if (!(a.df > 0) || !(b.df > 0))
		return;
	sides->d[sides->count] = b.x - a.x;
	sides->se[sides->count++] = hypot(a.se, b.se);
}

/* One result of one environment. Returns where the next one begins. */
static size_t gather(const struct fleet_read *read, size_t from, struct fleet_sides *sides)
{
	const struct fleet_sample *first = &read->samples[from], *like = NULL;
	size_t to;

	sides->count = 0;
	for (; from < read->sample_count; from = to) {
		const struct fleet_sample *sample = &read->samples[from];

		if (strcmp(sample->row, first->row) != 0 || strcmp(sample->environment, first->environment) != 0)
			break;
		for (to = from; to < read->sample_count && read->samples[to].node == sample->node && strcmp(read->samples[to].row, first->row) == 0 &&
		     strcmp(read->samples[to].environment, first->environment) == 0;)
			to++;
		add_node(read, sample, to - from, sides, &like);
	}
	return from;
}

static int add_change(struct kb_fleet_report *fleet, const struct fleet_sample *first, const struct fleet_sides *sides)
{
	double margin = log1p(fleet->margin);

	if (!KB_GROW(fleet->changes, fleet->change_count))
		return -ENOMEM;
	struct kb_fleet_change *change = &fleet->changes[fleet->change_count++];

	*change = (struct kb_fleet_change){ .nodes = sides->count, .place = first->position, .q = 1 };
	snprintf(change->row, sizeof change->row, "%s", first->row);
	snprintf(change->environment, sizeof change->environment, "%s", first->environment);
	change->difference = kb_fleet_difference(sides->d, sides->se, sides->count, margin, &change->between);
	change->decision = kb_decide(&change->difference, margin);
	return 0;
}

static int adjust(struct kb_fleet_report *fleet)
{
	double *p = calloc(2 * fleet->change_count + 1, sizeof *p), *q = p + fleet->change_count;
	int error = p ? 0 : -ENOMEM;

	for (size_t i = 0; i < fleet->change_count && !error; i++)
		p[i] = fmin(2 * fmin(fleet->changes[i].difference.p_slower, fleet->changes[i].difference.p_faster), 1);
	if (!error)
		error = kb_benjamini_hochberg(p, fleet->change_count, q);
	for (size_t i = 0; i < fleet->change_count && !error; i++)
		fleet->changes[i].q = q[i];
	free(p);
	return error;
}

static int by_place(const void *one, const void *other)
{
	const struct kb_fleet_change *a = one, *b = other;
	int order = strcmp(a->environment, b->environment);

	order = order ? order : (a->place > b->place) - (a->place < b->place);
	return order ? order : strcmp(a->row, b->row);
}

int kb_fleet_changes(const struct fleet_read *read, struct kb_fleet_report *fleet)
{
	double *d = calloc(2 * fleet->node_count + 1, sizeof *d);
	struct fleet_sides sides = { .d = d, .se = d + fleet->node_count };
	int error = d ? 0 : -ENOMEM;

	for (size_t from = 0; from < read->sample_count && !error;) {
		const struct fleet_sample *first = &read->samples[from];

		from = gather(read, from, &sides);
		if (sides.count > 0)
			error = add_change(fleet, first, &sides);
	}
	if (!error)
		error = adjust(fleet);
	if (!error && fleet->change_count > 0)
		qsort(fleet->changes, fleet->change_count, sizeof *fleet->changes, by_place);
	free(d);
	return error;
}
