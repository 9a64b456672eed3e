/* A launch in flight: what the two halves of the synthetic machine share. */
#ifndef TEST_TRUTH_SYNTHETIC_LAUNCH_H
#define TEST_TRUTH_SYNTHETIC_LAUNCH_H

#include "synthetic.h"

struct kb_synthetic_launch {
	const struct kb_synthetic *model;
	struct kb_synthetic_machine *machine;
	struct kb_launch_request request;
	struct kb_rng rng;

	struct kb_run run;
	struct kb_measure measure;
	struct kb_probe probe;
	struct kb_record_writer out;
	char *text;
	size_t length, room;

	/* The clock. */
	double now, began;
	double factor;                  /* of this launch's costs */
	double ar;                      /* the drifting part of them */
	bool told;                      /* the probe knows of the interval under way */
	enum kb_role role;
	unsigned sentinel;              /* which of the three is next */
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

struct kb_clock kb_synthetic_clock(const struct kb_synthetic *model);

void kb_synthetic_start(struct kb_synthetic_launch *);

/* From here on the clock belongs to this launch. */
void kb_synthetic_turn(struct kb_synthetic_launch *);

#endif
