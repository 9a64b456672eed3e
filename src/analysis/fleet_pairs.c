/* See fleet_compare.h: the results of two fleets that were read, one after the other. */
#include "analysis/fleet_read.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "grown.h"
#include "stats/comparison/fleet.h"

/* ---- one result of one environment ---------------------------------------------------------------------------- */

/* Values of nodes on both sides; df 0: none. */
struct fleets_values {
	struct kb_node_value *a, *b;
	size_t count, there[2], noisy[2];       /* nodes that have it at all, and noisy */
	const char *why[2];             /* one of them has no value that could be compared; NULL: all have */
};

static bool is_alike(const struct fleet_sample *sample, const struct fleet_sample *like)
{
	return !kb_fleet_unlike(sample, like);
}

/* Of one node. */
static void count_states(const struct fleet_read *read, const struct fleet_sample *samples, size_t count, const struct fleet_sample *like,
			 struct fleets_values *values, struct kb_fleets_row *row)
{
	bool there[2] = { false }, invalid[2] = { false }, noisy[2] = { false };

	for (size_t i = 0; i < count; i++) {
		unsigned side = read->runs[samples[i].run].side == 'b';
		const char *why = like ? kb_fleet_unlike(&samples[i], like) : samples[i].why;

		there[side] = true;
		noisy[side] |= samples[i].noisy;
		invalid[side] |= samples[i].why && strcmp(samples[i].why, kb_status_name(KB_INVALID)) == 0;
		values->why[side] = why ? why : values->why[side];
	}
	for (unsigned side = 0; side < 2; side++) {
		values->there[side] += there[side] ? 1 : 0;
		values->noisy[side] += noisy[side] ? 1 : 0;
		row->invalid[side] += invalid[side] ? 1 : 0;
	}
}

static void gather(const struct fleet_read *read, const struct fleet_sample *first, size_t count, const struct fleet_sample *like,
		   struct fleets_values *values, struct kb_fleets_row *row)
{
	for (size_t from = 0, to; from < count; from = to) {
		struct kb_node_value none = { .df = 0 }, a, b;

		for (to = from; to < count && first[to].node == first[from].node;)
			to++;
		count_states(read, &first[from], to - from, like, values, row);
		a = like ? kb_fleet_side_of(read, &first[from], to - from, 'a', like, is_alike) : none;
		b = like ? kb_fleet_side_of(read, &first[from], to - from, 'b', like, is_alike) : none;
		row->nodes[0] += a.df > 0 ? 1 : 0;
		row->nodes[1] += b.df > 0 ? 1 : 0;
		row->common += a.df > 0 && b.df > 0 ? 1 : 0;
		values->a[values->count] = a;
		values->b[values->count++] = b;
	}
}

/* Leaves those that count in front: nodes that are on both sides, or all that a side has. */
static void keep(struct fleets_values *values, bool paired)
{
	size_t na = 0, nb = 0;

	for (size_t i = 0; i < values->count; i++) {
		struct kb_node_value a = values->a[i], b = values->b[i];

		if (a.df > 0 && (!paired || b.df > 0))
			values->a[na++] = a;
		if (b.df > 0 && (!paired || a.df > 0))
			values->b[nb++] = b;
	}
}

static struct kb_estimate mean_of(const struct kb_node_value *values, size_t count)
{
	double sum = 0;

	for (size_t i = 0; i < count; i++)
		sum += values[i].x;
	return (struct kb_estimate){ .value = count > 0 ? exp(sum / (double)count) : 0, .known = count > 0 };
}

/* Fleet with fleet. */
static int compare_strangers(struct kb_fleets_row *row, const struct fleets_values *values)
{
	struct kb_comparison *c = &row->comparison;
	struct kb_fleet_strangers strangers;
	int error = kb_fleet_strangers(values->a, row->nodes[0], values->b, row->nodes[1], c->margin, &strangers);

	if (error)
		return error;
	c->difference = strangers.difference;
	row->between = strangers.spread;
	c->a.value = exp(strangers.middle[0]);
	c->b.value = exp(strangers.middle[1]);
	return 0;
}

/* Node by node. */
static int compare_nodes(struct kb_fleets_row *row, const struct fleets_values *values)
{
	struct kb_comparison *c = &row->comparison;
	size_t n = row->common;
	double *d;

	d = calloc(2 * n + 1, sizeof *d);
	if (!d)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++) {
		d[i] = values->b[i].x - values->a[i].x;
		d[n + i] = hypot(values->a[i].se, values->b[i].se);
	}
	c->difference = kb_fleet_difference(d, d + n, n, c->margin, &row->between);
	free(d);
	return 0;
}

/* A large fleet always has a node on which something fails, and is not invalid for that; one on which most fail is. */
static enum kb_status status_of(size_t nodes, size_t invalid, size_t noisy)
{
	return invalid > 0 && invalid >= nodes ? KB_INVALID : noisy > 0 && 2 * noisy >= nodes ? KB_NOISY : KB_OK;
}

static void decide(const struct fleets_values *values, struct kb_fleets_row *row)
{
	struct kb_comparison *c = &row->comparison;
	bool changed = strstr(row->environment, KB_FLEETS_JOINED) != NULL;

	for (unsigned side = 0; side < 2; side++)
		c->status[side] = status_of(row->nodes[side], row->invalid[side], values->noisy[side]);
	c->invalid = c->status[0] == KB_INVALID || c->status[1] == KB_INVALID;
	if (changed)
		kb_verdict_add(&c->verdict, KB_CODE_env_mismatch, "environment IDs");
	for (unsigned side = 0; side < 2; side++) {
		if (row->nodes[side] == 0 && row->invalid[side] == 0)
			kb_verdict_add(&c->verdict, KB_CODE_env_mismatch, "results, all of the %s fleet: %s", side ? "new" : "base", values->why[side]);
	}
	if (c->verdict.count == 0 && !c->invalid && c->processes < KB_FLEET_NODES_MIN)
		kb_verdict_add(&c->verdict, KB_CODE_too_few_effective, "%zu and %zu nodes, %zu of them common; a decision needs %u", row->nodes[0],
			       row->nodes[1], row->common, KB_FLEET_NODES_MIN);
	if (c->verdict.count > 0 || c->invalid)
		c->difference.p_slower = c->difference.p_faster = 1;
	else
		c->decision = kb_decide(&c->difference, c->margin);
}

