/* See fleet.h: fleets over time. */
#include "report/fleet/fleet.h"

#include <math.h>
#include <string.h>

#include "report/text/columns.h"

#define ID_START 13             /* so much of an id, the milliseconds, names a fleet */

static void put_cost(FILE *line, const struct kb_history *history, const struct kb_stored_result *point, struct kb_scale scale,
		     const struct kb_style *style)
{
	struct kb_estimate value = kb_history_value(history, point);
	char number[KB_NUMBER_ROOM];

	kb_format_estimate(number, &value, scale.factor, style->utf8);
	if (value.known)
		fprintf(line, "%s\t%s/%s\t", number, scale.unit, point->per);
	else
		fputs("-\t\t", line);
}

static void put_spread(FILE *line, const struct kb_fleet_point *point)
{
	char between[KB_NUMBER_ROOM] = "-", change[KB_NUMBER_ROOM] = "-";

	if (!isnan(point->between))
		kb_format_percent(between, 100 * point->between);
	if (!isnan(point->change))
		snprintf(change, sizeof change, "%+.2f %%", 100 * point->change);
	fprintf(line, "%zu\t%s\t%s\t", point->nodes, between, change);
}

/* "30 of 32 nodes, 1 new": of the fleet before. */
static void put_composition(FILE *line, const struct kb_fleet_point *point)
{
	if (point->before == 0 || (point->common == point->before && point->common == point->nodes))
		return;
	fprintf(line, "%zu of %zu nodes", point->common, point->before);
	if (point->nodes > point->common)
		fprintf(line, ", %zu new", point->nodes - point->common);
	fputs("  ", line);
}

static void put_point(FILE *line, const struct kb_history *history, size_t i, struct kb_scale scale, const struct kb_style *style)
{
	const struct kb_stored_result *result = &history->points[i];
	const struct kb_fleet_point *point = &history->fleets[i];

	fprintf(line, "%.10s %.8s\t%.*s\t", result->started, strlen(result->started) > 11 ? result->started + 11 : "", ID_START, point->fleet);
	put_cost(line, history, result, scale, style);
	put_spread(line, point);
	if (isnan(result->estimate.value))
		fprintf(line, "fewer than %u nodes  ", KB_FLEET_NODES_MIN);
	put_composition(line, point);
	if (point->deviate > 0)
		fprintf(line, "%zu deviate%s  ", point->deviate, point->deviate == 1 ? "s" : "");
	fprintf(line, "%s%s%s\n", kb_history_commit(result), kb_history_commit(result)[0] && result->label[0] ? " " : "", result->label);
}

void kb_fleet_history_print(FILE *out, const struct kb_history *history, struct kb_scale scale, const struct kb_style *style)
{
	struct kb_columns columns = { .align = "llrurrrl", .indent = 2 };
	FILE *line = kb_columns_open(&columns, out);
	double step;

	fputs("began, UTC\tfleet\tcost\t\tnodes\tdiffer\tchange\t\n", line);
	for (size_t i = 0; i < history->point_count; i++) {
		if (kb_history_step(history, i, &step))
			fprintf(line, "  ---- new level: %+.2f %%\n", 100 * (step - 1));
		put_point(line, history, i, scale, style);
	}
	kb_columns_print(&columns, out);
}
