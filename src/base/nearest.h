/* The known word that a mistyped one was probably meant to be. */
#ifndef KB_BASE_NEAREST_H
#define KB_BASE_NEAREST_H

#include "types.h"

/* Candidates are offered one by one; the best stays. Start with { .typed = word }. */
struct kb_nearest {
	const char *typed;
	const char *best;       /* NULL: nothing is near enough to be worth saying */
	unsigned distance;      /* of best: edits (insert, delete, replace, swap neighbours) */
	char hint[96];          /* of kb_nearest_hint */
};

void kb_nearest_offer(struct kb_nearest *, const char *candidate);

/* ", did you mean BEST?" behind a message; where nothing is near, `otherwise`. */
const char *kb_nearest_hint(struct kb_nearest *, const char *otherwise);

#endif
