/* The search for changes against a search over all partitions, long series, labels, odd values. Rates: truth/. */
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "draws.h"
#include "stats/series/changepoint.h"

#define N_MAX 6000

/* ---- the partition, with a cost of its own -------------------------------------------------------- */

struct squares { double x[40]; size_t calls; };

/* Squares about the mean: concave, as the pruning asks for. */
static double squares_cost(const void *of, size_t begin, size_t end)
{
	struct squares *squares = (struct squares *)of;
	double mean = 0, sum = 0;

	squares->calls++;
	for (size_t i = begin; i < end; i++)
		mean += squares->x[i] / (double)(end - begin);
	for (size_t i = begin; i < end; i++)
		sum += (squares->x[i] - mean) * (squares->x[i] - mean);
	return sum;
}

/* Every partition of begin..n-1, by recursion. */
static double cheapest(const struct kb_partition *p, size_t begin)
{
	double best = p->cost(p->series, begin, p->cells);

	for (size_t at = begin + p->least; at + p->least <= p->cells; at++)
		best = fmin(best, p->cost(p->series, begin, at) + p->penalty + cheapest(p, at));
	return best;
}

static double cost_of(const struct kb_partition *p, const size_t *at, unsigned count)
{
	double sum = count * p->penalty;

	for (unsigned k = 0; k <= count; k++)
		sum += p->cost(p->series, k > 0 ? at[k - 1] : 0, k < count ? at[k] : p->cells);
	return sum;
}

static void partition_is_optimal(void **state)
{
	size_t plain = 0, pruned = 0, at[KB_SEGMENTS_MAX], same[KB_SEGMENTS_MAX], edge[25];
	struct squares squares;
	struct kb_rng rng;
	unsigned count, again;

	(void)state;
	kb_rng_seed(&rng, 1);
	for (size_t i = 0; i <= 24; i++)
		edge[i] = i;
	for (int r = 0; r < 300; r++) {
		struct kb_partition p = { .cost = squares_cost, .series = &squares, .edge = edge, .cells = 24 };

		p.least = 3 + (size_t)r % 4;
		p.penalty = 0.5 + 0.5 * (r % 5);
		for (size_t i = 0; i < p.cells; i++)
			squares.x[i] = draw_normal(&rng) + (i > 9 ? 2 : 0) + (i > 17 && r % 2 ? 3 : 0);
		squares.calls = 0;
		assert_int_equal(kb_partition_find(&p, at, &count), 0);
		plain += squares.calls;
		squares.calls = 0;
		p.concave = true;
		assert_int_equal(kb_partition_find(&p, same, &again), 0);
		pruned += squares.calls;
		assert_int_equal(count, again);
		assert_memory_equal(at, same, count * sizeof(*at));
		assert_true(fabs(cost_of(&p, at, count) - cheapest(&p, 0)) < 1e-9);
		for (unsigned k = 0; k <= count; k++)
			assert_true((k < count ? at[k] : p.cells) >= (k > 0 ? at[k - 1] : 0) + p.least);
	}
	assert_true(pruned < plain);
}

/* ---- changes ---------------------------------------------------------------------------------------- */

static void noise(struct kb_rng *rng, double *x, size_t n)
{
	for (size_t i = 0; i < n; i++)
		x[i] = 1000 + draw_normal(rng);
}

/* Longer than the search has cells: a change is still found where it is. */
static void long_series(void **state)
{
	static double x[N_MAX];
	struct kb_changes changes;
	struct kb_rng rng;

	(void)state;
	kb_rng_seed(&rng, 2);
	noise(&rng, x, N_MAX);
	for (size_t i = 1235; i < 4567; i++)
		x[i] += 8;
	for (size_t n = 4999; n <= N_MAX; n += 77) {
		assert_int_equal(kb_changes_find(x, n, 0, 0, &changes), 0);
		assert_int_equal(changes.count, 2);
		assert_in_range(changes.at[0], 1234, 1236);
		assert_in_range(changes.at[1], 4566, 4568);
	}
	assert_int_equal(kb_changes_by_rank(x, N_MAX, 1, &changes), 0);
	/* Its cells are coarser: one that holds the change may become a segment of its own. */
	assert_in_range(changes.count, 2, 4);
	assert_in_range(changes.at[0], 1220, 1250);
}

static void same_changes(const struct kb_changes *a, const struct kb_changes *b)
{
	assert_int_equal(a->count, b->count);
	assert_memory_equal(a->at, b->at, a->count * sizeof(*a->at));
}

