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

/* The entries of these runs, added to the list; what was removed meanwhile is left out. 0 or -errno. */
int kb_runs_list_these(struct kb_store *, const char *const *ids, size_t count, struct kb_run_list *);

#endif
