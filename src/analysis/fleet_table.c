/* See fleet_read.h: rows of results by nodes, what all results of a node have in common, and who is named. */
#include "analysis/fleet_read.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "grown.h"
#include "result/comparison.h"

#define LIKES_MOST 1500u        /* samples that are tried for what most are like */
#define WHOLE_RESULTS 3u        /* fewer have nothing in common that is worth a row */

/* Samples of one result in one environment. */
struct fleet_range {
	const struct fleet_sample *first;
	size_t count, position;         /* position: the first that it has in a run */
	const struct fleet_sample *like;        /* what most nodes measured; NULL: none has a cost */
};

/* ---- what belongs together --------------------------------------------------------------------------------- */

static bool is_side_b(const struct fleet_read *read, const struct fleet_sample *sample)
{
	return read->runs[sample->run].side == 'b';
}

static bool is_one_quantity(const struct fleet_sample *a, const struct fleet_sample *b)
{
	return strcmp(a->like, b->like) == 0 && !kb_unlike_samples(a->n_max, a->sample_ns, b->n_max, b->sample_ns);
}

/* Why its cost is not held against those that are like the other one; NULL: it is. */
static const char *why_not(const struct fleet_sample *sample, const struct fleet_sample *like)
{
	if (sample->why)
		return sample->why;
	if (!is_one_quantity(sample, like))
		return "measured otherwise";
	return strcmp(sample->headline, like->headline) == 0 ? NULL : "another kind of cost";
}

static size_t count_like(const struct fleet_range *range, const struct fleet_sample *like)
{
	size_t count = 0;

	for (size_t i = 0; i < range->count && !like->why; i++)
		count += why_not(&range->first[i], like) ? 0 : 1;
	return count;
}

/* The order of nodes must not matter: of several that as many are like, the one with the shortest samples. Some of very many are asked. */
static const struct fleet_sample *find_like(const struct fleet_range *range)
{
	const struct fleet_sample *best = NULL;
	size_t most = 0, step = range->count / LIKES_MOST + 1;

	for (size_t i = 0; i < range->count && most < range->count; i += step) {
		const struct fleet_sample *like = &range->first[i];
		size_t count = count_like(range, like);

		if (count > most || (count == most && best && like->sample_ns < best->sample_ns)) {
			most = count;
			best = like;
		}
	}
	return best;
}

const struct fleet_sample *kb_fleet_like(const struct fleet_sample *first, size_t count)
{
	return find_like(&(struct fleet_range){ .first = first, .count = count });
}

const char *kb_fleet_unlike(const struct fleet_sample *sample, const struct fleet_sample *like)
{
	return why_not(sample, like);
}

static struct fleet_range next_range(const struct fleet_read *read, size_t from)
{
	struct fleet_range range = { .first = &read->samples[from], .position = SIZE_MAX };

	for (; from < read->sample_count; from++, range.count++) {
		const struct fleet_sample *sample = &read->samples[from];

		if (strcmp(sample->row, range.first->row) != 0 || strcmp(sample->environment, range.first->environment) != 0)
			break;
		if (sample->position < range.position)
			range.position = sample->position;
	}
	range.like = find_like(&range);
	return range;
}

/* ---- values ------------------------------------------------------------------------------------------------ */

/* What all rows are made with. */
struct fleet_table {
	const struct fleet_read *read;
	struct kb_fleet_report *fleet;
	struct kb_node_value *runs, *values;    /* room for all samples, and for all nodes */
	size_t *run_counts, *boot_counts;       /* of boots, and of nodes */
	size_t *at, *places;                    /* places: of rows in their runs */
};

/* Of one sample. A cost that is not of the kind of the others' has the fleet's in its place, so that what it lost on top of it shows. */
static struct kb_node_value value_of(const struct fleet_sample *sample, const struct fleet_sample *like, enum kb_fleet_kind kind, double centre)
{
	const struct kb_node_value none = { .df = 0 };
	struct kb_node_value value = sample->cost;
	bool same = !why_not(sample, like);

