/*
 * Does a series in run order keep its level? Changes of mean or variance, and what they mean for warm-up.
 * Pure functions; formulas and simulated error rates: doc/method.md.
 */
#ifndef KB_STATS_SERIES_CHANGEPOINT_H
#define KB_STATS_SERIES_CHANGEPOINT_H

#include "base/verdict.h"
#include "types.h"

#define KB_SEGMENTS_MAX 100
#define KB_CHANGES_SERIES_MIN 60        /* shorter series get simple checks instead of a search for changes */

struct kb_fences { double median, reach; };     /* reach: 3 sigma by the MAD; 0 if more than half are equal */

/* What counts as an outlier of a series. scratch: n values. */
struct kb_fences kb_limits_of(const double *x, size_t n, double *scratch);

/* Pulls every value in to median +- reach. */
void kb_pull_in(double *x, size_t n, const struct kb_fences *limits);

/* The same for a series that has levels: to +- reach about the median of the neighbours, from x to `to`. Without reach
   a copy. */
void kb_pull_to_neighbours(const double *x, double *to, size_t n, const struct kb_fences *limits);

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

/* ---- only for src/stats: the cheapest division of a series into segments ------------------------------------ */

/* Values of the shortest segment of a series: max(5, n/100). */
size_t kb_segment_least(size_t n);

/* Segments begin and end at the edges of cells: edge[0] = 0 < ... < edge[cells] = the number of values. */
struct kb_partition {
	double (*cost)(const void *series, size_t begin, size_t end);   /* of the segment of cells begin..end-1 */
	const void *series;
	const size_t *edge;
	size_t cells;
	size_t least;           /* values of the shortest segment; at least one in KB_SEGMENTS_MAX of all */
	double penalty;         /* of each segment but the first */
	bool concave;           /* two halves never cost more than the whole: lets candidates be dropped early */
};

/* at: the first cell of each segment but the first, ascending, room for KB_SEGMENTS_MAX. 0 or -ENOMEM. */
int kb_partition_find(const struct kb_partition *, size_t *at, unsigned *count);

#endif
