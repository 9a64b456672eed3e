/*
 * Two fleets, result by result: nodes that are in both are compared with themselves, with random effects over nodes; where fewer than three are,
 * the fleets are strangers, and how far nodes differ is in both centres. Nodes of different environment IDs are never mixed. What is computed:
 * doc/fleet-report.md.
 */
#ifndef KB_ANALYSIS_FLEET_COMPARE_H
#define KB_ANALYSIS_FLEET_COMPARE_H

#include "result/comparison.h"
#include "store/store.h"

struct kb_fleets_wanted {
	const char *fleets[2];          /* base and new, as kb_store_find_fleet takes them; base NULL: the newest before it that has a result on a node in common */
	const char *const *patterns;    /* results that are wanted: see kb_result_matches; none: all */
	size_t pattern_count;
	double margin;                  /* a fraction */
	bool any_env;                   /* nodes whose environment ID changed are compared; nothing is decided of them */
};

struct kb_compared_fleet {
	char id[37], label[128], started[24];
	size_t nodes, runs;             /* that have a result that is wanted */
	bool interleaved;               /* only its side a takes part */
};

/* A result of one environment. */
struct kb_fleets_row {
	struct kb_comparison comparison;        /* processes: nodes, of strangers those of the fleet that has fewer */
	char environment[64];           /* of a node that changed: both */
	bool paired;                    /* node by node */
	size_t nodes[2], common;        /* that have it with a cost; in both */
	size_t invalid[2];              /* nodes on which it is */
	double between;                 /* sd between nodes: paired of their differences, else of their costs */
	char unit[8], per[24];
	size_t place;
};

/* A result that one fleet has and the other one has not, in this environment. */
struct kb_fleets_alone { char row[385], environment[64]; unsigned side; };

/* A node that is not in both as it is. */
struct kb_fleets_node {
	char name[64], environment[2][64];      /* "": it is not in this fleet */
};

struct kb_compared_fleets {
	struct kb_compared_fleet side[2];
	struct kb_fleets_row *rows;     /* by environment and place in the run; adjusted for their number */
	size_t count;
	struct kb_fleets_node *nodes;
	size_t node_count;
	struct kb_fleets_alone *alone;
	size_t alone_count;
	size_t common;                  /* nodes that are in both, in one environment */
	size_t damaged;                 /* results that nothing can be told of */
	double margin;
	const char *unmatched;          /* a pattern that no result matches */
};

/* 0; -ENOENT with `side[1].id`: there is no fleet before it to compare with, else no such fleet; -ENOTUNIQ, -ENOMEM or an error of the store. No
   result in common is none: count is 0. Release it in any case. */
int kb_fleets_compare(struct kb_store *, const struct kb_fleets_wanted *, struct kb_compared_fleets *);
void kb_fleets_release(struct kb_compared_fleets *);

/* The comparisons one behind the other; free it. NULL without memory. */
struct kb_comparison *kb_fleets_comparisons(const struct kb_compared_fleets *);

#endif
