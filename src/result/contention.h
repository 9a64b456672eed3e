/*
 * Which samples ran on an uncontended core: those with a contention probe at its floor before and after. The floor is K core
 * cycles a loop, a constant of the CPU model, for what is learnt from one run alone is wrong in silence where a neighbour never
 * rests (doc/noise.md).
 */
#ifndef KB_RESULT_CONTENTION_H
#define KB_RESULT_CONTENTION_H

#include "result/samples.h"

/* ---- the floor: what the loops of a contention probe take on a core that nobody shares ----------------- */

/* Where K comes from: measured values that are shipped, three runs in the store that agree, this run. */
enum kb_floor_from { KB_FLOOR_UNKNOWN, KB_FLOOR_SHIPPED, KB_FLOOR_STORED, KB_FLOOR_RUN };

struct kb_floor {
	double k;                       /* core cycles a loop of the contention probe, its clock readings included; 0: not known */
	enum kb_floor_from from;
};

/* K of a CPU model that is shipped with the program; 0: of this one there is none. */
double kb_floor_shipped(const char *key);

/* "shipped" "stored" "run"; "unknown" */
const char *kb_floor_from_name(enum kb_floor_from);
enum kb_floor_from kb_floor_from_find(const char *name);

/* ---- samples ----------------------------------------------------------------------------------------- */

#define KB_CONTENDED_SHARE 0.05         /* of samples or of time: with less of it contended nobody is said to share the core */
#define KB_CLOCK_MOVED 0.01             /* of the core clock, between its lowest and its highest value */

/* Flags the samples that are not known to be uncontended with KB_FLAG_CONTENDED, and fills clean_share. Samples of a record
   without probes, or with a K that is not known, are left as they are. */
void kb_contention_flag(struct kb_samples *, const struct kb_floor *);
void kb_contention_unflag(struct kb_samples *);

/* Which of the contention probes were at their floor, one by one; the caller frees it. NULL: nobody can tell. */
bool *kb_contention_probes(struct kb_samples *, const struct kb_floor *);

/* Core cycles a loop that a contention probe took. */
double kb_contention_ratio(const struct kb_samples *, size_t probe);

/* Ticks of one dependent addition around a block of the plan; NAN: no clock probe there. */
double kb_contention_add(const struct kb_samples *, uint32_t block);

/* ---- K from probes ------------------------------------------------------------------------------- */

/* How often the probes took how many cycles a loop, in steps of half a percent from half a cycle on; and the lower mode of each of
   the last processes alone. */
#define KB_RATIO_BINS 1500u
#define KB_RATIO_PROCESSES 64u
struct kb_ratios {
	double count[KB_RATIO_BINS], all;
	double own[KB_RATIO_PROCESSES];
	unsigned processes;
};

/* Adds the probes after the samples of a record. */
void kb_ratios_add(struct kb_ratios *, const struct kb_samples *);

/*
 * The lower mode: the lowest narrow peak with next to nothing right above it, in all probes and in five processes alone, and in a
 * third of them all; a neighbour that never rests does something else in each. 0: there is none. *alone: hardly anything else was
 * seen, so that nobody can tell from these probes whether a neighbour rested or ran all the time.
 */
double kb_ratios_mode(const struct kb_ratios *, bool *alone);

/* Takes that mode for K where it proves to be one: others were seen, too, or nobody else can run on the core. Else K is not known. */
void kb_ratios_floor(const struct kb_ratios *, bool core_alone, struct kb_floor *);

/* Whether only the run itself tells, so that the next process may change it, also to nothing. */
bool kb_floor_is_learned(const struct kb_floor *);

#endif
