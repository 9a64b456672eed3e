/*
 * Method paired: intervals of op and of base follow each other in pairs, both of one n, and what counts is the difference of
 * each pair. Without a base the second one is an empty pair of clock readings. For operations that need a state before each
 * interval, and for programs that do so much in one go that a grid of n would take too long.
 */
#ifndef KB_RUN_METHOD_PAIRED_H
#define KB_RUN_METHOD_PAIRED_H

#include "run/method.h"

#define KB_PAIRED_METHOD "paired"

/* Whether a benchmark that costs so much is measured so. method: what was asked for, or NULL. */
bool kb_paired_by(const struct kb_bench *, double cost_ns, const char *method);

/* n and the number of pairs, both intervals taken to be equally long. */
void kb_paired_design(struct kb_design *, const struct kb_bench *, const struct kb_clock *, double cost_ns);

/* The number of pairs, where a pair with all that runs between its intervals takes pair_ns and a launch at most most_ns. */
void kb_paired_length(struct kb_design *, double pair_ns, double most_ns);

/* A block: pairs, the sentinels, an empty clock pair, shuffled; within a pair either interval may be the first. */
void kb_paired_block(const struct kb_design *, struct kb_rng *rng, uint64_t index, bool warm, struct kb_block *);

#endif
