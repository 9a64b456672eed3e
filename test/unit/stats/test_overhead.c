/* Net cost: exact lines, blocks that one side lacks, codes, odd values. Coverage: truth/stats/test_overhead.c. */
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "draws.h"
#include "stats/comparison/overhead.h"

#define BLOCKS 40
#define POINTS (4 * BLOCKS)

struct side { double n[POINTS], y[POINTS]; uint32_t block[POINTS]; };

static void draw_side(struct side *side, double fixed, double cost, double noise, uint64_t seed)
{
	struct kb_rng rng;

	kb_rng_seed(&rng, seed);
	for (int i = 0; i < POINTS; i++) {
		side->n[i] = 100 << i % 4;
		side->block[i] = (uint32_t)i / 4;
		side->y[i] = fixed + cost * side->n[i] + noise * draw_normal(&rng);
	}
}

static struct kb_overhead net_of(const struct side *op, size_t ops, const struct side *base, size_t bases)
{
	struct kb_points_of a = { op->n, op->y, op->block, ops }, b = { base->n, base->y, base->block, bases };
	struct kb_overhead net;

	assert_int_equal(kb_overhead_find(&a, &b, 0.95, 1, &net), 0);
	return net;
}

static void exact(void **state)
{
	static struct side op, base;
	struct kb_overhead net;

	(void)state;
	draw_side(&op, 300, 44, 0, 1);
	draw_side(&base, 250, 4, 0, 2);
	net = net_of(&op, POINTS, &base, POINTS);
	assert_int_equal(net.blocks, BLOCKS);
	assert_true(net.net.known && fabs(net.net.value - 40) < 1e-9);
	assert_true(fabs(net.op - 44) < 1e-9 && fabs(net.base - 4) < 1e-9);
	assert_int_equal(net.code, KB_CODE_COUNT);
	assert_false(net.base_dominates);
	draw_side(&base, 250, 5, 0, 2);
	assert_true(net_of(&op, POINTS, &base, POINTS).base_dominates);
}

static void codes(void **state)
{
	static struct side op, base;
	struct kb_overhead net;

	(void)state;
	draw_side(&op, 300, 40, 50, 3);
	draw_side(&base, 300, 40, 50, 4);
	net = net_of(&op, POINTS, &base, POINTS);
	assert_int_equal(net.code, KB_CODE_below_resolution);
	assert_true(net.net.high > 0);
	draw_side(&base, 300, 42, 50, 4);
	net = net_of(&op, POINTS, &base, POINTS);
	assert_int_equal(net.code, KB_CODE_base_exceeds_op);
	/* Not clamped. */
	assert_true(net.net.value < -1.5 && net.net.high < 0);
	assert_true(fabs(net.op - net.base - net.net.value) < 1e-9);
}

/* Blocks 3 to 6 lost on one side, 10 with a single n on the other, and the end cut off. */
static void lost_blocks(void **state)
{
	static struct side op, base;
	struct kb_overhead net;

	(void)state;
	draw_side(&op, 300, 44, 10, 5);
	draw_side(&base, 300, 4, 10, 6);
	for (int i = 12; i < 28; i++)
		op.block[i] = 2;
	for (int i = 40; i < 44; i++)
		base.n[i] = 100;
	net = net_of(&op, POINTS, &base, POINTS - 6);
	assert_int_equal(net.blocks, BLOCKS - 4 - 1 - 1);
	assert_true(fabs(net.net.value - 40) < 0.2);
	/* Too few for an interval: the value stands. */
	net = net_of(&op, 40, &base, 40);
	assert_true(net.blocks == 6 && !net.net.known && net.net.why == KB_CODE_too_few_effective);
	assert_int_equal(net.code, KB_CODE_COUNT);
	assert_true(fabs(net.net.value - 40) < 1);
	net = net_of(&op, 0, &base, 0);
	assert_true(net.blocks == 0 && !net.net.known && !net.base_dominates);
}

static void odd_values(void **state)
{
	static struct side op, base;
	struct kb_points_of a = { op.n, op.y, op.block, POINTS }, b = { base.n, base.y, base.block, POINTS };
	struct kb_overhead net;

	(void)state;
	draw_side(&op, 0, 0, 0, 7);
	draw_side(&base, 0, 0, 0, 7);
	net = net_of(&op, POINTS, &base, POINTS);
	assert_true(net.net.known && !(net.net.value > 0) && net.code == KB_CODE_below_resolution);
	for (int i = 0; i < POINTS; i++)
		op.y[i] = 9223372036854775808.0 * (i % 3);
	net = net_of(&op, POINTS, &base, POINTS);
	assert_true(isfinite(net.net.value) && isfinite(net.net.low) && isfinite(net.net.high));
	base.y[7] = NAN;
	assert_int_equal(kb_overhead_find(&a, &b, 0.95, 1, &net), -EINVAL);
	assert_int_equal(kb_overhead_find(&b, &a, 0.95, 1, &net), -EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(exact),
		cmocka_unit_test(codes),
		cmocka_unit_test(lost_blocks),
		cmocka_unit_test(odd_values),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
