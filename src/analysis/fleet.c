/* See fleet.h. */
#include "analysis/fleet.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/fleet_read.h"
#include "stats/stats.h"

#define CLOCK_OFF .01           /* of the core's clock: reported from here on */
#define CLEAN_OFF .1            /* of the samples: uncontended, fewer than the fleet's */
#define DISTURBED_OFF .005      /* of the samples: left out as disturbed, more than the fleet's and twice as many */
#define WAITED_OFF .05          /* of the time: for a CPU, more than the fleet */

const char *kb_fleet_kind_name(enum kb_fleet_kind kind)
{
	static const char *const names[KB_FLEET_KINDS] = { "cost", "loss", "wait" };

	return names[kind];
}

/* ---- who is named ---------------------------------------------------------------------------------------------- */

/* Of each node and kind: p and q of each row, or NAN, and q of them together. */
struct fleet_families { double *p, *q, *family_q; };

/* How many results a node is judged by, with the whole; 0: it has no whole. */
static size_t cells_of(const struct kb_fleet_report *fleet, size_t node, enum kb_fleet_kind kind)
{
	size_t count = 0;
	bool whole = false;

	for (size_t r = 0; r < fleet->row_count; r++) {
		if (fleet->rows[r].kind != kind || !fleet->rows[r].cells[node].there)
			continue;
		count++;
		whole |= fleet->rows[r].whole;
	}
	return whole ? count : 0;
}

/* Whether it comes and goes, with a neighbour who had his turn during one result: a node is then judged by what its results have in common. */
static bool comes_and_goes(const struct kb_fleet_row *row)
{
	return !row->whole && (row->kind != KB_FLEET_COST || row->shared);
}

/* Nobody is sick who loses or waits less than the others. inside: of a node that is named results are listed, of all kinds. */
static void fill_family(const struct kb_fleet_report *fleet, size_t node, enum kb_fleet_kind kind, bool inside, double *p)
{
	size_t each = cells_of(fleet, node, kind);
	bool alone = kind != KB_FLEET_COST && !inside;

	for (size_t r = 0; r < fleet->row_count; r++) {
		const struct kb_fleet_row *row = &fleet->rows[r];
		const struct kb_fleet_cell *cell = &row->cells[node];

		p[r] = NAN;
		if (row->kind != kind || !cell->there || (!inside && comes_and_goes(row) && (alone || each > 0)))
			continue;
		p[r] = cell->noisy ? 1 : kb_fleet_weighted(&cell->deviation, log1p(fleet->margin), kind != KB_FLEET_COST, row->whole, alone ? 0 : each);
	}
}

static void fill_families(const struct kb_fleet_report *fleet, bool inside, struct fleet_families *all)
{
	for (size_t node = 0; node < fleet->node_count; node++) {
		for (int kind = 0; kind < KB_FLEET_KINDS; kind++)
			fill_family(fleet, node, (enum kb_fleet_kind)kind, inside,
				    all->p + (node * KB_FLEET_KINDS + (size_t)kind) * fleet->row_count);
	}
}

static void take_family(struct kb_fleet_report *fleet, size_t node, enum kb_fleet_kind kind, double family_q, const double *q)
{
	fleet->nodes[node].q[kind] = family_q;
	fleet->nodes[node].deviates[kind] = family_q <= KB_FLEET_RATE;
	for (size_t r = 0; r < fleet->row_count; r++) {
		struct kb_fleet_row *row = &fleet->rows[r];

		if (isnan(q[r]))
			continue;
		row->cells[node].q = kind != KB_FLEET_COST && row->whole ? family_q : q[r];
		row->cells[node].deviates = family_q <= KB_FLEET_RATE && row->cells[node].q <= KB_FLEET_RATE;
		fleet->nodes[node].results += kind == KB_FLEET_COST && !row->whole ? 1 : 0;
	}
}

