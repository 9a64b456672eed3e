/* What the store has of a fleet, before anything is computed. Only for src/analysis. */
#ifndef KB_ANALYSIS_FLEET_READ_H
#define KB_ANALYSIS_FLEET_READ_H

#include "analysis/fleet.h"
#include "analysis/fleet_compare.h"
#include "result/result.h"

/* A run: the node that it ran on, and the side that it is. */
struct fleet_run {
	char id[37], node[64], environment[64], started[24];
	char side;                      /* 'a', 'b'; 0: none */
	char boot[64];                  /* of its node; "": not known */
	size_t at, first;               /* at: of its node; first: the first run in the same boot, itself where that is not known */
};

/* A result of one run, as far as it is held against others. */
struct fleet_sample {
	char row[385], environment[64];
	size_t node, boot, run, position;       /* boot: its first run */
	struct kb_node_value cost, mean, wait;  /* logarithms; df 0: not known. wait: of the time over that with a CPU */
	char unit[8], per[24], like[120];       /* like: what must be the same for costs to be of one thing, but for the headline */
	char headline[16];
	bool noisy;                     /* its CI may not cover what was seen */
	const char *why;                /* it has no cost to be held against others; NULL: it has */
	double mhz, clean, disturbed, waited;
	int64_t n_max;
	double sample_ns;
};

struct fleet_read {
	struct fleet_run *runs;
	size_t run_count;
	struct fleet_sample *samples;   /* by row, environment, node, boot and run */
	size_t sample_count;
};

/* Fills `read`, and id, times, nodes and damaged of the fleet. As kb_fleet_load; free it in any case. */
int kb_fleet_read(struct kb_store *, const struct kb_fleet_wanted *, struct fleet_read *, struct kb_fleet_report *);
void kb_fleet_read_free(struct fleet_read *);

/* The same in two steps: results, those of a run one after the other; then their nodes and their order. -ENOMEM. */
int kb_fleet_take(struct fleet_read *, const struct kb_stored_result *, size_t *damaged);
int kb_fleet_arrange(struct fleet_read *, struct kb_fleet_report *);

/* fleet_table.c: rows, nodes' verdicts and changes from these. -ENOMEM. */
int kb_fleet_table(const struct fleet_read *, struct kb_fleet_report *);
int kb_fleet_changes(const struct fleet_read *, struct kb_fleet_report *);

/* fleet.c: rows, and who is named. -ENOMEM. */
int kb_fleet_judge(const struct fleet_read *, struct kb_fleet_report *);

/* What most samples of a result are like, NULL: none has a cost; and why one is not held against those: NULL, it is. */
const struct fleet_sample *kb_fleet_like(const struct fleet_sample *first, size_t count);
const char *kb_fleet_unlike(const struct fleet_sample *, const struct fleet_sample *like);

/* fleet_changes.c: the mean of those of one node's runs on a side that are like this one; df 0: there is none. */
typedef bool fleet_is_like(const struct fleet_sample *, const struct fleet_sample *like);
struct kb_node_value kb_fleet_side_of(const struct fleet_read *, const struct fleet_sample *samples, size_t count, char side,
				      const struct fleet_sample *like, fleet_is_like *);

/* fleet_pairs.c: the rows of two fleets, of which base is side a and the new one side b. -ENOMEM. */
int kb_fleets_compare_rows(const struct fleet_read *, size_t nodes, struct kb_compared_fleets *);
#define KB_FLEETS_JOINED " to "         /* between both environment IDs of a node that changed */

#endif
