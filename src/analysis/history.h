/*
 * One benchmark over the stored runs, and where its level changed. Only results of one environment and CPU make a history, and no side of an
 * A/B comparison: another environment would look like another code. Kernels of one configuration are one history: their code is what changes.
 */
#ifndef KB_ANALYSIS_HISTORY_H
#define KB_ANALYSIS_HISTORY_H

#include "analysis/occasions.h"
#include "stats/series/changepoint.h"

struct kb_history_wanted {
	const char *benchmark;          /* see kb_result_matches */
	const char *const *parameters;  /* "NAME=VALUE" that a row must have */
	size_t parameter_count;
	const char *label;              /* shell glob of labels; NULL: any */
	const char *environment;        /* shell glob of environment IDs; NULL: those of the newest result's machine */
	uint64_t limit;                 /* the newest so many runs */
};

/* One row over time, as it was measured in one environment. */
struct kb_history {
	struct kb_stored_result newest; /* which has the environment ID and CPU of all */
	size_t total;                   /* results of this environment and CPU that were looked at */
	bool numbers;                   /* one of them has one */
	struct kb_stored_result like;   /* the newest with a number: another unit or method is another quantity */
	struct kb_stored_result *points;        /* oldest first */
	size_t point_count;
	size_t others, unlike;          /* results of environments and CPUs that are not shown; of this one, of another quantity */
	bool cycles;
	size_t *numbered;               /* index of each value's point: points without a number are no part of the series */
	double *values;
	size_t count;
	struct kb_changes changes;
	struct kb_occasion occasion;    /* runs is 0: there are too few */
	double sd, detectable;          /* of runs beyond their CIs, and between two runs, as fractions; NaN: too few runs */
};

/* Those that are wanted: rows in the order in which runs first had them, of each the environment of the newest result first. Free *all. 0,
   -ENOMEM or an error of the store. */
int kb_history_find(struct kb_store *, const struct kb_history_wanted *, struct kb_history **all, size_t *count);

/* What the store has of one of these. Errors as above; free it in any case. */
int kb_history_load(struct kb_store *, const struct kb_history_wanted *, struct kb_history *);
void kb_history_free(struct kb_history *);

/* Of the program that measured it: what stands behind the '+' of its version; "": its version has none. */
const char *kb_history_commit(const struct kb_stored_result *point);

/* Cost of a point in the unit of the history. */
struct kb_estimate kb_history_value(const struct kb_history *, const struct kb_stored_result *point);

/* Whether a level begins at this point; *ratio: to the level before, NaN where none begins. */
bool kb_history_step(const struct kb_history *, size_t point, double *ratio);

#endif
