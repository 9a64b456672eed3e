/* Plans: n that the clock resolves and a time slice holds, and blocks that hold each step as often as designed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "run/method.h"

static int loop(struct kb_run *run, uint64_t n)
{
	(void)run, (void)n;
	return 0;
}

#define GRID 3u         /* sizes of n, 2n, 4n */

static const struct kb_bench plain = { .name = "test.row", .op = loop, .base = loop };
static const struct kb_clock tsc = { .name = "tsc", .hz = 2000000000, .quantum = 2, .cost = 40 }; /* 20 ns a reading */
static const struct kb_clock slow = { .name = "slow", .hz = 1000000, .quantum = 1, .cost = 1 };   /* steps of 1 us */

static struct kb_design choose(struct kb_bench bench, const struct kb_clock *clock, double cost_ns)
{
	struct kb_design design;

	kb_design_choose(&design, &bench, clock, cost_ns, 5, KB_METHOD_NONE, 0);
	return design;
}

/* The shortest sample lasts 10 us, 100 readings of the clock, 4 operations where these take 25 us at most: whichever is longest. */
static void test_grid(void **state)
{
	static const struct { double cost_ns; uint64_t n; } cases[] = {
		{ 0.5, 20000 }, { 2, 5000 }, { 100, 100 }, { 801, 13 }, { 2400, 5 }, { 2600, 4 }, { 6200, 4 }, { 24000, 2 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct kb_design design = choose(plain, &tsc, cases[i].cost_ns);

		assert_int_equal(design.method, KB_METHOD_SLOPE);
		assert_true(design.base);
		assert_int_equal(design.grid_count, GRID);
		for (unsigned k = 0; k < GRID; k++)
			assert_int_equal(design.grid[k], cases[i].n << k);
	}
	assert_int_equal(choose(plain, &slow, 100).grid[0], 1000);
}

static void test_single(void **state)
{
	struct kb_bench once = plain;
	struct kb_design design = choose(plain, &tsc, 26000);

	(void)state;
	assert_int_equal(design.method, KB_METHOD_SINGLE);
	assert_int_equal(design.grid_count, 1);
	assert_int_equal(design.grid[0], 1);
	assert_false(design.base);
	assert_int_equal(design.singles, 0);
	once.max_n = 1;
	assert_int_equal(choose(once, &tsc, 10).method, KB_METHOD_SINGLE);
	/* Asked for, whatever it costs. */
	kb_design_choose(&design, &plain, &tsc, 26000, 5, KB_METHOD_SLOPE, 0);
	assert_int_equal(design.method, KB_METHOD_SLOPE);
	assert_int_equal(design.grid_count, GRID);
	kb_design_choose(&design, &plain, &tsc, 100, 5, KB_METHOD_SINGLE, 0);
	assert_int_equal(design.method, KB_METHOD_SINGLE);
	assert_int_equal(design.grid_count, 1);
}

static void test_bounds_of_n(void **state)
{
	struct kb_bench bench = plain;
	struct kb_design design;

	(void)state;
	bench.granule = 128;
	design = choose(bench, &tsc, 100);
	assert_int_equal(design.grid[0], 128);
	assert_int_equal(design.singles, 0); /* a single operation is no multiple of the granule */
	bench.granule = 0;
	bench.max_n = 200;
	design = choose(bench, &tsc, 100);
	assert_int_equal(design.grid[2], 200);
	bench.max_n = 5;
	design = choose(bench, &tsc, 100);
	assert_int_equal(design.grid_count, 3);
	assert_int_equal(design.grid[2], 4);
	bench.granule = 100;
	bench.max_n = 500;
	design = choose(bench, &tsc, 100);
	assert_int_equal(design.grid[0], 100);
	assert_int_equal(design.grid[2], 400);
	/* A cost of nothing must not ask for an endless sample. */
	assert_true(choose(plain, &tsc, 0).grid[2] < UINT64_C(1) << 40);
}

static void test_blocks(void **state)
{
	(void)state;
	for (double cost_ns = 0.01; cost_ns < 1e9; cost_ns *= 3) {
		struct kb_design design = choose(plain, &tsc, cost_ns);

		assert_in_range(design.blocks, 60, 600);
	}
	assert_int_equal(choose(plain, &tsc, 1e9).blocks, 60);
	assert_int_equal(choose(plain, &tsc, 100).blocks, 600);
}

/* Single operations only where they last ten clock readings, and at least 600 over five processes. */
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
	for (unsigned i = 0; i < GRID; i++) {
		assert_int_equal(count(&block, KB_STEP_OP, design.grid[i]), 1);
		assert_int_equal(count(&block, KB_STEP_BASE, design.grid[i]), 1);
	}
	assert_int_equal(count(&block, KB_STEP_SINGLE, 1), design.singles);
	assert_int_equal(count(&block, KB_STEP_PROBE, 0), 1);
	assert_int_equal(count(&block, KB_STEP_CLOCK, 0), 1);
	assert_int_equal(block.count, 2 * GRID + design.singles + 2);

	design.base = false;
	kb_design_block(&design, &rng, 8, false, &block);
	assert_false(block.warm);
	assert_int_equal(block.count, GRID + design.singles + 2);
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

/* As many pairs as a process holds, 31 at the least, fewer only where there is no time for them, and never below 16. */
static void test_paired_length(void **state)
{
	static const struct { double cost_ns, pair_ns, most_ns; unsigned least, most; } cases[] = {
		{ 0.1, 25e3, 1e12, 2700, 3300 }, { 100, 1e6, 1e12, 72, 78 }, { 100, 50e6, 1e12, 31, 31 },
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
	assert_true(kb_method_possible(&paired, KB_METHOD_NONE, NULL, why) && kb_method_possible(&paired, KB_METHOD_PAIRED, NULL, why));
	assert_false(kb_method_possible(&paired, KB_METHOD_SLOPE, NULL, why));
	assert_non_null(strstr(why, "only be measured with method paired"));
	assert_false(kb_method_possible(&paired, KB_METHOD_KANATA, NULL, why));
	assert_true(kb_method_possible(&plain, KB_METHOD_PAIRED, NULL, why) && kb_method_possible(&lone, KB_METHOD_SINGLE, NULL, why));
	assert_false(kb_method_possible(&lone, KB_METHOD_PAIRED, NULL, why));
	assert_non_null(strstr(why, "no empty loop"));
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
