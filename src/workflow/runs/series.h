/* Numbers for names, and for what makes runs alike: equal ones have the same, from 1. */
#ifndef KB_WORKFLOW_RUNS_SERIES_H
#define KB_WORKFLOW_RUNS_SERIES_H

#include "store/store.h"

struct kb_names {
	char **names;                   /* number - 1 */
	size_t count;
	size_t *places;                 /* a hash table of numbers, 0: free; a power of two of them, at most half of which are taken */
	size_t room;
};

/* 0 or -ENOMEM. */
int kb_name_number(struct kb_names *, const char *name, size_t *number);
void kb_names_release(struct kb_names *);

/* Of the runs that are alike to this one (prune.h). */
int kb_series_number(struct kb_names *, const struct kb_run_brief *, size_t *number);

#endif
