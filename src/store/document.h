/* A stored run and its results as one JSON document, schema kbench-result/2 (doc/result.md). */
#ifndef KB_STORE_DOCUMENT_H
#define KB_STORE_DOCUMENT_H

#include <jansson.h>

#include "store/store.h"

#define KB_RESULT_SCHEMA "kbench-result/2"
#define KB_RESULT_SCHEMA_1 "kbench-result/1"    /* of results that were stored so */

/* {"id", "started", "finished", "label", "command", "settings"} */
json_t *kb_stored_run_to_json(const struct kb_stored_run *run);

/* {"schema", "run", "env", "results"}; takes over the three references, also if it returns NULL. Stored results of version 1 make a
   document of version 1, in which all has its names of then. */
json_t *kb_result_document(json_t *run, json_t *env, json_t *results);

#endif
