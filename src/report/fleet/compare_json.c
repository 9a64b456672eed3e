/* See fleet.h: two fleets against each other. */
#include "report/fleet/fleet.h"

#include <math.h>

#include "result/json/json.h"

static json_t *text_or_null(const char *text)
{
	return text[0] ? kb_json_string(text) : json_null();
}

static json_t *fleet_json(const struct kb_compared_fleet *fleet)
{
	return json_pack("{s:s, s:s, s:o, s:o, s:o, s:b}", "fleet", fleet->id, "started", fleet->started, "label", text_or_null(fleet->label), "nodes",
			 kb_json_whole(fleet->nodes), "runs", kb_json_whole(fleet->runs), "interleaved", fleet->interleaved);
}

static json_t *cost_json(const struct kb_estimate *cost)
{
	return cost->known ? kb_json_real(cost->value) : json_null();
}

static json_t *row_json(const struct kb_fleets_row *row)
{
	const struct kb_comparison *c = &row->comparison;
	const struct kb_interval *ln = &c->difference.ln;
	json_t *ratio = json_pack("{s:o, s:o, s:o}", "value", kb_json_real(exp(ln->value)), "low", ln->known ? kb_json_real(exp(ln->low)) : json_null(),
				  "high", ln->known ? kb_json_real(exp(ln->high)) : json_null());
	json_t *nodes = json_pack("{s:o, s:o, s:o, s:o, s:o}", "base", kb_json_whole(row->nodes[0]), "new", kb_json_whole(row->nodes[1]), "common",
				  kb_json_whole(row->common), "invalid_base", kb_json_whole(row->invalid[0]), "invalid_new",
				  kb_json_whole(row->invalid[1]));

	return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:s, s:b, s:b, s:o, s:o, s:o, s:o, s:o, s:o, s:[s, s], s:o}", "row", kb_json_string(c->key),
			 "env_id", kb_json_string(row->environment), "unit", text_or_null(row->unit), "per", text_or_null(row->per), "base",
			 cost_json(&c->a), "new", cost_json(&c->b), "ratio", ratio, "decision", kb_decision_name(c->decision), "regression", c->regression,
			 "paired", row->paired, "nodes", nodes, "between_sd", kb_json_real(expm1(row->between)), "detectable",
			 kb_json_real(expm1(c->difference.detectable)), "p", kb_json_real(c->difference.p_slower), "p_holm", kb_json_real(c->p_holm), "q",
			 kb_json_real(c->q), "verdicts", kb_status_name(c->status[0]), kb_status_name(c->status[1]), "reasons",
			 kb_json_reasons(&c->verdict));
}

static json_t *node_json(const struct kb_fleets_node *node)
{
	return json_pack("{s:o, s:o, s:o}", "node", kb_json_string(node->name), "env_id_base", text_or_null(node->environment[0]), "env_id_new",
			 text_or_null(node->environment[1]));
}

static json_t *alone_json(const struct kb_fleets_alone *alone)
{
	return json_pack("{s:o, s:o, s:s}", "row", kb_json_string(alone->row), "env_id", kb_json_string(alone->environment), "only_in",
			 alone->side ? "new" : "base");
}

json_t *kb_fleets_to_json(const struct kb_compared_fleets *fleets, int code)
{
	json_t *rows = json_array(), *nodes = json_array(), *alone = json_array();

	for (size_t i = 0; i < fleets->count; i++)
		json_array_append_new(rows, row_json(&fleets->rows[i]));
	for (size_t i = 0; i < fleets->node_count; i++)
		json_array_append_new(nodes, node_json(&fleets->nodes[i]));
	for (size_t i = 0; i < fleets->alone_count; i++)
		json_array_append_new(alone, alone_json(&fleets->alone[i]));
	return json_pack("{s:s, s:o, s:o, s:o, s:f, s:o, s:o, s:o, s:o, s:i}", "schema", KB_FLEETS_SCHEMA, "base", fleet_json(&fleets->side[0]), "new",
			 fleet_json(&fleets->side[1]), "common_nodes", kb_json_whole(fleets->common), "margin", fleets->margin, "rows", rows, "other_nodes",
			 nodes, "other_results", alone, "damaged", kb_json_whole(fleets->damaged), "exit", code);
}
