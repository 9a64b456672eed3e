/* What happens between the processes of a run: everything is saved at once, and a terminal shows how far it is. */
#ifndef KB_WORKFLOW_WATCH_H
#define KB_WORKFLOW_WATCH_H

#include <jansson.h>

#include "run/run.h"
#include "store/store.h"
#include "workflow/exit.h"

struct kb_watch {
	struct kb_notes notes;
	struct kb_store *store;         /* NULL: nothing is kept, or not any more */
	const char *run_id;
	bool lost;                      /* something should have been kept and could not */
	bool terminal;                  /* standard error shows a progress line */
	char place[512];                /* path of the store */
};

/* Opens the store and enters the run. Trouble is noted and sets lost: the run goes on, for
   numbers on the screen are worth more than none. */
void kb_watch_open(struct kb_watch *watch, const char *path, const struct kb_stored_run *run);

struct kb_run_observer kb_watch_observer(struct kb_watch *watch);

/* Saves one result as it is now. */
void kb_watch_save(struct kb_watch *watch, const struct kb_row *row, size_t index);

/* What the run saw of the contention probe's floor. */
void kb_watch_floor(struct kb_watch *, const json_t *env, double k);

/* The run has ended: takes the progress line away, enters the date and closes the store. */
void kb_watch_close(struct kb_watch *watch, const char *finished);

#endif
