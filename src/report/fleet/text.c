/* See fleet.h. */
#include "report/fleet/fleet.h"

#include <math.h>
#include <string.h>

#include "report/text/columns.h"
#include "report/text/number_format.h"

#define NAME_MOST 36u           /* columns of a result's name; a longer one has a line of its own */
#define CELLS_MOST 8u           /* results that are listed of a node; JSON and the page have all */

/* "+5.2 %", with digits that the interval supports. */
static void format_change(char *text, double value, double half)
{
	struct kb_estimate percent = { .value = 100 * value, .low = 100 * (value - half), .high = 100 * (value + half), .known = true, .bounded = true };
	char number[KB_NUMBER_ROOM];

	kb_format_number(number, &percent, 1, 1, 3);
	snprintf(text, KB_NUMBER_ROOM, "%s%.20s", number[0] == '-' ? "" : "+", number);
}

void kb_fleet_put_change(FILE *line, const struct kb_interval *ln)
{
	double half = (exp(ln->high) - exp(ln->low)) / 2;
	char value[KB_NUMBER_ROOM], low[KB_NUMBER_ROOM], high[KB_NUMBER_ROOM];

	format_change(value, expm1(ln->value), half);
	format_change(low, expm1(ln->low), half);
	format_change(high, expm1(ln->high), half);
	if (ln->known)
		fprintf(line, "%s %%\t(%s to %s %%)\t", value, low, high);
	else
		fprintf(line, "%s %%\t-\t", value);
}

void kb_fleet_put_q(FILE *line, double q)
{
	fprintf(line, q < 1e-4 ? "q below 0.0001\n" : "q %.2g\n", q);
}

static const char *plural(size_t count)
{
	return count == 1 ? "" : "s";
}

/* ---- results ----------------------------------------------------------------------------------------------------- */

static void put_cost(FILE *line, const struct kb_fleet_row *row, const struct kb_style *style)
{
	const struct kb_interval *centre = &row->spread.centre;
	bool time = strcmp(row->unit, "ns") == 0;
	struct kb_scale scale = time ? kb_scale_by_size(exp(centre->value)) : (struct kb_scale){ row->unit, 1 };
	struct kb_estimate cost = { exp(centre->value), exp(centre->low), exp(centre->high), true, centre->known };
	char number[KB_NUMBER_ROOM];

	kb_format_estimate(number, &cost, scale.factor, style->utf8);
	fprintf(line, "%s\t%s/%s\t", number, scale.unit, row->per);
}

static void put_spread(FILE *line, const struct kb_fleet_row *row)
{
	const struct kb_interval *between = &row->spread.between;
	char value[KB_NUMBER_ROOM], boots[KB_NUMBER_ROOM], runs[KB_NUMBER_ROOM];

	kb_format_percent(value, 100 * expm1(between->value));
	kb_format_percent(boots, 100 * expm1(row->boots.sd));
	kb_format_percent(runs, 100 * expm1(row->runs.sd));
	fprintf(line, "%s\t(%.2f to %.2f %%)\t%s\t%s\t", value, 100 * expm1(between->low), 100 * expm1(between->high), boots, runs);
}

/* Of the same result, after its cost. */
static const struct kb_fleet_row *loss_of(const struct kb_fleet_report *fleet, const struct kb_fleet_row *cost)
{
	for (size_t i = 0; i < fleet->row_count; i++) {
		const struct kb_fleet_row *row = &fleet->rows[i];

		if (row->kind == KB_FLEET_LOSS && row->whole == cost->whole && strcmp(row->row, cost->row) == 0 &&
		    strcmp(row->environment, cost->environment) == 0)
			return row->known ? row : NULL;
	}
	return NULL;
}

static void put_result(FILE *line, const struct kb_fleet_report *fleet, const struct kb_fleet_row *row, const struct kb_style *style)
{
	const struct kb_fleet_row *loss = loss_of(fleet, row);
	char lost[KB_NUMBER_ROOM] = "-";

	fprintf(line, "%s\t", row->row);
	if (!row->known) {
		fprintf(line, "-\t\t-\t\t-\t-\t-\t%zu\n", row->spread.nodes);
		return;
	}
	put_cost(line, row, style);
	put_spread(line, row);
	if (loss)
		kb_format_percent(lost, 100 * fmax(expm1(loss->spread.centre.value), 0));
	fprintf(line, "%s\t%zu\n", lost, row->spread.nodes);
}