/* A shift and a scale, and for ranks any rising function, change nothing. */
static void invariances(void **state)
{
	struct kb_changes a, b;
	double x[200], y[200];
	struct kb_rng rng;

	(void)state;
	kb_rng_seed(&rng, 3);
	noise(&rng, x, 200);
	for (int i = 0; i < 200; i++) {
		x[i] += (i > 70 ? 3 : 0) + (i > 150 ? -5 : 0);
		y[i] = 7e6 + 1024 * x[i];
	}
	assert_int_equal(kb_changes_find(x, 200, 0, 0, &a), 0);
	assert_int_equal(kb_changes_find(y, 200, 0, 0, &b), 0);
	assert_int_equal(a.count, 2);
	same_changes(&a, &b);
	for (int i = 0; i < 200; i++)
		y[i] = exp(x[i] - 1000);
	assert_int_equal(kb_changes_by_rank(x, 200, 1, &a), 0);
	assert_int_equal(kb_changes_by_rank(y, 200, 1, &b), 0);
	assert_int_equal(a.count, 2);
	same_changes(&a, &b);
}

/* One step of the clock is a change if it stays, and the penalty is what was asked for. */
static void one_tick(void **state)
{
	struct kb_changes changes;
	double x[100];

	(void)state;
	for (int i = 0; i < 100; i++)
		x[i] = 20 + (i >= 30);
	assert_int_equal(kb_changes_find(x, 100, 1, 15, &changes), 0);
	assert_int_equal(changes.count, 1);
	assert_int_equal(changes.at[0], 30);
	assert_true(fabs(changes.penalty - 15 * log(100)) < 1e-9);
	assert_int_equal(kb_changes_find(x, 100, 50, 15, &changes), 0);
	assert_int_equal(changes.count, 0);
}

/* Levels of a few ticks, noise from none to a step, any penalty. */
static size_t draw_ticks(struct kb_rng *rng, int r, double *x)
{
	size_t n = 30 + (size_t)kb_rng_below(rng, 90);
	double noise_of = 0.2 + 0.1 * (r % 12);

	for (size_t i = 0; i < n; i++)
		x[i] = floor(0.5 + noise_of * draw_normal(rng) + (i > n / 3 ? r % 3 : 0) + (i > n / 2 ? -(r % 4) : 0));
	return n;
}

/* Read backwards, a series has the same changes; a search that drops candidates too early has a direction, and with a
   variance at its floor it would. What is left are partitions of equal cost. */
static void ticks_backwards(void **state)
{
	int differ = 0;

	(void)state;
	for (int r = 0; r < 3000; r++) {
		struct kb_changes a, b;
		double x[120], y[120];
		struct kb_rng rng;
		size_t n;

		kb_rng_seed(&rng, (uint64_t)r);
		n = draw_ticks(&rng, r, x);
		for (size_t i = 0; i < n; i++)
			y[i] = x[n - 1 - i];
		assert_int_equal(kb_changes_find(x, n, 1, 1 + r % 3, &a), 0);
		assert_int_equal(kb_changes_find(y, n, 1, 1 + r % 3, &b), 0);
		for (unsigned k = 0; k < b.count; k++)
			b.at[k] = n - b.at[k];
		if (a.count != b.count) {
			differ++;
			continue;
		}
		for (unsigned k = 0; k < a.count; k++)
			if (a.at[k] != b.at[b.count - 1 - k]) {
				differ++;
				break;
			}
	}
	assert_in_range(differ, 0, 5);
}

/* ---- labels ----------------------------------------------------------------------------------------- */

static struct kb_steady label(const double *x, size_t n)
{
	struct kb_steady steady;

	assert_int_equal(kb_steady_state(x, n, 0, 0, &steady), 0);
	return steady;
}

static void labels(void **state)
{
	struct kb_steady steady;
	double x[200], y[200];
	struct kb_rng rng;

	(void)state;
	kb_rng_seed(&rng, 4);
	noise(&rng, x, 200);
	steady = label(x, 200);
	assert_int_equal(steady.code, KB_CODE_flat);
	assert_true(steady.cut == 0 && steady.changes.count == 0 && fabs(steady.after - 1000) < 1);
	memcpy(y, x, sizeof(y));
	for (int i = 0; i < 200; i++)
		y[i] = x[i] + (i < 40 ? 20 : i < 60 ? 10 : 0);
	steady = label(y, 200);
	assert_int_equal(steady.code, KB_CODE_warmup);
	/* The second vote may let the smaller change go, not the cut. */
	assert_true(steady.cut == 60 && steady.changes.count >= 1 && steady.before > steady.after + 9);
	assert_int_equal(steady.changes.at[steady.changes.count - 1], 60);
	/* Once faster than the end: slower now, whatever came before. */
	for (int i = 0; i < 200; i++)
		y[i] = x[i] + (i < 20 ? 20 : i < 80 ? -10 : 0);
	steady = label(y, 200);
	assert_int_equal(steady.code, KB_CODE_slowdown);
	assert_int_equal(steady.cut, 80);
	for (int i = 0; i < 200; i++)
		y[i] = x[i] + (i < 130 ? 20 : 0);
	steady = label(y, 200);
	assert_int_equal(steady.code, KB_CODE_no_steady_state);
	assert_int_equal(steady.cut, 0);
	/* There and back is no change of the steady state, but a change. */
	for (int i = 0; i < 200; i++)
		y[i] = x[i] + (i >= 30 && i < 50 ? 20 : 0);
	steady = label(y, 200);
	assert_int_equal(steady.code, KB_CODE_warmup);
	assert_true(steady.cut == 50 && steady.changes.count == 2);
}

