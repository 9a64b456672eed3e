/* Fleets over time, and fleets of other nodes: by hand. How often they are right: truth/stats/test_fleet.c. */
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "stats/comparison/fleet.h"
#include "stats/series/series.h"
#include "unit/stats/draws.h"

#define FLEETS 6u
#define NODES 5u
#define MARKS (FLEETS * NODES)

static void is_near(double got, double wanted, double tolerance)
{
	if (!(fabs(got - wanted) <= tolerance))
		fail_msg("%.12g, not %.12g", got, wanted);
}

static const double of_fleet[FLEETS] = { 0, .01, -.02, .03, .03, 0 }, of_node[NODES] = { -.2, -.1, 0, .1, .2 };

/* Sums of both, all of them: fleet by fleet. */
static void fill(struct kb_fleet_mark *marks)
{
	for (size_t i = 0; i < MARKS; i++)
		marks[i] = (struct kb_fleet_mark){ i / NODES, i % NODES, 5 + of_fleet[i / NODES] + of_node[i % NODES] };
}

static void drop(struct kb_fleet_mark *marks, size_t *count, size_t at)
{
	memmove(&marks[at], &marks[at + 1], (--*count - at) * sizeof *marks);
}

static void are_levels(const struct kb_node_value *levels, double tolerance)
{
	for (size_t f = 1; f < FLEETS; f++)
		is_near(levels[f].x - levels[0].x, of_fleet[f] - of_fleet[0], tolerance);
}

/* Whole fleets have their plain mean, and without misfit no error. */
static void whole_fleets(void **state)
{
	struct kb_fleet_mark marks[MARKS];
	struct kb_node_value levels[FLEETS];
	bool apart[MARKS];

	(void)state;
	fill(marks);
	assert_int_equal(kb_fleet_levels(marks, MARKS, FLEETS, NODES, levels, apart), 0);
	for (size_t f = 0; f < FLEETS; f++) {
		is_near(levels[f].x, 5 + of_fleet[f], 1e-9);
		is_near(levels[f].se, 0, 1e-9);
	}
}

/* Without its dearest node a fleet is .05 cheaper by its plain mean. */
static void missing_nodes(void **state)
{
	struct kb_fleet_mark marks[MARKS];
	struct kb_node_value levels[FLEETS];
	bool apart[MARKS];
	size_t count = MARKS;

	(void)state;
	fill(marks);
	drop(marks, &count, 4 * NODES);
	drop(marks, &count, 2 * NODES + 4);
	drop(marks, &count, 2 * NODES + 3);
	assert_int_equal(kb_fleet_levels(marks, count, FLEETS, NODES, levels, apart), 0);
	are_levels(levels, 1e-5);
}

/* Once, and for good from the fourth fleet on: neither moves a level. */
static void sick_nodes(void **state)
{
	struct kb_fleet_mark marks[MARKS];
	struct kb_node_value levels[FLEETS];
	bool apart[MARKS] = { false };
	struct kb_rng rng;

	(void)state;
	fill(marks);
	kb_rng_seed(&rng, 3);
	for (size_t i = 0; i < MARKS; i++)
		marks[i].x += 1e-4 * draw_normal(&rng);
	marks[NODES + 1].x += .3;
	for (size_t f = 4; f < FLEETS; f++)
		marks[f * NODES + 2].x -= .3;
	assert_int_equal(kb_fleet_levels(marks, MARKS, FLEETS, NODES, levels, apart), 0);
	are_levels(levels, 5e-4);
	for (size_t i = 0; i < MARKS; i++)
		assert_int_equal(apart[i], i == NODES + 1 || i == 4 * NODES + 2 || i == 5 * NODES + 2);
	is_near(levels[0].se, 1e-4 / sqrt(NODES), 3e-5);
}

/* Fleets of other nodes are held against each other by their plain means; one in two of a fleet that is apart is the fleet. */
static void other_nodes(void **state)
{
	const struct kb_fleet_mark marks[] = {
		{ 0, 0, 1 }, { 0, 1, 2 }, { 1, 0, 1.5 }, { 1, 1, 2.5 }, { 2, 2, 7 }, { 2, 3, 9 }, { 3, 2, 8 }, { 3, 3, 10 },
	};
	struct kb_node_value levels[5];
	bool apart[8];

	(void)state;
	assert_int_equal(kb_fleet_levels(marks, 8, 5, 4, levels, apart), 0);
	is_near(levels[0].x, 1.5, 1e-6);
	is_near(levels[1].x, 2, 1e-6);
	is_near(levels[2].x, 8, 1e-6);
	is_near(levels[3].x, 9, 1e-6);
	is_near(levels[4].df, 0, 0);
	assert_int_equal(kb_fleet_levels(marks, 0, 0, 0, levels, apart), 0);
	assert_int_equal(kb_fleet_levels(&(struct kb_fleet_mark){ 0, 0, NAN }, 1, 1, 1, levels, apart), -EINVAL);
}

static void set(struct kb_node_value *values, const double *x, size_t n)
{
	for (size_t i = 0; i < n; i++)
		values[i] = (struct kb_node_value){ x[i], .5, 5 };
}

/* Fewer than five: Welch. 1 2 3 4 5 with one out at either end: mean 3, squares of 2 2 3 4 4 are 4, by 3 times 2. */
static void strangers_by_hand(void **state)
{
	const double a[] = { 1, 2, 3 }, b[] = { 3, 4, 6, 7 }, c[] = { 5, 3, 1, 4, 2 };
	struct kb_node_value of_a[3], of_b[4], of_c[5];
	struct kb_fleet_strangers strangers;
	struct kb_difference welch = kb_compare_unpaired(a, 3, b, 4, &(struct kb_occasion){ .sd = 0, .df = 1 }, .1);

	(void)state;
	set(of_a, a, 3);
	set(of_b, b, 4);
	set(of_c, c, 5);
	assert_int_equal(kb_fleet_strangers(of_a, 3, of_b, 4, .1, &strangers), 0);
	is_near(strangers.difference.ln.value, 3, 1e-12);
	is_near(strangers.difference.ln.low, welch.ln.low, 1e-9);
	is_near(strangers.difference.p_slower, welch.p_slower, 1e-9);
	is_near(strangers.middle[1], 5, 1e-12);
	is_near(strangers.spread, sqrt(10.0 / 3), 1e-9);
	assert_int_equal(kb_fleet_strangers(of_c, 5, of_c, 5, .1, &strangers), 0);
	is_near(strangers.difference.ln.value, 0, 1e-12);
	is_near(strangers.difference.ln.high, kb_t_quantile(.975, 4) * sqrt(2 * 4 / 6.0), 1e-9);
	of_c[0].x = 500;
	assert_int_equal(kb_fleet_strangers(of_c, 5, of_c, 5, .1, &strangers), 0);
	is_near(strangers.middle[0], 3, 1e-12);
	assert_int_equal(kb_fleet_strangers(of_a, 1, of_b, 4, .1, &strangers), 0);
	assert_false(strangers.difference.ln.known);
	assert_int_equal(kb_decide(&strangers.difference, .1), KB_INCONCLUSIVE);
	of_a[0].x = NAN;
	assert_int_equal(kb_fleet_strangers(of_a, 3, of_b, 4, .1, &strangers), -EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(whole_fleets), cmocka_unit_test(missing_nodes), cmocka_unit_test(sick_nodes), cmocka_unit_test(other_nodes),
		cmocka_unit_test(strangers_by_hand),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
