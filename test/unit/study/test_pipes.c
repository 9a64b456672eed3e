/* Pipes from rates: cores with known pipes, whose rates have the noise of a measurement; what the dispatch hides is not told. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/rng.h"
#include "study/pipes.h"

#define NOISE 0.01

static unsigned size(uint32_t set)
{
	return (unsigned)__builtin_popcount(set);
}

/* As many a cycle as any scheduler can do, and as the dispatch lets through. */
static double best(uint32_t a, uint32_t b, const unsigned mix[2], double width)
{
	double cycles = fmax(fmax((double)mix[0] / size(a), (double)mix[1] / size(b)), (double)(mix[0] + mix[1]) / size(a | b));

	return fmin((mix[0] + mix[1]) / cycles, width);
}

static double noisy(struct kb_rng *rng, double value)
{
	return value * (1 + NOISE * ((double)kb_rng_below(rng, 2001) / 1000 - 1));
}

static void measure(struct kb_pipes *pipes, const uint32_t *truth, unsigned count, double width, struct kb_rng *rng)
{
	unsigned mix[2];

	*pipes = (struct kb_pipes){ .count = count, .width = width };
	for (unsigned i = 0; i < count; i++)
		pipes->rate[i] = noisy(rng, size(truth[i]));
	for (unsigned i = 0; i < count; i++) {
		for (unsigned j = i + 1; j < count; j++) {
			kb_pipes_mix(size(truth[i]), size(truth[j]), mix);
			pipes->both[i][j] = noisy(rng, best(truth[i], truth[j], mix, width));
		}
	}
	kb_pipes_find(pipes);
}

/* Of a core of random groups: the numbers are right, and the sets that are found have them. */
static void random_cores(void **state)
{
	struct kb_pipes pipes;
	struct kb_rng rng;

	(void)state;
	kb_rng_seed(&rng, 20);
	for (int core = 0; core < 200; core++) {
		uint32_t truth[10];

		for (unsigned i = 0; i < 10; i++)
			do {
				truth[i] = (uint32_t)kb_rng_below(&rng, 255) + 1;
			} while (size(truth[i]) > 4);
		measure(&pipes, truth, 10, 100, &rng);
		assert_int_equal(pipes.missed, 0);
		for (unsigned i = 0; i < 10; i++) {
			assert_int_equal(pipes.pipes[i], size(truth[i]));
			assert_int_equal(size(pipes.takes[i]), size(truth[i]));
			for (unsigned j = i + 1; j < 10; j++) {
				assert_int_equal(pipes.shared[i][j], size(truth[i] & truth[j]));
				assert_int_equal(size(pipes.takes[i] & pipes.takes[j]), size(truth[i] & truth[j]));
			}
		}
	}
}

/* Six and four pipes behind a dispatch of eight: whether they share any is not told, and not guessed. */
static void hidden(void **state)
{
	static const uint32_t truth[] = { 0x3f, 0x3c0, 0x7 };
	struct kb_pipes pipes;
	struct kb_rng rng;

	(void)state;
	kb_rng_seed(&rng, 21);
	measure(&pipes, truth, 3, 8, &rng);
	assert_int_equal(pipes.shared[0][1], -1);
	assert_int_equal(pipes.shared[0][2], 3);
	assert_int_equal(pipes.shared[1][2], 0);
	assert_int_equal(pipes.total, 10);
}

/* More than four a cycle want five pipes, whatever slows them. */
static void at_most(void **state)
{
	struct kb_pipes pipes = { .count = 2, .rate = { 3, 3 }, .width = 8 };

	(void)state;
	pipes.both[0][1] = 4.3;
	kb_pipes_find(&pipes);
	assert_int_equal(pipes.shared[0][1], 1);
	pipes.both[0][1] = 2.4;
	kb_pipes_find(&pipes);
	assert_int_equal(pipes.shared[0][1], 3);
}

/* A rate between two numbers is none, and numbers that no pipes have are said to be missed. */
static void impossible(void **state)
{
	struct kb_pipes pipes = { .count = 3, .rate = { 1, 1, 1 }, .width = 8 };

	(void)state;
	assert_int_equal(kb_pipes_whole(2.5), 0);
	assert_int_equal(kb_pipes_whole(0.5), 0);
	assert_int_equal(kb_pipes_whole(2.94), 3);
	/* The first shares its only pipe with the second, and the second with the third, but not the first with the third. */
	pipes.both[0][1] = pipes.both[1][2] = 1;
	pipes.both[0][2] = 2;
	kb_pipes_find(&pipes);
	assert_int_equal(pipes.missed, 1);
}

static void mixes(void **state)
{
	unsigned mix[2];

	(void)state;
	kb_pipes_mix(6, 4, mix);
	assert_int_equal(mix[0], 3);
	assert_int_equal(mix[1], 2);
	kb_pipes_mix(1, 5, mix);
	assert_int_equal(mix[0], 1);
	assert_int_equal(mix[1], 5);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(random_cores), cmocka_unit_test(hidden), cmocka_unit_test(at_most), cmocka_unit_test(impossible), cmocka_unit_test(mixes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
