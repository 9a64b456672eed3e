/* Parameters from curves whose answer is known. Noise adds time and never takes any, as on a machine. */
#include "suite/params/params.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "base/rng.h"

#define K 1024.0
#define M (1024 * K)

/* ---- curves ---------------------------------------------------------------------------------------------- */

/* What a cache of `bytes` leaves of a ring in random order: all or, beyond, the share that does not fit. */
static double share(double size, double bytes)
{
	return size <= bytes ? 0 : size >= 1.3 * bytes ? 1 : (size - bytes) / (0.3 * bytes);
}

static double latency(double size, const double *bytes, const double *ns, int levels)
{
	double value = ns[0];

	for (int i = 0; i < levels; i++)
		value += (ns[i + 1] - ns[i]) * share(size, bytes[i]);
	return value;
}

static void measure(struct kb_curve *curve, const double *bytes, const double *ns, int levels, double noise, uint64_t seed)
{
	struct kb_rng rng;

	memset(curve, 0, sizeof *curve);
	kb_rng_seed(&rng, seed);
	for (double size = 4 * K; size <= 128 * M; size *= 2) {
		for (double at = size; at < 2 * size; at += size / 2) {
			double late = (double)(kb_rng_next(&rng) >> 11) / 9007199254740992.0;

			kb_curve_add(curve, at, latency(at, bytes, ns, levels) * (1 + noise * late));
		}
	}
}

static void points(void **state)
{
	struct kb_curve curve = { 0 };

	(void)state;
	assert_true(kb_curve_add(&curve, 2, 5));
	assert_true(kb_curve_add(&curve, 1, 4));
	assert_true(kb_curve_add(&curve, 2, 6));
	assert_true(kb_curve_add(&curve, 2, 3));
	assert_true(kb_curve_add(&curve, 2, 4));
	assert_false(kb_curve_add(&curve, 3, 0));
	assert_false(kb_curve_add(&curve, 3, NAN));
	assert_false(kb_curve_add(&curve, -1, 2));
	assert_int_equal(curve.count, 2);
	assert_float_equal(kb_curve_at(&curve, 2), 3, 0);
	assert_float_equal(kb_curve_at(&curve, 1), 4, 0);
	assert_float_equal(kb_curve_at(&curve, 7), 0, 0);
	for (int i = 0; i < KB_CURVE_MAX; i++)
		kb_curve_add(&curve, 10 + i, 1);
	assert_int_equal(curve.count, KB_CURVE_MAX);
}

/* 2 and 1 violate the order and become their geometric mean; what is in order stays. */
static void isotonic(void **state)
{
	static const double ns[] = { 1, 4, 1, 8, 16, 4 }, expected[] = { 1, 2, 2, 8, 8, 8 };
	struct kb_curve curve = { 0 };

	(void)state;
	for (int i = 0; i < 6; i++)
		kb_curve_add(&curve, i + 1, ns[i]);
	kb_curve_fit(&curve);
	for (int i = 0; i < 6; i++)
		assert_float_equal(curve.fit[i], expected[i], 1e-9);
}

static void expect_levels(const double *bytes, const double *ns, int levels, double noise)
{
	for (uint64_t seed = 1; seed <= 50; seed++) {
		struct kb_plateau plateaus[KB_PLATEAUS_MAX];
		struct kb_curve curve;

		measure(&curve, bytes, ns, levels, noise, seed);
		assert_int_equal(kb_curve_plateaus(&curve, 0.15, plateaus), levels + 1);
		for (int i = 0; i <= levels; i++) {
			assert_true(plateaus[i].ns >= ns[i] * 0.99 && plateaus[i].ns <= ns[i] * (1 + noise) * 1.05);
			if (i == levels)
				continue;
			assert_true(plateaus[i].last <= bytes[i] * 1.001 && plateaus[i].next > bytes[i]);
			assert_true(plateaus[i].next <= bytes[i] * 1.5);
		}
		assert_float_equal(plateaus[levels].next, 0, 0);
	}
}

