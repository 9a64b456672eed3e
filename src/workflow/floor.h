/* What is known of the contention probe's floor on this CPU model, before a run and after it. */
#ifndef KB_WORKFLOW_FLOOR_H
#define KB_WORKFLOW_FLOOR_H

#include <jansson.h>

#include "run/run.h"
#include "store/store.h"

/* Fills floor, core_alone and emulated of the options. A store that cannot be read, or is not there yet, knows nothing. */
void kb_floor_start(const json_t *env, const char *store, struct kb_run_options *);

/* What the probes of records show: K if it is to be taken for one, and *k, the lower mode; 0: there is none. */
void kb_floor_of_records(const json_t *env, const struct kb_process_text *texts, size_t count, struct kb_floor *floor, double *k);

/* Of records that were made elsewhere: K of the model that they name, shipped or stored, if they say which probe it was. False: not known. */
bool kb_floor_of_model(const json_t *env, const char *store, struct kb_floor *floor);

/* Keeps what this run alone saw, for runs to come; 0 or -errno of the store. */
int kb_floor_keep(struct kb_store *, const json_t *env, const char *run_id, double k);

/* {"k", "from"}, for the settings of a stored run. */
json_t *kb_floor_to_json(const struct kb_floor *);

#endif
