/*
 * An emulator's count of instructions has no noise: of one n all samples are equal, but those that a timer's interrupt fell
 * into. They carry the flag from here on, and are left out where disturbed samples are; a collector without interrupts of its
 * own cannot see them. Other differences stay: they are the operation's.
 */
#include <math.h>
#include <string.h>

#include "result/samples.h"

/* Instructions that a tick adds in seL4's kernels of three architectures, one that ends a time slice too (139 to 806), and between
   two of the shortest period. Measured; a kernel with dearer ticks keeps its noise. */
#define TICK_LEAST 100.0
#define TICK_MOST 900.0
#define TICK_PERIOD 2e6

/* The least of each n; more of them than this are no grid, and nobody can tell what an n alone should have. */
struct least { double n[64], ticks[64]; unsigned count; };

/* The place of n; count: there is no room for it. */
static unsigned place_of(struct least *least, double n)
{
	unsigned i = 0;

	while (i < least->count && fabs(least->n[i] - n) > 0)
		i++;
	if (i == least->count && i < sizeof least->n / sizeof least->n[0]) {
		least->n[i] = n;
		least->ticks[i] = INFINITY;
		least->count++;
	}
	return i;
}

bool kb_has_tick(double count, double least)
{
	return count - least >= TICK_LEAST && count - least <= TICK_MOST * (1 + count / TICK_PERIOD);
}

static void flag_ticks(struct kb_points *points)
{
	struct least least = { .count = 0 };

	for (size_t i = 0; i < points->count; i++) {
		unsigned at = place_of(&least, points->n[i]);

		if (at == least.count)
			return;
		least.ticks[at] = fmin(least.ticks[at], points->ticks[i]);
	}
	for (size_t i = 0; i < points->count; i++) {
		if (kb_has_tick(points->ticks[i], least.ticks[place_of(&least, points->n[i])]))
			points->flags[i] |= KB_FLAG_IRQ;
	}
}

void kb_samples_count_ticks(struct kb_samples *samples)
{
	if (strcmp(samples->clock, KB_CLOCK_ICOUNT) != 0 || samples->sees_interrupts)
		return;
	flag_ticks(&samples->op);
	flag_ticks(&samples->base);
	flag_ticks(&samples->single);
}
