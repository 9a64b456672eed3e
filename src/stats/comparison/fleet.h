/*
 * Many machines that should be equal: how far they differ, and which ones do not belong. A result has one value a node, the logarithm of a
 * cost; a node may have been started several times (boots), and measured several times since (runs), and each value has an error of its own.
 * Formulas and why: doc/fleet-report.md. Pure functions. Deviations and spreads are of logarithms.
 */
#ifndef KB_STATS_COMPARISON_FLEET_H
#define KB_STATS_COMPARISON_FLEET_H

#include "stats/comparison/compare.h"

#define KB_FLEET_RATE .05       /* of false discoveries among all that is named */
#define KB_FLEET_NODES_MIN 3u   /* of two nodes nobody knows which one deviates */

/* One node's value of a result, and the error of it that is the node's own: of what was measured, and of its boots. */
struct kb_node_value { double x, se, df; };

/* What was measured: runs node after node, and boot after boot in each; how many runs each boot has, and how many boots each node has. */
struct kb_fleet_runs { const struct kb_node_value *values; const size_t *runs, *boots; size_t nodes; };

/* What lies between the boots of a node, or between the runs of a boot. */
struct kb_level_spread {
	double sd;                      /* beyond the levels below; NAN: no node has two */
	size_t nodes;                   /* that have two or more */
};

/* Fills `values`, one a node: the mean of its boots' means. 0; -EINVAL: a boot or a node without runs, or values that are no numbers; -ENOMEM. */
int kb_fleet_boots(const struct kb_fleet_runs *, struct kb_node_value *values, struct kb_level_spread *boots, struct kb_level_spread *runs);

/* By how much nodes of one kind differ where nothing is known: it weighs as much as df + 1 nodes would, and less where more is seen. */
struct kb_usual_spread { double sd, df; };
#define KB_FLEET_USUAL_COST { .007, 4 }         /* of costs: CPUs of one machine, and its days, differ by 0.2 to 2 % (doc/noise.md) */
#define KB_FLEET_USUAL_TIME { .02, 4 }          /* of a result that the core does not decide: processes come in kinds, and kinds change (the same) */
#define KB_FLEET_USUAL_LOSS { .05, 4 }          /* of means over costs: what is lost to others comes and goes */
#define KB_FLEET_USUAL_WAIT { .05, 4 }          /* of the time over that with a CPU */

struct kb_node_deviation {
	struct kb_interval ln;          /* from the centre of the other healthy nodes; its CI has their spread in it */
	double se, df;
	double p, p_above;              /* two-sided; and of values above the centre alone */
	bool apart;                     /* left out of centre and spread */
};

struct kb_fleet_spread {
	struct kb_interval centre;      /* mean of the healthy nodes, t */
	struct kb_interval between;     /* sd between healthy nodes, beyond their own errors; its low end may be 0 */
	double total;                   /* sd of the healthy nodes' values */
	size_t nodes, healthy;
};

/* deviations: one a node. 0; -EINVAL: fewer than KB_FLEET_NODES_MIN, or values that are no numbers; -ENOMEM. */
int kb_fleet_deviations(const struct kb_node_value *values, size_t nodes, const struct kb_usual_spread *usual, struct kb_fleet_spread *spread,
			struct kb_node_deviation *deviations);

/* What the results of a node have in common: the median of its deviations in them, and how far these differ. off is sorted. */
struct kb_node_value kb_fleet_whole(double *off, size_t results);

/* Of families (nodes), each with p values (of results), NAN where there is none: the adjusted p of each family that none of its p values is more
   than chance; NAN without any. -ENOMEM. */
int kb_fleet_select(const double *p, size_t families, size_t each, double *family_q);

/* Then the q values inside: of a family that is named at this rate, and for one that is not at least its own. What is at most `rate` is named. */
int kb_fleet_select_inside(const double *p, size_t families, size_t each, double rate, const double *family_q, double *q);

/*
 * The p value that a deviation enters there: 1 below the margin, which does not matter. above: only dearer nodes are of interest. What all `each`
 * results of a node have in common weighs as much as these together (whole): a sick machine is most often sick in all it does.
 */
double kb_fleet_weighted(const struct kb_node_deviation *, double margin, bool above, bool whole, size_t each);

/* Simes (1986): p of "none of these is true", also where they depend on each other as results of one node do. sorted ascending; 1 without any. */
double kb_simes(const double *sorted, size_t n);

/* Differences of two sides, one a node, with their errors: nodes are drawn from many, so that what differs between them is in the interval.
   between: sd between nodes of their differences. Fewer than two: undecided. */
struct kb_difference kb_fleet_difference(const double *d, const double *se, size_t nodes, double margin, double *between);

/*
 * Fleets over time, whose nodes come and go. A node has a level of its own, and what fleets differ by is what their nodes have in common: a fleet
 * without its dearest node is not cheaper. Fleets without a common node are compared by their plain means.
 */
struct kb_fleet_mark { size_t fleet, node; double x; };        /* the logarithm of a node's cost in a fleet */

/* levels: of each fleet, its error from what its nodes do not have in common; df 0: no marks. apart: of each mark, that it is far from the node's
   own level, and left out: one node that changes moves no fleet. -EINVAL: x that are no numbers; -ENOMEM. */
int kb_fleet_levels(const struct kb_fleet_mark *marks, size_t count, size_t fleets, size_t nodes, struct kb_node_value *levels, bool *apart);

/* Two fleets without common nodes: the middle of the nodes of each, without a fifth of them at either end, and Welch's t with the spread between
   nodes (Yuen 1974). Fewer than two on a side: undecided. -EINVAL: values that are no numbers; -ENOMEM. */
struct kb_fleet_strangers {
	struct kb_difference difference;
	double middle[2], spread;       /* of each; the larger sd between nodes */
};

int kb_fleet_strangers(const struct kb_node_value *a, size_t na, const struct kb_node_value *b, size_t nb, double margin, struct kb_fleet_strangers *);

#endif
