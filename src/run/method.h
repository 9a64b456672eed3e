/*
 * Methods are plan generators: which n, in which order, how many blocks. Estimators are in result/summary; collectors know nothing
 * of either.
 *
 * single, slope: samples of one operation, and of n, 2 n, 4 n.
 * paired: samples of op and of base follow each other in pairs, both of one n, and what counts is the difference of each pair. Without
 * a base the second one is an empty pair of clock readings. For operations that need a state before each sample, and for programs that
 * do so much in one go that a grid of n would take too long.
 * kanata: a process is one run of the source document's application: G groups in order, S tests each, of I, I + D, I + 2D ... operations;
 * the first `skip` tests of a group are collected on top and not counted.
 */
#ifndef KB_RUN_METHOD_H
#define KB_RUN_METHOD_H

#include <stdio.h>

#include "types.h"
#include "base/plan.h"
#include "base/rng.h"
#include "measure/measure.h"
#include "run/run.h"

#define KB_GRID_MAX 4
#define KB_BLOCKS_MAX 600u      /* of a process */
#define KB_EXTENDED 3u          /* times as many where uncontended time is missing */
#define KB_PROCESS_NS 75e6      /* of samples */
#define KB_PROBED_NS 25e6       /* where they are probed: five stretches of time; processes differ more than these do, so many short ones win */

struct kb_design {
	enum kb_method method;
	uint64_t grid[KB_GRID_MAX];
	unsigned grid_count;
	unsigned repeats;               /* of the grid in one block */
	unsigned singles;               /* single operations a block, for quantiles */
	unsigned blocks;                /* of a process */
	unsigned fewest;                /* that a process must have; 0: as many as a slope needs */
	bool base;                      /* the benchmark has an empty loop of its own */
	uint64_t probe;                 /* loops of the contention probe around each sample; 0: none */

	uint64_t delta;                 /* kanata: grid[0] is the initial test size, blocks are groups and two more */
	unsigned tests, skip;           /* of a group; skip on top of tests */
	unsigned tests_max;             /* that a group may grow to */
	char header[64];                /* method as the record names it, with fields */
};

/* Chooses n, blocks and method for an operation that costs about `cost_ns`. The clock must have hz, quantum, cost.
   method: slope, single or paired whatever it costs; none: the one that fits. probe: loops of the contention probe, 0: none. */
void kb_design_choose(struct kb_design *, const struct kb_bench *, const struct kb_clock *, double cost_ns, unsigned processes,
                      enum kb_method, uint64_t probe);

#define KB_CHEAPEST_NS 0.02     /* of an operation: a processor does six a cycle, and more repeats show nothing more */

/* Makes all n of a slope larger by one factor, so that the least is `least` or more, as far as the benchmark can do. */
void kb_design_lengthen(struct kb_design *, const struct kb_bench *, double least);

/* The number of blocks nearest to `wanted` that a process of the design may have. */
unsigned kb_design_blocks(const struct kb_design *, double wanted);

/* Whether the benchmark can be measured by this method, as far as its descriptor tells. False: why has one line for people. */
bool kb_method_possible(const struct kb_bench *, enum kb_method, const struct kb_kanata_options *, char why[160]);

/* One block in an order drawn from rng; of kanata the group that is due: the first and the last block are probes. */
void kb_design_block(const struct kb_design *, struct kb_rng *rng, uint64_t index, bool warm, struct kb_block *);

/* Its whole plan as text, two blocks of warm-up first, for a process that cannot be sent one block after the other. */
void kb_design_write(const struct kb_design *, uint64_t seed, FILE *);

/* paired: the number of pairs, where a pair with all that runs between its samples takes pair_ns and a process at most most_ns. */
void kb_paired_length(struct kb_design *, double pair_ns, double most_ns);

void kb_kanata_design(struct kb_design *, const struct kb_bench *, const struct kb_kanata_options *);

/* After a process of kanata: whether every group's CI is narrow enough; if not, the design gets the group size S' that
   equation (3.3) asks of the widest. A process that did not end well changes nothing. */
bool kb_kanata_met(const struct kb_kanata_options *, const struct kb_process_text *, struct kb_design *);

#endif
