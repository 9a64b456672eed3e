/* Runs from one store to another, be they files or servers. Nothing here prints. */
#ifndef KB_WORKFLOW_COPY_H
#define KB_WORKFLOW_COPY_H

#include "store/store.h"
#include "workflow/exit.h"

struct kb_copy_request {
	const char *from, *to;          /* NULL: the default store */
	char *const *names;             /* of runs; none: all */
	size_t count;
	bool move;                      /* what the other store has then goes from this one */
	bool ours;                      /* they were measured for the other store: the last of them may be its last one */
	bool without_records;           /* results alone go; of a run that is there already none are added later either */
	unsigned wait_s;                /* a lost connection is tried again until this passes without a run getting through */
	void (*waits)(void *context, const char *why);  /* told of each loss; NULL: nobody */
	void *context;
};

struct kb_copied {
	size_t added, known;
	size_t completed;               /* known, but then unfinished: replaced by the finished run */
	size_t live;                    /* being measured: left out */
};

/* Each run goes whole or not at all, so a copy that was cut off is begun again. One that is known by its id stays as it is. Counts also what
   was done before a failure. */
int kb_runs_copy(const struct kb_copy_request *, struct kb_copied *, struct kb_failure *);

/* ---- runs that wait for a server --------------------------------------------------------------------------------- */

/* The file in which runs for a server are measured: the network is silent meanwhile, and need not be there. One for each address.
   NULL: no home, or no memory; free it. */
char *kb_spool_path(const char *address);

#endif