/* A spread that changes is no level that changes; neither is less than 0.1 %. */
static void equal_levels(void **state)
{
	struct kb_steady steady;
	double x[200];
	struct kb_rng rng;

	(void)state;
	kb_rng_seed(&rng, 5);
	for (int i = 0; i < 200; i++)
		x[i] = 1000 + draw_normal(&rng) * (i < 100 ? 1 : 20);
	steady = label(x, 200);
	assert_int_equal(steady.code, KB_CODE_flat);
	assert_int_equal(steady.changes.count, 0);
	for (int i = 0; i < 200; i++)
		x[i] = 1000 + 0.05 * draw_normal(&rng) + (i < 50 ? 0.8 : 0);
	assert_int_equal(label(x, 200).code, KB_CODE_flat);
	for (int i = 0; i < 50; i++)
		x[i] += 0.8;
	assert_int_equal(label(x, 200).code, KB_CODE_warmup);
}

static void short_series(void **state)
{
	double x[40], y[40];
	struct kb_rng rng;

	(void)state;
	kb_rng_seed(&rng, 6);
	noise(&rng, x, 40);
	assert_int_equal(label(x, 40).code, KB_CODE_flat);
	memcpy(y, x, sizeof(y));
	y[0] += 50;
	y[1] += 20;
	assert_int_equal(label(y, 40).code, KB_CODE_warmup);
	assert_int_equal(label(y, 40).cut, 2);
	/* A fast start is none. */
	y[0] = 10;
	y[1] = x[1];
	assert_int_equal(label(y, 40).code, KB_CODE_flat);
	for (int i = 0; i < 40; i++)
		y[i] = x[i] + (i < 20 ? 0 : 10);
	assert_int_equal(label(y, 40).code, KB_CODE_slowdown);
	for (int i = 0; i < 40; i++)
		y[i] = x[i] + (i < 20 ? 10 : 0);
	assert_int_equal(label(y, 40).code, KB_CODE_drift);
	for (size_t n = 0; n <= 6; n++)
		assert_int_equal(label(y, n).code, KB_CODE_flat);
}

static void several_processes(void **state)
{
	static const enum kb_reason_code flat = KB_CODE_flat, warmup = KB_CODE_warmup, slow = KB_CODE_slowdown;

	(void)state;
	assert_int_equal(kb_steady_of_processes(NULL, 0), KB_CODE_flat);
	assert_int_equal(kb_steady_of_processes((enum kb_reason_code[]){ slow, slow }, 2), slow);
	assert_int_equal(kb_steady_of_processes((enum kb_reason_code[]){ flat, flat, warmup, flat }, 4), warmup);
	assert_int_equal(kb_steady_of_processes((enum kb_reason_code[]){ flat, warmup, slow }, 3), KB_CODE_inconsistent);
	assert_int_equal(kb_steady_of_processes((enum kb_reason_code[]){ slow, flat }, 2), KB_CODE_inconsistent);
}

/* ---- edges ------------------------------------------------------------------------------------------ */

static void odd_values(void **state)
{
	static const double odd[] = { NAN, INFINITY, -INFINITY, 1e300 };
	struct kb_changes changes;
	struct kb_steady steady;
	double x[128];

	(void)state;
	for (size_t k = 0; k < sizeof(odd) / sizeof(*odd); k++) {
		for (int i = 0; i < 128; i++)
			x[i] = i == 50 ? odd[k] : i;
		assert_int_equal(kb_changes_find(x, 128, 1, 0, &changes), -EINVAL);
		assert_int_equal(kb_changes_by_rank(x, 128, 1, &changes), -EINVAL);
		assert_int_equal(kb_steady_state(x, 128, 1, 0, &steady), -EINVAL);
	}
	for (int kind = 0; kind < 4; kind++) {
		for (int i = 0; i < 128; i++)
			x[i] = (double[]){ 9223372036854775808.0 * (i % 3), 1e99 * (i % 2), i, i == 64 }[kind];
		for (size_t n = 0; n <= 128; n++) {
			assert_int_equal(kb_changes_find(x, n, -1, NAN, &changes), 0);
			assert_true(isfinite(changes.kappa) && isfinite(changes.penalty));
			assert_true(changes.count < KB_SEGMENTS_MAX);
			assert_int_equal(kb_steady_state(x, n, 0, 0, &steady), 0);
			assert_true(isfinite(steady.before) && isfinite(steady.after) && 2 * steady.cut <= n);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(partition_is_optimal),
		cmocka_unit_test(long_series),
		cmocka_unit_test(invariances),
		cmocka_unit_test(one_tick),
		cmocka_unit_test(ticks_backwards),
		cmocka_unit_test(labels),
		cmocka_unit_test(equal_levels),
		cmocka_unit_test(short_series),
		cmocka_unit_test(several_processes),
		cmocka_unit_test(odd_values),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
