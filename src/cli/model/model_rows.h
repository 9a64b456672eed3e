/* The rows that models ask for, from a stored run. */
#ifndef KB_CLI_MODEL_ROWS_H
#define KB_CLI_MODEL_ROWS_H

#include "cli/store/saved.h"
#include "suite/model/rows.h"

/* Takes their results from the run of that name. Trouble ends the program; else kb_saved_release frees *saved. */
void kb_model_rows_read(const struct kb_command *, struct kb_model_rows *, const char *store, const char *run, struct kb_saved *);

#endif
