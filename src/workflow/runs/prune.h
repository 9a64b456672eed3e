/* Which runs of a store stay, and how the others go: by number, by age, and one of many that are alike. Nothing here prints. */
#ifndef KB_WORKFLOW_RUNS_PRUNE_H
#define KB_WORKFLOW_RUNS_PRUNE_H

#include "workflow/runs/keep.h"

struct kb_prune_request {
	uint64_t keep;                  /* the newest so many stay; UINT64_MAX: this is no reason */
	const char *before;             /* what started after this date stays; NULL: this is no reason */
	uint64_t thin_s;                /* of those that are alike the first one in each span of so many seconds stays; 0: this is no reason */
	bool labelled;                  /* runs with a label of the user's go, too */
	bool dry;                       /* only list them */
};

#define KB_PRUNED_LISTED 200            /* of more runs a list is of no use, and takes longer than their removal */

struct kb_pruned {
	size_t count, others;           /* runs that go, and that stay */
	char first[24], last[24];       /* when those that go started */
	struct kb_run_list list;        /* them, up to KB_PRUNED_LISTED; else none */
};

/*
 * Removes those that have no reason to stay, all or none. What is being measured stays. The runs of a fleet stay or go together: a reason of one is a
 * reason of all. Alike are runs of one command line, apart from its store and label, of one node, environment, CPU and side of a comparison. Those of
 * fleets are alike by command line, node and side: a fleet stays if one of its nodes had none in that span otherwise. Spans are counted from 1970 on,
 * so that what stays today stays tomorrow.
 */
int kb_runs_prune(struct kb_store *, const struct kb_prune_request *, struct kb_pruned *, struct kb_failure *);

/* Drops the records of runs that started until this date and have results, which stay; all or none. */
int kb_runs_drop_records(struct kb_store *, const char *before, bool dry, struct kb_old_records *, struct kb_failure *);

#endif