static int name_nodes(struct kb_fleet_report *fleet)
{
	size_t families = fleet->node_count * KB_FLEET_KINDS, each = fleet->row_count;
	struct fleet_families all = {
		calloc(families * each + 1, sizeof(double)), calloc(families * each + 1, sizeof(double)), calloc(families + 1, sizeof(double)),
	};
	int error = all.p && all.q && all.family_q ? 0 : -ENOMEM;

	if (!error) {
		fill_families(fleet, false, &all);
		error = kb_fleet_select(all.p, families, each, all.family_q);
	}
	if (!error) {
		fill_families(fleet, true, &all);
		error = kb_fleet_select_inside(all.p, families, each, KB_FLEET_RATE, all.family_q, all.q);
	}
	for (size_t f = 0; f < families && !error; f++)
		take_family(fleet, f / KB_FLEET_KINDS, (enum kb_fleet_kind)(f % KB_FLEET_KINDS), all.family_q[f], all.q + f * each);
	free(all.p);
	free(all.q);
	free(all.family_q);
	return error;
}

/* ---- why ------------------------------------------------------------------------------------------------------- */

enum { MHZ, CLEAN, DISTURBED, WAITED, FACTS };

static double fact_of(const struct fleet_sample *sample, int fact)
{
	const double facts[FACTS] = { sample->mhz, sample->clean, sample->disturbed, sample->waited };

	return facts[fact];
}

static double *own_of(struct kb_judged_node *node, int fact)
{
	double *const facts[FACTS] = { &node->own.mhz, &node->own.clean, &node->own.disturbed, &node->own.waited };

	return facts[fact];
}

static double *fleet_of(struct kb_judged_node *node, int fact)
{
	double *const facts[FACTS] = { &node->fleet.mhz, &node->fleet.clean, &node->fleet.disturbed, &node->fleet.waited };

	return facts[fact];
}

static double median_or_none(double *values, size_t count)
{
	kb_sort(values, count);
	return count > 0 ? kb_quantile_sorted(values, count, .5) : NAN;
}

/* firsts[n]: where the values of node n begin, in room for all of them. */
static void find_own(const struct fleet_read *read, struct kb_fleet_report *fleet, int fact, const size_t *firsts, size_t *used, double *values)
{
	memset(used, 0, fleet->node_count * sizeof *used);
	for (size_t i = 0; i < read->sample_count; i++) {
		size_t node = read->samples[i].node;

		if (!isnan(fact_of(&read->samples[i], fact)))
			values[firsts[node] + used[node]++] = fact_of(&read->samples[i], fact);
	}
	for (size_t n = 0; n < fleet->node_count; n++)
		*own_of(&fleet->nodes[n], fact) = median_or_none(values + firsts[n], used[n]);
}

static void find_firsts(const struct fleet_read *read, size_t nodes, size_t *firsts)
{
	for (size_t i = 0; i < read->sample_count; i++)
		firsts[read->samples[i].node + 1]++;
	for (size_t n = 0; n < nodes; n++)
		firsts[n + 1] += firsts[n];
}

static void find_usual(struct kb_fleet_report *fleet, int fact, double *values)
{
	for (size_t n = 0, used = 0; n < fleet->node_count; n++, used = 0) {
		for (size_t i = 0; i < fleet->node_count; i++) {
			double own = *own_of(&fleet->nodes[i], fact);

			if (strcmp(fleet->nodes[i].environment, fleet->nodes[n].environment) == 0 && !isnan(own))
				values[used++] = own;
		}
		*fleet_of(&fleet->nodes[n], fact) = median_or_none(values, used);
	}
}

static int find_facts(const struct fleet_read *read, struct kb_fleet_report *fleet)
{
	double *values = calloc(read->sample_count + fleet->node_count + 1, sizeof *values);
	size_t *firsts = calloc(2 * fleet->node_count + 1, sizeof *firsts), *used = firsts ? firsts + fleet->node_count + 1 : NULL;
	bool room = values && firsts;

	if (room)
		find_firsts(read, fleet->node_count, firsts);
	for (int fact = 0; fact < FACTS && room; fact++) {
		find_own(read, fleet, fact, firsts, used, values);
		find_usual(fleet, fact, values);
	}
	free(values);
	free(firsts);
	return room ? 0 : -ENOMEM;
}

