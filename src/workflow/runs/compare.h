/*
 * Two stored runs, result by result: which of both belong together, whether they measured one thing, and what each pair comes to. Nothing here
 * prints. Two sides of one `kbench ab` are compared pair by pair, all others as strangers.
 */
#ifndef KB_WORKFLOW_RUNS_COMPARE_H
#define KB_WORKFLOW_RUNS_COMPARE_H

#include <jansson.h>

#include "result/comparison.h"
#include "workflow/exit.h"
#include "workflow/runs/saved.h"

struct kb_compare_request {
	const char *runs[2];            /* base and new, as kb_store_find_run takes them; base NULL: by kb_compare_find_base */
	const char *const *patterns;    /* results that are wanted: see kb_result_matches; none: all */
	size_t pattern_count;
	double margin;                  /* a fraction: smaller differences do not matter */
	double exact_margin;            /* the same for counts of instructions that do not vary */
	bool any_env;                   /* results of different machines or clocks are no failure; nothing is decided of them */
	bool any_config;                /* kernels that are configured differently are no failure */
};

/* A result of a side. */
struct kb_compared_item {
	struct kb_stored_result row;
	struct kb_result *result;
	bool taken;                     /* it has its partner */
};

struct kb_compared_side {
	struct kb_saved saved;
	struct kb_compared_item *items; /* that are wanted, in the order of the run */
	size_t count;
};

struct kb_compared {
	struct kb_compared_side side[2];        /* base and new */
	struct kb_comparison *rows;     /* in the order of base; adjusted for their number (kb_compare_family) */
	size_t count;
	double margin;                  /* a fraction, as asked */
	bool paired;                    /* sides of one `kbench ab` */
	char environment[64];           /* ID of the new side's first pair, else of its run */
	bool several;                   /* the new side has other ones, too */
	char kernels[2][72];            /* of the first pair that ran on two kernels of one machine; "": none did */
};

/* Of several things that are wrong the first is the failure: a run or pattern that is unknown, a damaged result, results that measured different
   things. No result in common is none: count is 0. 0, or the code of the failure. Release it in any case. */
int kb_compare_runs(struct kb_store *, const struct kb_compare_request *, struct kb_compared *, struct kb_failure *);
void kb_compared_release(struct kb_compared *);

/* The run that this one is to be held against: of side B of `kbench ab` its side A; else the newest earlier one of its environment ID and CPU that
   shares a result with it, else the newest earlier one of them, of which sides are none. 0, -ENOENT: there is no earlier one, -ENOMEM or an error of the store. */
int kb_compare_find_base(struct kb_store *, const char *id, char base[37]);

/* kbench-compare/2; code: the exit code in it. */
json_t *kb_compared_to_json(const struct kb_compared *, int code);

#endif
