/*
 * System calls without a pause between them, in short pieces that are timed one after the other, and a contention probe before and after
 * some 150 us of them: ticks SECONDS CPU. What interrupts a piece shows as a long one, and what it leaves behind in those that follow. A
 * line a stretch: microseconds since the start, ticks of the probe before and after, ticks of each piece. x86-64 only.
 */
#define _GNU_SOURCE
#include "samples.h"

#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define CALLS 6u                /* of a piece, some 0.8 us */
#define PIECES 180u
#define STRETCHES_EACH_SECOND 8000.0

struct stretch { uint64_t t; uint32_t before, after; uint32_t pieces[PIECES]; };

static inline void call(void)
{
	long number = SYS_getppid;

	__asm__ volatile("syscall" : "+a"(number) : : "rcx", "r11", "memory");
}

int main(int argc, char **argv)
{
	double seconds = argc > 1 ? atof(argv[1]) : 0;

	if (seconds <= 0 || argc != 3) {
		fprintf(stderr, "usage: ticks SECONDS CPU\n");
		return 2;
	}
	size_t room = (size_t)(seconds * STRETCHES_EACH_SECOND) + 1, count = 0;
	struct stretch *stretches = mmap(NULL, room * sizeof *stretches, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);

	if (stretches == MAP_FAILED) {
		perror("mmap");
		return 1;
	}
	pin(0, atoi(argv[2]));
	double hz = clock_hz(), end = seconds_now() + seconds;
	uint64_t zero = now();

	for (; count < room && seconds_now() < end; count++) {
		struct stretch *stretch = &stretches[count];

		stretch->before = probe();
		uint64_t last = now();

		stretch->t = last - zero;
		for (unsigned i = 0; i < PIECES; i++) {
			for (unsigned j = 0; j < CALLS; j++)
				call();
			uint64_t time = now();

			stretch->pieces[i] = (uint32_t)(time - last);
			last = time;
		}
		stretch->after = probe();
	}
	printf("hz %.0f calls %u\n", hz, CALLS);
	for (size_t i = 0; i < count; i++) {
		printf("%.1f %u %u", 1e6 * (double)stretches[i].t / hz, stretches[i].before, stretches[i].after);
		for (unsigned j = 0; j < PIECES; j++)
			printf(" %u", stretches[i].pieces[j]);
		putchar('\n');
	}
	return 0;
}
