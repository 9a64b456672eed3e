/* The results of stored runs made again. */
#ifndef KB_WORKFLOW_REBUILD_H
#define KB_WORKFLOW_REBUILD_H

#include <jansson.h>

#include "workflow/exit.h"

/*
 * Results are a cache; this makes them again from the records, with the statistics of this version. All results of a run are made before
 * the old ones go, so that an error leaves the run as it was. store NULL: the usual one; name NULL: all runs. done, an array, gets "id" and
 * "rows", how many, of each run. 0, or the code of the failure.
 */
int kb_rebuild_runs(const char *store, const char *name, json_t *done, struct kb_failure *);

#endif
