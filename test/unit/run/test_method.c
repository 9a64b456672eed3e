/* Plans: n that the clock resolves and a time slice holds, and blocks that hold each step as often as designed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "run/method_paired.h"

static int circle(struct kb_run *run, uint64_t n)
{
	(void)run, (void)n;
	return 0;
}

static const struct kb_bench plain = { .name = "test.row", .op = circle, .base = circle };
static const struct kb_clock tsc = { .name = "tsc", .hz = 2000000000, .quantum = 2, .cost = 40 }; /* 20 ns a reading */
static const struct kb_clock slow = { .name = "slow", .hz = 1000000, .quantum = 1, .cost = 1 };   /* steps of 1 us */

static struct kb_design choose(struct kb_bench bench, const struct kb_clock *clock, double cost_ns)
{
	struct kb_design design;

	kb_design_choose(&design, &bench, clock, cost_ns, 5, NULL);
	return design;
}

/* The shortest interval lasts 1000 readings of the clock, 30 operations, 25 us: whichever rule holds for this cost. */
static void test_grid(void **state)
{
	static const struct { double cost_ns; uint64_t n; } cases[] = {
		{ 0.5, 40000 }, { 2, 10000 }, { 100, 200 }, { 799, 30 }, { 801, 32 }, { 5000, 5 }, { 24000, 2 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct kb_design design = choose(plain, &tsc, cases[i].cost_ns);

		assert_string_equal(design.method, "slope");
		assert_true(design.base);
		assert_int_equal(design.grid_count, KB_GRID_MAX);
		for (unsigned k = 0; k < KB_GRID_MAX; k++)
			assert_int_equal(design.grid[k], cases[i].n << k);
	}
	assert_int_equal(choose(plain, &slow, 100).grid[0], 10000);
}

static void test_single(void **state)
{
	struct kb_bench once = plain;
	struct kb_design design = choose(plain, &tsc, 26000);

	(void)state;
	assert_string_equal(design.method, "single");
	assert_int_equal(design.grid_count, 1);
	assert_int_equal(design.grid[0], 1);
	assert_false(design.base);
	assert_int_equal(design.singles, 0);
	once.max_n = 1;
	assert_string_equal(choose(once, &tsc, 10).method, "single");
	/* Asked for, whatever it costs. */
	kb_design_choose(&design, &plain, &tsc, 26000, 5, "slope");
	assert_string_equal(design.method, "slope");
	assert_int_equal(design.grid_count, KB_GRID_MAX);
	kb_design_choose(&design, &plain, &tsc, 100, 5, "single");
	assert_string_equal(design.method, "single");
	assert_int_equal(design.grid_count, 1);
}

static void test_bounds_of_n(void **state)
{
	struct kb_bench bench = plain;
	struct kb_design design;

	(void)state;
	bench.granule = 128;
	design = choose(bench, &tsc, 100);
	assert_int_equal(design.grid[0], 256);
	assert_int_equal(design.singles, 0); /* a single operation is no multiple of the granule */
	bench.granule = 0;
	bench.max_n = 800;
	design = choose(bench, &tsc, 100);
	assert_int_equal(design.grid[3], 800);
	bench.max_n = 5;
	design = choose(bench, &tsc, 100);
	assert_int_equal(design.grid_count, 3);
	assert_int_equal(design.grid[2], 4);
	bench.granule = 100;
	bench.max_n = 1000;
	design = choose(bench, &tsc, 100);
	assert_int_equal(design.grid[0], 100);
	assert_int_equal(design.grid[3], 800);
	/* A cost of nothing must not ask for an endless interval. */
	assert_true(choose(plain, &tsc, 0).grid[3] < UINT64_C(1) << 40);
}

static void test_blocks(void **state)
{
	(void)state;
	for (double cost_ns = 0.01; cost_ns < 1e9; cost_ns *= 3) {
		struct kb_design design = choose(plain, &tsc, cost_ns);

		assert_in_range(design.blocks, 30, 400);
	}
	assert_int_equal(choose(plain, &tsc, 1e9).blocks, 60);
	assert_int_equal(choose(plain, &tsc, 100).blocks, 400);
}

/* Single operations only where they last ten clock readings, and at least 600 over five launches. */
static void test_singles(void **state)
{
	struct kb_design design = choose(plain, &tsc, 300);

	(void)state;
	assert_int_equal(choose(plain, &tsc, 199).singles, 0);
	assert_true(choose(plain, &tsc, 201).singles > 0);
	assert_true(design.singles * design.blocks * 5 >= 600);
	design = choose(plain, &tsc, 24000);
	assert_true(design.singles * design.blocks * 5 >= 600);
}

static unsigned count(const struct kb_block *block, enum kb_step_kind kind, uint64_t n)
{
	unsigned found = 0;

	for (unsigned i = 0; i < block->count; i++)
		found += block->steps[i].kind == kind && block->steps[i].n == n;
	return found;
}

static void test_block(void **state)
{
	struct kb_design design = choose(plain, &tsc, 300);
	struct kb_block block;
	struct kb_rng rng;

	(void)state;
	kb_rng_seed(&rng, 1);
	kb_design_block(&design, &rng, 7, true, &block);
	assert_int_equal(block.index, 7);
	assert_true(block.warm);
	for (unsigned i = 0; i < KB_GRID_MAX; i++) {
		assert_int_equal(count(&block, KB_STEP_OP, design.grid[i]), 1);
		assert_int_equal(count(&block, KB_STEP_BASE, design.grid[i]), 1);
	}
	assert_int_equal(count(&block, KB_STEP_SINGLE, 1), design.singles);
	assert_int_equal(count(&block, KB_STEP_SENTINEL, 0), 1);
	assert_int_equal(count(&block, KB_STEP_CLOCK, 0), 1);
	assert_int_equal(block.count, 2 * KB_GRID_MAX + design.singles + 2);

	design.base = false;
	kb_design_block(&design, &rng, 8, false, &block);
	assert_false(block.warm);
	assert_int_equal(block.count, KB_GRID_MAX + design.singles + 2);
}

static void test_order(void **state)
{
	struct kb_design design = choose(plain, &tsc, 100);
	struct kb_block first, again, next;
	struct kb_rng rng;
	unsigned op_first = 0;

	(void)state;
	kb_rng_seed(&rng, 5);
	kb_design_block(&design, &rng, 0, false, &first);
	kb_design_block(&design, &rng, 0, false, &next);
	kb_rng_seed(&rng, 5);
	kb_design_block(&design, &rng, 0, false, &again);
	assert_memory_equal(first.steps, again.steps, first.count * sizeof *first.steps);
	assert_memory_not_equal(first.steps, next.steps, first.count * sizeof *first.steps);
	/* Neither side may have the better place: which one comes first is a coin. */
	for (unsigned i = 0; i < 1000; i++) {
		unsigned at = 0;

		kb_design_block(&design, &rng, i, false, &next);
		while (next.steps[at].kind != KB_STEP_OP && next.steps[at].kind != KB_STEP_BASE)
			at++;
		op_first += next.steps[at].kind == KB_STEP_OP;
	}
	assert_in_range(op_first, 430, 570);
}

static struct kb_bench paired_bench(void)
{
	struct kb_bench bench = plain;

	bench.method = KB_PAIRED;
	bench.granule = 1200;
	return bench;
}

/* Pairs stand together, in either order; a block without a base takes empty clock pairs for the other half. */
static void test_paired_block(void **state)
{
	struct kb_design design = choose(paired_bench(), &tsc, 100);
	struct kb_block block;
	struct kb_rng rng;
	unsigned op_first = 0, pairs = 0;

	(void)state;
	assert_string_equal(design.header, "paired");
	assert_int_equal(design.grid[0], 1200);
	kb_rng_seed(&rng, 3);
	for (unsigned round = 0; round < 200; round++) {
		design.base = round % 2;
		enum kb_step_kind other = design.base ? KB_STEP_BASE : KB_STEP_CLOCK;

		kb_design_block(&design, &rng, round, false, &block);
		assert_int_equal(block.count, 2 * design.repeats + 1 + design.base);
		assert_int_equal(count(&block, KB_STEP_OP, 1200), design.repeats);
		assert_int_equal(count(&block, KB_STEP_CLOCK, 0), design.base ? 1 : design.repeats);
		for (unsigned i = 0; i < block.count; i++) {
			bool first = block.steps[i].kind == KB_STEP_OP;

			if (!first && block.steps[i].kind != other)
				continue;
			assert_true(i + 1 < block.count);
			assert_int_equal(block.steps[++i].kind, first ? other : KB_STEP_OP);
			op_first += first;
			pairs++;
		}
	}
	assert_in_range(op_first, 4 * pairs / 10, 6 * pairs / 10);
}

/* As many pairs as a launch holds, 31 at the least, fewer only where there is no time for them, and never below 16. */
static void test_paired_length(void **state)
{
	static const struct { double cost_ns, pair_ns, most_ns; unsigned least, most; } cases[] = {
		{ 0.1, 25e3, 1e12, 2400, 3200 }, { 100, 1e6, 1e12, 140, 150 }, { 100, 50e6, 1e12, 31, 31 },
		{ 100, 1e9, 20e9, 20, 20 }, { 100, 1e9, 1e9, 16, 16 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct kb_design design = choose(paired_bench(), &tsc, cases[i].cost_ns);

		kb_paired_length(&design, cases[i].pair_ns, cases[i].most_ns);
		assert_in_range(design.blocks * design.repeats, cases[i].least, cases[i].most);
	}
}

static void test_possible(void **state)
{
	struct kb_bench paired = paired_bench(), lone = plain;
	char why[160];

	(void)state;
	lone.base = NULL;
	assert_true(kb_method_possible(&paired, NULL, why) && kb_method_possible(&paired, "paired", why));
	assert_false(kb_method_possible(&paired, "slope", why));
	assert_non_null(strstr(why, "paired only"));
	assert_false(kb_method_possible(&paired, "kanata", why));
	assert_true(kb_method_possible(&plain, "paired", why) && kb_method_possible(&lone, "single", why));
	assert_false(kb_method_possible(&lone, "paired", why));
	assert_non_null(strstr(why, "no base"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_grid), cmocka_unit_test(test_single), cmocka_unit_test(test_bounds_of_n),
		cmocka_unit_test(test_blocks), cmocka_unit_test(test_singles), cmocka_unit_test(test_block),
		cmocka_unit_test(test_order), cmocka_unit_test(test_paired_block), cmocka_unit_test(test_paired_length),
		cmocka_unit_test(test_possible),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
