/* Chains of one kind and another in pieces without a pause: moves SECONDS CPU PIECES CYCLES. A piece is so many core cycles, and PIECES of a
   kind follow each other; with 1 additions are beside each piece of another kind. Prints the ticks a second, then a piece a line: its begin
   in us, its kind, core cycles a tick. */
#define _GNU_SOURCE
#include "samples.h"

#define UNROLL 20u
#define WHOLE (UNROLL * 60u)    /* a whole number of turns of each chain */
#define TRIES 50

enum kind { ADD, IMUL, LOAD, KINDS };

static unsigned cycles[KINDS] = { 1, 3, 4 };     /* of one instruction; of a load see find_load_cycles() */

static void run(enum kind kind, uint64_t length)
{
	static void *cell = &cell;
	uint64_t product = 3, count = length / UNROLL / cycles[kind];
	void *at = &cell;

	if (kind == ADD)
		add_chain(length);
	for (uint64_t i = 0; kind == IMUL && i < count; i++)
		__asm__ volatile(".rept 20\n	imul %1, %0\n	.endr\n" : "+r"(product) : "r"(i));
	for (uint64_t i = 0; kind == LOAD && i < count; i++)
		__asm__ volatile(".rept 20\n	mov (%0), %0\n	.endr\n" : "+r"(at) : : "memory");
}

static uint64_t least(enum kind kind)
{
	uint64_t best = UINT64_MAX;

	for (unsigned i = 0; i < TRIES; i++) {
		uint64_t start = now();

		run(kind, 20 * WHOLE);
		uint64_t ticks = now() - start;

		best = ticks < best ? ticks : best;
	}
	return best;
}

/* 4 or 5 cycles, by the processor. */
static void find_load_cycles(void)
{
	cycles[LOAD] = (unsigned)(4 * (double)least(LOAD) / (double)least(ADD) + 0.5);
}

/* add, imul, add, load; pieces of a kind together. */
static enum kind kind_of(unsigned long piece, unsigned long together)
{
	static const enum kind turns[] = { ADD, IMUL, ADD, LOAD };

	return turns[piece / together % 4];
}

int main(int argc, char **argv)
{
	if (argc != 5)
		return 2;
	double end = seconds_now() + atof(argv[1]), hz;
	unsigned long together = strtoul(argv[3], NULL, 10);
	uint64_t first, length = strtoul(argv[4], NULL, 10) / WHOLE * WHOLE;

	pin(0, atoi(argv[2]));
	hz = clock_hz();
	printf("hz %.0f\n", hz);
	find_load_cycles();
	first = now();
	for (unsigned long piece = 0; seconds_now() < end; piece++) {
		enum kind kind = kind_of(piece, together);
		uint64_t start = now();

		run(kind, length);
		uint64_t ticks = now() - start;

		printf("%.1f %d %.6f\n", (double)(start - first) / hz * 1e6, (int)kind, (double)length / (double)ticks);
	}
	return 0;
}
