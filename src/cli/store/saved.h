/* Runs from the store, for commands that read them. Trouble with the store ends the program with its one line. */
#ifndef KB_CLI_STORE_SAVED_H
#define KB_CLI_STORE_SAVED_H

#include <jansson.h>

#include "cli/cli.h"
#include "run/run.h"
#include "store/store.h"
#include "suite/model/rows.h"
#include "workflow/runs/saved.h"

/* path NULL: the usual place. */
struct kb_store *kb_saved_open(const struct kb_command *command, const char *path, enum kb_store_mode mode);

/* Loads the run with this full id; kb_saved_release frees what it holds. */
void kb_saved_load(const struct kb_command *command, struct kb_store *store, const char *id, struct kb_saved *saved);

/* For a loop over what was asked; false at the end, where the query is gone. */
bool kb_saved_next(const struct kb_command *, struct kb_store *, struct kb_query *, struct kb_stored_result *);

/* Makes the result from its JSON, of which json, if not NULL, gets a new reference; one that does not say what it was measured on is completed
   by its run. A damaged one ends the program. Free it. */
struct kb_result *kb_saved_result(const struct kb_command *, struct kb_store *, const struct kb_stored_result *, json_t **json);

/* Ends the program if result says that the store failed. */
void kb_saved_check(const struct kb_command *command, struct kb_store *store, int result);

/* Takes their results from the run of that name. Trouble ends the program; else kb_saved_release frees *saved. */
void kb_model_rows_read(const struct kb_command *, struct kb_model_rows *, const char *store, const char *run, struct kb_saved *);

#endif
