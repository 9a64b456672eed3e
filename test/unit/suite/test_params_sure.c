/* What two processes must agree on, clocks that move, and pages that lie anywhere: inferred from measurements that are made up. */
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

static double part(struct kb_rng *rng)
{
	return (double)(kb_rng_next(rng) >> 11) / 9007199254740992.0;
}

/* ---- chains and clocks ----------------------------------------------------------------------------------- */

/* Side by side a multiplication is three additions whatever the clock does; a process that was disturbed says anything. */
static void whole_cycles(void **state)
{
	static const double moving[] = { 3.0004, 2.9993, 3.002, 2.9989, 3.31 }, apart[] = { 2.89, 3.0, 3.09, 2.95, 3.07 };
	struct kb_whole whole = kb_whole_infer(moving, 5, 3, 5);

	(void)state;
	assert_true(whole.sure);
	assert_int_equal(whole.agree, 4);
	assert_int_equal(whole.count, 5);
	assert_float_equal(whole.low, 2.9989, 1e-9);
	assert_float_equal(whole.high, 3.002, 1e-9);
	assert_true(whole.value > 2.9989 && whole.value < 3.002);
	/* Chain and addition in processes of their own, whose clocks are a few percent apart: nothing is sure, and all of it is shown. */
	whole = kb_whole_infer(apart, 5, 3, 5);
	assert_false(whole.sure);
	assert_float_equal(whole.low, 2.89, 1e-9);
	assert_float_equal(whole.high, 3.09, 1e-9);
	assert_false(kb_whole_infer(moving, 2, 3, 5).sure);
	assert_false(kb_whole_infer(moving, 5, 4, 5).sure);
	assert_false(kb_whole_infer((double[]){ 4, 4, 4, 3.3, 3.4, 3.6, 3.7 }, 7, 3, 5).sure);
	assert_int_equal(kb_whole_infer(moving, 0, 3, 5).count, 0);
}

static void clock_range(void **state)
{
	struct kb_clock_range steady = kb_clock_infer((double[]){ 3400.1, 3400, 3401.2, 3400.4 }, 4);
	struct kb_clock_range moved = kb_clock_infer((double[]){ 4202, 4286, 4238 }, 3);

	(void)state;
	assert_false(steady.moved);
	assert_true(moved.moved);
	assert_float_equal(moved.low, 4202, 0);
	assert_float_equal(moved.value, 4238, 0);
	assert_float_equal(moved.high, 4286, 0);
	assert_float_equal(kb_clock_infer(NULL, 0).value, 0, 0);
}

/* ---- knees ----------------------------------------------------------------------------------------------- */

/* A second level of 4096 entries of which a host takes some, and walks that become dearer without end. */
static struct kb_curve translation(double dearer)
{
	static const double points[][2] = { { 256, 1.7 }, { 512, 1.7 }, { 1024, 1.75 }, { 2048, 1.75 }, { 3072, 1.76 }, { 4096, 5.7 }, { 4973, 8.2 },
					    { 6144, 10.7 }, { 8192, 14.4 }, { 10678, 23 }, { 16384, 24 } };
	struct kb_curve curve = { .count = 0 };

	for (size_t i = 0; i < sizeof points / sizeof points[0]; i++)
		kb_curve_add(&curve, points[i][0], points[i][1] * (points[i][0] > 8192 ? dearer : 1));
	return curve;
}

/* Where caches miss as well, far beyond the level, costs rise further: they must not move its end. */
static void end_of_level(void **state)
{
	(void)state;
	for (double dearer = 1; dearer <= 8; dearer *= 2) {
		struct kb_curve curve = translation(dearer);
		struct kb_knee knee;

		assert_true(kb_curve_knee(&curve, 0.75, 3, &knee));
		assert_float_equal(knee.on, 3072, 0);
		kb_knee_complete(&curve, 0.75, &knee);
		assert_true(knee.on < 4096 && knee.off > 4096);
		assert_true(knee.off <= 8192);
	}
}

/* Exactly as many pages as entries fit once in a while: whoever else needs one takes one. */
static void seen_twice(void **state)
{
	static const double once[][2] = { { 64, 1 }, { 80, 1 }, { 96, 1 }, { 100, 2.6 }, { 128, 2.6 } };
	struct kb_curve curve = { .count = 0 };
	struct kb_knee knee, kept;

	(void)state;
	for (int i = 0; i < 5; i++)
		kb_curve_add(&curve, once[i][0], once[i][1]);
	assert_true(kb_curve_knee(&curve, 0.15, 3, &knee));
	kept = knee;
	assert_false(kb_knee_confirm(&curve, &knee));
	assert_memory_equal(&knee, &kept, sizeof knee);
	kb_curve_add(&curve, 80, 1.01);
	assert_false(kb_knee_confirm(&curve, &knee));           /* slow in one process only */
	kb_curve_add(&curve, 100, 2.7);
	kb_curve_add(&curve, 96, 2.5);
	knee = kept;
	assert_true(kb_knee_confirm(&curve, &knee));
	assert_float_equal(knee.on, 80, 0);
	assert_float_equal(knee.off, 100, 0);
	kb_curve_add(&curve, 96, 1.02);                         /* and now two that fit */
	knee = kept;
	assert_true(kb_knee_confirm(&curve, &knee));
	assert_float_equal(knee.on, 96, 0);
	kb_curve_add(&curve, 100, 1.03);                        /* one that fits is enough against `off` */
	knee = kept;
	assert_false(kb_knee_confirm(&curve, &knee));
	kb_curve_add(&curve, 128, 2.6);
	knee = kept;
	assert_true(kb_knee_confirm(&curve, &knee));
	assert_float_equal(knee.off, 128, 0);
}

