/* See fleet.h. Differences of logarithms are fractions here: 0.05 is five percent dearer. */
#include "report/fleet/fleet.h"

#include <math.h>
#include <stdlib.h>

#include "analysis/thin.h"
#include "result/json/json.h"

static json_t *fraction(const struct kb_interval *ln)
{
	return json_pack("{s:o, s:o, s:o}", "value", kb_json_real(expm1(ln->value)), "low", ln->known ? kb_json_real(expm1(ln->low)) : json_null(),
			 "high", ln->known ? kb_json_real(expm1(ln->high)) : json_null());
}

/* A cost, or a mean over a cost. */
static json_t *ratio(const struct kb_interval *ln)
{
	return json_pack("{s:o, s:o, s:o}", "value", kb_json_real(exp(ln->value)), "low", ln->known ? kb_json_real(exp(ln->low)) : json_null(), "high",
			 ln->known ? kb_json_real(exp(ln->high)) : json_null());
}

static json_t *text_or_null(const char *text)
{
	return text && text[0] ? kb_json_string(text) : json_null();
}

/* ---- nodes ------------------------------------------------------------------------------------------------------ */

static json_t *kinds_of(const struct kb_judged_node *node)
{
	json_t *kinds = json_array();

	for (int kind = 0; kind < KB_FLEET_KINDS; kind++) {
		if (node->deviates[kind])
			json_array_append_new(kinds, json_string(kb_fleet_kind_name((enum kb_fleet_kind)kind)));
	}
	return kinds;
}

static json_t *node_json(const struct kb_judged_node *node)
{
	char reason[KB_FLEET_WHY];

	return json_pack("{s:o, s:o, s:s, s:o, s:o, s:o, s:{s:o, s:o, s:o}, s:o, s:o, s:o, s:o, s:o, s:o}", "node", kb_json_string(node->name), "env_id",
			 kb_json_string(node->environment), "run", node->run, "boots", kb_json_whole(node->boots), "runs", kb_json_whole(node->runs),
			 "results", kb_json_whole(node->results), "q", "cost", kb_json_real(node->q[KB_FLEET_COST]), "loss",
			 kb_json_real(node->q[KB_FLEET_LOSS]), "wait", kb_json_real(node->q[KB_FLEET_WAIT]), "deviates", kinds_of(node), "reason", text_or_null(kb_fleet_reason(node, reason)),
			 "core_mhz", kb_json_real(node->own.mhz), "clean_share", kb_json_real(node->own.clean), "disturbed_share",
			 kb_json_real(node->own.disturbed), "waited_share", kb_json_real(node->own.waited));
}

/* ---- rows ------------------------------------------------------------------------------------------------------- */

/* Indices of nodes, not their names, so that a map of a thousand nodes stays small. */
static json_t *cell_json(const struct kb_fleet_cell *cell, size_t node)
{
	const struct kb_node_deviation *deviation = &cell->deviation;

	if (!cell->there)
		return json_pack("{s:o, s:o}", "node", kb_json_whole(node), "left_out", text_or_null(cell->why));
	return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:b, s:b}", "node", kb_json_whole(node), "value", kb_json_real(cell->value), "deviation",
			 fraction(&deviation->ln), "se", kb_json_real(deviation->se), "p", kb_json_real(deviation->p), "q", kb_json_real(cell->q), "noisy",
			 cell->noisy, "deviates", cell->deviates);
}