static void three_caches(void **state)
{
	static const double bytes[] = { 48 * K, 1 * M, 16 * M }, ns[] = { 1.2, 4.2, 14, 95 };

	(void)state;
	expect_levels(bytes, ns, 3, 0);
	expect_levels(bytes, ns, 3, 0.08);
}

static void two_caches(void **state)
{
	static const double bytes[] = { 32 * K, 512 * K }, ns[] = { 1.6, 6, 110 };

	(void)state;
	expect_levels(bytes, ns, 2, 0.05);
}

/* A fifth more is no level of its own: the cost of translation steps in like that. */
static void one_level(void **state)
{
	static const double bytes[] = { 64 * K, 2 * M }, ns[] = { 4, 4.8, 40 };
	struct kb_plateau plateaus[KB_PLATEAUS_MAX];
	struct kb_curve curve;

	(void)state;
	measure(&curve, bytes, ns, 2, 0, 1);
	assert_int_equal(kb_curve_plateaus(&curve, 0.15, plateaus), 2);
	assert_float_equal(plateaus[0].ns, 4, 0.01);
	assert_float_equal(plateaus[1].ns, 40, 0.1);
}

/* Nothing but noise is one level; a long slope is none. */
static void no_cache(void **state)
{
	struct kb_plateau plateaus[KB_PLATEAUS_MAX];
	struct kb_curve curve;

	(void)state;
	for (uint64_t seed = 1; seed <= 50; seed++) {
		measure(&curve, NULL, (const double[]){ 3 }, 0, 0.1, seed);
		assert_int_equal(kb_curve_plateaus(&curve, 0.15, plateaus), 1);
	}
	memset(&curve, 0, sizeof curve);
	assert_int_equal(kb_curve_plateaus(&curve, 0.15, plateaus), 0);
	for (double size = 4 * K; size < 64 * M; size *= 2)
		kb_curve_add(&curve, size, sqrt(size));
	assert_int_equal(kb_curve_plateaus(&curve, 0.15, plateaus), 0);
}

/* ---- knees ----------------------------------------------------------------------------------------------- */

static void knees(void **state)
{
	static const double x[] = { 16, 32, 64, 80, 96, 100, 128 }, ns[] = { 1.67, 1.67, 1.68, 1.67, 1.68, 2.33, 3 };
	struct kb_curve curve = { 0 };
	struct kb_knee knee;

	(void)state;
	for (int i = 0; i < 5; i++)
		kb_curve_add(&curve, x[i], ns[i]);
	assert_false(kb_curve_knee(&curve, 0.15, 3, &knee)); /* flat */
	for (int i = 5; i < 7; i++)
		kb_curve_add(&curve, x[i], ns[i]);
	assert_true(kb_curve_knee(&curve, 0.15, 3, &knee));
	assert_float_equal(knee.on, 96, 0);
	assert_float_equal(knee.off, 100, 0);
	assert_float_equal(knee.on_ns, 1.67, 1e-9);
	assert_float_equal(knee.off_ns, 2.33, 1e-9);
	curve.ns[3] = 9; /* a disturbed point below the knee makes none of its own */
	assert_true(kb_curve_knee(&curve, 0.15, 3, &knee));
	assert_float_equal(knee.on, 96, 0);
	assert_false(kb_curve_knee(&curve, 0.15, 7, &knee)); /* too few points behind the level */
	assert_false(kb_curve_knee(&curve, 0.15, 0, &knee));
	for (int i = 2; i < 7; i++)
		curve.ns[i] = 3; /* the step lies inside of what was to be the level */
	assert_false(kb_curve_knee(&curve, 0.15, 3, &knee));
}

