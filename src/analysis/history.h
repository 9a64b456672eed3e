/*
 * One benchmark over the stored runs, and where its level changed. Only runs of one environment ID and CPU make a history, and
 * no side of an A/B comparison: a changed environment would look like a change of the code.
 */
#ifndef KB_ANALYSIS_HISTORY_H
#define KB_ANALYSIS_HISTORY_H

#include "analysis/occasions.h"
#include "stats/series/changepoint.h"

struct kb_history_wanted {
	const char *benchmark;          /* a benchmark, a pattern of them, or a row with its parameters */
	const char *const *parameters;  /* "NAME=VALUE" that a row must have */
	size_t parameter_count;
	const char *label;              /* shell glob of labels; NULL: any */
	uint64_t limit;                 /* the newest so many runs */
};

/* One row over time. */
struct kb_history {
	struct kb_stored_result newest; /* which has the environment ID and CPU that are shown */
	struct kb_stored_result like;   /* the newest with a number: another unit or method is another quantity */
	struct kb_stored_result *points;        /* oldest first */
	size_t point_count;
	size_t others, unlike;          /* runs with other environment IDs or CPUs; of this one, of another quantity */
	bool cycles;
	size_t *numbered;               /* index of each value's point: points without a number are no part of the series */
	double *values;
	size_t count;
	struct kb_changes changes;
	struct kb_occasion occasion;    /* runs is 0: there are too few */
	double sd, detectable;          /* of runs beyond their CIs, and between two runs, as fractions; NaN: too few runs */
};

/* The oldest result of each row that is wanted, in the order in which runs first had them. Free *rows. 0, -ENOMEM or an error of the
   store. */
int kb_history_find(struct kb_store *, const struct kb_history_wanted *, struct kb_stored_result **rows, size_t *count);

/* What the store has of one of these rows. Errors as above; free it in any case. */
int kb_history_load(struct kb_store *, const struct kb_history_wanted *, const struct kb_stored_result *row, struct kb_history *);
void kb_history_free(struct kb_history *);

/* Cost of a point in the unit of the history. */
struct kb_estimate kb_history_value(const struct kb_history *, const struct kb_stored_result *point);

/* Whether a level begins at this point; *ratio: to the level before, NaN where none begins. */
bool kb_history_step(const struct kb_history *, size_t point, double *ratio);

#endif
