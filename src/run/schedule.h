/*
 * The one schedule of runs and of comparisons: everything once a round in a shuffled order, then that to which one more process is worth
 * most, until nothing needs more or the budget is over. What is measured, results or pairs of results, is in the hooks.
 */
#ifndef KB_RUN_SCHEDULE_H
#define KB_RUN_SCHEDULE_H

#include "run/engine.h"

struct kb_schedule {
	const struct kb_engine *engine; /* whose deadline it is, and who is told */
	struct kb_row *rows;            /* of a comparison those of its first side */
	size_t count, *order;
	struct kb_rng rng;
	unsigned processes;              /* made so far */
	char *error;                    /* 256 bytes */
	void *context;                  /* of the hooks */
	bool (*is_open)(const struct kb_schedule *, size_t i);          /* it needs more */
	double (*worth)(const struct kb_schedule *, size_t i);          /* of one more process, in comparison with the others */
	int (*measure)(struct kb_schedule *, size_t i);                 /* a process, or a pair of them */
	int (*refine)(struct kb_schedule *, size_t i);                  /* what is worth most, after the rounds */
};

/* A state for each result, and an order. -ENOMEM. */
int kb_schedule_begin(struct kb_schedule *);

/* One more process ends within the budget, as far as those before it tell; and the run was not stopped. */
bool kb_schedule_fits(const struct kb_schedule *, size_t i);

/* It needs more, and that fits. */
bool kb_schedule_goes_on(const struct kb_schedule *, size_t i);

/* Tells the observer what comes now. */
void kb_schedule_tell(const struct kb_schedule *, size_t now);

/* Tells it and measures. */
int kb_schedule_visit(struct kb_schedule *, size_t i);

/* Once each that needs more, in a new order. */
int kb_schedule_round(struct kb_schedule *);

/* Until nothing needs more, or nothing fits. */
int kb_schedule_refine(struct kb_schedule *);

/* Fills the outcome but for its precision; result is returned, with the error where that is out of memory. */
int kb_schedule_end(struct kb_schedule *, int result, struct kb_run_outcome *);

#endif
