/* What the C loops here share: the clock, one CPU, and KBench's own contention probe. x86-64 only. */
#ifndef KB_TEST_SAMPLES_H
#define KB_TEST_SAMPLES_H

#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <x86intrin.h>

#include "arch/chain.h"

#define PROBE_WARM 4u           /* loops that are not timed: what ran before has thrown the probe out of the caches of code */
#define PROBE_LOOPS 60u
#define CHAIN_ADDS 2000u        /* of one sample of the clock chain */

static inline uint64_t now(void)
{
	_mm_lfence();
	uint64_t ticks = __rdtsc();

	_mm_lfence();
	return ticks;
}

static inline uint32_t probe(void)
{
	kb_contention_run(PROBE_WARM);
	uint64_t start = now();

	kb_contention_run(PROBE_LOOPS);
	return (uint32_t)(now() - start);
}

/* Dependent additions, one a core cycle: what a core cycle is in ticks. */
static inline void add_chain(uint64_t count)
{
	uint64_t sum = 0;

	for (uint64_t i = 0; i < count / 20; i++)
		__asm__ volatile(".rept 20\n	add %1, %0\n	.endr\n" : "+r"(sum) : "r"(i));
}

static inline void pin(int pid, int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (sched_setaffinity(pid, sizeof set, &set)) {
		perror("sched_setaffinity");
		exit(1);
	}
}

static inline double seconds_now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* Ticks a second, from a pause of 50 ms. */
static inline double clock_hz(void)
{
	double begin = seconds_now();
	uint64_t start = now();

	while (seconds_now() < begin + 0.05)
		continue;
	uint64_t ticks = now() - start;

	return (double)ticks / (seconds_now() - begin);
}

#endif