static void lines(void **state)
{
	static const double ns[] = { 2.59, 2.59, 4.13, 3.79, 3.79 };
	struct kb_curve curve = { 0 };
	struct kb_knee knee;

	(void)state;
	for (int i = 0; i < 5; i++)
		kb_curve_add(&curve, 16 << i, ns[i]);
	assert_true(kb_curve_knee(&curve, KB_PAIR_RISE, 1, &knee));
	assert_float_equal(knee.off, 64, 0);
	for (int i = 0; i < 5; i++)
		curve.ns[i] = 2.6;
	assert_false(kb_curve_knee(&curve, KB_PAIR_RISE, 1, &knee));
}

/* 12 ways of 64 sets of 64 bytes: 4 KB apart and more 12 lines fit, 2 KB apart 24. */
static void ways_of(void **state)
{
	static const double stride[] = { 1024, 2048, 4096, 8192, 16384 };
	struct kb_knee fit[5] = { { .on = 13 }, { .on = 13 }, { .on = 12 }, { .on = 12 }, { .on = 12 } };
	struct kb_ways ways;

	(void)state;
	assert_true(kb_ways_infer(stride, fit, 5, &ways));
	assert_int_equal(ways.ways, 12);
	assert_float_equal(ways.span, 4096, 0);
	fit[3].on = 13; /* only the last one is left, and nothing confirms it */
	assert_false(kb_ways_infer(stride, fit, 5, &ways));
	assert_false(kb_ways_infer(stride, fit, 0, &ways));
}

static void control(void **state)
{
	struct kb_knee knee = { .on = 96, .off = 100, .on_ns = 1.67, .off_ns = 2.33 };
	struct kb_curve curve = { 0 };

	(void)state;
	assert_false(kb_control_flat(&curve, &knee, 0.15)); /* not measured is not flat */
	kb_curve_add(&curve, 96, 1.67);
	kb_curve_add(&curve, 100, 1.69);
	assert_true(kb_control_flat(&curve, &knee, 0.15));
	curve.ns[1] = 2.3;
	assert_false(kb_control_flat(&curve, &knee, 0.15));
}

/* 256 lines 4 KB apart in huge pages: one entry, or the step of small pages. */
static void huge_pages(void **state)
{
	struct kb_curve near = { 0 };

	(void)state;
	assert_false(kb_pages_are_huge(&near, 16, 256, 0.15));
	kb_curve_add(&near, 16, 1.08);
	assert_false(kb_pages_are_huge(&near, 16, 256, 0.15)); /* not measured is not huge */
	kb_curve_add(&near, 256, 1.1);
	assert_true(kb_pages_are_huge(&near, 16, 256, 0.15));
	near.ns[1] = 2.98;
	assert_false(kb_pages_are_huge(&near, 16, 256, 0.15));
}

/* ---- beside the system ----------------------------------------------------------------------------------- */

static enum kb_match judged(double low, double high, double system, double slack)
{
	struct kb_inferred inferred = {
		.value = { .known = high > 0, .low = low, .high = high }, .system = { .known = system > 0, .low = system, .high = system },
	};

	kb_inferred_judge(&inferred, slack);
	return inferred.match;
}

static void judging(void **state)
{
	(void)state;
	assert_int_equal(judged(32, 48, 48, 0), KB_MATCH_AGREE);
	assert_int_equal(judged(32, 48, 32, 0), KB_MATCH_AGREE);
	assert_int_equal(judged(32, 48, 49, 0), KB_MATCH_DISAGREE);
	assert_int_equal(judged(32, 128, 49, 0), KB_MATCH_AGREE);
	assert_int_equal(judged(32, 129, 49, 0), KB_MATCH_UNVERIFIED);
	assert_int_equal(judged(32, 129, 200, 0), KB_MATCH_DISAGREE);
	assert_int_equal(judged(32, 48, 31, 0), KB_MATCH_DISAGREE);
	assert_int_equal(judged(32, 48, 0, 0), KB_MATCH_ALONE);
	assert_int_equal(judged(0, 0, 48, 0), KB_MATCH_NOT);
	assert_int_equal(judged(3000, 3000, 3002, 1e-3), KB_MATCH_AGREE);
	assert_int_equal(judged(3000, 3000, 2998, 1e-3), KB_MATCH_AGREE);
	assert_int_equal(judged(3000, 3000, 3004, 1e-3), KB_MATCH_DISAGREE);
	assert_int_equal(judged(3000, 3000, 2996, 1e-3), KB_MATCH_DISAGREE);
	for (enum kb_match match = 0; match < KB_MATCHES; match++)
		assert_non_null(kb_match_names[match]);
}

