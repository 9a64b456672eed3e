/* See fleet.h: two fleets against each other. */
#include "report/fleet/fleet.h"

#include <math.h>
#include <string.h>

#include "report/text/columns.h"
#include "report/text/comparison.h"

#define LISTED_MOST 5u          /* nodes and results that are left out; more with --verbose */

static const char *plural(size_t count)
{
	return count == 1 ? "" : "s";
}

/* ---- heading ---------------------------------------------------------------------------------------------------- */

static void print_side(FILE *out, const struct kb_compared_fleet *fleet, const char *what)
{
	fprintf(out, "%-5s fleet %s, %.16s UTC, %zu node%s, %zu run%s%s%s%s\n", what, fleet->id, fleet->started, fleet->nodes, plural(fleet->nodes),
		fleet->runs, plural(fleet->runs), fleet->label[0] ? ", " : "", fleet->label, fleet->interleaved ? ", of two sides: side a" : "");
}

static void print_heading(FILE *out, const struct kb_compared_fleets *fleets, const struct kb_style *style)
{
	size_t paired = 0;

	print_side(out, &fleets->side[0], "base");
	print_side(out, &fleets->side[1], "new");
	for (size_t i = 0; i < fleets->count; i++)
		paired += fleets->rows[i].paired ? 1 : 0;
	kb_print_sentence(out, style, 0, "%zu node%s in both%s%s; not measured in turn: what changed for all nodes alike since base is in the ratios; margin %.4g %%",
			  fleets->common, plural(fleets->common), paired > 0 ? ", node by node" : "",
			  paired < fleets->count ? "; unpaired, where fewer than 3 nodes have a result in both: the spread between nodes is in the CI" : "",
			  100 * fleets->margin);
	fputc('\n', out);
}

/* ---- results ------------------------------------------------------------------------------------------------------ */

static void put_costs(FILE *line, const struct kb_fleets_row *row, const struct kb_style *style)
{
	const struct kb_comparison *c = &row->comparison;
	bool time = strcmp(row->unit, "ns") == 0;
	struct kb_scale scale = time ? kb_scale_by_size(c->a.known ? c->a.value : c->b.value) : (struct kb_scale){ row->unit, 1 };
	char a[KB_NUMBER_ROOM], b[KB_NUMBER_ROOM];

	kb_format_estimate(a, &c->a, scale.factor, style->utf8);
	kb_format_estimate(b, &c->b, scale.factor, style->utf8);
	fprintf(line, "%s\t%s\t%s\t%s/%s\t", c->key, a, b, scale.unit, row->per);
}

/* "6", "5 of 6", or of strangers "6, 4 unpaired". */
static void put_nodes(FILE *line, const struct kb_fleets_row *row)
{
	char between[KB_NUMBER_ROOM] = "-";
	size_t most = row->nodes[0] > row->nodes[1] ? row->nodes[0] : row->nodes[1];

	if (!row->paired)
		fprintf(line, "%zu, %zu unpaired\t", row->nodes[0], row->nodes[1]);
	else if (row->common < most)
		fprintf(line, "%zu of %zu\t", row->common, most);
	else
		fprintf(line, "%zu\t", row->common);
	if (!isnan(row->between))
		kb_format_percent(between, 100 * expm1(row->between));
	fprintf(line, "%s\t", between);
}

static void put_row(FILE *line, const struct kb_fleets_row *row, const struct kb_style *style)
{
	const struct kb_comparison *c = &row->comparison;

	put_costs(line, row, style);
	if (isnan(c->difference.ln.value))
		fputs("-\t-\t", line);
	else
		kb_fleet_put_change(line, &c->difference.ln);
	fprintf(line, "%s%s\t", kb_decision_name(c->decision), c->regression ? " !" : "");
	put_nodes(line, row);
	kb_fleet_put_q(line, c->q);
	for (unsigned side = 0; side < 2; side++) {
		if (row->invalid[side] > 0)
			kb_print_sentence(line, style, 4, "invalid on %zu node%s of %s%s", row->invalid[side], plural(row->invalid[side]),
					  side ? "new" : "base", c->status[side] == KB_INVALID ? ", and valid on no more: nothing is decided" : ": left out");
	}
	kb_print_reasons(line, style, &c->verdict);
}

static void print_rows(FILE *out, const struct kb_compared_fleets *fleets, const struct kb_style *style)
{
	struct kb_columns columns = { .align = "lrrurllrr", .indent = 2, .first_most = 36 };
	FILE *line = kb_columns_open(&columns, out);

	fputs("\tbase\tnew\t\tnew/base\t(95 % CI)\t\tnodes\tdiffer\t\n", line);
	for (size_t i = 0; i < fleets->count; i++) {
		const struct kb_fleets_row *row = &fleets->rows[i];

		if (i == 0 || strcmp(row->environment, row[-1].environment) != 0)
			fprintf(line, "environment ID %s\n", row->environment);
		put_row(line, row, style);
	}
	kb_columns_print(&columns, out);
}

/* ---- what is left out ----------------------------------------------------------------------------------------------- */

static void print_node(FILE *out, const struct kb_fleets_node *node)
{
	bool both = node->environment[0][0] && node->environment[1][0];

	if (both)
		fprintf(out, "another environment ID: %s, %s then and %s now\n", node->name, node->environment[0], node->environment[1]);
	else
		fprintf(out, "only in %s: node %s\n", node->environment[0][0] ? "base" : "new", node->name);
}

/* In no environment: where a node has another one, that is told of the node. */
static bool is_compared(const struct kb_compared_fleets *fleets, const char *row)
{
	for (size_t i = 0; i < fleets->count; i++) {
		if (strcmp(fleets->rows[i].comparison.key, row) == 0)
			return true;
	}
	return false;
}

static void print_more(FILE *out, size_t listed, size_t most, const char *what)
{
	if (listed > most)
		fprintf(out, "and %zu more %s%s not in both (--verbose names them)\n", listed - most, what, plural(listed - most));
}

static void print_left_out(FILE *out, const struct kb_compared_fleets *fleets, const struct kb_style *style)
{
	size_t most = style->notes ? SIZE_MAX : LISTED_MOST, alone = 0;

	for (size_t i = 0; i < fleets->node_count && i < most; i++)
		print_node(out, &fleets->nodes[i]);
	print_more(out, fleets->node_count, most, "node");
	for (size_t i = 0; i < fleets->alone_count; i++) {
		if (!is_compared(fleets, fleets->alone[i].row) && alone++ < most)
			fprintf(out, "only in %s: %s\n", fleets->alone[i].side ? "new" : "base", fleets->alone[i].row);
	}
	print_more(out, alone, most, "result");
	if (fleets->damaged > 0)
		fprintf(out, "%zu damaged result%s left out: 'kbench runs' and 'kbench show' name them\n", fleets->damaged, plural(fleets->damaged));
}

void kb_fleets_print(FILE *out, const struct kb_compared_fleets *fleets, const struct kb_style *style)
{
	struct kb_comparison *all = kb_fleets_comparisons(fleets);

	print_heading(out, fleets, style);
	print_rows(out, fleets, style);
	print_left_out(out, fleets, style);
	if (all)
		kb_comparison_count(out, all, fleets->count);
	free(all);
}
