/* Rows that do not fit into the budget: their processes become shorter, so that each gets the processes that it needs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "run/engine.h"

#define MS 1e6
#define ROWS 4

static struct kb_row rows[ROWS];
static struct kb_row_state states[ROWS];

/* A process of 300 blocks of 1 ms and 50 ms besides. */
static void fill(void)
{
	for (int i = 0; i < ROWS; i++) {
		memset(&rows[i].result, 0, sizeof rows[i].result);
		states[i] = (struct kb_row_state){
			.design = { .method = KB_METHOD_SLOPE, .blocks = 300 }, .processes = 1, .process_ns = (uint64_t)(350 * MS),
		};
		rows[i].state = &states[i];
		rows[i].result.levels.block_ns = 1 * MS;
	}
}

static void what_fits_stays(void **state)
{
	(void)state;
	fill();
	kb_plan_short(rows, ROWS, 3, 2 * ROWS * 351 * MS);
	for (int i = 0; i < ROWS; i++)
		assert_int_equal(states[i].design.blocks, 300);
}

static void what_does_not_fit_is_cut(void **state)
{
	(void)state;
	fill();
	/* Two processes each in half of their time: 8 x 50 ms for their starts, the rest for 8 x 125 blocks. */
	kb_plan_short(rows, ROWS, 3, ROWS * 350 * MS);
	for (int i = 0; i < ROWS; i++) {
		assert_in_range(states[i].design.blocks, 124, 126);
		assert_in_range(states[i].process_ns, (uint64_t)(174 * MS), (uint64_t)(176 * MS));
	}
	/* And then it fits. */
	kb_plan_short(rows, ROWS, 3, ROWS * 352 * MS);
	assert_in_range(states[0].design.blocks, 124, 126);
}

static void never_below_what_a_slope_needs(void **state)
{
	(void)state;
	fill();
	kb_plan_short(rows, ROWS, 3, 1 * MS);
	for (int i = 0; i < ROWS; i++)
		assert_int_equal(states[i].design.blocks, 60);
}

static void rows_that_lack_none_stay(void **state)
{
	(void)state;
	fill();
	states[1].over = true;
	states[2].processes = 3;
	rows[3].result.levels.block_ns = 0; /* nothing is known of its blocks: its time counts, but cannot be cut */
	kb_plan_short(rows, ROWS, 3, 1000 * MS);
	assert_in_range(states[0].design.blocks, 99, 101); /* 1000 = 2 x 350 + 2 x 50 + 2 x 100 */
	for (int i = 1; i < ROWS; i++)
		assert_int_equal(states[i].design.blocks, 300);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_fits_stays), cmocka_unit_test(what_does_not_fit_is_cut),
		cmocka_unit_test(never_below_what_a_slope_needs), cmocka_unit_test(rows_that_lack_none_stay),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
