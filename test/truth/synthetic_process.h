/* A process in flight: what the two halves of the synthetic machine share. */
#ifndef TEST_TRUTH_SYNTHETIC_PROCESS_H
#define TEST_TRUTH_SYNTHETIC_PROCESS_H

#include "synthetic.h"

/* What time passes with. */
enum kb_synthetic_kind { SYNTHETIC_WORK, SYNTHETIC_CHAIN, SYNTHETIC_PROBE, SYNTHETIC_KINDS };

/* The state of what comes and goes, and the time at which it changes next. */
struct kb_synthetic_regimes {
	struct kb_rng rng;
	bool busy, slow, fast;
	double busy_until, slow_until, fast_until;
	double factor[SYNTHETIC_KINDS]; /* of the times, while the sibling is busy */
};

struct kb_synthetic_process {
	const struct kb_synthetic *model;
	struct kb_synthetic_machine *machine;
	struct kb_process_request request;
	struct kb_rng rng;

	struct kb_run run;
	struct kb_measure measure;
	struct kb_marks marks;
	struct kb_probe probe;
	struct kb_record_writer out;
	char *text;
	size_t length, room;

	/* The clock. */
	double now, began;
	double factor;                  /* of this process's costs */
	double ar;                      /* the drifting part of them */
	bool told;                      /* the probe knows of the interval under way */
	enum kb_role role;
	bool long_chain;                /* the next clock probe is the longer one */
	bool begun;                     /* the last reading was of the start of something */
	bool sampled;                   /* the last interval that ended was no contention probe */
	enum kb_role last;              /* of that one */
	struct kb_synthetic_regimes regimes;
	double work;                    /* ticks that op or base asked for */
	uint64_t n;                     /* operations of it */
	unsigned flags;
	unsigned ops;                   /* intervals of op so far */
	unsigned checks;
	bool second;                    /* the next interval of op or base is the second of a pair */
	unsigned block_ops;             /* in this block */

	/* Evidence of the intervals that are no warm-up. */
	bool warm;
	uint64_t operations[2], intervals[2];   /* of op, of base */

	const char *stage;              /* of the failure, if there is one to come */
	unsigned calls;                 /* of that stage */
	uint64_t blocks;
	bool over;
};

/* The model's value, or the usual one where it has none. */
static inline double kb_synthetic_or(double value, double usual)
{
	return value > 0 ? value : usual;
}

void kb_synthetic_regimes_start(struct kb_synthetic_process *);

/* Time passes by what takes so many ticks on an uncontended core. */
void kb_synthetic_pass(struct kb_synthetic_process *, double ticks, enum kb_synthetic_kind);

double kb_synthetic_probe_ticks(const struct kb_synthetic_process *);

struct kb_clock kb_synthetic_clock(const struct kb_synthetic *model);

void kb_synthetic_start(struct kb_synthetic_process *);

/* From here on the clock belongs to this process. */
void kb_synthetic_turn(struct kb_synthetic_process *);

#endif
