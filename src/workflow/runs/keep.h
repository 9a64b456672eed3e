/* The runs of a store, kept in order: listed, removed, and made smaller. Nothing here prints. */
#ifndef KB_WORKFLOW_RUNS_KEEP_H
#define KB_WORKFLOW_RUNS_KEEP_H

#include <jansson.h>

#include "run/place.h"
#include "store/store.h"
#include "workflow/exit.h"

/* A run as lists have it. */
struct kb_run_entry {
	char id[37], started[24], label[128];
	char place[KB_PLACE_LINE];      /* "node n2, rank 2 of 4"; "": it stands alone */
	bool finished, live;            /* neither: it was killed */
	json_t *json;                   /* as in kbench-result/2 */
	struct kb_run_extent extent;
};

/* Oldest first. */
struct kb_run_list {
	struct kb_run_entry *runs;
	size_t count;
	size_t others;                  /* older ones that are not in it */
};

/* The newest `limit` runs. 0, or the code of the failure; release it in any case. */
int kb_runs_list(struct kb_store *, uint64_t limit, struct kb_run_list *, struct kb_failure *);
void kb_runs_release(struct kb_run_list *);

/* An entry as an element of kbench-runs/1. */
json_t *kb_run_entry_to_json(const struct kb_run_entry *);

/* Removes the runs of these names, all or none: one that is unknown, or is being measured, is a failure. `list` gets what was removed. */
int kb_runs_remove(struct kb_store *, char *const *names, size_t count, struct kb_run_list *list, struct kb_failure *);

struct kb_prune_request {
	uint64_t keep;                  /* the newest so many stay; UINT64_MAX: this is no reason */
	const char *before;             /* what started after this date stays; NULL: this is no reason */
	bool labelled;                  /* runs with a label of the user's go, too */
	bool dry;                       /* only list them */
};

/* Removes those that have no reason to stay, all or none. What is being measured stays. */
int kb_runs_prune(struct kb_store *, const struct kb_prune_request *, struct kb_run_list *list, struct kb_failure *);

/* Whether the user named it: 'kbench ab' without --label names both of its runs by itself. */
bool kb_run_is_labelled(const struct kb_run_entry *);

/* Drops the records of runs that started until this date; results stay. `list` gets the runs that had some. */
int kb_runs_drop_records(struct kb_store *, const char *before, bool dry, struct kb_run_list *list, struct kb_failure *);

#endif
