/*
 * What a clock is like, found by reading it: nothing here trusts a data sheet. Medians of many short trials, because
 * one interrupt would spoil a mean and a lucky pair would spoil a minimum.
 */
#include "measure/measure.h"
#include "arch/chain.h"
#include "kbench_code.h"

#include "base/error.h"

#define TRIALS 2001u
#define WARM_LOOPS 4u           /* what ran before has thrown the probe out of the caches of code */
#define WARM_ADDS 1000           /* a whole turn of the chain: behind a long sample its code is in no near cache */

/* A contention probe is as short as the clock allows, as run/calibrate.c has it for Linux. */
#define PROBE_NS 700u
#define PROBE_STEPS 70u
#define PROBE_TRIAL 60u         /* loops */
#define PROBE_ROUND 5u
#define PROBE_TRIES 15u

static void sort(uint64_t *values, unsigned count)
{
	for (unsigned gap = count / 2; gap > 0; gap /= 2) {
		for (unsigned i = gap; i < count; i++) {
			uint64_t value = values[i];
			unsigned j = i;

			for (; j >= gap && values[j - gap] > value; j -= gap)
				values[j] = values[j - gap];
			values[j] = value;
		}
	}
}

/* The smallest difference above zero among sorted samples: a clock that steps by 26 shows 26, 52, 78. */
static uint64_t smallest_step(const uint64_t *sorted, unsigned count)
{
	uint64_t step = 0;

	for (unsigned i = 1; i < count; i++) {
		uint64_t difference = sorted[i] - sorted[i - 1];

		if (difference > 0 && (step == 0 || difference < step))
			step = difference;
	}
	return step;
}

uint64_t kb_clock_probe(const struct kb_clock *clock, uint64_t n, uint64_t *start)
{
	kb_chain(KB_CHAIN_ADD, WARM_ADDS, 1, 3);
	*start = clock->begin();
	kb_chain(KB_CHAIN_ADD, n, 1, 3);
	return clock->end() - *start;
}

uint64_t kb_contention_probe(const struct kb_clock *clock, uint64_t loops, uint64_t *start)
{
	kb_contention_run(WARM_LOOPS);
	*start = clock->begin();
	kb_contention_run(loops);
	return clock->end() - *start;
}

unsigned kb_contention_instructions(void)
{
	return kb_contention_loop;
}

uint64_t kb_contention_loops(const struct kb_clock *clock)
{
	uint64_t least = UINT64_MAX, steps = PROBE_STEPS * clock->quantum, time = clock->hz / (1000000000u / PROBE_NS), start;

	for (unsigned i = 0; i < PROBE_TRIES; i++) {
		uint64_t ticks = kb_contention_probe(clock, PROBE_TRIAL, &start);

		least = ticks < least ? ticks : least;
	}
	uint64_t ticks = clock->hz == 0 ? least : time; /* where the clock's rate is unknown, the trial is as long */

	ticks = ticks > steps ? ticks : steps;
	return least > 0 ? (ticks * PROBE_TRIAL / least / PROBE_ROUND + 1) * PROBE_ROUND : 0;
}

int kb_clock_measure(struct kb_clock *clock)
{
	static uint64_t trials[TRIALS];

	for (unsigned i = 0; i < TRIALS; i++) {
		uint64_t start = clock->begin();
		/* A growing piece of work walks the sample over the clock's steps. */
		kb_chain(KB_CHAIN_ADD, i % 64, 1, 1);
		uint64_t stop = clock->end();

		if (stop < start)
			return -KB_ERANGE;
		trials[i] = stop - start;
	}
	sort(trials, TRIALS);
	clock->quantum = smallest_step(trials, TRIALS);

	for (unsigned i = 0; i < TRIALS; i++) {
		uint64_t start = clock->begin();

		trials[i] = clock->end() - start;
	}
	sort(trials, TRIALS);
	clock->cost = trials[TRIALS / 2];
	return clock->quantum > 0 ? 0 : -KB_ERANGE;
}

void kb_clock_ladder(const struct kb_clock *clock, uint64_t n, unsigned rungs, unsigned tries, uint64_t *ticks)
{
	for (unsigned rung = 0; rung < rungs; rung++)
		ticks[rung] = UINT64_MAX;
	/* All rungs in each try: a slow spell then hits every rung and no rung alone. */
	for (unsigned i = 0; i < tries; i++) {
		for (unsigned rung = 0; rung < rungs; rung++) {
			uint64_t start = clock->begin();
			kb_chain(KB_CHAIN_ADD, n * (rung + 1), 1, 1);
			uint64_t elapsed = clock->end() - start;

			if (elapsed < ticks[rung])
				ticks[rung] = elapsed;
		}
	}
}
