/*
 * The end of a level in caches that are filled evenly: curves as measured, and curves of several processors with their published
 * sizes and latencies, under two replacements and neighbours that keep a part. The answer is known; noise adds time.
 */
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
#define RISE 0.15

static double uniform(struct kb_rng *rng)
{
	return (double)(kb_rng_next(rng) >> 11) / 9007199254740992.0;
}

/* Sizes in KB; each was seen twice. */
static void add_twice(struct kb_curve *curve, const double (*points)[2], size_t count)
{
	for (size_t i = 0; i < count; i++) {
		kb_curve_add(curve, points[i][0] * K, points[i][1]);
		kb_curve_add(curve, points[i][0] * K, points[i][1] * 1.04);
	}
}

static void expect_between(const struct kb_curve *curve, struct kb_plateau *level, double bytes)
{
	kb_plateau_sharpen(curve, RISE, level);
	assert_true(level->sure);
	assert_true(level->last <= bytes && level->next > bytes);
	assert_true(level->next < 2 * level->last);
}

/* A second cache of 2 MB: alone; beside a busy sibling that keeps a tenth; and where what is behind is no level but a way up. */
static void as_measured(void **state)
{
	static const double quiet[][2] = { { 256, 6.69 }, { 512, 6.69 }, { 1024, 6.73 }, { 1536, 6.75 }, { 1792, 6.71 },
		{ 1920, 6.76 }, { 2048, 7.02 }, { 2176, 18.88 }, { 2304, 23.13 }, { 2432, 26.86 }, { 2816, 29.1 }, { 3072, 29 }, { 4096, 60.2 }, { 8192, 110 } };
	static const double busy[][2] = { { 512, 6.2 }, { 1024, 6.2 }, { 1620, 6.3 }, { 1708, 7.2 }, { 1792, 8.1 }, { 1876, 8.2 },
		{ 1964, 14.1 }, { 2048, 16.9 }, { 2304, 22.8 }, { 2560, 25.1 }, { 3072, 26.4 }, { 4096, 26 }, { 8192, 47.7 } };
	static const double rising[][2] = { { 512, 6.4 }, { 1024, 6.4 }, { 1792, 6.2 }, { 2048, 12 }, { 2304, 22.8 }, { 2560, 25.1 },
		{ 3072, 34 }, { 4096, 66 }, { 8192, 135 } };
	struct kb_plateau level = { .ns = 6.4 };
	struct kb_curve curve;

	(void)state;
	memset(&curve, 0, sizeof curve);
	add_twice(&curve, quiet, sizeof quiet / sizeof *quiet);
	expect_between(&curve, &level, 2 * M);
	memset(&curve, 0, sizeof curve);
	add_twice(&curve, busy, sizeof busy / sizeof *busy);
	expect_between(&curve, &level, 2 * M);
	memset(&curve, 0, sizeof curve);
	add_twice(&curve, rising, sizeof rising / sizeof *rising);
	expect_between(&curve, &level, 2 * M);
}

/* ---- processors ------------------------------------------------------------------------------------------ */

/* Latencies in cycles, by their makers' manuals and published measurements; the third is what strangers leave of it. */
struct processor { const char *name; double bytes, inside, outside; };

static const struct processor processors[] = {
	{ "Skylake client", 256 * K, 12, 42 }, { "Skylake server", 1 * M, 14, 68 }, { "Sapphire Rapids", 2 * M, 16, 70 },
	{ "Zen 3", 512 * K, 12, 46 }, { "Zen 4", 1 * M, 14, 50 }, { "Neoverse N1", 1 * M, 11, 60 }, { "Neoverse N2", 512 * K, 13, 55 },
	{ "Cortex-A72", 1 * M, 21, 180 },
};

/* Share of misses at r times the cache: the oldest line goes, or any. Of the latter m = 1 - exp(-r m). */
static double misses(double r, bool at_random)
{
	double share = 1;

	if (r <= 1)
		return 0;
	for (int i = 0; i < 200 && at_random; i++)
		share = 1 - exp(-r * share);
	return share;
}

/* One launch: up to a tenth of the cache is a sibling's, and one in ten processes is emptied all the time. */
static double process(const struct processor *processor, double size, bool at_random, double kept, struct kb_rng *rng)
{
	double share = misses(size / (processor->bytes * (1 - kept * uniform(rng))), at_random);
	double ns = processor->inside + (processor->outside - processor->inside) * share;

	ns *= 1 + 0.05 * uniform(rng);
	return uniform(rng) < 0.1 ? ns * (1.5 + 4 * uniform(rng)) : ns;
}

static void measure(struct kb_curve *curve, const struct processor *processor, bool at_random, double kept, uint64_t seed)
{
	struct kb_rng rng;

	memset(curve, 0, sizeof *curve);
	kb_rng_seed(&rng, seed);
	for (int i = 0; i < 4; i++) {
		for (double size = 64 * K; size <= 8 * M; size *= 2) {
			kb_curve_add(curve, size, process(processor, size, at_random, kept, &rng));
			kb_curve_add(curve, size * 1.5, process(processor, size * 1.5, at_random, kept, &rng));
		}
		for (double part = 0.75; part < 1.5; part += 0.11)
			kb_curve_add(curve, processor->bytes * part, process(processor, processor->bytes * part, at_random, kept, &rng));
	}
}

