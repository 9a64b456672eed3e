/* Processes of a stored run, and results of them. */
#ifndef KB_WORKFLOW_RECORDS_H
#define KB_WORKFLOW_RECORDS_H

#include <jansson.h>

#include "result/samples.h"
#include "result/summary/summary.h"
#include "store/store.h"
#include "workflow/exit.h"

struct kb_records {
	struct kb_process_text *texts;   /* with the proof */
	char **rows;                    /* that each is of */
	size_t count;
};

void kb_records_free(struct kb_records *);

/* All processes of a result. 0, -ENOMEM or an error of the store; to be freed in any case. */
int kb_records_load(struct kb_records *, struct kb_store *, const char *run_id, const struct kb_result *);

/*
 * Headlines of two kinds have no ratio: typical of version 1, observed, uncontended. What both sides can be asked for is the observed
 * cost. Makes the result again from its records, by the same statistics without a floor of the contention probe. 0, -ENOENT: it has no
 * records and is as before, -ENOMEM or an error of the store.
 */
int kb_records_observed(struct kb_store *, const char *run_id, struct kb_result *);

/* The floor of the contention probe by which a run's results are made: as it was known before the run, else what all its records together
   show. 0, -ENOMEM or an error of the store. */
int kb_records_floor(struct kb_store *, const char *run_id, const json_t *settings, const json_t *env, struct kb_floor *);

/* Makes the result of a row as at the end of a run, so that one that is made again equals the one that was printed. Rules that plan 0
   processes plan as many as there are. 0 or -ENOMEM. */
int kb_records_summarise(const struct kb_records *, const char *row, struct kb_summary_rules, struct kb_result *);

/*
 * Results are a cache; this makes them again from the records, with the statistics of this version. All results of a run are made before
 * the old ones go, so that an error leaves the run as it was; a run without records keeps its own. store NULL: the usual one; name NULL: all
 * runs. done, an array, gets "id", "rows", how many, and "kept", whether those are the old ones, of each run. What else of a run is damaged and can be
 * undone is, and of all runs the store's indexes; notes are told what was lost. 0, or the code of the first failure, behind which other runs follow.
 */
int kb_rebuild_runs(const char *store, const char *name, json_t *done, const struct kb_notes *, struct kb_failure *);

#endif
