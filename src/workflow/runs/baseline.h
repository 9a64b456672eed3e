/* What a run is held against: an older run of the same machine, by the rules of `kbench compare`. */
#ifndef KB_WORKFLOW_RUNS_BASELINE_H
#define KB_WORKFLOW_RUNS_BASELINE_H

#include "workflow/workflow.h"

struct kb_baseline {
	char id[37], label[128], started[24];   /* of the older run; id "": there is none */
	double seconds_per_process;     /* of that run, all that it did in between included; 0: not known */
	struct kb_comparison *rows;     /* of each result of this run; key "": the older one has none like it. NULL: not compared */
	size_t count;                   /* of results of this run */
	char kernels[2][72];            /* of both runs, where they differ; else "" */
};

/*
 * Finds the older run before this one is measured: the one of that name, or with name NULL the newest of this environment ID and CPU, not a
 * side of `kbench ab`, that has at least half of the results of this one. 0 also where there is none; a run that was named and cannot be
 * compared is refused. Release it in any case.
 */
int kb_baseline_find(const struct kb_workflow_request *, const struct kb_workflow *, const char *name, struct kb_baseline *,
		     struct kb_failure *);

/* Compares the run, which was measured and kept, with a margin as a fraction. Results of different environments decide nothing. */
int kb_baseline_compare(const struct kb_workflow_request *, const struct kb_workflow *, double margin, struct kb_baseline *,
			struct kb_failure *);

/* What a run takes that was planned, if the budget allows: the planned processes of each result. The rest of it, as the search for the number of
   operations, is in the time of a process, where an older run told that; else it is what a process takes at the least. reached: results
   that get one within the budget. */
struct kb_forecast { size_t processes, reached; double seconds, per_process; bool measured; };
struct kb_forecast kb_baseline_forecast(const struct kb_baseline *, const struct kb_workflow *);

void kb_baseline_release(struct kb_baseline *);

/* Slower is what is so after Holm over all results; slower alone is not settled. */
enum kb_decision kb_baseline_decision(const struct kb_comparison *);

#endif
