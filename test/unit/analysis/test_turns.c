/* Effects of order and clock on what was run in turn: made on purpose, they are found; made by chance, they are not. */
#include <math.h>
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

#include "analysis/turns.h"
#include "base/rng.h"

#define BLOCKS 60u
#define MARGIN 0.01

static struct kb_turn turns[BLOCKS];
static struct kb_rng rng;

/* Around 1, by at most this share, never the same. */
static double noise(double share)
{
	return 1 + share * ((double)kb_rng_below(&rng, 2000001) / 1e6 - 1);
}

static void draw(double ratio, double clock, double order, uint64_t seed)
{
	kb_rng_seed(&rng, seed);
	for (unsigned i = 0; i < BLOCKS; i++) {
		bool before = kb_rng_below(&rng, 2);

		turns[i] = (struct kb_turn){
			1e6 * noise(.02), 1e6 * ratio * noise(.02) * (before ? 1 : order), 3000 * noise(.001), 3000 * clock * noise(.001), before, before,
		};
	}
}

static struct kb_turn_effects find(unsigned count)
{
	struct kb_turn_effects effects;

	assert_int_equal(kb_turn_effects_find(turns, count, MARGIN, &effects), 0);
	return effects;
}

/* Of so many draws a few are unlucky; those that are sure, next to never. */
#define DRAWS 400u

static void nothing_is_found_in_equals(void **state)
{
	unsigned misses = 0, found = 0;

	(void)state;
	for (uint64_t seed = 1; seed <= DRAWS; seed++) {
		draw(1, 1, 1, seed);

		struct kb_turn_effects effects = find(BLOCKS);

		assert_true(effects.order.known && effects.clock.known && effects.first.known);
		misses += effects.order.low > 0 || effects.order.high < 0;
		found += effects.order_matters || effects.first_matters || effects.clock_explains;
	}
	assert_in_range(misses, DRAWS / 50, DRAWS / 12);
	assert_in_range(found, 0, 2);
}

static void an_effect_of_order_is_found(void **state)
{
	draw(1, 1, 1.05, 12);

	struct kb_turn_effects effects = find(BLOCKS);

	(void)state;
	assert_true(effects.order_matters);
	assert_true(effects.order.low < log(1.05) && effects.order.high > log(1.05));
	/* Where it comes first it is faster. */
	assert_true(effects.first_matters && effects.first.value < 0);
}

static void a_difference_is_no_effect_of_order(void **state)
{
	draw(1.2, 1, 1, 12);

	struct kb_turn_effects effects = find(BLOCKS);

	(void)state;
	assert_false(effects.order_matters || effects.clock_explains);
}

static void a_slower_clock_explains_a_longer_time(void **state)
{
	draw(1.1, 1 / 1.1, 1, 12);

	struct kb_turn_effects effects = find(BLOCKS);

	(void)state;
	assert_true(effects.clock_explains);
	assert_true(effects.clock.low < log(1 / 1.1) && effects.clock.high > log(1 / 1.1));
	/* Half of it does not. */
	draw(1.1, 1 / 1.05, 1, 12);
	assert_false(find(BLOCKS).clock_explains);
}

static void unknown_clocks_and_few_blocks_tell_nothing(void **state)
{
	draw(1.1, 1 / 1.1, 1.5, 12);
	for (unsigned i = 0; i < BLOCKS; i++)
		turns[i].base_mhz = 0;

	struct kb_turn_effects effects = find(BLOCKS);

	(void)state;
	assert_false(effects.clock.known || effects.clock_explains);
	effects = find(5);
	assert_false(effects.order.known || effects.order_matters);
	effects = find(0);
	assert_false(effects.order.known || effects.first.known || effects.clock.known);
	/* A time of zero has no ratio. */
	draw(1, 1, 1, 12);
	turns[0].new = 0;
	assert_true(find(BLOCKS).order.known);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_is_found_in_equals),
		cmocka_unit_test(an_effect_of_order_is_found),
		cmocka_unit_test(a_difference_is_no_effect_of_order),
		cmocka_unit_test(a_slower_clock_explains_a_longer_time),
		cmocka_unit_test(unknown_clocks_and_few_blocks_tell_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
