/* The rows of a benchmark run that models ask for: chosen, measured in one run or read from a stored one. */
#ifndef KB_CLI_MODEL_ROWS_H
#define KB_CLI_MODEL_ROWS_H

#include <jansson.h>

#include "cli/cli.h"
#include "cli/model_files.h"
#include "run/run.h"

/* What the command line says of measuring. */
struct kb_model_run {
	struct kb_run_options run;
	const char *cpus, *store, *label;
	bool no_store, strict;
};

struct kb_model_rows {
	struct kb_row *rows;            /* each once, whichever models want it */
	size_t count;
	bool *found;                    /* in a stored run; measured rows are all found */
	json_t *run, *env;              /* as in kbench-result/2 */
	char where[600];                /* of what was kept or read, for the last line */
	char started[24];
	int code;                       /* an exit code that measuring leads to */
	bool observed;                  /* values are the observed costs, else the headlines */
};

/* Adds what one quantity of an instance needs; returns its index. A row that does not exist ends the program. */
size_t kb_model_rows_add(const struct kb_command *, struct kb_model_rows *, const struct kb_model *, unsigned quantity,
                         unsigned instance);

/* Measures all of them in one run: interleaved, shuffled, in one window and on the same CPUs. */
void kb_model_rows_measure(const struct kb_command *, struct kb_model_rows *, struct kb_model_run *, int argc, char **argv);

/* Takes their results from a stored run. */
void kb_model_rows_read(const struct kb_command *, struct kb_model_rows *, const char *store, const char *run);

/* What row `index` came to, as a quantity of that kind. */
void kb_model_rows_value(const struct kb_model_rows *, size_t index, enum kb_quantity_kind, struct kb_quantity_value *);

void kb_model_rows_free(struct kb_model_rows *);

#endif
