/*
 * A comparison measured now: two collectors alive at once, the parent giving turns block by block (ABBA or BAAB at
 * random), launches fresh pair by pair. Side A against itself runs through the same schedule: what that finds is noise.
 */
#ifndef KB_RUN_AB_H
#define KB_RUN_AB_H

#include "run/engine.h"
#include "run/pairs.h"

#define KB_AB_PAIRS_MAX 60      /* of launches: a row that does not converge must not run for ever */

struct kb_ab_row {
	struct kb_pairs pairs;          /* A and B */
	struct kb_pairs self;           /* A and A */
	unsigned blocks;                /* of the next pair of launches; 0: by the design of the row */
	double cost_ns[2];              /* time of one comparison block, and of a pair of launches beside its blocks; sums */
	size_t cost_blocks, cost_pairs; /* over so many */
};

/* What a next run within this time should be made of, from the variances and times of this one: blocks in a pair of
   launches, pairs of launches. False where fewer than two pairs speak. */
bool kb_ab_plan(const struct kb_ab_row *, double budget_ns, size_t plan[2]);

/* Engines of both sides and of the self-test; transport 0 of both is the same collector's. Rows of one index belong
   together. The self-test's launches are one row: pair i has launches 2i-1 and 2i. */
struct kb_ab {
	struct kb_engine side[2], self[2];
	struct kb_row *rows[2], *self_rows;
	size_t count;
	double margin;                  /* ln; a row is done when its half-width is a quarter of it */
};

/* Measures all rows; results has one for each. 0 or -errno with error when nothing can be launched. */
int kb_ab_run(const struct kb_ab *, struct kb_ab_row *results, struct kb_run_outcome *, char error[256]);

/* On this machine: options[i] and observers[i] of side i, observers[2] of the self-test. The rest of `ab` is filled in. */
int kb_ab_rows(struct kb_ab *, const struct kb_run_options options[2], const struct kb_run_observer observers[3],
               struct kb_ab_row *results, struct kb_run_outcome *, char error[256]);

#endif
