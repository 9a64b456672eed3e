/*
 * Pairs of CPUs: which are measured on a machine with many, and whether what a line takes between them goes with how near
 * they are by the topology. Pure functions; times in ns.
 */
#ifndef KB_SUITE_PARAMS_PAIRS_H
#define KB_SUITE_PARAMS_PAIRS_H

#include "types.h"
#include "env/topology.h"

#define KB_PAIRS_MAX 28         /* all of eight CPUs */

struct kb_cpu_pair {
	unsigned a, b;
	enum kb_kin kin;
	double low, high;       /* ns there and back, over sweeps; 0: not measured */
};

/* kin(context, a, b) tells how near two CPUs are. All pairs where there is room, else as many of each kin, spread evenly over
   them. Returns how many. */
unsigned kb_pairs_choose(const unsigned *cpus, unsigned count, enum kb_kin (*kin)(const void *context, unsigned a, unsigned b),
                         const void *context, struct kb_cpu_pair pairs[KB_PAIRS_MAX]);

/* Distances by time alone: sorted by the shortest time, a new one begins where it is 1.3 times that of the pair before.
   distance[i]: number of pair i's, from 1; 0: not measured. Returns how many there are. */
unsigned kb_pairs_distances(const struct kb_cpu_pair *pairs, unsigned count, unsigned distance[KB_PAIRS_MAX]);

/* What contradicts the topology: pairs of one kin at several distances, or a nearer kin that takes longer. *kin is whose. */
enum kb_pairs_word { KB_PAIRS_FIT, KB_PAIRS_SPLIT, KB_PAIRS_REVERSED, KB_PAIRS_TOO_FEW };
enum kb_pairs_word kb_pairs_judge(const struct kb_cpu_pair *pairs, unsigned count, enum kb_kin *kin);

/* Slowdowns of a ring by a partner that fills the same cache. worst: the quickest with it over the slowest alone, so that it
   was slowed down in every round. best: the quickest of both; what disturbs from outside adds time to either, so that one round
   without slowdown is enough to see that the cache is not shared. Between both limits it stays open. */
enum kb_shared { KB_SHARED_NO, KB_SHARED_YES, KB_SHARED_UNSURE };
enum kb_shared kb_shared_infer(double worst, double best);

#endif
