/* What the store knows of the rows that a question is about: the newest result of this machine, else of another. */
#ifndef KB_CLI_MODEL_LAYERS_FIND_H
#define KB_CLI_MODEL_LAYERS_FIND_H

#include "cli/cli.h"
#include "report/model/layers.h"
#include "run/backend/backend.h"

struct kb_layers_search {
	const struct kb_command *command;
	const char *store;              /* path or NULL */
	const json_t *env;              /* this machine's environment, and the seL4 that is named */
	const char *here;               /* its ID */
	const struct kb_collectors *collectors;
};

/* A run that `kbench layers` itself had made. */
struct kb_layers_run {
	char id[37];                    /* "": there is none */
	bool here;                      /* on this machine, as it is now; else on: */
	char machine[160];
};

/* The newest with this label, of this machine if there is one. */
void kb_layers_find_run(const struct kb_layers_search *, const char *label, struct kb_layers_run *);

/* Fills answers[count of layers]. A store that is not there yet knows nothing. */
void kb_layers_find(const struct kb_layers_search *, const struct kb_layers *, struct kb_layer_answer *answers);

/* Whether a benchmark of this layer's row can be measured on this machine; else why not. */
bool kb_layers_runs_here(const struct kb_layers_search *, const struct kb_layer *, char why[320]);

#endif
