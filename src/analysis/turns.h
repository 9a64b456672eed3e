/*
 * Two things that were run in turn, in random order: whether their difference is one of order or of the core's clock. Pure functions over the
 * caller's arrays.
 */
#ifndef KB_ANALYSIS_TURNS_H
#define KB_ANALYSIS_TURNS_H

#include "stats/comparison/compare.h"

/* One block: what both took, how fast the core's clock was alongside each (0: not known), whether the new one came before the base, and
   whether it came first of all. */
struct kb_turn { double base, new, base_mhz, new_mhz; bool new_before, new_first; };

struct kb_turn_effects {
	struct kb_interval order;       /* of ln(new/base): where new came second, less where it came first */
	bool order_matters;             /* for sure, and by more than the margin */
	struct kb_interval first;       /* of ln(new): where it came first of all in its block, less where it came later */
	bool first_matters;
	struct kb_interval clock;       /* of ln of the core clock, new less base */
	struct kb_interval cycles;      /* of ln(new/base) in core cycles */
	bool clock_explains;            /* times differ for sure; cycles do not, beyond the margin */
};

/* margin: ln of a ratio. 0 or -ENOMEM. */
int kb_turn_effects_find(const struct kb_turn *turns, size_t count, double margin, struct kb_turn_effects *);

#endif
