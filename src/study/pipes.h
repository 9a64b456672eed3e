/*
 * Which instructions share execution pipes, from timing alone. An instruction that n pipes take has a throughput of 1/n. Two that are mixed by
 * their numbers of pipes have as many a cycle as there are pipes that take one or the other: so that number tells how many they share. It is
 * at most so many: where results of different latencies meet, or a scheduler distributes badly, there are fewer a cycle than the pipes could
 * do. Two that share none have the sum, which nothing else explains. A core that dispatches fewer a cycle hides the rest.
 */
#ifndef KB_STUDY_PIPES_H
#define KB_STUDY_PIPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define KB_PIPES_KINDS 24
#define KB_PIPES_MAX 32

struct kb_pipes {
	unsigned count;                                 /* of instructions */
	double rate[KB_PIPES_KINDS];                    /* each alone, a cycle */
	double both[KB_PIPES_KINDS][KB_PIPES_KINDS];    /* two that are mixed, a cycle; i < j; 0: not measured */
	double width;                                   /* of the dispatch, a cycle; 0: not known */

	unsigned pipes[KB_PIPES_KINDS];                 /* found: how many take each, */
	int shared[KB_PIPES_KINDS][KB_PIPES_KINDS];     /* how many take both, at most; -1: the dispatch hides it, or it was not measured */
	uint32_t takes[KB_PIPES_KINDS];                 /* and a set of pipes that has these numbers */
	unsigned total;
	unsigned missed;                                /* by how much the sets miss the numbers, over all pairs; 0: not at all */
};

/* The nearest whole number of pipes; 0: none is within a tenth, or it is below one. */
unsigned kb_pipes_whole(double rate);

/* In which ratio two are mixed: by their pipes, without a common divisor. */
void kb_pipes_mix(unsigned a, unsigned b, unsigned mix[2]);

/* Fills what is found from what was measured. */
void kb_pipes_find(struct kb_pipes *);

#endif