static void begin_row(const struct kb_compared_fleets *to, const struct fleet_sample *first, const struct fleet_sample *like, struct kb_fleets_row *row)
{
	struct kb_comparison *c = &row->comparison;

	*row = (struct kb_fleets_row){
		.comparison = {
			.decision = KB_INCONCLUSIVE, .counts = true, .p_holm = 1, .q = 1, .p_rank = 1, .margin = log1p(to->margin),
			.difference = { .ln = { .value = NAN, .why = KB_CODE_too_few_effective }, .detectable = NAN, .p_slower = 1, .p_faster = 1 },
		},
		.place = first->position, .between = NAN,
	};
	snprintf(c->key, sizeof c->key, "%.*s", (int)KB_ROW_NAME - 1, first->row);
	memcpy(c->key_b, c->key, sizeof c->key);
	snprintf(row->environment, sizeof row->environment, "%s", first->environment);
	snprintf(row->unit, sizeof row->unit, "%s", like ? like->unit : first->unit);
	snprintf(row->per, sizeof row->per, "%s", like ? like->per : first->per);
}

static int add_alone(struct kb_compared_fleets *to, const struct fleet_sample *first, unsigned side)
{
	if (!KB_GROW(to->alone, to->alone_count))
		return -ENOMEM;
	to->alone[to->alone_count] = (struct kb_fleets_alone){ .side = side };
	snprintf(to->alone[to->alone_count].row, sizeof to->alone->row, "%s", first->row);
	snprintf(to->alone[to->alone_count++].environment, sizeof to->alone->environment, "%s", first->environment);
	return 0;
}

static int add_row(const struct fleet_read *read, const struct fleet_sample *first, size_t count, struct fleets_values *values, struct kb_compared_fleets *to)
{
	const struct fleet_sample *like = kb_fleet_like(first, count);
	struct kb_fleets_row row;
	struct kb_comparison *c = &row.comparison;
	int error;

	begin_row(to, first, like, &row);
	*values = (struct fleets_values){ .a = values->a, .b = values->b };
	gather(read, first, count, like, values, &row);
	if (values->there[0] == 0 || values->there[1] == 0)
		return add_alone(to, first, values->there[0] == 0);
	row.paired = row.common >= KB_FLEET_NODES_MIN;
	keep(values, row.paired);
	c->a = mean_of(values->a, row.paired ? row.common : row.nodes[0]);
	c->b = mean_of(values->b, row.paired ? row.common : row.nodes[1]);
	c->processes = (unsigned)(row.paired ? row.common : row.nodes[0] < row.nodes[1] ? row.nodes[0] : row.nodes[1]);
	error = row.paired ? compare_nodes(&row, values) : compare_strangers(&row, values);
	if (error || !KB_GROW(to->rows, to->count))
		return error ? error : -ENOMEM;
	if (strcmp(row.unit, "ns") == 0)
		c->ns[0] = c->a, c->ns[1] = c->b;
	decide(values, &row);
	to->rows[to->count++] = row;
	return 0;
}

/* ---- all of them ----------------------------------------------------------------------------------------------- */

static int by_place(const void *one, const void *other)
{
	const struct kb_fleets_row *a = one, *b = other;
	int order = strcmp(a->environment, b->environment);

	order = order ? order : (a->place > b->place) - (a->place < b->place);
	return order ? order : strcmp(a->comparison.key, b->comparison.key);
}

struct kb_comparison *kb_fleets_comparisons(const struct kb_compared_fleets *fleets)
{
	struct kb_comparison *all = calloc(fleets->count + 1, sizeof *all);

	for (size_t i = 0; all && i < fleets->count; i++)
		all[i] = fleets->rows[i].comparison;
	return all;
}

static int adjust(struct kb_compared_fleets *to)
{
	struct kb_comparison *all = kb_fleets_comparisons(to);
	int error = all ? kb_compare_family(all, to->count) : -ENOMEM;

	for (size_t i = 0; i < to->count && !error; i++) {
		to->rows[i].comparison = all[i];
		to->rows[i].comparison.unit = to->rows[i].unit;
	}
	free(all);
	return error;
}

static size_t end_of_row(const struct fleet_read *read, size_t from)
{
	const struct fleet_sample *first = &read->samples[from];
	size_t to = from;

	while (to < read->sample_count && strcmp(read->samples[to].row, first->row) == 0 && strcmp(read->samples[to].environment, first->environment) == 0)
		to++;
	return to;
}

int kb_fleets_compare_rows(const struct fleet_read *read, size_t nodes, struct kb_compared_fleets *to)
{
	struct kb_node_value *room = calloc(2 * nodes + 1, sizeof *room);
	struct fleets_values values = { .a = room, .b = room + nodes };
	int error = room ? 0 : -ENOMEM;

	for (size_t from = 0, end; from < read->sample_count && !error; from = end) {
		end = end_of_row(read, from);
		error = add_row(read, &read->samples[from], end - from, &values, to);
	}
	free(room);
	if (!error && to->count > 0)
		qsort(to->rows, to->count, sizeof *to->rows, by_place);
	return error ? error : adjust(to);
}