	if (kind == KB_FLEET_COST)
		return same ? value : none;
	if (kind == KB_FLEET_WAIT)
		return sample->wait;
	if (sample->why || !is_one_quantity(sample, like) || !(sample->mean.df > 0) || (!same && isnan(centre)))
		return none;
	value.x = sample->mean.x - (same ? sample->cost.x : centre);
	value.se = 0;
	return value;
}

/* The runs of a node, a value each, which stand boot by boot, and how many each boot has. Returns how many boots, and adds to the runs. */
static size_t boots_of(const struct fleet_table *table, const struct fleet_range *range, size_t from, size_t to, enum kb_fleet_kind kind,
		       double centre, size_t *runs, size_t *counts)
{
	const struct fleet_sample *last = NULL;
	size_t boots = 0;

	for (size_t i = from; i < to; i++) {
		const struct fleet_sample *sample = &range->first[i];
		struct kb_node_value value = value_of(sample, range->like, kind, centre);

		if (!(value.df > 0) || is_side_b(table->read, sample))
			continue;
		if (!last || sample->boot != last->boot)
			counts[boots++] = 0;
		counts[boots - 1]++;
		table->runs[(*runs)++] = value;
		last = sample;
	}
	return boots;
}

static bool is_noisy(const struct fleet_sample *samples, size_t count)
{
	size_t noisy = 0;

	for (size_t i = 0; i < count; i++)
		noisy += samples[i].noisy ? 1 : 0;
	return 2 * noisy >= count && noisy > 0;
}

/* Fills runs, their counts and at. Returns how many nodes have a value. */
static size_t gather(struct fleet_table *table, const struct fleet_range *range, enum kb_fleet_kind kind, double centre, struct kb_fleet_row *row)
{
	size_t nodes = 0, runs = 0, boots = 0;

	for (size_t from = 0, to; from < range->count; from = to) {
		size_t node = range->first[from].node;

		for (to = from; to < range->count && range->first[to].node == node;)
			to++;
		row->cells[node].noisy = kind == KB_FLEET_COST && is_noisy(&range->first[from], to - from);
		row->cells[node].why = range->like ? why_not(&range->first[from], range->like) : range->first[from].why;
		table->boot_counts[nodes] = range->like ? boots_of(table, range, from, to, kind, centre, &runs, table->run_counts + boots) : 0;
		if (table->boot_counts[nodes] == 0)
			continue;
		boots += table->boot_counts[nodes];
		table->at[nodes++] = node;
	}
	return nodes;
}

/* ---- rows -------------------------------------------------------------------------------------------------- */

static struct kb_fleet_row *add_row(struct fleet_table *table, enum kb_fleet_kind kind, const char *name, const char *environment, size_t place)
{
	struct kb_fleet_report *fleet = table->fleet;
	struct kb_fleet_cell *cells = calloc(fleet->node_count, sizeof *cells);

	if (!cells || !KB_GROW(fleet->rows, fleet->row_count)) {
		free(cells);
		return NULL;
	}
	struct kb_fleet_row *row = &fleet->rows[fleet->row_count++];

	*row = (struct kb_fleet_row){ .kind = kind, .cells = cells, .whole = !name, .spread.nodes = 0, .boots.sd = NAN, .runs.sd = NAN };
	for (size_t i = 0; i < fleet->node_count; i++)
		cells[i].q = NAN;
	snprintf(row->row, sizeof row->row, "%s", name ? name : "all results");
	snprintf(row->environment, sizeof row->environment, "%s", environment);
	table->places[fleet->row_count - 1] = place;
	return row;
}

