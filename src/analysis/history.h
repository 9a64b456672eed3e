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
	const char *node;               /* only runs of this one; NULL: any */
	bool fleets;                    /* a point is a fleet, not a run: kb_fleet_history_load */
	uint64_t limit;                 /* the newest so many runs, or fleets */
};

/* What a point of fleets is beside its cost: the mean over healthy nodes, as `kbench fleet report` has it. */
struct kb_fleet_point {
	char fleet[64];
	size_t nodes, healthy;          /* that have the result; that the mean is of */
	size_t deviate;                 /* that are named by this result alone */
	size_t before, common;          /* nodes of the point before this one; those of them that are in this one, too */
	double between;                 /* sd between healthy nodes beyond their own errors, a fraction */
	double change;                  /* against the point before, by what nodes have in common, a fraction; NAN: not known */
};

/* One row over time, as it was measured in one environment. */
struct kb_history {
	struct kb_stored_result newest; /* which has the environment ID and CPU of all */
	size_t total;                   /* results of this environment and CPU that were looked at */
	bool numbers;                   /* one of them has one */
	struct kb_stored_result like;   /* the newest with a number: another unit or method is another quantity */
	struct kb_stored_result *points;        /* oldest first; of a fleet the cost, and what its newest run states */
	struct kb_fleet_point *fleets;  /* one a point; NULL: points are runs */
	size_t point_count;
	size_t others, unlike;          /* results of environments and CPUs that are not shown; of this one, of another quantity */
	bool cycles;
	size_t *numbered;               /* index of each value's point: points without a number are no part of the series */
	double *values;                 /* of fleets the levels that their nodes have in common */
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

/* All histories of fleets that are wanted, loaded: of each row those environments that the newest fleet with it has. Errors as above. */
int kb_fleet_history_load(struct kb_store *, const struct kb_history_wanted *, struct kb_history **all, size_t *count);

/* Parts of both: rows that are wanted, each by a result of it, and whether results are of one quantity. */
int kb_history_rows(struct kb_store *, const struct kb_history_wanted *, struct kb_stored_result **rows, size_t *count);
bool kb_history_alike(const struct kb_stored_result *, const struct kb_stored_result *);

/* Of a change of level, in ln n: that of runs with a correlation of 1/3. Estimated from a few dozen runs, one large step would be taken for
   correlation and hide itself. Simulated with 12 to 80 runs: false changes in 0 % of independent runs and 4 % at a correlation of .6; a step of
   10 sd is always found, one of 3 sd in .35, .68, 1 and 1 at 12, 20, 40 and 80. */
#define KB_HISTORY_PENALTY 8.0

/* Of the program that measured it: what stands behind the '+' of its version; "": its version has none. */
const char *kb_history_commit(const struct kb_stored_result *point);

/* Cost of a point in the unit of the history. */
struct kb_estimate kb_history_value(const struct kb_history *, const struct kb_stored_result *point);

/* Whether a level begins at this point; *ratio: to the level before, NaN where none begins. */
bool kb_history_step(const struct kb_history *, size_t point, double *ratio);

#endif