const char *kb_fleet_reason(const struct kb_judged_node *node, char text[KB_FLEET_WHY])
{
	size_t used = 0;

	text[0] = '\0';
	if (fabs(node->own.mhz / node->fleet.mhz - 1) >= CLOCK_OFF)
		used += (size_t)snprintf(text, KB_FLEET_WHY, "core clock %.0f MHz, of the fleet %.0f MHz", node->own.mhz, node->fleet.mhz);
	if (node->own.clean <= node->fleet.clean - CLEAN_OFF)
		used += (size_t)snprintf(text + used, KB_FLEET_WHY - used, "%s%.0f %% of the samples uncontended, of the fleet's %.0f %%", used ? "; " : "",
					 100 * node->own.clean, 100 * node->fleet.clean);
	if (node->own.disturbed >= node->fleet.disturbed + DISTURBED_OFF && node->own.disturbed >= 2 * node->fleet.disturbed)
		used += (size_t)snprintf(text + used, KB_FLEET_WHY - used, "%s%.1f %% of the samples interrupted, of the fleet's %.1f %%",
					 used ? "; " : "", 100 * node->own.disturbed, 100 * node->fleet.disturbed);
	if (node->own.waited >= node->fleet.waited + WAITED_OFF)
		snprintf(text + used, KB_FLEET_WHY - used, "%swaited for a CPU %.0f %% of the time, the fleet %.0f %%", used ? "; " : "",
			 100 * node->own.waited, 100 * node->fleet.waited);
	return text;
}

/* ---- the whole ----------------------------------------------------------------------------------------------- */

int kb_fleet_judge(const struct fleet_read *read, struct kb_fleet_report *fleet)
{
	return kb_fleet_table(read, fleet) ?: name_nodes(fleet);
}

int kb_fleet_load(struct kb_store *store, const struct kb_fleet_wanted *request, struct kb_fleet_report *fleet)
{
	struct fleet_read read = { .runs = NULL };
	int error;

	*fleet = (struct kb_fleet_report){ .margin = request->margin };
	error = kb_fleet_read(store, request, &read, fleet);
	if (!error)
		error = kb_fleet_judge(&read, fleet);
	if (!error)
		error = find_facts(&read, fleet);
	if (!error)
		error = kb_fleet_changes(&read, fleet);
	kb_fleet_read_free(&read);
	return error;
}

void kb_fleet_free(struct kb_fleet_report *fleet)
{
	for (size_t r = 0; r < fleet->row_count; r++)
		free(fleet->rows[r].cells);
	free(fleet->rows);
	free(fleet->nodes);
	free(fleet->changes);
}

bool kb_fleet_node_deviates(const struct kb_judged_node *node)
{
	return node->deviates[KB_FLEET_COST] || node->deviates[KB_FLEET_LOSS] || node->deviates[KB_FLEET_WAIT];
}

bool kb_fleet_deviates(const struct kb_fleet_report *fleet)
{
	for (size_t i = 0; i < fleet->node_count; i++) {
		if (kb_fleet_node_deviates(&fleet->nodes[i]))
			return true;
	}
	return false;
}

size_t kb_fleet_judged_nodes(const struct kb_fleet_report *fleet)
{
	size_t count = 0;

	for (size_t i = 0; i < fleet->node_count; i++) {
		bool judged = false;

		for (int kind = 0; kind < KB_FLEET_KINDS; kind++)
			judged |= !isnan(fleet->nodes[i].q[kind]);
		count += judged ? 1 : 0;
	}
	return count;
}

size_t kb_fleet_judged_results(const struct kb_fleet_report *fleet)
{
	size_t count = 0;

	for (size_t r = 0; r < fleet->row_count; r++)
		count += fleet->rows[r].known && !fleet->rows[r].whole && fleet->rows[r].kind == KB_FLEET_COST ? 1 : 0;
	return count;
}