/* Where nothing is random, nothing is usual. What all results have in common is none that one system call has by chance. */
static struct kb_usual_spread usual_of(const struct kb_fleet_row *row)
{
	static const struct kb_usual_spread usual[KB_FLEET_KINDS] = { KB_FLEET_USUAL_COST, KB_FLEET_USUAL_LOSS, KB_FLEET_USUAL_WAIT };
	static const struct kb_usual_spread of_time = KB_FLEET_USUAL_TIME;
	struct kb_usual_spread of = strcmp(row->unit, "ns") == 0 ? of_time : usual[row->kind];

	of.sd = strcmp(row->unit, "insn") == 0 ? 0 : of.sd;
	return of;
}

/* Values of so many nodes into the row, which stays unknown where there are too few. */
static int judge_row(struct fleet_table *table, struct kb_fleet_row *row, size_t nodes)
{
	struct kb_usual_spread usual = usual_of(row);
	struct kb_node_deviation *deviations = calloc(nodes + 1, sizeof *deviations);
	int error = deviations ? 0 : -ENOMEM;

	row->spread.nodes = nodes;
	row->known = nodes >= KB_FLEET_NODES_MIN;
	if (!error && row->known)
		error = kb_fleet_deviations(table->values, nodes, &usual, &row->spread, deviations);
	for (size_t i = 0; i < nodes && !error; i++) {
		struct kb_fleet_cell *cell = &row->cells[table->at[i]];

		*cell = (struct kb_fleet_cell){
			row->known, row->known ? NULL : "too few nodes", exp(table->values[i].x), deviations[i], NAN, cell->noisy, false,
		};
	}
	free(deviations);
	return error;
}

static int add_result(struct fleet_table *table, const struct fleet_range *range, enum kb_fleet_kind kind, double centre, double *centre_found)
{
	struct kb_fleet_row *row = add_row(table, kind, range->first->row, range->first->environment, range->position);
	size_t nodes;
	int error;

	if (!row)
		return -ENOMEM;
	nodes = gather(table, range, kind, centre, row);
	if (kind == KB_FLEET_COST && range->like) {
		snprintf(row->unit, sizeof row->unit, "%s", range->like->unit);
		snprintf(row->per, sizeof row->per, "%s", range->like->per);
		row->shared = strcmp(row->unit, "ns") == 0 && strcmp(range->like->headline, kb_headline_name(KB_HEADLINE_OBSERVED)) == 0;
	}
	error = kb_fleet_boots(&(struct kb_fleet_runs){ table->runs, table->run_counts, table->boot_counts, nodes }, table->values, &row->boots, &row->runs);
	if (!error)
		error = judge_row(table, row, nodes);
	*centre_found = row->known ? row->spread.centre.value : NAN;
	return error;
}

static int add_results(struct fleet_table *table)
{
	const struct fleet_read *read = table->read;
	int error = 0;

	for (size_t from = 0; from < read->sample_count && !error;) {
		struct fleet_range range = next_range(read, from);
		double centre, other;

		error = add_result(table, &range, KB_FLEET_COST, NAN, &centre);
		if (!error)
			error = add_result(table, &range, KB_FLEET_LOSS, centre, &other);
		if (!error)
			error = add_result(table, &range, KB_FLEET_WAIT, NAN, &other);
		from += range.count;
	}
	return error;
}

/* ---- what all results of a node have in common --------------------------------------------------------------- */

static size_t deviations_of(const struct kb_fleet_report *fleet, size_t rows, size_t node, const struct kb_fleet_row *whole, double *to)
{
	size_t count = 0;

	for (size_t r = 0; r < rows; r++) {
		const struct kb_fleet_row *row = &fleet->rows[r];

		if (row->kind == whole->kind && row->cells[node].there && !row->cells[node].noisy && strcmp(row->environment, whole->environment) == 0)
			to[count++] = row->cells[node].deviation.ln.value;
	}
	return count;
}

