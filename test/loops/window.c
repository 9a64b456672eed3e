/*
 * How long loops of a chain and no-operations take, by the number of these: window SECONDS CPU. The loops of all lengths take turns with
 * one of dependent additions, which tells the core's cycle. A line a measurement: multiplications, no-operations, nanoseconds a loop,
 * nanoseconds of an addition just before. Nothing in it is of one architecture but window_ARCH.c.
 */
#define _GNU_SOURCE
#include "window.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>

#define ROOM 8192u              /* bytes of one loop */
#define STEP 32u
#define LENGTHS 21u             /* 0 to 640 no-operations */
#define CHAIN 20u               /* as the contention probe has it */
#define PROBE_NOPS 270u         /* the same */
#define PURE 960u               /* no-operations alone */
#define ADDS 500u
#define LOOPS 60u
#define WARM 3u

struct loop { unsigned chain, nops, adds; void (*run)(uint64_t); };

static struct loop loops[LENGTHS + 3];
static unsigned count;

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return 1e9 * (double)time.tv_sec + (double)time.tv_nsec;
}

static void add(unsigned char *memory, unsigned chain, unsigned nops, unsigned adds)
{
	unsigned char *code = memory + (size_t)count * ROOM;

	write_loop(code, chain, nops, adds);
	loops[count++] = (struct loop){ chain, nops, adds, (void (*)(uint64_t))(uintptr_t)code };
}

static double measure(const struct loop *loop)
{
	loop->run(WARM);
	double start = now();

	loop->run(LOOPS);
	return (now() - start) / LOOPS;
}

int main(int argc, char **argv)
{
	size_t size = sizeof loops / sizeof *loops * ROOM;
	unsigned char *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	cpu_set_t cpu;

	CPU_ZERO(&cpu);
	CPU_SET(argc > 2 ? atoi(argv[2]) : 0, &cpu);
	if (argc != 3 || memory == MAP_FAILED || sched_setaffinity(0, sizeof cpu, &cpu)) {
		fprintf(stderr, "usage: window SECONDS CPU\n");
		return 2;
	}
	add(memory, 0, 0, ADDS);
	add(memory, 0, PURE, 0);
	add(memory, CHAIN, PROBE_NOPS, 0);
	for (unsigned i = 0; i < LENGTHS; i++)
		add(memory, CHAIN, i * STEP, 0);
	if (mprotect(memory, size, PROT_READ | PROT_EXEC)) {
		perror("mprotect");
		return 1;
	}
	__builtin___clear_cache((char *)memory, (char *)memory + size);
	for (double end = now() + 1e9 * atof(argv[1]); now() < end;) {
		for (unsigned i = 1; i < count; i++) {
			double cycle = measure(&loops[0]) / ADDS;

			printf("%u %u %.3f %.5f\n", loops[i].chain, loops[i].nops, measure(&loops[i]), cycle);
		}
	}
	return 0;
}
