/*
 * Runs beside a neighbour on the other hardware thread, whose results are held against the true uncontended cost: what many seeds of one
 * model came to.
 */
#ifndef KB_TEST_CONTENDED_H
#define KB_TEST_CONTENDED_H

#include "engine_run.h"

#define CONTENDED_TRIES 400
#define CONTENDED_PROCESSES 12  /* at which a run ends that has not reached its precision */

/* What a neighbour makes of the times: measured on real ones, doc/noise.md. */
#define NEIGHBOUR .probes = true, .on_probe = { 1.15, 2 }, .on_op = { 1.2, 1.6 }, .on_chain = { 1, 1.01 }
#define MS 1e6

/* Each value relative to the truth. */
struct contended_runs {
	double value[CONTENDED_TRIES], observed[CONTENDED_TRIES], share[CONTENDED_TRIES];
	int tries, uncontended, covers, processes;
};

/* The result of one run; *floor, unless NULL, is what the run took for the floor of its probes. */
struct kb_result contended_result(const struct kb_synthetic *, const struct engine_wish *, struct kb_floor *floor);

void contended_add(struct contended_runs *, const struct kb_result *, double truth);

/* `tries` runs of the model, of the seeds from `first` on. */
void contended_seeds(struct contended_runs *, const struct kb_synthetic *, int tries, uint64_t first);

/* The median of at most CONTENDED_TRIES values. */
double contended_median(const double *, int n);

#endif