/* Of a node that has half of the results that the one with most of them has. */
static int add_whole(struct fleet_table *table, enum kb_fleet_kind kind, const char *environment, size_t rows)
{
	struct kb_fleet_report *fleet = table->fleet;
	struct kb_fleet_row *row = add_row(table, kind, NULL, environment, 0);
	double *off = calloc(rows + 1, sizeof *off);
	size_t most = 0, nodes = 0;
	int error = row && off ? 0 : -ENOMEM;

	for (size_t i = 0; i < fleet->node_count && !error; i++) {
		size_t count = deviations_of(fleet, rows, i, row, off);

		most = count > most ? count : most;
	}
	for (size_t i = 0; i < fleet->node_count && !error && most >= WHOLE_RESULTS; i++) {
		size_t count = deviations_of(fleet, rows, i, row, off);

		if (count < WHOLE_RESULTS || 2 * count < most)
			continue;
		table->values[nodes] = kb_fleet_whole(off, count);
		table->at[nodes++] = i;
	}
	free(off);
	return error ? error : judge_row(table, row, nodes);
}

static int add_wholes(struct fleet_table *table)
{
	struct kb_fleet_report *fleet = table->fleet;
	size_t rows = fleet->row_count;
	int error = 0;

	/* Rows are by environment until now, and each is followed by its other kinds. */
	for (size_t r = 0; r < rows && !error; r++) {
		const char *environment = fleet->rows[r].environment;

		if (r > 0 && strcmp(environment, fleet->rows[r - 1].environment) == 0)
			continue;
		for (int kind = 0; kind < KB_FLEET_KINDS && !error; kind++) {
			char name[sizeof fleet->rows->environment];

			/* Rows may move when one is added. */
			snprintf(name, sizeof name, "%s", fleet->rows[r].environment);
			error = add_whole(table, kind, name, rows);
		}
	}
	return error;
}

/* ---- order --------------------------------------------------------------------------------------------------- */

struct fleet_place { struct kb_fleet_row row; size_t place; };

static int by_place(const void *one, const void *other)
{
	const struct fleet_place *a = one, *b = other;
	int order = strcmp(a->row.environment, b->row.environment);

	if (!order)
		order = (a->row.kind > b->row.kind) - (a->row.kind < b->row.kind);
	if (!order)
		order = (a->row.whole < b->row.whole) - (a->row.whole > b->row.whole);
	if (!order)
		order = (a->place > b->place) - (a->place < b->place);
	return order ? order : strcmp(a->row.row, b->row.row);
}

static int sort_rows(struct fleet_table *table)
{
	struct kb_fleet_report *fleet = table->fleet;
	struct fleet_place *places = malloc((fleet->row_count + 1) * sizeof *places);

	if (!places)
		return -ENOMEM;
	for (size_t r = 0; r < fleet->row_count; r++)
		places[r] = (struct fleet_place){ fleet->rows[r], table->places[r] };
	qsort(places, fleet->row_count, sizeof *places, by_place);
	for (size_t r = 0; r < fleet->row_count; r++)
		fleet->rows[r] = places[r].row;
	free(places);
	return 0;
}

int kb_fleet_table(const struct fleet_read *read, struct kb_fleet_report *fleet)
{
	struct fleet_table table = {
		read, fleet, calloc(read->sample_count + 1, sizeof *table.runs), calloc(fleet->node_count + 1, sizeof *table.values),
		calloc(read->sample_count + 1, sizeof *table.run_counts), calloc(fleet->node_count + 1, sizeof *table.boot_counts),
		calloc(fleet->node_count + 1, sizeof *table.at),
		/* So many rows a result, and of the whole of an environment, of which there are no more. */
		calloc(2 * KB_FLEET_KINDS * read->sample_count + 1, sizeof *table.places),
	};
	bool room = table.runs && table.values && table.run_counts && table.boot_counts && table.at && table.places;
	int error = room ? 0 : -ENOMEM;

	if (!error)
		error = add_results(&table);
	if (!error)
		error = add_wholes(&table);
	if (!error)
		error = sort_rows(&table);
	free(table.runs);
	free(table.values);
	free(table.run_counts);
	free(table.boot_counts);
	free(table.at);
	free(table.places);
	return error;
}
