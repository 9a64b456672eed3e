/* The document of a large fleet: what a page has room for has all nodes that deviate, others at equal distances, and the counts of all. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "report/fleet/fleet.h"

#define NODES 1000u
#define ROWS 9u

static struct kb_judged_node nodes[NODES];
static struct kb_fleet_cell cells[ROWS][NODES];
static struct kb_fleet_row rows[ROWS];

static bool is_off(size_t node)
{
	return node == 3 || node == 500 || node == NODES - 1;
}

static struct kb_fleet_report make_fleet(void)
{
	for (size_t n = 0; n < NODES; n++) {
		nodes[n] = (struct kb_judged_node){ .environment = "e", .runs = 1, .deviates[KB_FLEET_LOSS] = is_off(n) };
		snprintf(nodes[n].name, sizeof nodes[n].name, "n%zu", n);
	}
	for (size_t r = 0; r < ROWS; r++) {
		for (size_t n = 0; n < NODES; n++)
			cells[r][n] = (struct kb_fleet_cell){ .there = true, .value = (double)(1000 * r + n) };
		rows[r] = (struct kb_fleet_row){ .row = "r", .environment = "e", .known = true, .cells = cells[r], .spread.nodes = NODES };
	}
	return (struct kb_fleet_report){ .runs = NODES, .nodes = nodes, .node_count = NODES, .rows = rows, .row_count = ROWS };
}

/* How many nodes the document has, each of whose cells is that of its name. */
static size_t count_nodes(const json_t *document)
{
	const json_t *its = json_object_get(document, "nodes"), *row, *cell;
	size_t r, c;

	assert_int_equal(json_integer_value(json_object_get(document, "node_count")), NODES);
	json_array_foreach(json_object_get(document, "results"), r, row) {
		const json_t *all = json_object_get(row, "cells");

		assert_int_equal(json_array_size(all), json_array_size(its));
		json_array_foreach(all, c, cell) {
			size_t place = (size_t)json_integer_value(json_object_get(cell, "node"));
			const char *name = json_string_value(json_object_get(json_array_get(its, place), "node"));

			assert_int_equal(place, c);
			assert_true(json_number_value(json_object_get(cell, "value")) == 1000 * (double)r + strtod(name + 1, NULL));
		}
	}
	return json_array_size(its);
}

static size_t count_off(const json_t *document)
{
	const json_t *node;
	size_t i, count = 0;

	json_array_foreach(json_object_get(document, "nodes"), i, node)
		count += json_array_size(json_object_get(node, "deviates"));
	return count;
}

static void fits(void **state)
{
	static const struct { size_t room, nodes; } wanted[] = { { KB_FLEET_ALL_CELLS, NODES }, { NODES * (ROWS + 1), NODES }, { 1000, 100 }, { 50, 5 }, { 20, 2 }, { 0, 0 } };
	struct kb_fleet_report fleet = make_fleet();

	(void)state;
	for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
		json_t *document = kb_fleet_report_to_json(&fleet, "kbench", wanted[i].room);

		assert_int_equal(count_nodes(document), wanted[i].nodes);
		assert_int_equal(count_off(document), wanted[i].nodes < 3 ? wanted[i].nodes : 3);
		assert_int_equal(json_integer_value(json_object_get(document, "deviating_nodes")), 3);
		json_decref(document);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(fits) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
