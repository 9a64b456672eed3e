/* Runs and results as the store has them, made to what they state. */
#ifndef KB_WORKFLOW_RUNS_SAVED_H
#define KB_WORKFLOW_RUNS_SAVED_H

#include <jansson.h>

#include "result/result.h"
#include "store/store.h"

struct kb_saved {
	char id[37];
	json_t *run, *env;      /* as in kbench-result/2 */
};

/* The run with this full id. 0, -ENOMEM or an error of the store; release it in any case. */
int kb_saved_read(struct kb_store *, const char *id, struct kb_saved *);
void kb_saved_release(struct kb_saved *);

/* Makes the result from its JSON, of which json, if not NULL, gets a new reference; one that does not say what it was measured on is completed
   by its run. Free it. 0, -ENOMEM or an error of the store: -EUCLEAN for a damaged one. */
int kb_saved_read_result(struct kb_store *, const struct kb_stored_result *, const struct kb_saved *of, struct kb_result **, json_t **json);

#endif
