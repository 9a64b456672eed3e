/*
 * A comparison measured now: two collectors alive at once, the parent giving turns block by block (ABBA or BAAB at
 * random), processes fresh pair by pair, until the sides are told apart, are equivalent, or the budget is over.
 */
#ifndef KB_RUN_AB_H
#define KB_RUN_AB_H

#include "result/pairs.h"
#include "run/engine.h"

struct kb_ab_row {
	struct kb_pairs pairs;
	uint64_t spent_ns;              /* on its pairs */
};

/* Engines of both sides. Results of one index belong together. */
struct kb_ab {
	struct kb_engine side[2];
	struct kb_row *rows[2];
	size_t count;
	double margin;                  /* ln */
};

/* Measures all results; results has one for each. 0 or -errno with error when nothing can be started. */
int kb_ab_run(const struct kb_ab *, struct kb_ab_row *results, struct kb_run_outcome *, char error[256]);

/* On this machine: options[i] and observers[i] of side i. The rest of `ab` is filled in. */
int kb_ab_rows(struct kb_ab *, const struct kb_run_options options[2], const struct kb_run_observer observers[2],
               struct kb_ab_row *results, struct kb_run_outcome *, char error[256]);

#endif