/* ---- pages anywhere -------------------------------------------------------------------------------------- */

#define COLOURS_MAX 64

/* Of a ring in so many pages that lie anywhere, the share whose sets have more lines than ways. */
static double missing(unsigned pages, unsigned colours, unsigned ways, struct kb_rng *rng)
{
	unsigned count[COLOURS_MAX] = { 0 }, beyond = 0;

	for (unsigned i = 0; i < pages; i++)
		count[kb_rng_below(rng, colours)]++;
	for (unsigned i = 0; i < colours; i++)
		beyond += count[i] > ways ? count[i] : 0;
	return (double)beyond / pages;
}

/* Least of three processes, as the curves have it. */
static void measure(struct kb_curve *curve, double bytes, unsigned ways, double next_ns, struct kb_rng *rng)
{
	memset(curve, 0, sizeof *curve);
	for (double size = 4 * K; size <= 64 * M; size *= pow(2, 0.25)) {
		double at = round(size / 4096) * 4096;

		for (int process = 0; process < 3; process++) {
			double ns = at <= 48 * K ? 1 : 3.3;

			if (at > 48 * K)
				ns += (next_ns - ns) * missing((unsigned)(at / 4096), (unsigned)(bytes / 4096 / ways), ways, rng);
			if (at > 8 * M)
				ns = 110;
			kb_curve_add(curve, at, ns * (1 + 0.05 * part(rng)));
		}
	}
}

static void pages_anywhere(void **state)
{
	static const struct { double bytes; unsigned ways; double next_ns; } caches[] = { { 1 * M, 16, 10 }, { 2 * M, 16, 14 }, { 512 * K, 8, 12 } };
	struct kb_rng rng;

	(void)state;
	kb_rng_seed(&rng, 7);
	for (int run = 0; run < 60; run++) {
		struct kb_plateau levels[KB_PLATEAUS_MAX];
		double bytes = caches[run % 3].bytes;
		struct kb_curve curve;

		measure(&curve, bytes, caches[run % 3].ways, caches[run % 3].next_ns, &rng);
		assert_true(kb_curve_plateaus(&curve, 0.15, levels) >= 3);
		kb_plateau_halve(&curve, levels[2].ns, &levels[1]);
		assert_true(levels[1].last <= bytes && levels[1].next >= bytes);
		assert_true(levels[1].next <= 2 * levels[1].last);
		/* Others left nothing of the next cache: the way up is to memory, and the end is still near. */
		levels[1].next = 0;
		kb_plateau_halve(&curve, INFINITY, &levels[1]);
		assert_true(levels[1].last <= 1.2 * bytes && levels[1].next >= bytes && levels[1].next <= 4 * bytes);
	}
}

/* One slow process below the cache's size is one that others disturbed; the end needs two. */
static void disturbed_once(void **state)
{
	static const double points[][2] = { { 64, 3.3 }, { 256, 3.3 }, { 512, 3.4 }, { 768, 9.2 }, { 1024, 9.3 }, { 1536, 9.5 }, { 2048, 9.7 } };
	struct kb_plateau level = { .first = 64 * K, .last = 512 * K, .ns = 3.3 };
	struct kb_curve curve = { .count = 0 };

	(void)state;
	for (size_t i = 0; i < 7; i++)
		kb_curve_add(&curve, points[i][0] * K, points[i][1]);
	kb_curve_fit(&curve);
	kb_plateau_halve(&curve, 10, &level);
	assert_true(level.halved && level.sure);
	assert_float_equal(level.next, 1024 * K, 0);
	curve.count = 4;
	level.next = level.last = 256 * K;
	kb_plateau_halve(&curve, 10, &level);
	assert_false(level.sure);
	/* A ring three times as large was not measured: nothing moves. */
	level = (struct kb_plateau){ .first = 64 * K, .last = 512 * K, .ns = 3.3 };
	kb_plateau_halve(&curve, 10, &level);
	assert_false(level.halved);
	assert_float_equal(level.next, 0, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(whole_cycles), cmocka_unit_test(clock_range), cmocka_unit_test(end_of_level), cmocka_unit_test(seen_twice),
		cmocka_unit_test(pages_anywhere), cmocka_unit_test(disturbed_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
