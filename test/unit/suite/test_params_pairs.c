/* Pairs of CPUs: which are measured, what their times say of the topology, and whether a slowdown is a shared cache. */
#include "suite/params/pairs.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "base/rng.h"

/* Two threads a core, four cores an L3, two of those a package. */
static enum kb_kin kin(const void *context, unsigned a, unsigned b)
{
	(void)context;
	return a / 2 == b / 2 ? KB_KIN_CORE : a / 8 == b / 8 ? KB_KIN_L3 : a / 16 == b / 16 ? KB_KIN_PACKAGE : KB_KIN_MACHINE;
}

static unsigned of_kin(const struct kb_cpu_pair *pairs, unsigned count, enum kb_kin wanted)
{
	unsigned members = 0;

	for (unsigned i = 0; i < count; i++)
		members += pairs[i].kin == wanted;
	return members;
}

static void all_of_few(void **state)
{
	static const unsigned cpus[] = { 0, 1, 2, 3, 4, 5, 6, 7 }, two[] = { 3, 9 }, twice[] = { 5, 5 };
	struct kb_cpu_pair pairs[KB_PAIRS_MAX];

	(void)state;
	assert_int_equal(kb_pairs_choose(cpus, 8, kin, NULL, pairs), 28);
	assert_int_equal(of_kin(pairs, 28, KB_KIN_CORE), 4);
	assert_int_equal(kb_pairs_choose(two, 2, kin, NULL, pairs), 1);
	assert_int_equal(pairs[0].a, 3);
	assert_int_equal(pairs[0].b, 9);
	assert_int_equal(pairs[0].kin, KB_KIN_PACKAGE);
	assert_int_equal(kb_pairs_choose(cpus, 1, kin, NULL, pairs), 0);
	assert_int_equal(kb_pairs_choose(cpus, 0, kin, NULL, pairs), 0);
	assert_int_equal(kb_pairs_choose(twice, 2, kin, NULL, pairs), 0);
}

/* Of 64 CPUs each kind of distance has its share, and the sample reaches the last CPU. */
static void some_of_many(void **state)
{
	struct kb_cpu_pair pairs[KB_PAIRS_MAX];
	unsigned cpus[64], count, highest = 0;

	(void)state;
	for (unsigned i = 0; i < 64; i++)
		cpus[i] = i;
	count = kb_pairs_choose(cpus, 64, kin, NULL, pairs);
	assert_int_equal(count, 28);
	assert_int_equal(of_kin(pairs, count, KB_KIN_CORE), 7);
	assert_int_equal(of_kin(pairs, count, KB_KIN_L3), 7);
	assert_int_equal(of_kin(pairs, count, KB_KIN_PACKAGE), 7);
	assert_int_equal(of_kin(pairs, count, KB_KIN_MACHINE), 7);
	for (unsigned i = 0; i < count; i++) {
		assert_true(pairs[i].a != pairs[i].b);
		highest = pairs[i].b > highest ? pairs[i].b : highest;
	}
	assert_int_equal(highest, 63);
}

/* Times of a machine as the topology says, up to a fifth apart within a kin. */
static void time_pairs(struct kb_cpu_pair *pairs, unsigned count, uint64_t seed)
{
	static const double ns[KB_KINS] = { [KB_KIN_CORE] = 12, [KB_KIN_L3] = 45, [KB_KIN_PACKAGE] = 160, [KB_KIN_MACHINE] = 400 };
	struct kb_rng rng;

	kb_rng_seed(&rng, seed);
	for (unsigned i = 0; i < count; i++) {
		pairs[i].low = ns[pairs[i].kin] * (1 + 0.2 * (double)(kb_rng_next(&rng) >> 11) / 9007199254740992.0);
		pairs[i].high = pairs[i].low * 1.1;
	}
}

static void distances(void **state)
{
	static const unsigned cpus[] = { 0, 1, 2, 8, 9, 16, 17 };
	struct kb_cpu_pair pairs[KB_PAIRS_MAX];
	unsigned distance[KB_PAIRS_MAX], count = kb_pairs_choose(cpus, 7, kin, NULL, pairs);
	enum kb_kin whose;

	(void)state;
	for (uint64_t seed = 1; seed <= 50; seed++) {
		time_pairs(pairs, count, seed);
		assert_int_equal(kb_pairs_distances(pairs, count, distance), 4);
		for (unsigned i = 0; i < count; i++)
			assert_int_equal(distance[i], pairs[i].kin == KB_KIN_CORE ? 1 : pairs[i].kin == KB_KIN_L3 ? 2 :
					 pairs[i].kin == KB_KIN_PACKAGE ? 3 : 4);
		assert_int_equal(kb_pairs_judge(pairs, count, &whose), KB_PAIRS_FIT);
	}
	pairs[0].low = 0; /* not measured: no part in it */
	kb_pairs_distances(pairs, count, distance);
	assert_int_equal(distance[0], 0);
	assert_int_equal(kb_pairs_judge(pairs, count, &whose), KB_PAIRS_FIT);
}

static void contradictions(void **state)
{
	struct kb_cpu_pair pairs[3] = { { 0, 1, KB_KIN_L3, 50, 55 }, { 0, 2, KB_KIN_L3, 52, 58 }, { 1, 2, KB_KIN_L3, 140, 150 } };
	enum kb_kin whose = KB_KIN_UNKNOWN;

	(void)state;
	assert_int_equal(kb_pairs_judge(pairs, 3, &whose), KB_PAIRS_SPLIT);
	assert_int_equal(whose, KB_KIN_L3);
	assert_int_equal(kb_pairs_judge(pairs, 2, &whose), KB_PAIRS_FIT);
	assert_int_equal(kb_pairs_judge(pairs, 1, &whose), KB_PAIRS_TOO_FEW);
	assert_int_equal(kb_pairs_judge(pairs, 0, &whose), KB_PAIRS_TOO_FEW);
	pairs[0].kin = pairs[1].kin = KB_KIN_MACHINE; /* the slow one is said to be the nearest */
	assert_int_equal(kb_pairs_judge(pairs, 3, &whose), KB_PAIRS_REVERSED);
	assert_int_equal(whose, KB_KIN_MACHINE);
}

static void sharing(void **state)
{
	(void)state;
	assert_int_equal(kb_shared_infer(2.5, 4), KB_SHARED_YES);
	assert_int_equal(kb_shared_infer(0.98, 1.05), KB_SHARED_NO);
	assert_int_equal(kb_shared_infer(0.98, 1.6), KB_SHARED_UNSURE);
	assert_int_equal(kb_shared_infer(1.2, 1.25), KB_SHARED_UNSURE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_of_few), cmocka_unit_test(some_of_many), cmocka_unit_test(distances), cmocka_unit_test(contradictions),
		cmocka_unit_test(sharing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