static bool has_result(const struct kb_fleet_report *fleet, size_t node, const char *environment)
{
	for (size_t r = 0; r < fleet->row_count; r++) {
		const struct kb_fleet_cell *cell = &fleet->rows[r].cells[node];

		if ((cell->there || cell->why) && strcmp(fleet->rows[r].environment, environment) == 0)
			return true;
	}
	return false;
}

/* A result may be of an emulated machine, with an environment ID of its own. */
static void put_environment(FILE *line, const struct kb_fleet_report *fleet, const char *environment)
{
	size_t count = 0;

	for (size_t i = 0; i < fleet->node_count; i++)
		count += has_result(fleet, i, environment) ? 1 : 0;
	fprintf(line, "environment ID %s, %zu node%s%s\n", environment, count, plural(count),
		count < KB_FLEET_NODES_MIN ? ": too few to tell which one deviates" : "");
}

/* Whether a result has no spread of boots, or none of runs. */
static bool has_single(const struct kb_fleet_report *fleet, bool boots, bool runs)
{
	for (size_t i = 0; i < fleet->row_count; i++) {
		const struct kb_fleet_row *row = &fleet->rows[i];

		if (row->known && !row->whole && isnan(row->boots.sd) == boots && isnan(row->runs.sd) == runs)
			return true;
	}
	return false;
}

static void print_single(FILE *out, const struct kb_fleet_report *fleet)
{
	if (has_single(fleet, true, true))
		fputs("  one run a node: what differs from boot to boot and from run to run is in 'nodes differ'\n", out);
	if (has_single(fleet, true, false))
		fputs("  one boot a node: what differs from boot to boot is in 'nodes differ'\n", out);
	if (has_single(fleet, false, true))
		fputs("  one run a boot: what differs from run to run is in 'boots'\n", out);
}

static void print_results(FILE *out, const struct kb_fleet_report *fleet, const struct kb_style *style)
{
	struct kb_columns columns = { .align = "lrurlrrrr", .indent = 2, .first_most = NAME_MOST };
	FILE *line = kb_columns_open(&columns, out);
	const char *environment = NULL;

	fprintf(line, "\tcost\t\tnodes differ\t(95 %% CI)\tboots\truns\tlost\tnodes\n");
	for (size_t i = 0; i < fleet->row_count; i++) {
		const struct kb_fleet_row *row = &fleet->rows[i];

		if (row->kind != KB_FLEET_COST || row->whole)
			continue;
		if (!environment || strcmp(environment, row->environment) != 0)
			put_environment(line, fleet, row->environment);
		environment = row->environment;
		put_result(line, fleet, row, style);
	}
	kb_columns_print(&columns, out);
	print_single(out, fleet);
}

/* ---- nodes ------------------------------------------------------------------------------------------------------- */

/* The farthest off that is not listed yet. */
static const struct kb_fleet_row *next_cell(const struct kb_fleet_report *fleet, size_t node, enum kb_fleet_kind kind,
					    const struct kb_fleet_row *last)
{
	const struct kb_fleet_row *best = NULL;
	double below = last ? fabs(last->cells[node].deviation.ln.value) : INFINITY;

	for (size_t i = 0; i < fleet->row_count; i++) {
		const struct kb_fleet_row *row = &fleet->rows[i];
		double off = fabs(row->cells[node].deviation.ln.value);

		if (row->kind != kind || row->whole || !row->cells[node].deviates || off > below || (off == below && row <= last))
			continue;
		if (!best || off > fabs(best->cells[node].deviation.ln.value))
			best = row;
	}
	return best;
}

static void put_cell(FILE *line, const struct kb_fleet_row *row, size_t node)
{
	fprintf(line, "%s\t", row->row);
	kb_fleet_put_change(line, &row->cells[node].deviation.ln);
	kb_fleet_put_q(line, row->cells[node].q);
}