/* The first word is the one that is judged by; those that say the same join it, others stay seen. */
static void claims(void **state)
{
	struct kb_inferred inferred = { .value = { .known = true, .low = 32, .high = 48 } };

	(void)state;
	kb_inferred_claim(&inferred, 0, "nobody");
	assert_false(inferred.system.known);
	kb_inferred_claim(&inferred, 48, "sysfs");
	kb_inferred_claim(&inferred, 48, "CPUID 4");
	assert_string_equal(inferred.source, "sysfs, CPUID 4");
	assert_false(kb_inferred_differ(&inferred));
	kb_inferred_claim(&inferred, 64, "hwloc");
	assert_string_equal(inferred.source, "sysfs, CPUID 4");
	assert_true(kb_inferred_differ(&inferred));
	assert_int_equal(inferred.claim_count, 3);
	assert_float_equal(inferred.claims[2].value, 64, 0);
	kb_inferred_judge(&inferred, 0);
	assert_int_equal(inferred.match, KB_MATCH_AGREE);
	for (int i = 0; i < 9; i++)
		kb_inferred_claim(&inferred, 1, "many");
	assert_int_equal(inferred.claim_count, KB_SYSTEM_CLAIMS_MAX);
}

static enum kb_match doubted(double low, double high, double system, unsigned refused)
{
	struct kb_inferred inferred = {
		.value = { .known = true, .low = low, .high = high }, .system = { .known = true, .low = system, .high = system },
	};

	kb_inferred_judge(&inferred, 0);
	kb_size_doubt(&inferred, refused, 20);
	return inferred.match;
}

/* Disturbance makes a cache look smaller and its step wider; it takes a verdict away and never gives one. */
static void doubts(void **state)
{
	(void)state;
	assert_int_equal(doubted(800, 1100, 1024, 0), KB_MATCH_AGREE);
	assert_int_equal(doubted(800, 1100, 1024, 9), KB_MATCH_AGREE);
	assert_int_equal(doubted(400, 1100, 1024, 0), KB_MATCH_UNVERIFIED);     /* a step of more than a factor of two */
	assert_int_equal(doubted(400, 600, 1024, 0), KB_MATCH_DISAGREE);
	assert_int_equal(doubted(400, 600, 1024, 5), KB_MATCH_UNVERIFIED);      /* smaller, but disturbed */
	assert_int_equal(doubted(400, 610, 1024, 0), KB_MATCH_UNVERIFIED);      /* smaller, but not sharp */
	assert_int_equal(doubted(2000, 3100, 1024, 0), KB_MATCH_DISAGREE);
	assert_int_equal(doubted(2000, 2400, 1024, 5), KB_MATCH_DISAGREE);      /* larger: nothing that disturbs does that */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(points), cmocka_unit_test(isotonic), cmocka_unit_test(three_caches), cmocka_unit_test(two_caches),
		cmocka_unit_test(one_level), cmocka_unit_test(no_cache), cmocka_unit_test(knees), cmocka_unit_test(lines), cmocka_unit_test(ways_of),
		cmocka_unit_test(control), cmocka_unit_test(huge_pages), cmocka_unit_test(judging),
		cmocka_unit_test(claims), cmocka_unit_test(doubts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