/* places: of the fleet's nodes in the document. */
static json_t *row_json(const struct kb_fleet_report *fleet, const size_t *places, const struct kb_fleet_row *row)
{
	const struct kb_fleet_spread *spread = &row->spread;
	json_t *cells = json_array();

	for (size_t i = 0; i < fleet->node_count; i++) {
		if (places[i] != SIZE_MAX && (row->cells[i].there || row->cells[i].why))
			json_array_append_new(cells, cell_json(&row->cells[i], places[i]));
	}
	return json_pack("{s:o, s:o, s:s, s:b, s:b, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "row", kb_json_string(row->row), "env_id",
			 kb_json_string(row->environment), "kind", kb_fleet_kind_name(row->kind), "all_results", row->whole,
			 "shared", row->shared, "unit", text_or_null(row->unit),
			 "per", text_or_null(row->per), "centre", row->known ? row->whole ? fraction(&spread->centre) : ratio(&spread->centre) : json_null(),
			 "between_sd", row->known ? fraction(&spread->between) : json_null(), "boots_sd",
			 kb_json_real(row->known ? expm1(row->boots.sd) : NAN), "runs_sd",
			 kb_json_real(row->known ? expm1(row->runs.sd) : NAN), "nodes", kb_json_whole(spread->nodes), "healthy",
			 kb_json_whole(spread->healthy), "cells", cells);
}

static json_t *change_json(const struct kb_fleet_change *change)
{
	return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:s}", "row", kb_json_string(change->row), "env_id", kb_json_string(change->environment), "nodes",
			 kb_json_whole(change->nodes), "difference", fraction(&change->difference.ln), "between_sd", kb_json_real(expm1(change->between)),
			 "q", kb_json_real(change->q), "decision", kb_decision_name(change->decision));
}

/* ---- which nodes ------------------------------------------------------------------------------------------------- */

static size_t count_deviating(const struct kb_fleet_report *fleet)
{
	size_t count = 0;

	for (size_t i = 0; i < fleet->node_count; i++)
		count += kb_fleet_node_deviates(&fleet->nodes[i]) ? 1 : 0;
	return count;
}

static size_t least(size_t a, size_t b)
{
	return a < b ? a : b;
}

/* Where each node stands among those that fit, SIZE_MAX: nowhere. Free it. */
static size_t *place_nodes(const struct kb_fleet_report *fleet, size_t cells)
{
	size_t *places = malloc((fleet->node_count + 1) * sizeof *places);
	size_t room = cells / (fleet->row_count + 1), off = count_deviating(fleet), seen[2] = { 0, 0 }, count = 0;
	const size_t of[2] = { fleet->node_count - off, off }, kept[2] = { least(of[0], room - least(off, room)), least(off, room) };

	for (size_t i = 0; places && i < fleet->node_count; i++) {
		bool deviates = kb_fleet_node_deviates(&fleet->nodes[i]);

		places[i] = kb_thin_keeps(seen[deviates]++, of[deviates], kept[deviates]) ? count++ : SIZE_MAX;
	}
	return places;
}

json_t *kb_fleet_report_to_json(const struct kb_fleet_report *fleet, const char *tool, size_t cells)
{
	json_t *nodes = json_array(), *rows = json_array(), *changes = json_array();
	size_t *places = place_nodes(fleet, cells);

	for (size_t i = 0; places && i < fleet->node_count; i++) {
		if (places[i] != SIZE_MAX)
			json_array_append_new(nodes, node_json(&fleet->nodes[i]));
	}
	for (size_t i = 0; places && i < fleet->row_count; i++)
		json_array_append_new(rows, row_json(fleet, places, &fleet->rows[i]));
	for (size_t i = 0; i < fleet->change_count; i++)
		json_array_append_new(changes, change_json(&fleet->changes[i]));
	free(places);
	return json_pack("{s:s, s:s, s:o, s:s, s:s, s:o, s:o, s:o, s:o, s:f, s:f, s:b, s:o, s:o, s:o, s:o}", "schema", KB_FLEET_SCHEMA, "tool", tool, "fleet",
			 text_or_null(fleet->id), "started", fleet->started, "finished", fleet->finished, "runs", kb_json_whole(fleet->runs), "node_count",
			 kb_json_whole(fleet->node_count), "judged_nodes", kb_json_whole(kb_fleet_judged_nodes(fleet)), "deviating_nodes",
			 kb_json_whole(count_deviating(fleet)), "margin",
			 fleet->margin, "false_discovery_rate", KB_FLEET_RATE, "deviates", kb_fleet_deviates(fleet), "damaged",
			 kb_json_whole(fleet->damaged), "nodes", nodes, "results", rows, "sides", changes);
}
