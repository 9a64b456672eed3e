/* The rows of a stored run that a command line names: [RUN] [PATTERN...], or RUN RUN... [PATTERN...]. */
#ifndef KB_CLI_STORE_CHOSEN_H
#define KB_CLI_STORE_CHOSEN_H

#include <jansson.h>

#include "cli/cli.h"
#include "result/result.h"
#include "store/store.h"

struct kb_chosen {
	char run_id[37];
	json_t *json;                   /* array, as stored: with keys that this version does not know */
	const struct kb_result **results;
	size_t count;
};

/* The first word is a run if the store knows it as one, else a pattern for rows of the last run. An unknown word, a
   damaged result and a run without results end the program; so there is at least one row. */
void kb_chosen_load(const struct kb_command *, struct kb_store *, int words, char **argv, struct kb_chosen *);

/* Several runs at the front, then patterns, each of which at least one of them must know. Fills list[most] and returns the
   number of runs; with fewer than two nothing is loaded, and more than `most` end the program. */
unsigned kb_chosen_load_runs(const struct kb_command *, struct kb_store *, int words, char **argv, struct kb_chosen *list,
			     unsigned most);

void kb_chosen_free(struct kb_chosen *);

#endif
