/*
 * Points for the inference, measured by the engine as any other result: kb_select makes them, kb_run_rows measures
 * them, the uncontended estimate is the point. No clock is read here but to keep the budget.
 */
#ifndef KB_SUITE_PARAMS_MEASURE_H
#define KB_SUITE_PARAMS_MEASURE_H

#include "run/run.h"
#include "suite/params/params.h"

#define KB_PROBER_CPUS_MAX 256

struct kb_prober {
	const struct kb_bench *const *benches;
	struct kb_run_options run;              /* of each sweep; its budget is what is left */
	const struct kb_run_observer *observer;
	unsigned cpus[KB_PROBER_CPUS_MAX];      /* that may be used, for pairs; those beyond are left out */
	unsigned cpu_count;
	uint64_t deadline_ns;                   /* of the parameter, kb_wall_ns() */
	bool thorough;                          /* processes of full length: a large ring must be warm before its times settle */

	struct kb_row *rows;                    /* of the next sweep */
	size_t count;
	struct kb_run_outcome outcome;          /* of the last one */
	struct kb_run_outcome calibrated;       /* of the first one: sweeps follow each other at once, and the clock stays */
	unsigned processes;                      /* of all */
	int signal;                             /* that stopped it; nothing more is measured then */
	char why[200];                          /* why the last result without a value has none */
};

/* Adds to the next sweep: one benchmark and its parameters ("name=value[,value...]", ends with NULL). False: there is
   no such benchmark or value here, by prober->why. */
bool kb_prober_want(struct kb_prober *, const char *bench, const char *const *sets);

/* The same for one parameter at many values, the others fixed. unit "" or "K". */
bool kb_prober_want_curve(struct kb_prober *, const char *bench, const char *axis, const double *values, size_t count,
                          const char *const *fixed);

/* Measures what is wanted, once each, and hands over every result. False: nothing was measured, or it was stopped. */
typedef void kb_prober_take(void *context, const struct kb_row *row);
bool kb_prober_sweep(struct kb_prober *, kb_prober_take *, void *context);

/* ns of one operation, 0: there is no value. The uncontended estimate: what disturbs adds time. */
double kb_row_ns(const struct kb_row *row);

/* Whether the result's own probes show that something disturbed it: a neighbour on the core, a clock that moved, time that the
   hypervisor took. Such a point tells of that, and not of a cache. */
bool kb_row_disturbed(const struct kb_row *row);

/* A parameter of the result. */
double kb_row_number(const struct kb_row *row, const char *name);
bool kb_row_is(const struct kb_row *row, const char *name, const char *value);

/* Whether so much of the parameter's budget is left. */
bool kb_prober_has(const struct kb_prober *, uint64_t ns);

#endif
