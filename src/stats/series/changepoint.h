/*
 * Does a series in run order keep its level? Changes of mean or variance, and what they say about warm-up.
 * Pure functions; formulas and simulated error rates: doc/method.md.
 */
#ifndef KB_STATS_SERIES_CHANGEPOINT_H
#define KB_STATS_SERIES_CHANGEPOINT_H

#include "base/verdict.h"
#include "stats/series/partition.h"

#define KB_CHANGES_SERIES_MIN 60        /* shorter series get simple checks instead of a search for changes */

struct kb_changes {
	size_t at[KB_SEGMENTS_MAX];     /* first index of each segment but the first, ascending */
	unsigned count;
	double penalty, kappa;          /* as used: kappa (1 + rho)/(1 - rho) of the lag-1 correlation within levels */
};

/*
 * Changes of mean or variance by a Gaussian cost (PELT). quantum: the clock's step in the unit of x, 0 if unknown.
 * penalty: of a change, in ln n; 0 for 4 kappa. 0; -EINVAL: a value is no number of usable size; -ENOMEM.
 */
int kb_changes_find(const double *x, size_t n, double quantum, double penalty, struct kb_changes *changes);

/* Changes of distribution by ranks (ED-PELT), indifferent to skewness. kappa: as kb_changes_find found it. Errors as
   above. */
int kb_changes_by_rank(const double *x, size_t n, double kappa, struct kb_changes *changes);

struct kb_steady {
	enum kb_reason_code code;      /* KB_CODE_flat, warmup, slowdown, no_steady_state; of a short series also drift */
	size_t cut;             /* the steady state begins here; 0 unless there was a warm-up or slowdown */
	double before, after;   /* mean before and from the cut; of no_steady_state and drift: of what differs */
	struct kb_changes changes;      /* between unequal levels; of a skewed series, those that both searches see */
};

/* Values are times: larger is slower. Errors as kb_changes_find. */
int kb_steady_state(const double *x, size_t n, double quantum, double penalty, struct kb_steady *steady);

/* One label for several processes: theirs; warmup if some are flat and the others warm up; else inconsistent. */
enum kb_reason_code kb_steady_of_processes(const enum kb_reason_code *codes, size_t count);

#endif