static void print_cells(FILE *out, const struct kb_fleet_report *fleet, size_t node, enum kb_fleet_kind kind)
{
	struct kb_columns columns = { .align = "lrl", .indent = 4, .first_most = NAME_MOST };
	FILE *line = kb_columns_open(&columns, out);
	const struct kb_fleet_row *row = NULL;
	size_t listed = 0, more = 0;

	for (size_t i = 0; i < fleet->row_count; i++) {
		if (fleet->rows[i].whole && fleet->rows[i].kind == kind && fleet->rows[i].cells[node].deviates)
			put_cell(line, &fleet->rows[i], node);
	}
	while ((row = next_cell(fleet, node, kind, row)) != NULL) {
		if (listed++ < CELLS_MOST)
			put_cell(line, row, node);
		else
			more++;
	}
	if (more > 0)
		fprintf(line, "    and %zu more result%s: see --json\n", more, plural(more));
	kb_columns_print(&columns, out);
}

static void print_node(FILE *out, const struct kb_fleet_report *fleet, size_t at)
{
	static const char *const words[KB_FLEET_KINDS] = {
		"its costs", "what it loses to neighbours and interruptions (mean over cost)", "what it waits for a CPU (time over time with a CPU)",
	};
	const struct kb_judged_node *node = &fleet->nodes[at];
	char reason[KB_FLEET_WHY];

	fprintf(out, "%s deviates: %s\n", node->name,
		kb_fleet_reason(node, reason)[0] ? reason : "nothing that was recorded besides sets it apart");
	for (int kind = 0; kind < KB_FLEET_KINDS; kind++) {
		if (!node->deviates[kind])
			continue;
		fprintf(out, "  in %s, against the other nodes:\n", words[kind]);
		print_cells(out, fleet, at, (enum kb_fleet_kind)kind);
	}
}

static void print_nodes(FILE *out, const struct kb_fleet_report *fleet)
{
	size_t nodes = kb_fleet_judged_nodes(fleet), results = kb_fleet_judged_results(fleet);

	for (size_t i = 0; i < fleet->node_count; i++) {
		if (kb_fleet_node_deviates(&fleet->nodes[i]))
			print_node(out, fleet, i);
	}
	if (nodes == 0)
		fprintf(out, "nothing is known of deviations: no environment ID has %u nodes with one result\n", KB_FLEET_NODES_MIN);
	else if (!kb_fleet_deviates(fleet))
		fprintf(out, "no node deviates (%zu nodes, %zu result%s, margin %g %%, FDR %g %%)\n", nodes, results, plural(results),
			100 * fleet->margin, 100 * KB_FLEET_RATE);
	else
		fprintf(out, "%zu nodes, %zu result%s, margin %g %%, FDR %g %%\n", nodes, results, plural(results), 100 * fleet->margin,
			100 * KB_FLEET_RATE);
}

/* ---- two sides --------------------------------------------------------------------------------------------------- */

static void print_changes(FILE *out, const struct kb_fleet_report *fleet)
{
	struct kb_columns columns = { .align = "lrlllr", .indent = 2, .first_most = NAME_MOST };
	FILE *line = kb_columns_open(&columns, out);

	fprintf(line, "side b over side a, node by node\n");
	for (size_t i = 0; i < fleet->change_count; i++) {
		const struct kb_fleet_change *change = &fleet->changes[i];
		char between[KB_NUMBER_ROOM];

		kb_format_percent(between, 100 * expm1(change->between));
		fprintf(line, "%s\t", change->row);
		kb_fleet_put_change(line, &change->difference.ln);
		fprintf(line, "%s\t%zu node%s differ by %s\t", kb_decision_name(change->decision), change->nodes, plural(change->nodes), between);
		kb_fleet_put_q(line, change->q);
	}
	kb_columns_print(&columns, out);
}

void kb_fleet_print(FILE *out, const struct kb_fleet_report *fleet, const struct kb_style *style)
{
	fprintf(out, "%s%s%s%zu node%s, %zu run%s, %.16s to %.16s UTC\n", fleet->id[0] ? "fleet " : "", fleet->id, fleet->id[0] ? ": " : "",
		fleet->node_count, plural(fleet->node_count), fleet->runs, plural(fleet->runs), fleet->started, fleet->finished);
	if (fleet->damaged > 0)
		fprintf(out, "%zu damaged result%s left out: 'kbench runs' and 'kbench show' name them\n", fleet->damaged, plural(fleet->damaged));
	print_results(out, fleet, style);
	fputc('\n', out);
	print_nodes(out, fleet);
	if (fleet->change_count > 0) {
		fputc('\n', out);
		print_changes(out, fleet);
	}
}
