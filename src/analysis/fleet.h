/*
 * The runs of a fleet: which of its nodes deviate from the others, in which results, and how far healthy nodes differ. Nodes of one environment
 * ID are held against each other, and nobody else. Three things are asked of each result: its cost (the headline), how much was lost on top
 * of it (the plain mean over the cost: neighbours and interruptions, which the cost is free of), and how long it waited for a CPU, which no
 * sample shows. What is computed: doc/fleet-report.md.
 */
#ifndef KB_ANALYSIS_FLEET_H
#define KB_ANALYSIS_FLEET_H

#include "stats/comparison/fleet.h"
#include "store/store.h"

struct kb_fleet_wanted {
	const char *fleet;              /* its id, the beginning of it, or "last"; NULL with a label or a time: all runs that fit */
	const char *label;              /* shell glob of labels; NULL: any */
	const char *since;              /* the beginning of a date as runs have it; NULL: any */
	double margin;                  /* a fraction: smaller deviations do not matter */
};

enum kb_fleet_kind { KB_FLEET_COST, KB_FLEET_LOSS, KB_FLEET_WAIT, KB_FLEET_KINDS };

/* "cost" "loss" "wait" */
const char *kb_fleet_kind_name(enum kb_fleet_kind);

struct kb_judged_node {
	char name[64], environment[64]; /* machine and configuration of its runs */
	char run[37];                   /* its newest one */
	size_t boots, runs, results;    /* boots: a run whose boot is not known is one; results: that are held against others */
	double q[KB_FLEET_KINDS];       /* NAN: nothing of the kind was held against others */
	bool deviates[KB_FLEET_KINDS];
	/* Medians over its results, and over those of all nodes of its environment; NAN: not known. */
	struct { double mhz, clean, disturbed, waited; } own, fleet;
};

/* A node's part of a row. */
struct kb_fleet_cell {
	bool there;                     /* it is held against the others; else `why` tells why not, NULL: not measured there */
	const char *why;
	double value;                   /* of cost: in the unit of the row; of loss: mean over cost; of wait: time over time with a CPU */
	struct kb_node_deviation deviation;
	double q;
	bool noisy;                     /* half of its results or more: its CI may not cover what was seen, so that it names nobody by its cost */
	bool deviates;
};

/* A result of one environment, or (`whole`) what all results of a node have in common. */
struct kb_fleet_row {
	char row[385], environment[64];
	enum kb_fleet_kind kind;
	bool whole, known;              /* known: enough nodes have it */
	bool shared;                    /* neighbours are in these costs, so that none of them names a node by itself */
	char unit[8], per[24];          /* "" but of costs of results */
	struct kb_fleet_spread spread;
	struct kb_level_spread boots, runs;     /* of one node; of one boot */
	struct kb_fleet_cell *cells;    /* one a node */
};

/* A result on two sides. */
struct kb_fleet_change {
	char row[385], environment[64];
	size_t nodes, place;            /* that have both; in the run */
	struct kb_difference difference;
	double between, q;              /* between: sd between nodes of their differences */
	enum kb_decision decision;
};

struct kb_fleet_report {
	char id[64];                    /* "": chosen by label or time */
	char started[24], finished[24]; /* of its first and of its last run */
	double margin;
	size_t runs, damaged;           /* damaged: results that nothing can be told of */
	struct kb_judged_node *nodes;
	size_t node_count;
	struct kb_fleet_row *rows;      /* by environment, kind and place in the run; the whole before its results */
	size_t row_count;
	struct kb_fleet_change *changes;        /* by environment and place */
	size_t change_count;
};

/* 0; -ENOENT: no such run; -ENOTUNIQ: several fleets begin so; -ENOMEM or an error of the store. Free it in any case. */
int kb_fleet_load(struct kb_store *, const struct kb_fleet_wanted *, struct kb_fleet_report *);
void kb_fleet_free(struct kb_fleet_report *);

bool kb_fleet_node_deviates(const struct kb_judged_node *);
bool kb_fleet_deviates(const struct kb_fleet_report *);

/* How many nodes, and results, are held against each other. */
size_t kb_fleet_judged_nodes(const struct kb_fleet_report *);
size_t kb_fleet_judged_results(const struct kb_fleet_report *);

/* What is known of why a node deviates: "core clock 2890 MHz, of the fleet 3240 MHz". "": nothing. Returns text. */
#define KB_FLEET_WHY 300
const char *kb_fleet_reason(const struct kb_judged_node *, char text[KB_FLEET_WHY]);

#endif
