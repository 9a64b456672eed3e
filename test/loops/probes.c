/*
 * Two contention probes around the same system calls, one that fills the issue slots and the one that KBench uses: how many of the
 * samples that each of them takes for uncontended are dearer than uncontended ones. probes [SECONDS] [CPU]; see probes.sh.
 */
#define _GNU_SOURCE
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#include <x86intrin.h>

#include "arch/chain.h"

#define SAMPLES 2000000u
#define CALLS 60                /* some 10 us */
#define PAUSE 64u               /* samples, then a millisecond for others */
#define DEARER 1.05

enum { MIX_BEFORE, PROBE_BEFORE, COST, PROBE_AFTER, MIX_AFTER, COLUMNS };

static uint32_t samples[SAMPLES][COLUMNS];
static size_t count;

static uint64_t now(void)
{
	_mm_lfence();
	uint64_t ticks = __rdtsc();

	_mm_lfence();
	return ticks;
}

/* Twelve additions and six no-operations a loop. */
static __attribute__((noinline)) void fill_issue_slots(uint64_t loops)
{
	__asm__ volatile("1:	.rept 6\n	add $1, %%r8\n	add $1, %%r9\n	nop\n	.endr\n"
			 "	dec %0\n	jnz 1b\n" : "+r"(loops) : : "r8", "r9", "cc");
}

static void call(uint64_t calls)
{
	while (calls--)
		syscall(SYS_getppid);
}

static uint32_t timed(void (*run)(uint64_t), uint64_t loops)
{
	uint64_t start = now();

	run(loops);
	return (uint32_t)(now() - start);
}

static void measure(double seconds)
{
	struct timespec begin, end;

	clock_gettime(CLOCK_MONOTONIC, &begin);
	do {
		uint32_t *sample = samples[count++];

		sample[MIX_BEFORE] = timed(fill_issue_slots, 200);
		sample[PROBE_BEFORE] = timed(kb_contention_run, 40);
		sample[COST] = timed(call, CALLS);
		sample[PROBE_AFTER] = timed(kb_contention_run, 40);
		sample[MIX_AFTER] = timed(fill_issue_slots, 200);
		if (count % PAUSE == 0)
			usleep(1000);
		clock_gettime(CLOCK_MONOTONIC, &end);
	} while (count < SAMPLES && (double)(end.tv_sec - begin.tv_sec) + 1e-9 * (double)(end.tv_nsec - begin.tv_nsec) < seconds);
}

static int ascending(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return x < y ? -1 : x > y;
}

static uint32_t quantile(uint32_t *values, size_t n, double at)
{
	qsort(values, n, sizeof *values, ascending);
	return values[(size_t)(at * (double)(n - 1))];
}

/* What a column is on the uncontended core, as far as this run saw it: enough to compare two probes. */
static uint32_t floor_of(unsigned column, uint32_t *scratch)
{
	for (size_t i = 0; i < count; i++)
		scratch[i] = samples[i][column];
	return quantile(scratch, count, 0.05);
}

static uint32_t step_of(const uint32_t *sorted, size_t n)
{
	uint32_t step = UINT32_MAX;

	for (size_t i = 1; i < n; i++) {
		if (sorted[i] > sorted[i - 1] && sorted[i] - sorted[i - 1] < step)
			step = sorted[i] - sorted[i - 1];
	}
	return step == UINT32_MAX ? 1 : step;
}

static void print(const char *name, int before, int after, uint32_t *scratch)
{
	uint32_t cost = floor_of(COST, scratch), probe = before < 0 ? 0 : floor_of((unsigned)before, scratch);
	double most = 1.02 * probe + step_of(scratch, count);
	size_t clean = 0, dearer = 0;

	for (size_t i = 0; i < count; i++) {
		if (before >= 0 && (samples[i][before] > most || samples[i][after] > most))
			continue;
		dearer += samples[i][COST] > DEARER * cost;
		scratch[clean++] = samples[i][COST];
	}
	if (clean > 0)
		printf("%-32s %9.1f %% %11.1f %% %+11.2f %%\n", name, 100.0 * (double)clean / (double)count, 100.0 * (double)dearer / (double)clean,
		       100.0 * (quantile(scratch, clean, 0.5) / (double)cost - 1));
	else
		printf("%-32s %9.1f %%\n", name, 0.0);
}

int main(int argc, char **argv)
{
	uint32_t *scratch = malloc(SAMPLES * sizeof *scratch);
	cpu_set_t cpu;

	CPU_ZERO(&cpu);
	CPU_SET(argc > 2 ? atoi(argv[2]) : sched_getcpu(), &cpu);
	if (!scratch || sched_setaffinity(0, sizeof cpu, &cpu)) {
		perror("probes");
		return 1;
	}
	measure(argc > 1 ? atof(argv[1]) : 10);
	printf("%-32s %11s %13s %13s\n", "getppid, samples of 10 us", "taken", "5 % dearer", "median");
	print("all", -1, -1, scratch);
	print("additions and no-operations", MIX_BEFORE, MIX_AFTER, scratch);
	print("chain and no-operations", PROBE_BEFORE, PROBE_AFTER, scratch);
	free(scratch);
	return 0;
}