/* One seed of a thousand may be so disturbed that nothing is sure; none may be sure of something wrong. */
static void of_processors(void **state)
{
	unsigned tried = 0, unsure = 0;

	(void)state;
	for (size_t i = 0; i < sizeof processors / sizeof *processors; i++) {
		for (uint64_t seed = 1; seed <= 400; seed++) {
			struct kb_plateau level = { .ns = processors[i].inside * 1.02 };
			struct kb_curve curve;

			measure(&curve, &processors[i], seed % 2, seed % 3 ? 0 : 0.1, seed);
			kb_plateau_sharpen(&curve, RISE, &level);
			tried++;
			unsure += !level.sure;
			if (!level.sure)
				continue;
			/* What a sibling keeps all the time nobody can see. */
			assert_true(level.last <= processors[i].bytes * 1.0001);
			assert_true(level.next > processors[i].bytes * (seed % 3 ? 0.9999 : 0.8999));
			assert_true(level.next < 2 * level.last);
		}
	}
	assert_true(unsure * 100 < tried);
}

/* ---- what is no end -------------------------------------------------------------------------------------- */

/* Slow points before a fast one were disturbed; one process alone makes no end. */
static void disturbed(void **state)
{
	static const double points[][2] = { { 256, 6 }, { 512, 41 }, { 768, 38 }, { 1024, 6.1 }, { 2048, 6.2 }, { 4096, 25 },
		{ 8192, 26 } };
	struct kb_plateau level = { .ns = 6 };
	struct kb_curve curve = { 0 };

	(void)state;
	for (size_t i = 0; i < sizeof points / sizeof *points; i++)
		kb_curve_add(&curve, points[i][0] * K, points[i][1]);
	kb_plateau_sharpen(&curve, RISE, &level);
	assert_false(level.sure);
	assert_float_equal(level.last, 2 * M, 0);
	assert_float_equal(level.next, 4 * M, 0);
	kb_curve_add(&curve, 5000 * K, 27); /* a second process, at more */
	kb_plateau_sharpen(&curve, RISE, &level);
	assert_true(level.sure);
	assert_float_equal(level.next, 5000 * K, 0);
	assert_false(level.twice);
	kb_curve_add(&curve, 4096 * K, 27);
	kb_plateau_sharpen(&curve, RISE, &level);
	assert_true(level.sure && level.twice);
	assert_float_equal(level.next, 4 * M, 0);
	kb_curve_add(&curve, 3072 * K, 6.4); /* the cache is larger than that */
	kb_plateau_sharpen(&curve, RISE, &level);
	assert_float_equal(level.last, 3 * M, 0);
}

/* No more than half as slow again is no next level; nor is a ring next to the last that fits the measure of one. */
static void no_end(void **state)
{
	static const double points[][2] = { { 256, 6 }, { 512, 6 }, { 1024, 6 }, { 1100, 40 } };
	struct kb_plateau level = { .ns = 6 };
	struct kb_curve curve = { 0 };

	(void)state;
	add_twice(&curve, points, 4);
	kb_plateau_sharpen(&curve, RISE, &level);
	assert_float_equal(level.next, 0, 0);
	assert_false(level.sure);
	curve.count = 3;
	kb_curve_add(&curve, 4 * M, 9);
	kb_plateau_sharpen(&curve, RISE, &level);
	assert_float_equal(level.next, 0, 0);
}

/* The smallest from here on; the second smallest is kept apart. */
static void envelope(void **state)
{
	static const double ns[] = { 1, 4, 1, 8, 16, 4 }, expected[] = { 1, 1, 1, 4, 4, 4 };
	struct kb_curve curve = { 0 };

	(void)state;
	for (int i = 0; i < 6; i++)
		kb_curve_add(&curve, i + 1, ns[i]);
	kb_curve_floor(&curve);
	for (int i = 0; i < 6; i++)
		assert_float_equal(curve.fit[i], expected[i], 0);
	assert_float_equal(curve.again[0], 0, 0);
	kb_curve_add(&curve, 1, 3);
	kb_curve_add(&curve, 1, 2);
	kb_curve_add(&curve, 1, 0.5);
	kb_curve_add(&curve, 0.5, 7);
	assert_float_equal(curve.again[1], 1, 0);
	assert_float_equal(curve.ns[1], 0.5, 0);
	assert_float_equal(curve.again[0], 0, 0);
}

/* ---- small pages ----------------------------------------------------------------------------------------- */

/* Share of misses where pages lie at random in `colours` kinds of `ways` each, the oldest goes: a colour with more pages than
   ways misses always. Pages of a colour are Poisson. */
static double conflicts(double pages, double colours, int ways)
{
	double mean = pages / colours, term = exp(-mean), fit = 0;

	for (int k = 0; k <= ways; k++) {
		fit += k * term;
		term *= mean / (k + 1);
	}
	return 1 - fit / mean;
}

/* A cache of 2 MB that small pages fill unevenly is slower from half of its size on. Without the sharp rule, the end is where all
   is slow: the interval holds the size, and says by its width what it is worth. */
static void gradual(void **state)
{
	struct kb_plateau plateaus[KB_PLATEAUS_MAX];
	struct kb_curve curve = { 0 };

	(void)state;
	for (double size = 4 * K; size <= 64 * M; size *= sqrt(2)) {
		double inside = size <= 48 * K ? 2 : 6.5;

		kb_curve_add(&curve, size, inside + (28 - inside) * (size <= 48 * K ? 0 : conflicts(size / 4096, 32, 16)));
	}
	assert_int_equal(kb_curve_plateaus(&curve, RISE, plateaus), 3);
	assert_true(plateaus[1].last < 2 * M && plateaus[1].last > 0.5 * M);
	assert_true(plateaus[1].next > 2 * M && plateaus[1].next < 4 * M);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(as_measured), cmocka_unit_test(of_processors), cmocka_unit_test(disturbed), cmocka_unit_test(no_end),
		cmocka_unit_test(envelope), cmocka_unit_test(gradual),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
